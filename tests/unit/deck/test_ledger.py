"""The ledger: cards move between zones, are never lost, and the sum is what was counted."""

from support import raises

from firmware.deck.ledger import (
    DEALT,
    DISCARDED,
    HOPPER,
    PATH,
    RELEASED,
    REMOVED,
    STORE,
    TRAY,
    ZONE_COUNT,
    ZONE_NAMES,
    Ledger,
    Settled,
)
from firmware.fault import Broken


def counted(cards, expected=52):
    ledger = Ledger()
    ledger.begin(expected)
    for _ in range(cards):
        ledger.arrive()
        ledger.move(PATH, STORE, 1)
    return ledger


def spread(**cards):
    """A settled deck with so many cards in each zone that is named."""
    ledger = counted(sum(cards.values()))
    ledger.settle()
    names = ZONE_NAMES.split()
    for name in cards:
        if name != "store":
            ledger.move(STORE, names.index(name), cards[name])
    ledger.check()
    return ledger


def zones(ledger):
    names = ZONE_NAMES.split()
    return {names[i]: ledger.zone[i] for i in range(ZONE_COUNT) if ledger.zone[i]}


def test_every_zone_has_a_number_of_its_own_and_a_name():
    numbers = (HOPPER, PATH, STORE, TRAY, DEALT, DISCARDED, RELEASED, REMOVED)
    assert list(numbers) == list(range(ZONE_COUNT))
    assert ZONE_NAMES == "hopper path store tray dealt discarded released removed"
    assert len(Ledger().zone) == ZONE_COUNT


def test_a_new_ledger_has_no_cards_and_counts_none():
    ledger = Ledger()
    assert zones(ledger) == {}
    assert ledger.total == 0
    ledger.check()
    assert raises(Broken, ledger.arrive)


def test_the_count_replaces_the_expectation():
    for cards in (51, 52, 53):
        ledger = counted(cards)
        assert ledger.zone[HOPPER] == max(52 - cards, 0)
        assert ledger.settle() == cards
        assert ledger.zone[HOPPER] == 0
        assert ledger.zone[STORE] == cards
        assert raises(Broken, ledger.arrive)


def test_a_card_that_vanishes_while_the_deck_is_counted_is_noticed_when_it_settles():
    for change in (1, -1):
        ledger = counted(52)
        ledger.zone[STORE] += change
        assert raises(Broken, ledger.settle)


def test_a_new_deck_begins_with_nothing_of_the_last():
    ledger = spread(store=3, dealt=2, removed=1)
    ledger.begin(52)
    assert zones(ledger) == {"hopper": 52}
    assert ledger.total == 0
    ledger.arrive()
    assert zones(ledger) == {"hopper": 51, "path": 1}
    assert ledger.total == 1


def test_a_move_takes_cards_that_are_there_and_no_others():
    ledger = spread(store=52)
    ledger.move(STORE, TRAY, 5)
    ledger.move(STORE, TRAY, 0)
    assert zones(ledger) == {"store": 47, "tray": 5}
    ledger.move(TRAY, DEALT, 5)
    assert raises(Broken, ledger.move, TRAY, DEALT, 1)
    assert raises(Broken, ledger.move, STORE, TRAY, -1)
    assert zones(ledger) == {"store": 47, "dealt": 5}


def test_a_card_that_appears_or_vanishes_is_noticed():
    for zone in range(ZONE_COUNT):
        for change in (1, -1):
            ledger = spread(store=52)
            ledger.zone[zone] += change
            assert raises(Broken, ledger.check)


def test_a_lifted_card_leaves_the_hopper_and_one_too_many_shows_in_the_total():
    ledger = spread(hopper=2, store=3)
    for hopper, total in ((1, 5), (0, 5), (0, 6)):
        ledger.lift()
        assert (ledger.zone[HOPPER], ledger.total) == (hopper, total)
        ledger.check()
    assert ledger.zone[PATH] == 3


def test_a_refill_takes_the_discards_first_and_then_cards_that_were_dealt():
    ledger = spread(store=10, dealt=7, discarded=5)
    ledger.refill(4)
    assert zones(ledger) == {"hopper": 4, "store": 10, "dealt": 7, "discarded": 1}
    assert ledger.total == 18
    ledger.refill(3)
    assert zones(ledger) == {"hopper": 7, "store": 10, "dealt": 5}
    assert ledger.total == 15
    assert raises(Broken, ledger.refill, 6)
    ledger.refill(5)
    assert zones(ledger) == {"hopper": 12, "store": 10}
    assert ledger.total == 10


def test_a_card_found_in_a_store_of_unknown_content_comes_from_it_or_is_a_new_one():
    ledger = spread(store=2)
    for store, tray, total in ((1, 1, 2), (0, 2, 2), (0, 3, 3)):
        ledger.find()
        assert (ledger.zone[STORE], ledger.zone[TRAY], ledger.total) == (store, tray, total)
        ledger.check()


def test_removing_all_of_a_counted_deck_takes_what_is_inside_and_nothing_else():
    ledger = spread(hopper=1, path=2, store=3, tray=4, dealt=5, discarded=6, released=7, removed=8)
    ledger.remove_all()
    assert zones(ledger) == {"dealt": 5, "discarded": 6, "released": 7, "removed": 18}
    ledger.check()


def test_removing_all_while_a_deck_is_counted_forgets_the_cards_that_were_only_expected():
    ledger = counted(20)
    ledger.arrive()
    ledger.remove_all()
    assert zones(ledger) == {"removed": 21}
    assert raises(Broken, ledger.arrive)
    ledger.check()


def test_cards_are_inside_or_outside_and_removed_ones_are_neither():
    ledger = spread(hopper=1, path=2, store=4, tray=8, dealt=16, discarded=32, released=64, removed=128)
    assert ledger.inside() == 1 + 2 + 4 + 8
    assert ledger.outside() == 16 + 32 + 64


def test_a_round_that_was_never_settled_has_no_cards_and_no_round():
    settled = Settled()
    assert (settled.deck, settled.stacks, settled.dealt, settled.rest) == (1, 0, 0, 0)
    assert (settled.machine_round, settled.machine_deck) == (0, 0)
