"""Double Attack Blackjack, the round: the deal plan, and every irregularity of its rules."""

from dab_tables import Shoe, dealt
from game_tables import DONE, REFUSED
from support import all_fields_of, clauses_of, fields_of

from firmware.deck.ledger import DEALT, HOPPER, ZONE_COUNT
from firmware.fault import FAULT_COMPOSITION, FAULT_FACE_UP, FAULT_MISMATCH
from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING
from firmware.protocol import ids
from hal.sim.rng import mix

UNKNOWN_BOX = ids.UNKNOWN_U8


def test_the_plan_is_the_dealers_card_one_to_each_box_a_second_to_each_box_and_then_whoever_wants():
    """Proves: DAB-7d, DAB-13a"""
    for boxes in range(1, 8):
        shoe = Shoe(cards=40).load().draw().boxes(boxes)
        play = shoe.flow.play
        seats = []
        for _ in range(2 * boxes + 2):
            seats.append(play.seat(shoe.flow))
            shoe.draw()
        once = list(range(1, boxes + 1))
        assert seats == [0] + once * 2 + [UNKNOWN_BOX], boxes
        assert fields_of(shoe.stage, "round_started")[0] == [boxes]  # boxes that hold a wager, shared or not
        assert shoe.record("dealer_card") == DONE
        assert play.seat(shoe.flow) == 0
        shoe.draw().green()
        assert fields_of(shoe.stage, "round_ended") == [[0, 2 * boxes + 3, 40 - 2 * boxes - 4]]
        assert shoe.flow.positions == 0  # the next round has boxes of its own
        shoe.close()
    assert shoe.command(ids.CMD_SET_POSITIONS, 8) == REFUSED


def test_after_the_up_card_the_dealer_may_wait_as_long_as_players_think():
    """Proves: DAB-7d"""
    shoe = Shoe().load().boxes(2).draw(2)
    assert shoe.display[0] == "Double Attack wagers"
    shoe.stage.run(300000)
    assert shoe.flow.state == DRAWING
    shoe.draw(4)
    assert shoe.flow.play.draws == 5
    shoe.close()


def test_a_round_ends_by_the_dealers_signal_and_by_nothing_else():
    """Proves: DAB-12c"""
    shoe = dealt(2)
    shoe.stage.run(600000)
    assert shoe.flow.state == DRAWING and shoe.flow.round_open
    shoe.draw(3)
    shoe.stage.run(600000)
    assert "round_ended" not in shoe.stage.names()
    assert shoe.command(ids.CMD_END_ROUND) == DONE
    assert fields_of(shoe.stage, "round_ended") == [[0, 8, 11]]
    shoe.close()


def test_no_motor_pushes_a_card_out_and_nothing_tells_a_card():
    """Proves: DAB-7b (in part)"""
    shoe = Shoe().load()
    plant = shoe.stage.rig.plant
    shoe.boxes(3)
    shoe.stage.run(60000)
    assert not any(plant.wired[:4])
    assert len(plant.hand.drawn) == 0 and len(plant.hopper) == 20
    runs = []
    for shift in (0, 5):
        other = Shoe().load()
        hopper = other.stage.rig.plant.hopper
        hopper[:] = hopper[shift:] + hopper[:shift]  # the same shoe with other cards in each place
        other.boxes(2).draw(9).green()
        other.stage.run(2000)
        runs.append((bytes(other.stage.transcript), other.display, other.stage.rig.plant.now_us))
    assert runs[0] == runs[1]


def test_the_dealers_second_card_wants_its_call():
    """Proves: DAB-7g"""
    for how in ("nothing", "record", "button", "none needed"):
        shoe = dealt(2, locked=True)
        assert shoe.display[1] == "LOCK: Dealer's Card"
        shoe.draw(2)  # hits
        if how == "record":
            assert shoe.record("dealer_card") == DONE
        elif how == "none needed":
            assert shoe.record("dealer_card", 1) == DONE
        elif how == "button":
            shoe.play(("", 300, "press", "lock"), ("", 300, "wait", 0))
        if how != "nothing":
            assert shoe.last()[4] == "DAB-7g"
            assert shoe.display[0] == "Dealer's Card"
        shoe.draw().green()
        flagged = [(8, "DAB-7g")] if how in ("nothing", "none needed") else []
        assert shoe.told("draw_flagged") == flagged, how
        assert shoe.flow.state == DRAW_READY  # the round has gone on
        shoe.close()
    bare = dealt(2).green()  # all surrendered: the dealer needs no second card
    assert bare.told("draw_flagged") == []
    early = Shoe().load().boxes(2).draw(5)  # the second box has one card: LOCK calls nothing yet
    early.play(("", 300, "press", "lock"), ("", 300, "wait", 0))
    assert early.draw(2).green().told("draw_flagged") == [(6, "DAB-7g")]


def test_the_second_face_up_card_of_a_shoe_voids_its_round_whichever_round_the_first_was_in():
    """Proves: DAB-15b"""
    shoe = Shoe(face=True, locked=True).load()
    for nth in (3, 7):
        shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": nth})
    shoe.draw(4)
    assert shoe.told("cards_odd") == [(FAULT_FACE_UP, 1, ids.REJECT_CARD, "DAB-15b")]
    assert shoe.flow.state == DRAWING and shoe.display[0] == "A card lay face up"
    assert shoe.zones() == (2, 2, 16, 0)  # in the rack, with the burn
    shoe.draw()
    assert shoe.flow.play.draws == 3  # the next card takes its place
    shoe.green().draw().green()
    assert shoe.flow.play.face_ups == 1  # the end of a round forgets nothing
    shoe.draw(2)
    assert shoe.told("cards_odd")[1] == (FAULT_FACE_UP, 2, ids.ALL_VOID_RESHUFFLE, "DAB-15b")
    assert clauses_of(shoe.stage, "round_voided") == [b"DAB-15b"]
    assert [event.round for event in shoe.stage.peer.events if event.name == "round_voided"] == [3]
    assert shoe.flow.state == DECK_SPENT
    shoe.lift().load().draw(2)
    assert shoe.flow.play.face_ups == 0 and shoe.flow.state == DRAWING
    shoe.close()


def test_face_up_cards_that_a_person_finds_run_in_the_same_tally():
    """Proves: DAB-15b"""
    shoe = Shoe(face=True).load()
    shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": 2})
    shoe.draw(4).green().draw(2)
    assert shoe.noted("face_up", 1) == (ids.REC_FACE_UP, 1, 0, ids.ALL_VOID_RESHUFFLE, "DAB-15b")
    assert shoe.flow.state == DECK_SPENT and "round_voided" in shoe.stage.names()
    alone = dealt(1)
    assert alone.record("face_up", 1) == DONE
    assert alone.last()[3:] == (ids.REJECT_CARD, "DAB-15b")
    assert alone.zones() == (2, 2, 16, 0) and alone.flow.state == DRAWING
    alone.close()


def test_a_face_up_card_that_was_pushed_back_counts_when_it_comes():
    """Proves: DAB-15b"""
    shoe = Shoe(face=True).load().draw(2)
    shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": 2})
    assert shoe.stage.rig.plant.hand.draw_back(60000, 200)
    shoe.stage.run(900)
    assert shoe.count("cards_odd") == 0
    shoe.draw()
    assert shoe.told("cards_odd") == [(FAULT_FACE_UP, 1, ids.REJECT_CARD, "DAB-15b")]
    shoe.draw()
    assert shoe.count("cards_odd") == 1 and shoe.zones() == (2, 2, 16, 0)
    hidden = Shoe(face=True).load().draw(2)
    hidden.stage.rig.plant.add_fault({"fault": "face_up", "card": 2})
    assert hidden.stage.rig.plant.hand.draw_back(60000, 200)
    hidden.stage.run(900)
    hopper = hidden.stage.rig.plant.hopper
    hopper.insert(0, hopper.pop())  # and another card comes in its place
    hidden.draw()
    assert hidden.count("cards_odd") == 0 and hidden.zones() == (2, 1, 17, 0)


def test_a_ten_that_is_seen_is_removed_and_the_second_of_a_shoe_voids_the_round():
    """Proves: DAB-15c (in part)"""
    shoe = Shoe(recognises=True, locked=True).load(tens=(3, 6))
    shoe.draw(4)
    assert shoe.told("cards_odd") == [(FAULT_COMPOSITION, 1, ids.REMOVE_CARD, "DAB-15c")]
    assert shoe.zones() == (2, 1, 16, 1)  # not in the rack
    assert shoe.display[0] == "A ten was drawn" and shoe.flow.state == DRAWING
    shoe.draw().green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 3, 15]]
    shoe.draw(2)
    assert shoe.told("cards_odd")[1] == (FAULT_COMPOSITION, 2, ids.ALL_VOID_RESHUFFLE, "DAB-15c")
    assert clauses_of(shoe.stage, "round_voided") == [b"DAB-15c"]
    assert shoe.flow.state == DECK_SPENT and shoe.zones()[3] == 2
    shoe.close()


def test_a_ten_that_a_person_finds_has_the_same_consequence_and_the_total_follows():
    """Proves: DAB-15c"""
    shoe = dealt(1)
    assert shoe.noted("ten_found", 1) == (ids.REC_TEN_FOUND, 1, 0, ids.REMOVE_CARD, "DAB-15c")
    assert shoe.zones() == (2, 1, 16, 1)
    shoe.green().draw(16)  # what is left is dealt to the end: 19 of 20 cards are in play
    shoe.green()
    shoe.play(("remainder_taken", 300, "wait", 0))
    assert shoe.flow.warning == 0
    extra = Shoe().load(cards=21).draw(3)
    assert extra.record("ten_found", 1) == DONE
    extra.draw(18).green()  # a ten too many, and a whole set without it
    assert extra.flow.warning == 0 and "warning_latched" not in extra.stage.names()
    twice = dealt(1)
    assert twice.record("ten_found", 1) == DONE
    twice.green()
    assert twice.record("ten_found", 1) == DONE  # between rounds there is none to void
    assert twice.last()[3:] == (ids.ALL_VOID_RESHUFFLE, "DAB-15c")
    assert twice.flow.state == DECK_SPENT and "round_voided" not in twice.stage.names()


def test_without_a_card_for_the_dealer_the_round_is_void_when_players_have_two_and_not_before():
    """Proves: DAB-15e"""
    shoe = Shoe().load().boxes(2).draw(4)
    assert shoe.record("misdeal", 0, 0) == REFUSED and shoe.reason() == ids.REASON_STATE
    shoe.draw()
    assert shoe.record("misdeal", 1, 1) == REFUSED  # a box with too few is no misdeal
    assert shoe.noted("misdeal", 0, 0) == (ids.REC_MISDEAL, 0, 0, ids.ALL_VOID, "DAB-15e")
    assert clauses_of(shoe.stage, "round_voided") == [b"DAB-15e"]
    assert all_fields_of(shoe.stage, "round_voided")[0][-2:] == [ids.ALL_VOID, 0]
    assert shoe.flow.state == DRAW_READY  # nothing is said of the shoe: it goes on
    shoe.draw(2)
    assert shoe.flow.state == DRAWING and shoe.count("round_started") == 2
    shoe.close()


def test_a_card_drawn_in_error_is_the_next_one_and_seen_only_after_the_deal():
    """Proves: DAB-15d, DAB-15f"""
    shoe = Shoe().load().boxes(2).draw(4)
    assert shoe.noted("drawn_in_error", 1, 0)[3:] == (ids.NEXT_CARD, "DAB-15d")
    assert shoe.record("drawn_in_error", 1, 1) == REFUSED  # the deal is not out yet
    shoe.draw(3)
    before = shoe.zones()
    assert shoe.noted("drawn_in_error", 1, 1) == (ids.REC_DRAWN_IN_ERROR, 1, 1, ids.NEXT_CARD, "DAB-15f")
    assert shoe.zones() == before  # dealt it was, and dealt it is
    assert shoe.record("burned", 1, 4) == DONE  # refused by a player, of no use to the dealer
    assert shoe.last() == (ids.REC_BURNED, 1, 4, ids.BURN_CARD, "DAB-15f")
    assert shoe.zones() == (before[0] - 1, before[1] + 1, before[2], 0)
    shoe.close()


def test_a_card_drawn_on_a_pat_hand_is_burned():
    """Proves: DAB-15g"""
    shoe = dealt(1).draw(2)
    assert shoe.noted("burned", 1, 3) == (ids.REC_BURNED, 1, 3, ids.BURN_CARD, "DAB-15g")
    assert shoe.zones() == (4, 2, 14, 0)
    assert shoe.record("burned", 1, 5) == REFUSED and shoe.reason() == ids.REASON_ARGUMENT
    assert shoe.record("burned", 9, 3) == REFUSED  # more than were dealt
    shoe.green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 4, 14]]
    assert shoe.record("burned", 1, 3) == REFUSED  # there is no hand yet
    shoe.close()


def test_boxes_that_were_missed_void_nothing():
    """Proves: DAB-15i"""
    shoe = Shoe(cards=40).load().boxes(3).draw(6)  # dealer, three boxes, and one second card
    assert shoe.record("box_missed", 2, 1) == DONE  # one card: the second comes after all others
    assert shoe.last() == (ids.REC_BOX_MISSED, 2, 1, ids.PLAY_ON, "DAB-15i")
    shoe.draw(2)
    assert shoe.flow.state == DRAWING and shoe.flow.play.deal(shoe.flow) == 6
    assert shoe.record("box_missed", 3, 0) == DONE  # none: dead
    assert shoe.last()[3:] == (ids.PLAY_ON, "DAB-15i")
    assert shoe.flow.play.deal(shoe.flow) == 4  # less one card of box 2 and two of box 3
    shoe.green()
    assert "round_voided" not in shoe.stage.names()
    shoe.boxes(3).draw()  # in again in the next deal
    assert fields_of(shoe.stage, "round_started")[-1] == [3]
    assert shoe.flow.play.deal(shoe.flow) == 7
    shoe.close()


def test_a_missed_hit_comes_before_the_dealers_card_or_not_at_all():
    """Proves: DAB-15j"""
    shoe = dealt(3, cards=40).draw()
    assert shoe.noted("box_missed", 2, 2) == (ids.REC_BOX_MISSED, 2, 2, ids.PLAY_ON, "DAB-15j")
    shoe.draw()  # out of order, and counted like any other
    assert shoe.record("dealer_card") == DONE
    assert shoe.record("box_missed", 3, 3) == REFUSED and shoe.reason() == ids.REASON_STATE
    shoe.draw().green()
    assert "round_voided" not in shoe.stage.names() and shoe.told("draw_flagged") == []
    assert fields_of(shoe.stage, "round_ended") == [[0, 10, 29]]
    shoe.close()


def short(table=None):
    """A shoe of 20 whose second round needs more: seven were dealt before and one burned, twelve are on the table."""
    shoe = Shoe(table=table, locked=True)
    if table:
        shoe.induct()
    shoe.load().draw(8).green()
    return shoe.boxes(5).draw(12)


def test_a_short_shoe_is_completed_from_the_rack_and_the_round_goes_on():
    """Proves: DAB-15h"""
    shoe = short()
    shoe.stage.run(4000)
    assert shoe.flow.state == DRAWING and shoe.zones() == (19, 1, 0, 0)
    for rack in (7, 9, 20):
        assert shoe.record("short_shoe", rack) == REFUSED and shoe.reason() == ids.REASON_ARGUMENT
    assert shoe.noted("short_shoe", 8) == (ids.REC_SHORT_SHOE, 8, 0, ids.RESHUFFLE, "DAB-15h")
    shoe.stage.run(300)
    assert shoe.count("held_back") == 0  # the dealer has not asked to go on yet
    shoe.insert("", 500, cards=8)
    assert shoe.last("held_back") == (ids.NEED_CUT, "DAB-15h")  # by any provenance
    assert shoe.display[1] == "Shuffle and cut the"
    assert shoe.record("cut", 3, 1) == REFUSED  # too near to an end
    assert shoe.record("cut", 4, 1) == DONE
    shoe.play(("", 300, "press", "green"), ("deck_loaded", 800, "wait", 0))
    assert all_fields_of(shoe.stage, "deck_loaded")[-1] == [8, ids.LOADED_RACK]
    assert [event.round for event in shoe.stage.peer.events if event.name == "deck_loaded"] == [0, 2]
    assert shoe.zones() == (12, 0, 8, 0)  # the table keeps its cards
    assert shoe.display[0] == "Burn a card"
    shoe.draw()
    assert shoe.last() == (ids.REC_BURNED, 1, 1, ids.BURN_CARD, "DAB-7c")
    assert shoe.zones() == (12, 1, 7, 0)
    shoe.draw(2).green()
    assert fields_of(shoe.stage, "round_ended")[-1] == [0, 14, 5]
    assert shoe.count("round_started") == 2
    assert shoe.flow.state == DECK_SPENT  # the set is not whole: it ends here
    shoe.lift()
    assert shoe.flow.ledger.total == 15
    shoe.close()


def test_a_rack_that_is_not_what_was_told_is_found():
    """Proves: DAB-15h"""
    for put_in in (7, 9):
        shoe = short()
        assert shoe.record("short_shoe", 8) == DONE and shoe.record("cut", 4, 1) == DONE
        shoe.insert("deck_loaded", 800, cards=put_in)
        shoe.draw(put_in)
        shoe.play(("warning_latched", 300, "wait", 0))
        assert shoe.flow.warning == FAULT_MISMATCH, put_in
        assert fields_of(shoe.stage, "held_back")[-1] == [ids.NEED_HOUSE_DECISION]
        shoe.close()


def test_a_shoe_that_stops_in_a_round_has_misdealt_nothing_and_the_house_decides():
    """Proves: DAB-15e (in part)"""
    shoe = dealt(2)
    shoe.stage.rig.plant.add_fault({"fault": "storm", "line": "throat_b", "edges_per_s": 20000, "for_ms": 300})
    shoe.play(("warning_latched", 300, "wait", 0))
    assert fields_of(shoe.stage, "held_back")[-1] == [ids.NEED_HOUSE_DECISION]
    assert clauses_of(shoe.stage, "held_back")[-1] == b"HOUSE" and "round_voided" not in shoe.stage.names()


def test_a_shoe_that_still_has_cards_is_not_short():
    """Proves: DAB-15h"""
    shoe = Shoe().load().draw(8).green().boxes(5).draw(11)
    assert shoe.record("short_shoe", 8) == REFUSED and shoe.reason() == ids.REASON_STATE
    shoe.draw()
    assert shoe.record("short_shoe", 8) == DONE
    hopper = shoe.stage.rig.plant.hopper
    shoe.stage.act("load", {"cards": 8})
    assert len(hopper) == 8
    shoe.draw()  # before it was recorded that it is in
    shoe.play(("warning_latched", 300, "wait", 0))
    assert shoe.flow.warning == FAULT_MISMATCH


def test_whatever_is_told_of_drawn_cards_they_never_go_back_and_none_is_lost():
    """Proves: DAB-15a"""
    for seed in range(1, 5):
        print("seed", seed)
        shoe = Shoe(cards=60, seed=seed).load()
        steps = ("drawn_in_error", "burned", "face_up", "box_missed", "dealer_card", "ten_found", "up_card")
        hopper = 60
        for step in range(40):
            choice = mix(seed, 77, step)
            if shoe.flow.state not in (DRAWING, DRAW_READY):
                break
            if choice % 3 == 0:
                shoe.record(steps[choice // 3 % len(steps)], choice // 64 % 4, choice // 256 % 5)
            elif choice % 13 == 0:
                shoe.green()
            else:
                shoe.draw()
                hopper -= 1
            zone = shoe.flow.ledger.zone
            assert zone[HOPPER] == hopper, (seed, step)
            assert sum(zone[i] for i in range(ZONE_COUNT)) == 60, (seed, step)
            assert zone[DEALT] >= 0
        assert step > 5, seed
        shoe.close()


def test_whose_a_later_card_is_can_be_told_and_the_numbers_must_agree():
    """Proves: DAB-7h (manual, in part), DAB-4d (manual, in part)"""
    shoe = Shoe(cards=40).load(cut_at=8).boxes(2).draw(6)
    assert shoe.record("card_to", 2, 5) == REFUSED and shoe.reason() == ids.REASON_ARGUMENT  # that one is out
    assert shoe.record("card_to", 9, 6) == REFUSED
    assert shoe.noted("card_to", 2, 6)[:3] == (ids.REC_CARD_TO, 2, 6)
    shoe.draw()
    assert shoe.flow.play.seat(shoe.flow) == UNKNOWN_BOX  # told for one card
    assert shoe.record("card_to", 1, 7) == DONE
    shoe.draw()
    assert shoe.record("card_to", 1, 8) == DONE
    shoe.draw()  # the cut card, and then the card itself
    assert shoe.told("cut_reached") == [(8, 32, 1, 0, "DAB-4h")]
    assert shoe.flow.play.seat(shoe.flow) == 1
    shoe.draw()
    assert shoe.flow.play.draws == 8
    shoe.close()


def test_a_card_is_burned_once():
    """Proves: DAB-15g (in part)"""
    shoe = Shoe().load().boxes(1).draw(4)  # the burn of the shoe, the dealer's card and two for the box
    for why in (3, 4):
        assert shoe.record("burned", 1, why) == REFUSED and shoe.reason() == ids.REASON_STATE  # no card of the deal
    assert shoe.draw().record("burned", 1, 3) == REFUSED  # the dealer has one card
    assert shoe.draw().record("burned", 1, 3) == DONE
    assert shoe.record("burned", 1, 3) == REFUSED and shoe.reason() == ids.REASON_STATE
    assert shoe.record("face_up", 5) == REFUSED  # none of the cards in play
    assert shoe.zones() == (4, 2, 14, 0)
    shoe.close()
