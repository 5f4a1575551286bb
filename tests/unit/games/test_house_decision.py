"""A machine that stops in a round of a game without a rule for that: reported and held until the house decides."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of, fields_of

from firmware.fault import FAULT_MISMATCH
from firmware.games.flow import DISPENSING, WAITING_FOR_DECK, WAITING_FOR_ROUND_END, WARNING, flow_judge
from firmware.games.profile import CLAUSE_NONE, RULE_COUNT, RULE_DEAL_FAULT, TAIL_HOUSE, TAIL_SETTLING, TAIL_WAGERS
from firmware.journal.outbox import OUTBOX_MAX
from firmware.protocol import ids
from rig.operator import recover

GOES_ON, VOID = ids.HOUSE_GOES_ON, ids.HOUSE_VOID


def jammed(table, card):
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": card, "at_um": 40000})
    return table


def stud(table=None):
    return Table("double-down-stud", table=table)


def dds_jam_in_the_deal(table=None):
    table = jammed(stud(table), 2).shuffle()
    table.play(*[("", 200, "press", "seat")] * 3, ("", 500, "press", "close"))
    return table.play(*[("stack_offered", 600, "take", 0)] * 2, ("warning_latched", 300, "wait", 0))


def dds_jam_in_the_release(table=None):
    table = jammed(stud(table), 12).shuffle().deal(3)
    table.play(("", 300, "press", "close"), ("betting_closed", 300, "press", "green"))
    return table.play(("warning_latched", 300, "wait", 0))


def dds_door(table=None):
    return stud(table).shuffle().deal(3).play(("", 300, "open", 0), ("warning_latched", 300, "close", 0))


def dds_power(table=None):
    return stud(table).shuffle().deal(3).play(("", 300, "cut", 0), ("", 900, "boot", 0), ("held_back", 900, "wait", 0))


def in_a_round(table=None):
    return Shoe(table=table).load().draw().boxes(2).draw(4)


def dab_stuck_card(table=None):
    shoe = in_a_round(table)
    assert shoe.stage.rig.plant.hand.draw(20000)
    return shoe.play(("warning_latched", 500, "wait", 0))


def dab_door(table=None):
    return in_a_round(table).play(("", 300, "open", 0), ("warning_latched", 300, "close", 0))


def dab_power(table=None):
    return in_a_round(table).play(("", 300, "cut", 0), ("", 900, "boot", 0), ("held_back", 900, "wait", 0))


# What stops the machine, and what the dealer does next if the round goes on.
CASES = (
    (dds_jam_in_the_deal, TAIL_WAGERS),
    (dds_jam_in_the_release, TAIL_SETTLING),
    (dds_door, TAIL_WAGERS),
    (dds_power, TAIL_WAGERS),
    (dab_stuck_card, TAIL_SETTLING),
    (dab_door, TAIL_SETTLING),
    (dab_power, TAIL_SETTLING),
)


def empty(table):
    """The machine is emptied and its warning cleared, and the decision is still due."""
    stage = table.stage
    table.play(("", 300, "open", 0), ("", 300, "clear", 0), ("", 300, "close", 0), ("", 600, "press", "ack"))
    table.play(("warning_cleared", 500, "wait", 0))
    assert table.flow.tail == TAIL_HOUSE and table.flow.state == WAITING_FOR_ROUND_END, stage.names()[-5:]
    return table


def test_nothing_is_void_before_the_house_has_decided():
    for stopped, _tail in CASES:
        table = stopped()
        names = table.stage.names()
        assert "round_voided" not in names and "round_ended" not in names, stopped
        assert table.flow.state == WARNING and table.flow.tail == TAIL_HOUSE
        assert fields_of(table.stage, "held_back")[-1] == [ids.NEED_HOUSE_DECISION]
        assert clauses_of(table.stage, "held_back")[-1] == b"HOUSE"
        for decision in (0, 3):
            assert table.record("house_decision", decision) == REFUSED and table.reason() == ids.REASON_ARGUMENT
        empty(table)
        assert table.status() == WAITING_FOR_ROUND_END
        assert table.display[2:] == ["LOCK: it goes on", "CLOSE: it is void"]
        assert table.command(ids.CMD_END_ROUND) == REFUSED and table.reason() == ids.REASON_NEED
        assert table.stage.peer.results[-1][4] == ids.NEED_HOUSE_DECISION
        table.play(("", 300, "press", "green"), ("", 300, "press", "ack"), ("", 300, "wait", 0))
        assert "round_ended" not in table.stage.names() and "round_voided" not in table.stage.names()


def test_the_house_voids_the_round_by_no_clause_or_lets_it_go_on():
    for stopped, tail in CASES:
        for decision in (GOES_ON, VOID):
            table = stopped() if decision == VOID else empty(stopped())
            number = table.flow.round_last
            table.recorded("house_decision", decision)
            order = ids.PLAY_ON if decision == GOES_ON else ids.ALL_VOID_RESHUFFLE
            assert all_fields_of(table.stage, "recorded")[-1] == [ids.REC_HOUSE_DECISION, decision, 0, order]
            assert clauses_of(table.stage, "recorded")[-1] == b"HOUSE"
            assert table.record("house_decision", decision) == REFUSED and table.reason() == ids.REASON_STATE
            if decision == VOID:
                voided = [event for event in table.stage.peer.events if event.name == "round_voided"]
                assert [event.round for event in voided] == [number]
                assert clauses_of(table.stage, "round_voided") == [b"HOUSE"]
                continue
            assert table.flow.tail == tail, stopped
            if tail == TAIL_WAGERS:
                assert table.command(ids.CMD_END_ROUND) == REFUSED
                assert table.command(ids.CMD_CLOSE_BETTING) == DONE
                assert clauses_of(table.stage, "betting_closed") == [b"DDS-8e"]
            assert table.command(ids.CMD_END_ROUND) == DONE
            ended = all_fields_of(table.stage, "round_ended")
            assert [fields[1:3] for fields in ended] == [[ids.UNKNOWN_U16] * 2]  # no number that looks like a count
            assert "round_voided" not in table.stage.names()
            assert table.flow.state == WAITING_FOR_DECK


# While the decision is due: what is recorded, its reason or 0, its clause and whether it voids the round by that.
HELD = {
    dds_jam_in_the_deal: (
        ("misdeal", 1, 2, 0, b"DDS-11d", True),
        ("misdeal", 3, 0, ids.REASON_STATE, b"", False),  # that stack was not taken
        ("misdeal", 0, 3, ids.REASON_STATE, b"", False),
        ("misdeal", 4, 2, ids.REASON_ARGUMENT, b"", False),
        ("hole_card_seen", 0, 0, ids.REASON_STATE, b"", False),  # nor was it dealt
        ("face_up", 1, 0, 0, b"DDS-11b", False),
        ("face_up", 2, 0, 0, b"DDS-11b", True),
        ("drawn_in_error", 1, 0, 0, b"DDS-11c", False),
        ("dispute", 1, 1, 0, b"DDS-9d", False),
        ("out_of_service", 1, 0, 0, b"HOUSE", False),
        ("inspected", 1, 0, ids.REASON_STATE, b"", False),  # that deck is on the table
        ("tens_removed", 1, 0, ids.REASON_STATE, b"", False),
    ),
    dds_power: (("hole_card_seen", 0, 0, 0, b"DDS-11a", True), ("misdeal", 0, 5, 0, b"DDS-11d", True)),
    dds_jam_in_the_release: (("hole_card_seen", 0, 0, ids.REASON_STATE, b"", False),),  # betting was closed again
    dab_stuck_card: (
        ("misdeal", 0, 0, 0, b"DAB-15e", True),
        ("face_up", 1, 0, 0, b"DAB-15b", False),
        ("face_up", 2, 0, 0, b"DAB-15b", True),
        ("ten_found", 1, 0, 0, b"DAB-15c", False),
        ("dispute", 1, 1, 0, b"DAB-7h", False),
        ("out_of_service", 1, 0, 0, b"DAB-15l", False),
        ("hole_card_seen", 0, 0, ids.REASON_STATE, b"", False),
    ),
    dab_power: (("misdeal", 0, 0, 0, b"DAB-15e", True), ("out_of_service", 1, 0, 0, b"DAB-15l", False)),
}


def test_records_are_taken_while_the_decision_is_due():
    for stopped, cases in HELD.items():
        for i in range(len(cases)):
            what, a, b, reason, clause, void = cases[i]
            table = stopped() if i % 2 else empty(stopped())
            outcome = table.record(what, a, b)
            assert (outcome == REFUSED and table.reason()) == reason, (stopped, what, a, b)
            table.stage.run(300)
            assert table.flow.tail == (0 if void else TAIL_HOUSE), (stopped, what, a)
            assert clauses_of(table.stage, "round_voided") == [clause] * void
            if reason:
                continue
            assert clauses_of(table.stage, "recorded")[-1] == clause
            event = [event for event in table.stage.peer.events if event.name == "recorded"][-1]
            assert event.round == table.flow.round_last
            if not void:
                assert table.record("house_decision", GOES_ON) == DONE


def test_everything_that_its_stage_allows_is_recorded_of_a_shoe_that_goes_on_by_hand():
    """Proves: DAB-11b (in part), DAB-15g (in part), DAB-15i (in part)"""
    for stopped in (dab_stuck_card, dab_power):
        table = empty(stopped())
        for what in ("surrender", "box_missed", "dealer_card", "dealer_change"):
            assert table.record(what, 1 if what != "dealer_change" else 0) == REFUSED, what
        assert table.record("house_decision", GOES_ON) == DONE
        assert table.record("insurance_closed") == REFUSED and table.record("surrender", 1) == REFUSED
        for what, a, b in (
            ("up_card", 1, 0),
            ("insurance_closed", 0, 0),
            ("box_missed", 2, 1),
            ("up_card", 5, 0),
            ("surrender", 1, 0),
            ("burned", 1, 3),
            ("dealer_change", 0, 0),
            ("dealer_card", 0, 0),
            ("ten_found", 1, 0),
            ("face_up", 1, 0),
            ("drawn_in_error", 1, 1),
        ):
            assert table.record(what, a, b) == DONE, (stopped, what)
            event = [event for event in table.stage.peer.events if event.name == "recorded"][-1]
            assert event.round == table.flow.round_last
        assert table.record("box_missed", 1, 0) == REFUSED  # the dealer's card was called
        for what, a, b in (("card_to", 1, 6), ("short_shoe", 3, 0)):  # this shoe counts no more cards
            assert table.record(what, a, b) == REFUSED and table.reason() == ids.REASON_STATE
        assert table.command(ids.CMD_END_ROUND) == DONE


def test_a_round_that_goes_on_beside_a_ready_deck_is_closed_and_ended_by_commands():
    config = board("carousel", inputs={"back": 28})
    table = Table("double-down-stud", table={"decks": 2}, config=config).shuffle().deal(3)
    table.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("held_back", 900, "wait", 0))
    table.play(("", 300, "open", 0), ("", 300, "clear", 0), ("", 300, "close", 0), ("", 600, "press", "ack"))
    table.play(("warning_cleared", 500, "wait", 0))
    table.shuffle(2)
    assert table.record("house_decision", GOES_ON) == DONE
    assert table.command(ids.CMD_END_ROUND) == REFUSED  # betting has to be closed again
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE
    assert clauses_of(table.stage, "betting_closed") == [b"DDS-8e"]
    assert table.command(ids.CMD_END_ROUND) == DONE
    assert table.stage.names().count("round_ended") == 1
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE and table.stage.names().count("round_started") == 2


def test_two_buttons_decide_where_no_table_system_does():
    for stopped, tail in CASES:
        for button, name in (("lock", "recorded"), ("close", "round_voided")):
            table = empty(stopped()).play(("", 500, "press", button), (name, 300, "wait", 0))
            assert table.flow.tail == (tail if button == "lock" else 0), (stopped, button)
            assert ("round_voided" in table.stage.names()) == (button == "close")


def test_the_decision_stays_due_over_a_power_cut_and_over_a_second_fault():
    for stopped, tail in CASES:
        table = stopped()
        for _ in range(2):
            table.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("booted", 900, "wait", 0))
        assert "round_voided" not in table.stage.names()
        assert table.flow.tail == TAIL_HOUSE, stopped
        assert table.record("house_decision", GOES_ON) == DONE
        table.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("booted", 900, "wait", 0))
        assert table.flow.tail == tail, stopped
        recover(table.stage)
        assert table.stage.names().count("round_ended") == 1 and "round_voided" not in table.stage.names()


def test_a_game_with_a_rule_for_a_machine_that_stops_has_nothing_to_decide():
    for game in ("boston-5-stud", "caribbean-stud", "double-cross-poker", {"deck_cards": 12, "stack_cards": 3}):
        table = Table(game).shuffle().deal(2).play(("", 300, "cut", 0), ("", 900, "boot", 0))
        table.play(("round_voided", 500, "wait", 0))
        assert table.flow.tail == 0
        assert table.record("house_decision", VOID) == REFUSED and table.reason() == ids.REASON_STATE


def test_nor_has_one_with_a_rule_for_what_came_out_wrong():
    """Double Down Stud has no clause for a machine that stops, and one for hands with a wrong number of cards."""
    table = stud().shuffle().play(*[("", 200, "press", "seat")] * 3, ("", 500, "press", "close"))
    table.stage.until("stack_offered", 20000)
    plant = table.stage.rig.plant
    cards = plant.take()
    while table.flow.state != DISPENSING:
        table.stage.run(5)
    plant.put_in_tray(cards)
    table.play(("round_voided", 300, "wait", 0))
    assert clauses_of(table.stage, "round_voided") == [b"DDS-11d"]
    assert "held_back" not in table.stage.names() and table.flow.tail == 0


def test_the_house_is_asked_only_where_neither_the_rule_nor_that_for_a_machine_that_stops_is_written():
    """A game may be without a clause for a wrong count and have one for a machine that stops."""
    for count, deal, asked in ((b"", b"", True), (b"", b"X-1", False), (b"X-2", b"", False), (b"X-2", b"X-1", False)):
        table = Table("boston-5-stud").shuffle().deal(2)
        flow = table.flow
        flow.state = DISPENSING  # in which a wrong count is one of cards
        flow.profile.clauses[RULE_COUNT] = count or CLAUSE_NONE
        flow.profile.clauses[RULE_DEAL_FAULT] = deal or CLAUSE_NONE
        flow_judge(flow, FAULT_MISMATCH, -1)
        posted = flow.outbox.entries[(flow.outbox.first + flow.outbox.count - 1) % OUTBOX_MAX]
        assert posted.message == (ids.EV_HELD_BACK if asked else ids.EV_ROUND_VOIDED), (count, deal)
        assert asked or posted.text == (count or CLAUSE_NONE), (count, deal)


def test_a_set_that_went_on_by_hand_is_counted_with_its_rack_before_it_is_used_again():
    """Proves: DAB-7j (in part)

    After a power cut it is not known what was drawn: the count is unknown until the check of 7(j)(2)."""
    shoe = Shoe(table={"records": True}).induct()
    shoe.load().draw().boxes(2).draw(4).play(("", 300, "cut", 0), ("", 900, "boot", 0), ("held_back", 900, "wait", 0))
    empty(shoe)
    shoe.play(("", 300, "press", "lock"), ("", 300, "press", "close"), ("", 300, "wait", 0))
    assert shoe.flow.tail == TAIL_HOUSE  # the table system decides
    assert shoe.record("house_decision", GOES_ON) == DONE
    assert shoe.command(ids.CMD_END_ROUND) == DONE
    assert shoe.record("provenance", 1, 1) == DONE
    shoe.insert("", 500, cards=20)
    assert fields_of(shoe.stage, "held_back")[-1] == [ids.NEED_RACK]
    assert shoe.record("stub_counted", 20) == DONE
    shoe.play(("", 300, "press", "green"), ("deck_loaded", 500, "wait", 0))


def test_on_a_table_without_records_two_buttons_say_how_that_count_came_out():
    """Proves: DAB-7j (in part)"""
    for decision in (GOES_ON, VOID):
        shoe = empty(dab_power())
        assert shoe.record("house_decision", decision) == DONE
        assert decision == VOID or shoe.command(ids.CMD_END_ROUND) == DONE
        shoe.stage.act("load", {"cards": 20})
        for button, told in (("ack", [ids.UNKNOWN_U16, b"DAB-7j"]), ("lock", [20, b"DAB-7j"])):
            shoe.play(("", 300, "press", "green"), ("", 500, "wait", 0))
            assert fields_of(shoe.stage, "held_back")[-1] == [ids.NEED_RACK]
            assert shoe.display[1:] == ["the rest: 20 cards", "LOCK: it is right", "ACK: it is wrong"]
            shoe.play(("", 300, "press", button), ("", 500, "wait", 0))
            assert [all_fields_of(shoe.stage, "recorded")[-1][1], clauses_of(shoe.stage, "recorded")[-1]] == told
        shoe.play(("", 300, "press", "green"), ("deck_loaded", 500, "wait", 0))


def test_a_power_cut_at_a_draw_shoe_names_the_round_that_was_open():
    for open_round in (True, False):
        shoe = Shoe().load().draw().boxes(2).draw(4 if open_round else 0)
        shoe.play(("", 300, "cut", 0), ("", 900, "boot", 0), ("power_lost", 500, "wait", 0))
        lost = [event for event in shoe.stage.peer.events if event.name == "power_lost"][-1]
        assert (lost.round, lost.fields[1]) == ((1, 1) if open_round else (0, 0))
    for game in ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker"):
        table = Table(game, "draw")
        table.stage.act("load", {"cards": 52})
        table.play(("", 300, "press", "green"), ("deck_loaded", 600, "press", "close"))
        table.play(("round_started", 500, "wait", 0), ("", 300, "cut", 0), ("", 900, "boot", 0))
        table.play(("power_lost", 500, "wait", 0))
        lost = [event for event in table.stage.peer.events if event.name == "power_lost"]
        assert [(event.round, event.fields[1]) for event in lost] == [(1, 1)], game
