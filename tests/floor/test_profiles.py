"""What leaves the process under each reporting profile."""

import json
from dataclasses import replace
from typing import Any

from floor_case import LOG, MARK, entry, made, sample

from fairshoe import Event, StoredEvent, messages
from fairshoe.message_data import to_dict
from fairshoe_floor.api.profiles import METERS_EVENTS, event_view, reading_views, reported, shoe_view, warning_view
from fairshoe_floor.gateway.live import LiveShoe
from fairshoe_floor.inventory import Profile
from fairshoe_floor.reader import Latched, Reading, Shoe

EVENTS = [kind for kind in messages.ALL if issubclass(kind, Event)]
ROUND = ("round", "deck", "clause", "consequence", "stack", "cards", "positions", "dealt", "during", "round_open")
# Kinds that exist only while or because a round is played, or that tell who commands the table.
OF_A_ROUND = {
    *("round_started", "lockout_confirmed", "stack_started", "stack_offered", "stack_taken", "green_pressed"),
    *("release_started", "remainder_released", "remainder_taken", "round_ended", "round_voided", "release_failed"),
    *("cut_reached", "betting_closed", "stub_due", "held_back", "recorded", "cover_all", "hole_card_read", "cards_odd"),
    *("draw_flagged", "command_accepted", "command_ended", "shuffle_committed", "shuffle_nonce"),
}


def stored(event: Event) -> StoredEvent:
    return StoredEvent(7, LOG, 41, event.NAME, 5.0, event, b"")


def stored_as(kind: type[Event], seq: int) -> StoredEvent:
    return replace(stored(made(kind)), seq=seq)


def test_meters_report_no_event_of_a_round_and_no_field_of_one() -> None:
    reported = {kind.NAME for kind in EVENTS if event_view(stored(made(kind)), Profile.METERS)}
    assert reported == {kind.NAME for kind in METERS_EVENTS}
    assert {kind.NAME for kind in EVENTS} >= OF_A_ROUND and not OF_A_ROUND & reported
    for kind in METERS_EVENTS:
        view = event_view(stored(made(kind)), Profile.METERS)
        assert view is not None
        assert not set(ROUND) & set(view["event"]), kind


def test_the_profile_table_reports_every_event_whole() -> None:
    for kind in EVENTS:
        event = made(kind)
        view = event_view(stored(event), Profile.TABLE)
        assert view is not None and view["event"] == to_dict(event)


def test_a_shoe_under_meters_has_no_state_no_game_and_no_round() -> None:
    warning = Latched(7, LOG, 9, messages.Fault.JAM_EXIT, 3.0, MARK)
    kept = sample(7)
    shoe = Shoe(entry(7), "gw", kept, LOG, 12, 3.0, kept.totals, warning, quiet_seq=12)
    view, whole = shoe_view(shoe, Profile.METERS), shoe_view(shoe, Profile.TABLE)
    assert set(whole) - set(view) == {"game", "stored_at", "status", "next", "waiting"}
    assert set(whole["counters"]) - set(view["counters"]) >= {"good", "resent"}  # one receipt for each event
    assert set(whole["totals"]) - set(view["totals"]) == {"rounds", "voided", "commands_refused"}
    assert view["warning"] == warning_view(warning, Profile.METERS) and "round" not in view["warning"]
    text = json.dumps({name: it for name, it in view.items() if name not in ("meters", "health", "counters")})
    assert str(MARK) not in text and whole["totals"]["rounds"] == MARK
    assert view["meters"]["cards"] == 2000 and view["firmware"] == "0.1.0"


def test_under_meters_nothing_moves_while_a_round_is_under_way_except_a_warning() -> None:
    shoe = LiveShoe(entry(7, Profile.METERS), "gw")
    shoe.sample = sample(7, seq=0, log=LOG, at=0.0, heard_at=100.0)
    seq = 0

    def record(kind: type[Event], **values: Any) -> None:
        nonlocal seq
        seq += 1
        shoe.take_event(made(kind, seq=seq, **values), seq, LOG, 100.0 + seq / 100)

    def seen() -> tuple[Any, ...]:
        view = shoe.view()
        events = [
            stored_as(event, number) for number, event in enumerate((messages.RoundStarted, messages.DeckVerified), 2)
        ]
        passed = [it.seq for it in reported(view, Profile.METERS, LOG, events)]
        return shoe_view(view, Profile.METERS), passed

    def readings() -> int:
        """Of one before the round, and one now, when the clock was set back."""
        found = Reading.of_samples([quiet, replace(shoe.sample, at=50.0)])
        return len(reading_views(shoe.view(), Profile.METERS, found))

    record(messages.DeckVerified, round=0)
    before, quiet = seen(), shoe.sample
    assert before[0]["seq"] == 1 and before[0]["totals"]["shuffles"] == 6
    shoe.take_message(made(messages.Status, events_waiting=1), 100.3)  # the gateway has not stored that the round began
    shoe.take_message(made(messages.Meters, cards=2001), 100.3)
    assert seen() == before
    assert readings() == 1
    record(messages.RoundStarted)
    for number, kind in enumerate(
        (messages.StackOffered, messages.StackTaken, messages.DeckVerified, messages.DoorOpened)
    ):
        record(kind)
        for message in (
            made(messages.Status, events_waiting=number % 2),
            made(messages.Meters, cards=2002 + number),
            made(messages.LinkCounters, good=number, bad_crc=number),
            made(messages.Health, overruns=number),
        ):
            shoe.take_message(message, 100.4 + number / 10)
            assert seen() == before
    record(messages.WarningLatched, warning=messages.Fault.JAM_EXIT)
    warned = seen()[0]
    assert warned["warning"] == {"device": "00000007", "fault": "jam_exit", "since": 100.07}
    record(messages.WarningCleared)
    assert seen() == before
    record(messages.RoundEnded)
    shoe.take_message(made(messages.Status, events_waiting=0), 100.9)
    after = seen()
    assert after[0]["seq"] == seq and after[0]["totals"]["shuffles"] == 7 and after[0]["meters"]["cards"] == 2005
    assert after[1] == [2, 3] and readings() == 2


def test_a_round_that_began_before_the_record_is_held_back_too() -> None:
    shoe = LiveShoe(entry(7, Profile.METERS), "gw")
    shoe.take_message(made(messages.Status, events_waiting=0), 100.0)
    shoe.take_message(made(messages.Meters, cards=2000), 100.0)
    before = shoe_view(shoe.view(), Profile.METERS)
    for seq, kind in (
        (31, messages.StackTaken),
        (32, messages.WarningLatched),
        (33, messages.WarningCleared),
        (34, messages.StackOffered),
    ):
        shoe.take_event(made(kind, seq=seq, round=9), seq, LOG, 101.0)
        shoe.take_message(made(messages.Meters, cards=2000 + seq), 101.0)
        shoe.take_message(made(messages.Status, events_waiting=0), 101.0)
        view = shoe_view(shoe.view(), Profile.METERS)
        assert (view["seq"], view["meters"], view["totals"]) == (30, before["meters"], before["totals"])
    shoe.take_event(made(messages.RoundEnded, seq=35, round=9), 35, LOG, 102.0)
    view = shoe_view(shoe.view(), Profile.METERS)
    assert view["seq"] == 35 and view["meters"]["cards"] == 2034


def test_a_warning_names_the_fault_and_the_sensor_and_not_the_cards() -> None:
    view = event_view(stored(made(messages.WarningLatched, warning=messages.Fault.JAM_EXIT)), Profile.METERS)
    assert view is not None and set(view["event"]) == {
        *("message", "seq", "boot", "uptime_s", "uptime_ms", "utc_s"),
        *("warning", "sensor"),
    }
