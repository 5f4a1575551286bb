"""The table's share in the order, by the library: it asks, answers every commitment and checks what is recorded."""

import json
from pathlib import Path

import pytest
from in_process import output, refusal
from rig_port import KEY, RigPort

from fairshoe import keys, messages
from fairshoe.cli import command_line
from fairshoe.client.notices import ShareLost
from fairshoe.client.shoe import Shoe
from fairshoe.client.table_share import LOST_MAX
from fairshoe.errors import DeckNotShared, DeviceSuspect, Exit, UsageError
from firmware.games.flow import DECK_READY
from firmware.link.admission import ALIVE_MS
from firmware.protocol import ids
from hal.sim.noise import Noise

CARDS = 52


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> RigPort:
    port = RigPort(KEY, "table", False, seeds="disclose")
    monkeypatch.setattr("fairshoe.client.shoe.time.monotonic", lambda: port.rig.plant.now_us / 1e6)
    monkeypatch.setattr("fairshoe.transport.urls.serial.serial_for_url", lambda *_words, **_options: port)  # pyright: ignore
    port.run(8000)
    return port


def shuffled(device: RigPort, nonce: bool) -> list[messages.Event]:
    """The events of one shuffle of a shoe that is opened for it."""
    events: list[messages.Event] = []
    with Shoe.open("rig", keys.role_key(KEY, messages.Role.TABLE), nonce=nonce) as shoe:
        device.hand("load", str(CARDS))
        device.run(500)
        device.hand("press", "green")
        for event in shoe.events():
            events.append(event)
            if isinstance(event, messages.DeckVerified):
                return events
    return events


def one(events: list[messages.Event], kind: type[messages.Event]) -> messages.Event:
    return next(event for event in events if isinstance(event, kind))


@pytest.mark.parametrize("lose_ppm", [0, 3000])
def test_a_shoe_that_is_opened_with_nonce_has_a_share_in_every_order(device: RigPort, lose_ppm: int) -> None:
    if lose_ppm:
        device.to_device = Noise(3, lose_ppm=lose_ppm)
    events = shuffled(device, True)
    committed, given = one(events, messages.ShuffleCommitted), one(events, messages.ShuffleNonce)
    assert isinstance(committed, messages.ShuffleCommitted) and isinstance(given, messages.ShuffleNonce)
    assert committed.wait_ds == 30 and given.share == messages.Share.GIVEN and any(given.nonce)
    assert given.seq == committed.seq + 1


def test_a_shoe_that_is_opened_without_has_none(device: RigPort) -> None:
    events = shuffled(device, False)
    committed = one(events, messages.ShuffleCommitted)
    assert isinstance(committed, messages.ShuffleCommitted) and committed.wait_ds == 0
    assert not any(isinstance(event, messages.ShuffleNonce) for event in events)


def drop_nonces(device: RigPort) -> None:
    """From here on the device says that every nonce came late."""
    drawing = device.rig.app.drawing
    answered = drawing._answered

    def late() -> None:
        drawing.how, drawing.nonce = ids.NONCE_LATE, b""
        answered()

    drawing._answered = late


def shares(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = command_line.main(["proof", "audit", "shares", str(path), *words])
    told = capsys.readouterr()
    return status, told.out + told.err


def test_a_deck_without_the_share_is_refused_also_by_the_next_program_until_a_supervisor_accepts_it(
    device: RigPort, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drop_nonces(device)
    path = tmp_path / "table.db"
    key = keys.role_key(KEY, messages.Role.TABLE)
    notices: list[ShareLost] = []
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        shoe.on(ShareLost, notices.append)
        device.hand("load", str(CARDS))
        device.run(500)
        shoe.command(messages.Shuffle)
        shoe.run(until=messages.DeckVerified, timeout_s=200)
        assert [(it.lost.why, it.count, it.remove) for it in notices] == [("late", 1, False)]
        with pytest.raises(DeckNotShared, match="no nonce in time"):
            shoe.command(messages.CloseBetting)
        assert device.rig.app.flow.state == DECK_READY
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        shoe.run(timeout_s=1)
        with pytest.raises(DeckNotShared, match="no nonce in time"):
            shoe.check_deck()
        status, text = shares(path, capsys)
        assert status == Exit.PROOF and "1 of 3 shuffles" in text and "no nonce in time" in text
        assert shares(path, capsys, "--accept")[0] == Exit.USAGE
        status, text = shares(path, capsys, "--accept", "--by", "A. \x1b[2JSmith")
        assert status == 0 and "accepted by A. ?[2JSmith" in text
        assert json.loads(shares(path, capsys, "--json")[1])["lost"][0]["accepted"] == "A. \x1b[2JSmith"
        shoe.check_deck()
        assert shoe.command(messages.CloseBetting).done


def opened_when_verified(device: RigPort, shoe: Shoe) -> None:
    """GREEN at the device, and the door when the order is known; then the machine is made ready again."""
    device.hand("load", str(CARDS))
    device.run(500)
    device.hand("press", "green")
    shoe.run(until=messages.DeckVerified, timeout_s=200)
    device.hand("open", "")
    shoe.run(until=messages.WarningLatched, timeout_s=5)
    for action in ("clear", "close"):
        device.run(500)
        device.hand(action, "")
    device.run(500)
    device.hand("press", "ack")
    shoe.run(until=messages.DeckRemoved, timeout_s=200)
    device.run(500)
    device.hand("take", "-1")
    shoe.run(until=messages.WarningCleared, timeout_s=200)
    shoe.run(timeout_s=1)


def test_a_hand_that_opens_the_door_is_stopped_and_a_named_cause_has_a_column_of_its_own(
    device: RigPort, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.db"
    key = keys.role_key(KEY, messages.Role.TABLE)
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        opened_when_verified(device, shoe)
        with pytest.raises(DeckNotShared, match="who opened the door"):
            shoe.command(messages.Shuffle)
        shoe.end_deck("A. Smith", "a card was stuck")
        for _ in range(LOST_MAX):
            opened_when_verified(device, shoe)
    status, text = shares(path, capsys)
    assert status == Exit.PROOF and "3 of 3 shuffles" in text and "1 of 6 shuffles" in text
    assert "the door was opened; ended by A. Smith; a card was stuck" in text
    assert json.loads(shares(path, capsys, "--json")[1].splitlines()[0])["lost"][0]["ended"]["by"] == "A. Smith"
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        opened_when_verified(device, shoe)
        with pytest.raises(DeviceSuspect, match="4 shuffles"):
            shoe.command(messages.Shuffle)
    assert shares(path, capsys)[0] == Exit.PROOF


def test_a_deck_with_the_share_is_played_by_the_next_program_with_the_same_store(
    device: RigPort, tmp_path: Path
) -> None:
    path = tmp_path / "table.db"
    key = keys.role_key(KEY, messages.Role.TABLE)
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        device.hand("load", str(CARDS))
        device.run(500)
        shoe.command(messages.Shuffle)
        shoe.run(until=messages.DeckVerified, timeout_s=200)
    with Shoe.open("rig", key, nonce=True, store=path) as shoe:
        shoe.run(timeout_s=1)
        shoe.check_deck()
        assert shoe.lost_shares == [] and shoe.command(messages.CloseBetting).done
    with Shoe.open("rig", key, nonce=True) as shoe, pytest.raises(DeckNotShared, match="did not see"):
        shoe.check_deck()


@pytest.mark.parametrize("role", [messages.Role.RECORDER, messages.Role.OBSERVER, None])
def test_only_a_host_that_commands_may_ask_for_a_share(device: RigPort, role: messages.Role | None) -> None:
    with pytest.raises(UsageError, match="nonce"):
        Shoe.open("rig", keys.role_key(KEY, role) if role else None, nonce=True)


def test_the_audit_draws_the_order_again_with_the_nonce(device: RigPort, tmp_path: Path) -> None:
    events = shuffled(device, True)
    committed, given = one(events, messages.ShuffleCommitted), one(events, messages.ShuffleNonce)
    assert isinstance(committed, messages.ShuffleCommitted) and isinstance(given, messages.ShuffleNonce)
    lines = [
        {"message": "shuffle_nonce", "seq": committed.seq - 2, "share": "given", "nonce": "11" * 32},
        {
            "message": "shuffle_committed",
            "seq": committed.seq,
            "commitment": committed.commitment.hex(),
            "wait_ds": committed.wait_ds,
        },
        {"message": "shuffle_nonce", "seq": given.seq, "share": "given", "nonce": given.nonce.hex()},
    ]
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    device.hand("open", "")
    device.run(ALIVE_MS + 1000)
    key = tmp_path / "auditor.key"
    keys.write_key(key, "auditor", keys.role_key(KEY, messages.Role.AUDITOR).secret)
    words = ["proof", "audit", "shuffle", "rig", "--key-file", str(key), "--events", str(file), "--json"]
    answer = json.loads(output(*words))
    assert answer["share"] == "given" and answer["nonce"] == given.nonce.hex()
    fed = list(range(CARDS)) if device.rig.config["mechanism"]["feed"] == "bottom" else list(range(CARDS))[::-1]
    assert [fed[card] for card in answer["dealt"]] == [cards[0] for cards in device.rig.plant.slots if cards]
    device_number = f"{device.rig.hal.unique_id():08x}"
    written = ["--seed", answer["seed"], "--commitment", answer["commitment"], "--cards", str(CARDS), "--json"]
    known = ["--nonce", given.nonce.hex(), "--device", device_number, "--event", str(committed.seq)]
    assert json.loads(output("proof", "audit", "shuffle", *written, *known))["places"] == answer["places"]
    assert json.loads(output("proof", "audit", "shuffle", *written))["places"] != answer["places"], (
        "the seed alone does not give the order"
    )
    assert "--nonce needs --device and --event" in refusal(2, "proof", "audit", "shuffle", *written, *known[:2])
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    assert "waited for a nonce" in refusal(7, *words)
    lines[2].update(share="aborted", nonce="00" * 32)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "ended before its order was drawn" in output(*words[:-1])
