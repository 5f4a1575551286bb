"""A device that knows the table's nonce, and drops every order that it likes less than another one: at any moment until
the last card of the round is out. What it says then looks like an accident."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cheating_device import CARDS, DEVICE, NO_NONCE, NOTHING, POSITIONS, Device, Events, fewer_hands, table

from fairshoe import messages
from fairshoe.client.share_judge import SHIFT_S, SHIFT_SHUFFLES, Judge
from fairshoe.client.store import StoredLog
from fairshoe.client.table_share import ENDED_MAX, LOST_MAX, TableShare
from fairshoe.errors import DeckNotShared, DeviceSuspect, NonceAltered, UsageError
from fairshoe.journal.seed_audit import Committed, examine, places_of
from fairshoe.link.framing import unpack
from fairshoe.sim import scenario_files
from fairshoe.sim.scenario_cases import by_name, places
from rig.scenario import Scenario
from rig.story import Stage

SHUFFLES = 400
SECONDS = 480.0  # from one shuffle to the next: 60 of them in a shift


def _jam_in_round(device: Device, stacks: int, told: bool = True) -> Events:
    yield device.started()
    yield from (device.stack(number) for number in range(1, stacks + 1))
    if told:
        yield device.warning()
        yield device.voided()


def _rest_too_early(device: Device) -> Events:
    yield device.started()
    yield device.stack(1)
    yield device.rest(6)
    yield device.ended()


def _rest_too_small(device: Device) -> Events:
    yield device.started()
    yield from (device.stack(number) for number in (1, 2, 3))
    yield device.rest(1)


def _face_up(device: Device) -> Events:
    yield device.started()
    yield device.event(messages.CardsOdd, messages.Fault.FACE_UP, 1, NOTHING, "CS-13b", of_round=True)
    yield from (device.stack(number) for number in (1, 2, 3))
    yield device.rest(1)
    yield device.ended()


def _second_round(device: Device) -> Events:
    yield device.started()
    yield device.stack(1)
    yield from device.played()


def _ended_early(device: Device) -> Events:
    yield device.started()
    yield device.ended()


Drop = Callable[[Device], Events]
# How a device drops an order when the nonce is on record, or when the deck is verified: what the host calls it, and
# what the device says.
IN_SHUFFLE: dict[str, tuple[str, Drop]] = {
    "failed": ("failed", lambda it: iter([it.event(messages.ShuffleFailed, messages.Fault.JAM_THROAT, "", NOTHING)])),
    "refused": ("refused", lambda it: iter([it.event(messages.DeckRefused, CARDS, 7, 7, "", NOTHING)])),
    "removed": ("removed", lambda it: iter([it.event(messages.RemovalStarted)])),
    "power": ("power", lambda it: iter([it.event(messages.Booted, 0, 0, "", 0, "")])),
    "nothing": ("dropped", lambda it: iter(())),
}
VERIFIED: dict[str, tuple[str, Drop]] = {
    "jam": ("warning", lambda it: iter([it.warning()])),
    "door": ("door", lambda it: iter([it.event(messages.DoorOpened), it.warning(messages.Fault.DOOR)])),
    "warning of the door": ("door", lambda it: iter([it.warning(messages.Fault.DOOR)])),
    "power": ("power", lambda it: iter([it.event(messages.Booted, 0, 0, "", 0, "")])),
    "power lost": ("power", lambda it: iter([it.event(messages.PowerLost, 0, 0)])),
    "removed": ("removed", lambda it: iter([it.event(messages.RemovalStarted)])),
    "found empty": ("removed", lambda it: iter([it.event(messages.EmptyProved, 60)])),
    "count": ("refused", lambda it: iter([it.event(messages.DeckRefused, CARDS, 7, 7, "", NOTHING)])),
    "nothing": ("dropped", lambda it: iter(())),
    "a new shuffle": ("dropped", lambda it: iter([it.event(messages.ShuffleStarted, CARDS, 900)])),
    "no activity": (
        "unplayed",
        lambda it: iter([it.event(messages.Recorded, messages.What.NO_ACTIVITY, 0, 0, "", NOTHING), it.rest(8, False)]),
    ),
    "handed out": ("unplayed", lambda it: iter([it.rest(8, False)])),
    "jam before a stack": ("warning", lambda it: _jam_in_round(it, 0)),
    "jam after the first stack": ("warning", lambda it: _jam_in_round(it, 1)),
    "jam before the rest": ("warning", lambda it: _jam_in_round(it, 3)),
    "nothing after the first stack": ("dropped", lambda it: _jam_in_round(it, 1, False)),
    "rest too early": ("short", _rest_too_early),
    "fewer hands": ("short", lambda it: fewer_hands(it, 1)),
    "any number of hands": ("short", lambda it: fewer_hands(it, 0)),
    "another game": ("short", lambda it: fewer_hands(it, 0, "HOUSE")),
    "rest too small": ("short", _rest_too_small),
    "round ended": ("ended", _ended_early),
    "second round": ("dropped", _second_round),
    "face up": ("face_up", _face_up),
}


def cheat(
    share: TableShare, clock: list[float], seconds: float, drop: Callable[[Device, messages.ShuffleCommitted], Events]
) -> int:
    """Shuffle 400 decks and play those with card 0 in the first half. How many of these came in place of another, until
    the table has refused the device; all are played if it does not."""
    device, gained, replaced = Device(share), 0, False
    for event in [*device.shuffled(), *device.played()]:
        share.heard(event)  # it deals its rounds itself
    for _ in range(SHUFFLES):
        clock[0] += seconds
        share.heard(committed := device.commit())
        liked = device.order(committed)[0] < CARDS // 2
        try:
            for event in device.honest(committed) if liked else drop(device, committed):
                share.heard(event)
                if isinstance(event, messages.RoundStarted):
                    share.wagered(event.round, POSITIONS)
            share.check(messages.Shuffle)
        except DeviceSuspect:
            return gained
        except DeckNotShared:
            pass  # no person has said why the door was opened; at the button the device shuffles all the same
        gained += liked and replaced
        replaced = not liked
    return SHUFFLES


def _after_nonce(drop: Drop) -> Callable[[Device, messages.ShuffleCommitted], Events]:
    def events(device: Device, committed: messages.ShuffleCommitted) -> Events:
        yield device.given(committed)
        yield from drop(device)

    return events


def _after_verified(drop: Drop) -> Callable[[Device, messages.ShuffleCommitted], Events]:
    def events(device: Device, committed: messages.ShuffleCommitted) -> Events:
        yield device.given(committed)
        yield device.verified()
        yield from drop(device)

    return events


WAYS: dict[str, tuple[str, Callable[[Device, messages.ShuffleCommitted], Events]]] = {
    **{f"{name} in the shuffle": (why, _after_nonce(drop)) for name, (why, drop) in IN_SHUFFLE.items()},
    **{f"{name} when verified": (why, _after_verified(drop)) for name, (why, drop) in VERIFIED.items()},
    "late": ("late", lambda it, _c: iter([it.without(messages.Share.LATE), it.verified()])),
    "declined": ("declined", lambda it, _c: iter([it.without(messages.Share.DECLINED), it.verified()])),
    "aborted": ("aborted", lambda it, _c: iter([it.without(messages.Share.ABORTED)])),
    "unrecorded": ("unrecorded", lambda it, _c: iter([it.verified()])),
    "not waited": ("no_wait", lambda it, _c: iter([it.commit(0), it.verified()])),
    "loaded": ("loaded", lambda it, _c: iter([it.event(messages.DeckLoaded, CARDS, 1)])),
    "verified twice": ("unseen", lambda it, c: iter([it.given(c), it.verified(), it.verified()])),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seconds", [SECONDS, SHIFT_S + 1])
def test_however_it_drops_an_order_it_is_stopped_within_the_bound(
    way: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the clock is set ahead by a shift at every shuffle."""
    share, clock = table(monkeypatch)
    why, drop = WAYS[way]
    assert cheat(share, clock, seconds, drop) <= LOST_MAX
    assert why in {it.why for it in share.judge.lost}
    for command in (messages.CloseBetting, messages.Shuffle):
        with pytest.raises(DeviceSuspect, match="Remove the device"):
            share.check(command)


def test_the_first_record_of_a_commitment_binds(monkeypatch: pytest.MonkeyPatch) -> None:
    """`late` first and `given` later: the better of two orders on every deck, for readers that differ."""
    for records in ((messages.Share.LATE, None), (None, messages.Share.LATE), (None, None)):
        share, _clock = table(monkeypatch)
        device = Device(share)
        share.heard(committed := device.commit())
        first, second = [device.given(committed) if it is None else device.without(it) for it in records]
        share.heard(first)
        assert share.heard(first) is None, "it was sent again"
        with pytest.raises(NonceAltered, match=f"event {second.seq}"):
            share.heard(second)


@pytest.mark.parametrize("wait_ds", [0, 30])
def test_a_record_out_of_its_place_is_an_alarm(wait_ds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none was waited for, or behind the verified deck."""
    share, _clock = table(monkeypatch)
    device = Device(share)
    share.heard(committed := device.commit(wait_ds))
    if wait_ds:
        share.heard(device.verified())
    with pytest.raises(NonceAltered):
        share.heard(device.given(committed))


def test_a_shuffle_that_a_warning_ended_is_recorded_as_aborted_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As honest firmware does, also after a restart: one loss."""
    share, _clock = table(monkeypatch)
    device = Device(share)
    told = [device.commit(), device.event(messages.Booted, 0, 0, "", 0, ""), device.without(messages.Share.ABORTED)]
    assert [lost.why for lost in map(share.heard, told) if lost] == ["power"]


def test_a_deck_is_loaded_only_where_nothing_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    shoe = Device(share)
    for _ in range(SHUFFLES):
        assert share.heard(shoe.event(messages.DeckLoaded, CARDS, 1)) is None
        share.check(messages.CloseBetting)
        for event in shoe.played():
            share.heard(event)
    assert share.judge.count(clock[0]) == 0
    told = TableShare(True, shufflers={DEVICE})
    told.opened(DEVICE)
    told.heard(shoe.event(messages.DeckLoaded, CARDS, 1))
    with pytest.raises(DeckNotShared, match="this device shuffles"):
        told.check(messages.CloseBetting)


def test_decks_that_are_handed_out_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two decks take turns: each is shuffled while the round of the other one is played by hand; and a machine that
    serves another table begins no round at all."""
    for rounds in (True, False):
        share, clock = table(monkeypatch)
        device = Device(share)
        for number in range(40):
            device.deck = number % 2 + 1
            for event in (*device.shuffled(), device.rest(CARDS, False)):
                share.heard(event)
            if rounds:
                share.check(messages.CloseBetting)
                for event in (device.started(), device.ended()):
                    share.heard(event)
                    share.wagered(device.round, POSITIONS + 1)  # dealt by hand
        assert share.judge.count(clock[0]) == 0


def test_hand_outs_before_the_first_dealt_round_count_when_it_is_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    device = Device(share)
    for _ in range(10):
        for event in (*device.shuffled(), device.rest(CARDS, False)):
            share.heard(event)
    for event in (*device.shuffled(), *device.played()):
        share.heard(event)
    with pytest.raises(DeviceSuspect):
        share.check(messages.Shuffle)


def test_a_host_that_plays_every_deck_lets_the_device_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The better of two orders: the audit is content with every one of these, since the seed may be any."""
    share, _clock = table(monkeypatch)
    device, liked = Device(share), 0
    for _ in range(4000):
        committed = device.commit()
        alone = places_of(device.seed, CARDS, b"")
        record = Committed(committed.commitment, messages.Share.LATE)
        assert examine(device.seed, record, CARDS, DEVICE, committed.seq).agrees
        liked += min(alone[0], device.order(committed)[0]) < CARDS // 2
    assert 0.73 < liked / 4000 < 0.77


def test_an_honest_device_on_a_good_cable_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    device = Device(share)
    for number in range(300):
        clock[0] += SECONDS
        device.random = random.Random(number)
        for event in device.shuffled():
            assert share.heard(event) is None
        share.check(messages.CloseBetting)
        for event in device.played():
            assert share.heard(event) is None
    assert share.judge.open == 0


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("carousel-good-rounds", []),
        ("carousel-green-ends-dealing", []),
        ("b5-two-decks", []),
        ("shelves-many-decks", []),
        ("handed-out-irregularities", []),
        ("carousel-firmware-halts-while-shuffling", ["power"]),
        ("cs-face-up-twice", ["ended"]),
        ("two-decks-in-turn", ["warning", "warning"]),
    ],
)
def test_firmware_keeps_every_deck_that_comes_to_the_table_as_it_was_shuffled(name: str, lost: list[str]) -> None:
    """What the device told in that scenario, as if each shuffle had the table's nonce."""
    stage = play_to_the_end(name)
    judge = Judge(lambda _event: NO_NONCE)
    for payload in stage.peer.payloads.values():
        event = unpack(int.from_bytes(payload[:2], "little"), payload[2:])
        if isinstance(event, messages.ShuffleCommitted):
            judge.feed(replace(event, wait_ds=30), 0.0)
            event = Device(TableShare(False)).without(messages.Share.GIVEN)
        if isinstance(event, messages.Event):
            judge.feed(event, 0.0)
    assert judge.count_seen and [it.why for it in judge.lost] == lost


def play_to_the_end(name: str) -> Stage:
    scenario = Scenario(*scenario_files.load(places([by_name(Path(name))])[0]))
    assert scenario.play() == []
    return scenario.stage


def lose(share: TableShare, seed: int = 0) -> Device:
    """A deck whose nonce came late."""
    device = Device(share, seed)
    device.seq = seed * 1000
    for event in (device.commit(), device.without(messages.Share.LATE), device.verified()):
        share.heard(event)
    return device


def test_a_supervisor_accepts_one_deck_by_name_and_it_stays_in_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    lose(share)
    for name in ("", "  "):
        with pytest.raises(UsageError, match="by name"):
            share.accept(name)
    assert share.accept("A. Smith").why == "late"
    share.check(messages.CloseBetting)
    device = lose(share, 1)
    with pytest.raises(DeckNotShared):
        share.check(messages.CloseBetting)
    assert share.judge.count(clock[0]) == 2
    clock[0] += SHIFT_S
    assert share.judge.count(clock[0]) == 2, "a shift has 60 shuffles, whatever the clock says"
    for _ in range(SHIFT_SHUFFLES - 1):
        for event in (*device.shuffled(), *device.played()):
            share.heard(event)
    assert share.judge.count(clock[0]) == 1
    for event in device.shuffled():
        share.heard(event)
    assert share.judge.count(clock[0]) == 0


def test_above_the_bound_no_name_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    for seed in range(LOST_MAX + 1):
        lose(share, seed)
    with pytest.raises(DeviceSuspect):
        share.accept("A. Smith")


def test_an_end_for_which_a_person_answers_beforehand_has_a_bound_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    device = Device(share)
    with pytest.raises(UsageError, match="no deck is inside"):
        share.end("A. Smith", "the game closes")
    for ended in range(1, ENDED_MAX + 2):
        share.check(messages.Shuffle)
        for event in device.shuffled():
            share.heard(event)
        for name, cause in (("", "x"), ("A. Smith", " ")):
            with pytest.raises(UsageError, match="by name"):
                share.end(name, cause)
        assert share.end("A. Smith", "the game closes") == share.judge.open
        share.heard(device.warning())
        assert (share.judge.count(clock[0]), share.judge.count(clock[0], True)) == (0, ended)
    with pytest.raises(DeviceSuspect, match="for which a person answers"):
        share.check(messages.Shuffle)
    with pytest.raises(UsageError, match="no deck is inside"):
        share.end("A. Smith", "too late")


def test_a_door_waits_for_a_cause_until_the_next_shuffle(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    device = Device(share)
    for named in (True, False):
        for event in (*device.shuffled(), device.event(messages.DoorOpened)):
            share.heard(event)
        with pytest.raises(DeckNotShared, match="who opened the door"):
            share.check(messages.Shuffle)
        if named:
            share.end("A. Smith", "a card was stuck in the tray")
            share.check(messages.Shuffle)
    for event in (*device.shuffled(), *device.played()):
        share.heard(event)
    share.check(messages.Shuffle)
    with pytest.raises(UsageError):
        share.end("A. Smith", "too late")
    assert (share.judge.count(clock[0]), share.judge.count(clock[0], True)) == (1, 1)


def test_a_deck_from_before_this_program_is_not_known_to_have_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    with pytest.raises(DeckNotShared, match="did not see its shuffle"):
        share.check(messages.CloseBetting)
    assert share.heard(Device(share).verified()) is not None


def test_a_program_that_starts_again_judges_the_deck_inside_by_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    given = [(event, 0.0) for event in Device(share).shuffled()]
    device = Device(share)
    late = [(event, 0.0) for event in (device.commit(), device.without(messages.Share.LATE), device.verified())]
    again, other = TableShare(True, secret=bytes(range(32))), TableShare(True, secret=bytes(32))
    for it in (again, other):
        it.opened(DEVICE)
    again.recall(given)
    again.check(messages.CloseBetting)
    again.recall(late)
    with pytest.raises(DeckNotShared):
        again.check(messages.CloseBetting)
    with pytest.raises(NonceAltered):
        other.recall(given)
    again.resume(StoredLog(1, DEVICE, b"another log", 0, 0, 0, 0, 0))
    with pytest.raises(NonceAltered):
        again.recall(given)
