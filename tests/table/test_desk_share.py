"""The table's share at the dealer's page: asked for by default, refusals with their cause, what a supervisor does."""

from pathlib import Path
from typing import Any

import pytest
from sitting import bet, sitting

from fairshoe.errors import DeviceSuspect, UsageError
from fairshoe.messages import Share, ShuffleCommitted, ShuffleNonce
from fairshoe_table.simulated.sitting import Sitting, Values
from firmware.protocol import ids

BY = {"by": "A. Smith", "reason": "the plug of the cable was loose"}


def late(it: Sitting) -> None:
    """From here on the device says that every nonce came late."""
    drawing: Any = it.desk.shoe.sim.rig.app.drawing
    answered = drawing._answered

    def drop() -> None:
        drawing.how, drawing.nonce = ids.NONCE_LATE, b""
        answered()

    drawing._answered = drop


def refused(values: Values) -> bool:
    return "no nonce in time" in values["now"]["do"]


def test_every_shuffle_of_a_served_table_has_its_share(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        bet(it)
        it.finish()
        bet(it)
        store = it.desk.shoe.store
        assert store is not None
        shares = [each.event for each in store.events(kinds=[ShuffleNonce])]
        assert [each.share for each in shares if isinstance(each, ShuffleNonce)] == [Share.GIVEN] * 2
        assert it.desk.shoe.lost_shares == [] and "0 of 3" in it.values["share"]
    with sitting(tmp_path / "without", "caribbean-stud", nonce=False) as it:
        bet(it)
        assert it.values["share"] == "the table's share is not asked for"


def test_a_shoe_that_does_not_shuffle_has_no_share_and_says_so(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-attack-blackjack") as it:
        bet(it)
        assert "does not shuffle" in it.values["share"]


def test_the_page_shows_the_refusal_and_its_cause_until_a_supervisor_accepts_the_deck(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        late(it)
        values = it.until(refused)
        assert values["now"]["who"] == "supervisor" and values["now"]["action"] == {}
        assert "1 of 3" in values["share"] and "no nonce in time" in values["calls"][0]["text"]
        assert ["accept-deck", "Accept this deck without the table's share"] in values["house"]["choices"]
        it.tap(do="players")
        with pytest.raises(UsageError, match="no nonce in time"):
            it.tap(do="close")
        for wrong in ({"by": " "}, {"reason": " "}):
            with pytest.raises(UsageError):
                it.tap(do="house", choice="accept-deck", **{**BY, **wrong})
        it.tap(do="house", choice="accept-deck", **BY)
        it.close()
        it.finish()
        assert "1 of 3" in it.values["share"]


def test_above_the_bound_the_table_stops(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        late(it)
        for _ in range(3):
            it.until(refused)
            it.tap(do="house", choice="accept-deck", **BY)
            bet(it)
            it.finish()
        with pytest.raises(DeviceSuspect, match="4 shuffles"):
            it.until(refused)


def test_so_many_stacks_are_due_as_seats_have_wagers_whatever_the_shoe_says(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        outbox: Any = it.desk.shoe.sim.rig.app.outbox
        post = outbox.post

        def any_number(message: int, *values: int, **more: Any) -> None:
            post(message, *((0, *values[1:]) if message == ids.EV_ROUND_STARTED else values), **more)

        outbox.post = any_number
        bet(it)
        it.finish()
        store = it.desk.shoe.store
        assert store is not None
        (committed,) = store.events(kinds=[ShuffleCommitted])
        assert store.wagered_hands(it.desk.shoe.log_id) == {committed.seq: 2} and "0 of 3" in it.values["share"]


def test_a_round_that_a_supervisor_voids_counts_as_ended_by_a_person(tmp_path: Path) -> None:
    """Beforehand: what the shoe does with the deck afterwards is no word of its own."""
    with sitting(tmp_path, "caribbean-stud") as it:
        bet(it)
        it.next()
        assert it.desk.shoe.share_open
        it.tap(do="house", choice="void", **BY)
        it.desk.shoe.sim.act("open")
        it.until(lambda _values: bool(it.desk.shoe.lost_shares))
        assert "0 of 3 by the device's word, 1 of 6 ended by a person" in it.desk.shoe.share_text


def test_a_door_waits_for_a_person_who_says_why(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        it.bets()
        it.desk.hands_by_themselves = False
        it.desk.shoe.sim.act("open")
        values = it.until(lambda values: any(choice == "name-door" for choice, _ in values["house"]["choices"]))
        assert "1 of 3" in values["share"]
        with pytest.raises(UsageError):
            it.tap(do="house", choice="accept-deck", **BY)
        it.tap(do="house", choice="name-door", **BY)
        assert "0 of 3 by the device's word, 1 of 6" in it.values["share"]
