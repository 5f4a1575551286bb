"""Bad input: whatever goes wrong, one message says what and what to do next, with its exit code and no traceback."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from in_process import refusal
from pty_screen import on_a_terminal
from test_cli import FAIRSHOE, one_message
from test_cli_ports import far_end
from waits import LIMIT_S

from fairshoe.cli import command_line
from fairshoe.commands import demo as demo_cli
from fairshoe.keys import write_key
from fairshoe.link import framing
from fairshoe.messages import Hello, Refusal, Refused

ROOT = Path(__file__).resolve().parents[3]
LOOKING = ["status", "monitor", "selftest"]
DRIVING = [["shuffle"], ["deal"], ["round"], ["command", "{port}", "shuffle"]]
KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings but those of the test."""
    for name in list(os.environ):
        if name.startswith("FAIRSHOE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("FAIRSHOE_ANSWER_S", str(LIMIT_S))


@pytest.fixture
def key_file(tmp_path: Path) -> str:
    write_key(tmp_path / "dev.key", "device", KEY)
    return str(tmp_path / "dev.key")


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    monkeypatch.setenv("FAIRSHOE_ANSWER_S", "0.6")
    with far_end() as (path, _near):
        yield path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and the one message."""
    code = command_line.main(list(arguments))
    message = capsys.readouterr().err
    assert "Traceback" not in message
    lines = message.strip().splitlines()
    assert lines[0].startswith("fairshoe: ") and len(lines) == 2 and lines[1].startswith("          "), message
    return code, message


def arguments(words: list[str], port: str) -> list[str]:
    return [word.format(port=port) for word in words] if "{port}" in words else [*words, port]


# --- ports -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [*([name] for name in LOOKING), ["shuffle"], ["deal", "3"], ["command", "release"]])
@pytest.mark.usefixtures("nothing_attached")
def test_no_port(capsys: pytest.CaptureFixture[str], command: list[str], key_file: str) -> None:
    code, message = told(capsys, *command, "--key-file", key_file)
    assert code == 2 and "no port was given, and no shoe is attached" in message and "fairshoe ports" in message


@pytest.mark.parametrize("words", [*([name] for name in LOOKING), *DRIVING])
def test_no_such_port(capsys: pytest.CaptureFixture[str], words: list[str], key_file: str) -> None:
    code, message = told(capsys, *arguments(words, "/dev/does-not-exist"), "--key-file", key_file)
    assert code == 4 and "cannot open /dev/does-not-exist: No such file or directory.\n" in message


@pytest.mark.parametrize("number", ["99999", "-1", "http"])
def test_no_such_tcp_port(capsys: pytest.CaptureFixture[str], number: str) -> None:
    code, message = told(capsys, "web", "--no-open", f"--port={number}")
    assert code == 2 and f"a number between 0 and 65535, not '{number}'" in message


@pytest.mark.parametrize("words", [["status"], ["monitor"], ["shuffle"]])
def test_a_busy_port(capsys: pytest.CaptureFixture[str], words: list[str], silent: str, key_file: str) -> None:
    from fairshoe.observe.observer import Watch

    with Watch(silent) as other:
        other.open()
        code, message = told(capsys, *words, silent, "--key-file", key_file)
    assert code == 4 and "another program has" in message and "End that program" in message


@pytest.mark.parametrize("words", [["status"], ["selftest"], ["shuffle"]])
def test_nothing_answers(capsys: pytest.CaptureFixture[str], words: list[str], silent: str, key_file: str) -> None:
    code, message = told(capsys, *words, silent, "--key-file", key_file)
    assert code == 5 and "answered as a shoe within" in message and "powered" in message


@pytest.mark.parametrize("command", LOOKING[::2])
def test_something_else_answers(
    capsys: pytest.CaptureFixture[str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRSHOE_ANSWER_S", "3")
    with far_end(b"NMEA $GPGGA\r\n\0") as (path, _near):
        code, message = told(capsys, command, path)
    assert code == 5 and "not as a shoe does" in message and "fairshoe ports" in message


class OtherVersion:
    """A device that refuses every hello because of its version."""

    def __init__(self) -> None:
        self.near, self.far = os.openpty()
        import tty

        tty.setraw(self.far)
        self.path = os.ttyname(self.far)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _answer(self) -> None:
        decoder = framing.Decoder()
        os.set_blocking(self.near, False)
        while not self._over.wait(0.02):
            try:
                data = os.read(self.near, 4096)
            except BlockingIOError:
                continue
            for frame in decoder.feed(data):
                if isinstance(frame.message, Hello):
                    os.write(self.near, framing.encode(Refused(Refusal.VERSION, 2, frame.message.nonce)))

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        os.close(self.near)
        os.close(self.far)


@pytest.mark.parametrize("words", [["status"], ["monitor"], ["shuffle"]])
def test_firmware_of_another_version(capsys: pytest.CaptureFixture[str], words: list[str], key_file: str) -> None:
    device = OtherVersion()
    try:
        code, message = told(capsys, *words, device.path, "--key-file", key_file)
    finally:
        device.close()
    assert code == 5 and "refused the session: version" in message and "update it" in message


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["status"], ["shuffle"], ["deal"], ["round"]])
def test_a_wrong_key(
    capsys: pytest.CaptureFixture[str], words: list[str], key_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRSHOE_ANSWER_S", "4")
    write_key(tmp_path / "wrong.key", "table", bytes(32))
    port = f"sim://pico-carousel?dealer=none&key={key_file}"
    code, message = told(capsys, *words, port, "--key-file", str(tmp_path / "wrong.key"))
    assert code == 5 and "answers with another key" in message and "key file of this device" in message


def test_a_key_file_that_others_may_read(capsys: pytest.CaptureFixture[str], key_file: str) -> None:
    Path(key_file).chmod(0o644)
    code, message = told(capsys, "status", "/dev/x", "--key-file", key_file)
    assert code == 3 and f"chmod 600 {key_file}" in message


@pytest.mark.parametrize("content", ["", "table 12\n", "king " + "00" * 32, "\xff"])
def test_a_key_file_without_a_key(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.key"
    path.write_text(content)
    path.chmod(0o600)
    assert told(capsys, "shuffle", "/dev/x", "--key-file", str(path))[0] == 3


def test_no_key_where_one_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    code, message = told(capsys, "shuffle", "/dev/x")
    assert code == 2 and "commands need a key" in message and "Pass --key-file, or set FAIRSHOE_KEY_FILE" in message


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["stauts"], "did you mean status?"),
        (["status", "--jsn"], "unknown argument: --jsn"),
        (["deal", "/dev/x", "many"], "no number of positions"),
        (["deal", "0"], "no number of positions"),
        (["command", "/dev/x", "shufle"], "Did you mean shuffle?"),
        (["command", "set-positions", "few"], "takes a number of positions"),
        (["command", "/dev/x"], "which command?"),
        (["sim", "--tcp", "here"], "no [HOST:]PORT"),
        (["ports", "--seconds", "never"], "between 0.1 and 60"),
        (["completion", "tcsh"], "there is no 'tcsh'"),
        (["status", ""], "port is ''"),
        (["monitor", "http://10.0.0.7"], "is no shoe"),
    ],
)
def test_wrong_words(capsys: pytest.CaptureFixture[str], words: list[str], hint: str) -> None:
    code, message = told(capsys, *words)
    assert code == 2 and hint in message


# --- the machine the tool runs on ------------------------------------------------------------------------------------


def test_a_full_disk_behind_the_output() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*FAIRSHOE, "--exit-codes"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=600, check=False
        )
    assert "No space left on device" in one_message(done, 9)


def test_a_full_disk_behind_the_messages_keeps_the_exit_code() -> None:
    for words, code in ((["status", ""], 2), (["stauts"], 2)):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([*FAIRSHOE, *words], stdout=subprocess.PIPE, stderr=full, timeout=600, check=False)
        assert done.returncode == code


def test_a_full_disk_behind_the_store_sends_nothing(key_file: str) -> None:
    """A limit on file sizes is to a program what a full disk is."""
    done = subprocess.run(
        [*FAIRSHOE, "shuffle", f"sim://pico-carousel?dealer=none&key={key_file}", "--key-file", key_file],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "FAIRSHOE_ANSWER_S": "20", "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256)),
    )
    message = one_message(done, 9)
    assert "store.db" in message


def test_a_data_folder_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, key_file: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for store in ("/proc/fairshoe/store.db", str(tmp_path / "file" / "store.db")):
        monkeypatch.setenv("FAIRSHOE_STORE", store)
        port = f"sim://pico-carousel?dealer=none&key={key_file}"
        code, message = told(capsys, "shuffle", port, "--key-file", key_file)
        assert code == 9 and "cannot write" in message


def test_a_look_makes_no_file(capsys: pytest.CaptureFixture[str], key_file: str, tmp_path: Path) -> None:
    port = f"sim://pico-carousel?dealer=none&key={key_file}"
    assert command_line.main(["status", port, "--key-file", key_file]) == 0
    assert not (tmp_path / "data").exists()
    assert "has a key" in capsys.readouterr().out


def test_interrupted(key_file: str, tmp_path: Path) -> None:
    """Ctrl-C in the middle of a shuffle: it is on file, and the message says how to ask about it."""
    port = f"sim://pico-carousel?speed=6&dealer=hands&key={key_file}"
    with on_a_terminal("round", port, "2", "--key-file", key_file, columns=100, FAIRSHOE_ANSWER_S="30") as screen:
        screen.until("shuffle the deck in the hopper")
        screen.press("\n")
        screen.until("shuffling [#")
        screen.press("\x03")
        assert screen.end() == 130
        text = " ".join(screen.text.split())
        assert "interrupted; shuffle (operation 1) was sent, and its outcome is not known." in text
        assert "--resume" in text and "Traceback" not in text
    assert (tmp_path / "data" / "fairshoe" / "store.db").exists()


def test_a_closed_pipe_is_quiet() -> None:
    process = subprocess.Popen(
        [*FAIRSHOE, "monitor", "--json", "sim://pico-carousel?speed=20&dealer=none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    assert process.wait() == 1
    assert process.stderr and process.stderr.read() == b""
    process.stderr.close()


def test_closed_streams_are_no_mistake_of_ours() -> None:
    program = f"{sys.executable} -m fairshoe status 'sim://pico-shoe?dealer=none' <&- >&-"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_of_our_own_says_what_to_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_options: object) -> int:
        raise ValueError("seven")

    monkeypatch.setattr(demo_cli, "run", broken)
    code, message = told(capsys, "demo")
    assert code == 70
    assert "internal error: ValueError: seven (test_cli_mistakes.py, line" in message
    assert "report it" in message and "--debug" in message
    assert "Traceback" in refusal(70, "demo", "--debug")


def test_sigterm_ends_a_command_that_waits(silent: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fairshoe", "monitor", silent], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.send_signal(signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    process.communicate()
