"""A device that begins a round without a shuffle of its own, or deals to fewer hands than have wagers."""

from dataclasses import replace
from pathlib import Path

import pytest
from cheating_device import CARDS, DEVICE, POSITIONS, Device, fewer_hands, table

from fairshoe import messages
from fairshoe.client import table_share
from fairshoe.client.store import Arrived, Store
from fairshoe.client.table_share import LOST_MAX, TableShare
from fairshoe.errors import DeckNotShared, DeviceSuspect
from fairshoe.link import framing
from firmware.protocol.frame import HEADER_SIZE


@pytest.mark.parametrize("ended", [True, False])
def test_a_round_without_a_shuffle_of_its_own_is_refused_and_counts(
    ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deck of the round before, in whatever order: the device says nothing of a shuffle, or of that round's end."""
    share, _clock = table(monkeypatch)
    device = Device(share)
    for event in device.shuffled():
        share.heard(event)
    for number in range(LOST_MAX + 2):
        for event in list(device.played())[: None if ended else -1]:
            share.heard(event)
            if isinstance(event, messages.StackTaken) and number <= LOST_MAX:
                share.check(messages.CloseBetting)  # once more in the same round
        if ended:
            with pytest.raises((DeckNotShared, DeviceSuspect)):
                share.check(messages.CloseBetting)
    assert {it.why for it in share.judge.lost} == {"unseen"}
    with pytest.raises(DeviceSuspect):
        share.check(messages.Shuffle)


@pytest.mark.parametrize(("deck", "shuffles"), [(3, 1), (2, 2)])
def test_a_round_with_a_deck_that_is_not_of_this_table_counts(
    deck: int, shuffles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one of two decks may have been shuffled before the first event that is known."""
    for other, counts in ((2, 0), (deck, 1)):
        share, clock = table(monkeypatch)
        device = Device(share)
        for _ in range(shuffles if counts else 1):
            for event in [*device.shuffled(), device.rest(CARDS, False)]:
                share.heard(event)
        device.deck = other
        share.heard(device.started())
        assert share.judge.count(clock[0]) == counts


def test_without_a_table_there_are_two_stacks_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    for deal, lost in ((0, 1), (1, 0)):
        share, clock = table(monkeypatch)
        device = Device(share)
        for event in [*device.shuffled(), *fewer_hands(device, deal)]:
            share.heard(replace(event, positions=0) if isinstance(event, messages.RoundStarted) else event)
        assert share.judge.count(clock[0]) == lost


def test_a_round_without_a_verified_deck_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    device = Device(share)
    for event in [*device.shuffled(), *device.played()]:
        share.heard(event)
    share.heard(committed := device.commit())
    share.heard(device.given(committed))
    with pytest.raises(DeckNotShared):
        share.check(messages.CloseBetting)
    for event in device.played():
        share.heard(event)
    assert share.judge.count(clock[0]) > 0


def test_a_deck_whose_shuffle_was_not_seen_is_accepted_for_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    device = Device(share)
    for number in range(LOST_MAX):
        share.accept("A. Smith")
        share.check(messages.CloseBetting)
        for event in device.played():
            share.heard(event)
        with pytest.raises(DeckNotShared):
            share.check(messages.CloseBetting)
        assert len(share.judge.lost) == number, "the first may have been inside when this program began"


def test_hands_that_are_told_when_the_rest_is_out_count_too_and_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All events of a round may come at once. `wagered` twice is one loss."""
    clock = [1.7e9]
    monkeypatch.setattr(table_share.time, "time", lambda: clock[0])
    with Store(tmp_path / "store.db") as store:
        log = store.resume(DEVICE, b"a" * 16, 99, 1)
        share = TableShare(True, store)
        share.opened(DEVICE)
        share.resume(log)
        device = Device(share)
        told = [*device.shuffled(), *fewer_hands(device, 1)]
        for event in told:
            share.heard(event)
        assert share.judge.count(clock[0]) == 0
        frames = framing.decode_all(b"".join(map(framing.encode, told)))
        store.add(
            log.id, [Arrived(it.seq, it, each.signed[HEADER_SIZE:]) for it, each in zip(told, frames, strict=True)]
        )
        for _ in range(2):
            share.wagered(device.round, POSITIONS)
            assert [it.why for it in share.judge.lost] == ["short"]
        again, _log = table_share.recall(store)
        assert [it.why for it in again.judge.lost] == ["short"]
