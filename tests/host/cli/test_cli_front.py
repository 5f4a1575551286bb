"""The command line as a new user meets it: help, versions, ports that may be left out, and examples to paste."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairshoe.arguments import floor as floor_arguments
from fairshoe.arguments import table as table_arguments
from fairshoe.cli import attached, command_line, registry
from fairshoe.commands import floor
from fairshoe.errors import Exit, UsageError
from fairshoe.observe import discovery
from fairshoe.sim import running_shoes
from fairshoe_table.books import rack

ROOT = Path(__file__).resolve().parents[3]
PARSERS = {each.prog: each for each in command_line._all_parsers(command_line.full_parser())}  # pyright: ignore[reportPrivateUsage]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = command_line.main(words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    found = capsys.readouterr()
    return code, found.out, found.err


# --- help ------------------------------------------------------------------------------------------------------------


def test_alone_with_help_and_with_an_option_it_prints_the_same_help(capsys: pytest.CaptureFixture[str]) -> None:
    alone = told(capsys)
    assert alone == told(capsys, "help") == told(capsys, "--help")
    assert alone[0] == 0 and all(f"\n  {name} " in alone[1] for name in registry.EVERY_DAY)
    assert "examples:" in alone[1] and "--exit-codes" in alone[1]
    assert 8 <= len(registry.EVERY_DAY) <= 10 and set(registry.EVERY_DAY) < set(registry.COMMANDS)
    whole = told(capsys, "--help", "--all")
    assert whole == told(capsys, "help", "--all") == told(capsys, "--all", "--help")
    assert all(f"\n  {name} " in whole[1] for name in registry.COMMANDS)


@pytest.mark.parametrize("name", registry.ABOVE)
def test_a_command_below_another_is_found_by_its_own_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = [registry.ABOVE[name], name]
    assert told(capsys, "help", name) == told(capsys, *whole, "--help")
    assert f"did you mean {' '.join(whole)}?" in told(capsys, name, "x")[2]


def test_help_of_a_command_and_of_a_subcommand_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "help", "monitor") == told(capsys, "monitor", "--help")
    assert told(capsys, "help", "journal", "verify") == told(capsys, "journal", "verify", "--help")
    code, _out, err = told(capsys, "help", "journal", "prove")
    assert code == Exit.USAGE and "no command 'journal prove'" in err and "See fairshoe journal --help." in err
    assert "did you mean status?" in told(capsys, "help", "statu")[2]
    assert "Keep the central record" in told(capsys, "help", "floor", "run")[1]


def test_the_words_that_arguments_take_are_those_that_the_command_acts_on() -> None:
    acted_on = {"run", "serve", "migrate", *floor._ACTIONS, *floor._WITHOUT_DATABASE}  # pyright: ignore[reportPrivateUsage]
    assert set(floor_arguments.ACTIONS) == acted_on
    assert set(floor_arguments.WITHOUT_DATABASE) == set(floor._WITHOUT_DATABASE)  # pyright: ignore[reportPrivateUsage]
    assert table_arguments.RACK == rack.KINDS


def test_the_version_is_a_command_and_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    short = told(capsys, "--version")[1].strip()
    assert told(capsys, "version")[1].startswith(f"{short} (Python ")
    assert short.endswith(json.loads(told(capsys, "version", "--json")[1])["fairshoe"])


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["monitor", "--foo"], "fairshoe monitor --help"),
        (["monitor", "a", "b"], "fairshoe monitor --help"),
        (["journal", "verify", "x", "--foo"], "fairshoe journal verify --help"),
        (["sim", "--speed", "fast"], "fairshoe sim --help"),
        (["firmware", "flash", "--board", "b", "--foo"], "fairshoe firmware flash --help"),
        (["--foo"], "fairshoe --help"),
    ],
)
def test_a_wrong_argument_points_to_the_help_of_its_own_command(
    words: list[str], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _out, err = told(capsys, *words)
    assert code == Exit.USAGE and f"See {where}." in err


def test_options_may_stand_between_arguments() -> None:
    options = command_line.parse(["deal", "/dev/x", "--yes", "5"])
    assert (options.port, options.positions, options.yes) == ("/dev/x", "5", True)


@pytest.mark.parametrize("prog", PARSERS)
def test_help_fits_80_columns(prog: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in PARSERS[prog].format_help().splitlines() if len(line) > 79] == []


@pytest.mark.parametrize("name", [*registry.COMMANDS, *registry.ABOVE])
def test_every_command_says_what_it_does_and_has_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = registry.path_of(name)
    code, text, _err = told(capsys, *words, "--help")
    prog = " ".join(["fairshoe", *words])
    assert code == 0 and PARSERS[prog].description
    assert f"usage: {prog}" in text and "--debug" in text and "examples:\n" in text


def commands_shown() -> list[str]:
    """Every fairshoe command line that help texts and pages show."""
    texts = [each.epilog or "" for each in PARSERS.values()]
    texts += [path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")]
    lines = [line for text in texts for line in re.findall(r"^\s*(?:\$ )?(fairshoe .*)$", text, re.M)]
    found = [re.split(r"\s{3,}|\s+#", line)[0] for line in lines]
    return found + [each for text in texts for each in re.findall(r"`(fairshoe [^`]*)`", text)]


def test_every_example_survives_zsh() -> None:
    """zsh takes ? * [ as patterns even in URLs, and refuses a command whose pattern matches nothing."""
    assert len(commands_shown()) > 100
    bare = [line for line in commands_shown() if set(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)) & set("?*")]
    assert bare == []


def test_no_example_has_an_argument_that_its_command_does_not_know() -> None:
    """Options only: files and devices of an example do not exist here."""
    for line in commands_shown():
        words = line.split()[1:]
        if not words or words[0] not in registry.COMMANDS:
            continue
        known = command_line.parser_of(PARSERS["fairshoe"], words)
        options = {name for action in known._actions for name in action.option_strings}  # pyright: ignore[reportPrivateUsage]
        given = {word.split("=")[0] for word in words if re.match(r"--\w", word)} - {"--debug", "--config"}
        assert given <= options, line


def test_help_of_a_command_costs_little() -> None:
    """By what is loaded, as time depends on the machine: help and a mistake load no message and no asyncio."""
    program = (
        "import contextlib, sys; from fairshoe.cli.command_line import main\n"
        "def run(words, heavy):\n"
        "    with contextlib.suppress(SystemExit): main(words)\n"
        "    loaded = heavy & set(sys.modules)\n"
        "    if loaded: sys.exit(f'{words} loads {loaded}')\n"
        "heavy = {'fairshoe.messages', 'asyncio', 'serial', 'fairshoe.client', 'fairshoe.observe'}\n"
        "for words in ([], ['help'], ['--version'], ['--help'], ['montior']): run(words, heavy | {'dataclasses'})\n"
        f"for name in {list(registry.COMMANDS)}: run([name, '--help'], heavy); run([name, '--no-such'], heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-300:]


# --- ports -----------------------------------------------------------------------------------------------------------


def attach(monkeypatch: pytest.MonkeyPatch, serial: list[tuple[str, str]], simulated: list[dict[str, str]]) -> None:
    found = [discovery.FoundPort(port, kind, "") for port, kind in serial]
    monkeypatch.setattr(discovery, "find_serial", lambda: found)
    monkeypatch.setattr(running_shoes, "running", lambda: simulated)


def test_the_only_shoe_is_used_and_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    attach(monkeypatch, [("/dev/ttyS0", discovery.SILENT), ("/dev/ttyACM0", discovery.SHOE)], [])
    assert attached.attached_port() == "/dev/ttyACM0"
    assert "using /dev/ttyACM0, the only shoe attached" in capsys.readouterr().err
    attach(monkeypatch, [], [{"port": "/dev/pts/3", "service": "/dev/pts/5", "tcp": "tcp://127.0.0.1:4001"}])
    assert attached.attached_port() == "/dev/pts/3"
    assert attached.attached_port(service=True) == "/dev/pts/5"
    attach(monkeypatch, [], [{"port": "", "tcp": "tcp://127.0.0.1:4001"}])
    assert attached.attached_port() == "tcp://127.0.0.1:4001"


def test_several_shoes_are_listed_and_none_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    attach(monkeypatch, [("/dev/ttyACM0", discovery.IN_USE)], [{"port": "/dev/pts/3"}])
    with pytest.raises(UsageError, match="2 shoes are attached: /dev/pts/3, /dev/ttyACM0"):
        attached.attached_port()


def test_without_any_shoe_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    attach(monkeypatch, [("/dev/ttyS0", discovery.OTHER)], [])
    with pytest.raises(UsageError, match=r"no shoe is attached.*fairshoe sim"):
        attached.attached_port()


# Their --port is a TCP port.
SERVERS = (
    "fairshoe config show",
    "fairshoe web",
    "fairshoe floor gateway",
    "fairshoe floor serve",
    "fairshoe table serve",
)


def test_every_command_that_talks_to_a_shoe_takes_its_port_as_the_first_argument() -> None:
    for prog, each in PARSERS.items():
        positional = [action.dest for action in each._actions if not action.option_strings]  # pyright: ignore[reportPrivateUsage]
        options = {name for action in each._actions for name in action.option_strings}  # pyright: ignore[reportPrivateUsage]
        assert "--port" not in options or prog in SERVERS, prog
        assert "port" not in positional or positional[0] == "port", prog
    talking = {prog.split(" ", 1)[1] for prog, each in PARSERS.items() if _has_port(each)}
    assert talking >= {"status", "monitor", "selftest", "round", "shuffle", "deal", "command", "bench"}
    assert talking >= {"firmware flash", "firmware verify", "provision", "journal pull", "proof audit shuffle"}


def _has_port(each: argparse.ArgumentParser) -> bool:
    return any(action.dest == "port" and not action.option_strings for action in each._actions)  # pyright: ignore[reportPrivateUsage]


# --- exit statuses ---------------------------------------------------------------------------------------------------


def test_exit_statuses_are_few_and_each_has_a_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    listed = told(capsys, "--exit-codes")[1]
    assert len(Exit) <= 13 and all(re.search(rf"^ *{code:d}  \w", listed, re.M) for code in Exit)


# --- pages and keys --------------------------------------------------------------------------------------------------


def test_pages_and_examples_are_listed_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    listed = told(capsys, "docs")[1]
    assert "\n  QUICKSTART " in listed and "\n  print_events.py " in listed
    page = (ROOT / "docs" / "QUICKSTART.md").read_text("utf-8")
    for name in ("QUICKSTART", "quickstart", "docs/QUICKSTART.md"):
        assert told(capsys, "docs", name) == (0, page, "")
    assert told(capsys, "docs", "16")[0] == Exit.USAGE
    assert "# 0016" in told(capsys, "docs", "0016")[1]
    assert "Did you mean QUICKSTART?" in told(capsys, "docs", "quickstrat")[2]
    assert "from fairshoe import" in told(capsys, "docs", "print_events")[1]


def test_keys_of_a_test_open_a_simulated_shoe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "keys"
    assert told(capsys, "keys", "new", str(folder))[0] == 0
    shoe = f"sim://pico-carousel?key={folder / 'device.key'}"
    code, out, err = told(capsys, "status", shoe, "--key-file", str(folder / "observer.key"), "--json")
    assert code == 0 and json.loads(out)["device"]["role"] == "observer", err
    assert told(capsys, "keys", "new", str(folder))[0] == Exit.INPUT
