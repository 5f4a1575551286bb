"""Keys on their way into a device: on disk first, proved afterwards, never shown, and never lost on the way."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from in_process import run
from journals import KEY, opener, play_round, pulled, small_stage
from rig_port import RigPorts
from support import act
from test_cli import hand, one_message, simulator

from fairshoe import keys
from fairshoe.client.shoe import Shoe
from fairshoe.errors import FairshoeError, KeyFileError, NoAnswer
from fairshoe.journal.verify import verify
from fairshoe.keys import RoleKey, read_device_key, read_seal_key, role_key
from fairshoe.link import framing
from fairshoe.messages import KeyInstall, KeyRotate, Role
from fairshoe.operate import provisioning
from fairshoe.operate.provisioning import KeyFolder, KeyRefused, install, key_in_force, rotate
from fairshoe.text.describe import dump
from rig.rig import Rig
from rig.story import Stage

FILES = ["auditor.key", "device.key", "observer.key", "recorder.key", "seal.key", "service.key", "table.key"]


def in_service(key: bytes = b"") -> Stage:
    stage = small_stage(key)
    act(stage, 300, "key", to="on")
    return stage


def key_of(stage: Stage) -> bytes:
    return stage.rig.app.service.keys.key


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_first_key_is_made_stored_sent_and_proved(tmp_path: Path) -> None:
    stage = in_service()
    said: list[str] = []
    done = install(opener(stage.rig), KeyFolder(tmp_path / "shoe"), say=said.append)
    folder = tmp_path / "shoe"
    assert names(folder) == FILES
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    device_key = read_device_key(folder / "device.key")
    assert key_of(stage) == device_key
    assert done == provisioning.Installed(stage.rig.hal.unique_id(), 1, folder)
    for role in (Role.OBSERVER, Role.TABLE, Role.SERVICE, Role.AUDITOR, Role.RECORDER):
        assert keys.read_key(folder / f"{role.name.lower()}.key") == role_key(device_key, role)
    assert said[-1] == "the device has proved that it has the new key"
    assert device_key.hex() not in " ".join(said)


def test_two_devices_never_get_the_same_key(tmp_path: Path) -> None:
    found: set[bytes] = set()
    for name in ("a", "b"):
        install(opener(in_service().rig), KeyFolder(tmp_path / name))
        found.add(read_device_key(tmp_path / name / "device.key"))
    assert len(found) == 2


def test_the_keys_are_on_the_disk_before_they_are_on_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = in_service()
    folder = tmp_path / "shoe"
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    write = RigPorts.write
    seen: list[list[str]] = []

    def watched(port: RigPorts, data: bytes) -> None:
        if any(isinstance(message, KeyInstall) for message in framing.decode_messages(bytes(data))):
            seen.append(names(folder))
            assert len(synced) == 2 * len(FILES), "each file and its folder"
        write(port, data)

    monkeypatch.setattr(RigPorts, "write", watched)
    install(opener(stage.rig), KeyFolder(folder))
    assert seen[0] == FILES


def test_keys_that_are_there_are_never_overwritten_and_the_device_is_not_even_asked(tmp_path: Path) -> None:
    folder = tmp_path / "shoe"
    folder.mkdir(mode=0o700)
    keys.write_key(folder / "seal.key", "seal", bytes(32))

    def no_shoe(_key: RoleKey | None) -> Shoe:
        raise AssertionError("asked")

    with pytest.raises(KeyFileError, match="never overwritten"):
        install(no_shoe, KeyFolder(folder))
    (folder / "seal.key").unlink()
    folder.chmod(0o750)
    with pytest.raises(KeyFileError, match="chmod 700"):
        install(no_shoe, KeyFolder(folder))


# -- refusals ----------------------------------------------------------------------------------------------------------


def refused(call: Any, folder: Path, words: str) -> None:
    """One message with the next step, and no keys left behind that open nothing."""
    with pytest.raises(KeyRefused) as caught:
        call()
    assert words in str(caught.value)
    assert names(folder) == []


def test_a_device_with_a_key_wants_it_rotated_or_the_door_open(tmp_path: Path) -> None:
    stage = in_service(KEY)
    folder = tmp_path / "new"
    refused(lambda: install(opener(stage.rig), KeyFolder(folder)), folder, "has a key already. Rotate it")
    refused(lambda: install(opener(stage.rig), KeyFolder(folder), True), folder, "open the door and say --replace")
    assert key_of(stage) == KEY
    act(stage, 300, "open")
    done = install(opener(stage.rig), KeyFolder(folder), replace=True)
    assert done.generation == 2
    assert key_of(stage) == read_device_key(folder / "device.key") != KEY


def test_the_table_port_takes_no_key(tmp_path: Path) -> None:
    stage = small_stage(b"")
    folder = tmp_path / "new"
    call = opener(stage.rig, service=False)
    refused(lambda: install(call, KeyFolder(folder)), folder, "Turn the key switch on, and use the service port")


def test_the_service_port_is_silent_until_the_switch_is_on(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="silent until the key switch is on"):
        install(opener(small_stage(b"").rig), KeyFolder(tmp_path / "new"))
    assert names(tmp_path / "new") == []


def test_an_open_round_and_storage_that_fails_are_told(tmp_path: Path) -> None:
    stage = small_stage(KEY)
    folder = tmp_path / "new"
    stage.play([("", 300, "load", 8), ("", 300, "press", "green"), ("deck_verified", 500, "press", "close")])
    stage.until("round_started", 5000)
    act(stage, 300, "key", to="on")
    refused(lambda: rotate(opener(stage.rig), KeyFolder(folder), KEY), folder, "End the round, then try again")
    stage = in_service(KEY)
    stage.run(1000)
    stage.rig.nv.broken = True
    with pytest.raises(KeyRefused, match="Keep both keys"):
        rotate(opener(stage.rig), KeyFolder(folder), KEY)
    assert names(folder) == FILES, "either may be in force after the next start"


def test_a_wrong_old_key_is_told_before_anything_is_made(tmp_path: Path) -> None:
    stage = in_service(KEY)
    folder = tmp_path / "new"
    call = opener(stage.rig)
    refused(lambda: rotate(call, KeyFolder(folder), bytes(32)), folder, "the key in force is another one")


# -- rotation ----------------------------------------------------------------------------------------------------------


def test_a_key_is_rotated_and_the_journal_is_proved_with_the_new_seal_key(tmp_path: Path) -> None:
    stage = small_stage(KEY)
    play_round(stage)
    act(stage, 300, "key", to="on")
    folder = tmp_path / "new"
    assert rotate(opener(stage.rig), KeyFolder(folder), KEY).generation == 2
    new = read_device_key(folder / "device.key")
    act(stage, 500, "key", to="off")
    export = pulled(stage.rig, new)
    assert verify(export, [read_seal_key(folder / "seal.key")]).whole
    assert verify(export, [keys.seal_key(KEY), keys.seal_key(new)]).whole
    assert key_in_force(opener(stage.rig, False), [KEY, new])[0] == new
    assert key_in_force(opener(stage.rig, False), [KEY])[0] is None


class Deaf(RigPorts):
    """A cable on which some of what the device says is lost."""

    lost = 0

    def read(self, size: int) -> bytes:
        data = super().read(size)
        if self.lost > 0 and any(message.NAME == "key_is" for message in framing.decode_messages(data + b"\0")):
            self.lost -= 1
            return b""
        return data


def deaf(rig: Rig, answers: int) -> Any:
    """Opens ports; the first one loses so many answers about the key."""
    ports: list[Deaf] = []

    def open_shoe(key: RoleKey | None) -> Shoe:
        from fairshoe.link.session import HostSession

        port = Deaf(rig, True)
        port.lost = 0 if ports else answers
        ports.append(port)
        shoe = Shoe(port, "rig", HostSession(key), clock=lambda: rig.plant.now_us / 1e6)
        shoe.greet()
        return shoe

    return open_shoe


@pytest.mark.parametrize("answers", [1, 1000])
def test_a_lost_answer_is_made_up_for(tmp_path: Path, answers: int) -> None:
    """Asked again the device refuses, since the key is changed already; asked never so often it is found out."""
    stage = in_service(KEY)
    rotate(deaf(stage.rig, answers), KeyFolder(tmp_path / "new"), KEY)
    assert key_of(stage) == read_device_key(tmp_path / "new" / "device.key")
    stage = in_service()
    install(deaf(stage.rig, answers), KeyFolder(tmp_path / "first"))
    assert key_of(stage) == read_device_key(tmp_path / "first" / "device.key")


def test_a_device_that_never_heard_of_the_new_key_keeps_the_old_one(tmp_path: Path) -> None:
    stage = in_service(KEY)
    folder = tmp_path / "new"
    open_shoe = opener(stage.rig)
    stage.rig.app.service.receive = lambda message: None  # lost on its way
    refused(lambda: rotate(open_shoe, KeyFolder(folder), KEY), folder, "the old key is in force")


def test_a_device_that_goes_away_leaves_the_keys_on_the_disk(tmp_path: Path) -> None:
    stage = in_service()
    folder = tmp_path / "new"
    open_shoe = opener(stage.rig)
    opened: list[Shoe] = []

    def once(key: RoleKey | None) -> Shoe:
        if opened:
            raise NoAnswer("nothing on rig answered as a shoe.", "Check power.")
        opened.append(open_shoe(key))
        stage.rig.app.service.receive = lambda message: None
        return opened[0]

    with pytest.raises(NoAnswer, match="is not known"):
        install(once, KeyFolder(folder))
    assert names(folder) == FILES


# -- secrets -----------------------------------------------------------------------------------------------------------


def test_a_key_on_its_way_is_not_shown_by_tools_that_look_on(tmp_path: Path) -> None:
    assert "(not_shown)" in dump(KeyInstall(KEY))
    assert KEY.hex() not in dump(KeyInstall(KEY))
    path = tmp_path / "capture.bin"
    path.write_bytes(framing.encode(KeyInstall(KEY)) * 2)
    for words in ([], ["--json"]):
        shown = run("decode", str(path), *words).stdout
        assert "key_install" in shown
        assert KEY.hex() not in shown


def test_errors_do_not_carry_keys(tmp_path: Path) -> None:
    stage = in_service(KEY)
    for call in (
        lambda: install(opener(stage.rig), KeyFolder(tmp_path / "a"), True),
        lambda: rotate(opener(stage.rig), KeyFolder(tmp_path / "b"), bytes(range(1, 33))),
    ):
        with pytest.raises(FairshoeError) as caught:
            call()
        text = repr(caught.value) + str(caught.value) + repr(caught.value.__cause__)
        assert KEY.hex() not in text and repr(KEY) not in text and bytes(range(1, 33)).hex() not in text


def test_the_wrapping_is_that_of_the_device() -> None:
    message = provisioning.wrapped(KEY, bytes(range(100, 132)), bytes(16))
    assert isinstance(message, KeyRotate)
    assert bytes(range(100, 132)) not in message.wrapped
    stage = in_service(KEY)
    stage.to_service(framing.encode(message))
    stage.run(500)
    assert key_of(stage) == bytes(range(100, 132))


# -- the command line --------------------------------------------------------------------------------------------------


def test_a_device_is_provisioned_rotated_and_replaced_by_command(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    with simulator() as (process, ready):
        service = ready["service"]
        message = one_message(run("provision", service, "--out", str(first)), 5)
        assert "silent until the key switch is on" in message
        hand(process, "key on")
        done = run("provision", service, "--out", str(first))
        assert (done.returncode, done.stderr) == (0, "")
        assert "the device has proved that it has the new key" in done.stdout
        secrets = [path.read_text().split()[1] for path in first.glob("*.key")]
        assert all(secret not in done.stdout for secret in secrets)
        assert "has a key already" in one_message(run("provision", service, "--out", str(second)), 5)
        rotated = run("provision", service, "--rotate", "--key-file", str(first / "device.key"), "--out", str(second))
        assert (rotated.returncode, rotated.stderr) == (0, "")
        assert "its key number 2" in rotated.stdout
        assert "door" in one_message(run("provision", service, "--replace", "--out", str(third)), 5)
        hand(process, "open")
        assert run("provision", service, "--replace", "--out", str(third)).returncode == 0
        hand(process, "close")
        hand(process, "key off")
        out = tmp_path / "shift.journal"
        pulled = run("journal", "pull", ready["port"], "-o", str(out), "--key-file", str(third / "auditor.key"))
        assert pulled.returncode == 0, pulled.stderr
    assert run("journal", "verify", str(out), "--key-file", str(third / "seal.key")).returncode == 0
    publics = [(folder / "signing.pub").read_text().splitlines()[-1].split() for folder in (first, second, third)]
    assert [public[:3:2] for public in publics] == [["signing-public", str(generation)] for generation in (1, 2, 3)]
    assert run("journal", "verify", str(out), "--public-key", str(third / "signing.pub")).returncode == 0
    assert run("journal", "verify", str(out), "--public-key", str(second / "signing.pub")).returncode == 6
    shown = run("journal", "show", str(out), "--json").stdout.splitlines()
    changed = [entry for entry in map(json.loads, shown) if entry["message"] == "key_changed"]
    assert [(entry["generation"], entry["how"]) for entry in changed] == [(1, 0), (2, 1), (3, 2)]


def test_words_that_do_not_go_together_are_told() -> None:
    for words in (["--rotate"], ["--key-file", "x"], ["--rotate", "--replace", "--key-file", "x"]):
        one_message(run("provision", "/dev/null", "--out", "x", *words), 2)
