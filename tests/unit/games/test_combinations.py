"""Two things that go wrong in one round, or in an unusual order: each row is what the text of the rules asks for.

A row is a table, what is done and put on record there, and how the round comes out. A word that begins with ! is a
record that is refused; `power` is a power cut, and the machine emptied after it.
"""

from dab_tables import Shoe
from game_tables import DONE, REFUSED, Table, short_deck
from support import act, all_fields_of, board, clauses_of

from firmware.games.flow import WARNING
from firmware.protocol import ids
from rig import stories

AUTOMATED = (
    ("boston-5-stud", "deal:3 misdeal:2:4 hole_card_seen", "void B5-12a 5"),
    ("boston-5-stud", "deal:2 misdeal:0:2 !hole_card_seen !face_up:1 power", "void B5-12d 0"),
    ("boston-5-stud", "close stack offered !hole_card_seen", ""),  # without positions: no dealer's hand yet
    ("boston-5-stud", "close stack stack stack offered hole_card_seen power", "void B5-12a 3"),
    ("boston-5-stud", "deal:3 fold:1 power", "void B5-12f 6"),
    ("boston-5-stud", "deal:2 face_up:1 give release power face_up:1", "void B5-12b 0"),
    ("boston-5-stud", "deal:2 release final_deal:2 misdeal:2:4 misdeal:0:4 end", "end 38"),
    ("boston-5-stud", "deal:2 release final_deal:2 misdeal:0:4 !misdeal:0:4 misdeal:0:6", "void B5-12d 0"),
    ("caribbean-stud", "deal:2 misdeal:1:6 misdeal:0:4 green give release end", "end 36"),
    ("caribbean-stud", "deal:2 misdeal:0:4 face_up:1 power", "void CS-13f 0"),
    ("caribbean-stud", "deal:2 misdeal:0:4 face_up:1 face_up:1", "void CS-13b 0"),
    ("caribbean-stud", "deal:2 misdeal:1:6 misdeal:2:4 misdeal:0:3", "void CS-13d 0"),
    ("caribbean-stud", "deal:2 face_up:1 give release !face_up:1 !face_up:2 end", "end 36"),
    ("caribbean-stud", "deal:2 release !face_up:1 misdeal:0:4 face_up:1 end", "end 36"),
    ("caribbean-stud", "deal:2 misdeal:0:4 give release !face_up:1 !face_up:2 end", "end 37"),
    ("caribbean-stud", "deal:2 misdeal:0:4 give face_up:1 give release !face_up:1 end", "end 36"),
    ("caribbean-stud", "deal:2 misdeal:0:4 give release power !face_up:1 end", "end 37"),
    ("caribbean-stud", "deal:2 face_up:1 give release misdeal:0:4 power face_up:1", "void CS-13b 0"),
    ("caribbean-stud", "deal:2 offer !face_up:1 misdeal:0:4 face_up:1 take face_up:1", "void CS-13b 0"),
    ("caribbean-stud", "deal:2 release !misdeal:1:43 !misdeal:0:52 !stub_counted:52 misdeal:1:42 end", "end 0"),
    ("boston-5-stud", "deal:2 release final_deal:2 stub_counted:37 !face_up:1 !face_up:2 end", "end 37"),
    ("double-cross-poker", "deal:2 face_up:1 give release stub_counted:40 !face_up:1 misdeal:255:4", "void DCP-12c 0"),
    ("boston-5-stud", "deal:2 second_wager:1:1 release final_deal:1 !fold:1 !second_wager:1:0 !fold:2 end", "end 39"),
    ("boston-5-stud", "deal:3 fold:1 misdeal:1:2 !misdeal:1:2 !fold:1 release final_deal:2 misdeal:2:6 end", "end 34"),
    ("boston-5-stud", "deal:2 fold:1 second_wager:2:1 release final_deal:1 !misdeal:1:3 misdeal:1:4 end", "end 38"),
    ("boston-5-stud", "deal:2 second_wager:1:1 second_wager:1:0 misdeal:1:4 !fold:1 power", "void B5-12f 2"),
    ("boston-5-stud", "deal:2 release final_deal:0 misdeal:1:4 power !misdeal:1:4 misdeal:2:2 end", "end 41"),
    ("caribbean-stud", "deal:2 release fold:2 misdeal:2:4 power !misdeal:2:4 end", "end 38"),
    ("double-down-stud", "deal:2 close !fold:1 release !fold:1 end", "end 46"),
    ("double-cross-poker", "deal:2 !fold:1 offer !fold:1 take fold:1 misdeal:1:3", "void DCP-12c 0"),
    ("double-down-stud", "deal:3 close face_up:1 give release face_up:1", "void DDS-11b 0"),
    ("double-cross-poker", "deal:2 release face_up:1 misdeal:255:4 !face_up:1", "void DCP-12c 0"),
    ("double-down-stud", "deal:3 face_up:1 power face_up:1 !house_decision:1", "void DDS-11b 0"),
    ("double-down-stud", "deal:3 power house_decision:1 close !hole_card_seen misdeal:0:3", "void DDS-11d 0"),
    ("double-down-stud", "deal:2 power dispute:1:1 house_decision:1 hole_card_seen", "void DDS-11a 0"),
    # Without positions: two players have a card, and the hole card is not out before the house lets the round go on.
    ("double-down-stud", "close stack stack power !hole_card_seen house_decision:1 hole_card_seen", "void DDS-11a 0"),
)
COUNT_DUE = short_deck("double-cross-poker", stub_rounds=1)
BY_HAND = (
    (COUNT_DUE, "close held !stub_counted:52 stub_counted:41 !stub_counted:41 end", "end"),  # any number of players
    (COUNT_DUE, "close face_up:1 stub_counted:40 power end", "end"),
    (COUNT_DUE, "close stub_counted:42", "void DCP-7e2 0"),
    (COUNT_DUE, "close stub_counted:41:1", "void DCP-7e2 0"),
    (COUNT_DUE, "close stub_counted:25", "void DCP-7e2 0"),  # ten players
    ("boston-5-stud", "bets:4 fold:1 misdeal:2:4 second_wager:3:1 second_wager:3:0 hole_card_seen", "void B5-12a 8"),
    ("boston-5-stud", "bets:2 second_wager:1:1 fold:2 final_deal:1 misdeal:1:6 end", "end 38"),
    ("boston-5-stud", "bets:3 !misdeal:0:4 fold:1 misdeal:0:4", "void B5-12d 0"),
    ("boston-5-stud", "bets:2 fold:1 fold:2 !misdeal:0:4 final_deal:0 misdeal:0:4 end", "end 41"),
    ("double-cross-poker", "bets:2 fold:2 power misdeal:2:1", "void DCP-12c 0"),
    ("caribbean-stud", "bets:2 !progressive:3:3 lock face_up:1 stub_counted:36 !face_up:1 end", "end 36"),
    ("caribbean-stud", "bets:2 progressive:2:1 power !misdeal:1:4 lock progressive:2:2 lock misdeal:1:4 end", "end 38"),
    ("caribbean-stud", "hole_card_seen !hole_card_seen", ""),  # betting is open: no round is there to be void
    ("caribbean-stud", "bets:2 lock out_of_service:1 misdeal:2:6 end", "end 36"),
    ("caribbean-stud", "bets:3 lock fold:1 misdeal:1:4 !fold:1 misdeal:2:4 misdeal:0:4 !misdeal:0:4 end", "end 34"),
    ("boston-5-stud", "bets:3 fold:1 fold:2 second_wager:3:1 final_deal:1 misdeal:2:2 power misdeal:1:4 end", "end 36"),
)
DRAWN = (
    ("boston-5-stud", "bets:2 draw:9 second_wager:1:1 fold:2 power final_deal:1 end", "end 39"),
    ("boston-5-stud", "bets:2 draw:9 second_wager:1:1 fold:2 final_deal:1 misdeal:2:4 draw:5 end", "end 38"),
    ("boston-5-stud", "bets:2 draw:5 face_up:1 power face_up:1", "void B5-12b 0"),
    ("double-cross-poker", "bets:2 draw:4 power misdeal:1:3", "void DCP-12c 0"),
    ("double-cross-poker", "bets:2 draw:11 fold:1 misdeal:1:1", "void DCP-12c 0"),
    ("double-cross-poker", "bets:2 draw:6 !fold:1 draw:1 fold:1 draw:4 end", "end 41"),  # the cross is being dealt
    ("double-cross-poker", "draw:1 face_up:1 !face_up:1 bets:2 draw:11 stub_counted:40 end", "end 40"),
    ("caribbean-stud", "bets:2 lock draw:12 !fold:1 draw:1 fold:1 draw:2 end", "end 37"),  # in the last pass
    ("caribbean-stud", "draw:2 face_up:1 bets:2 lock draw:14 stub_counted:36 end", "end 36"),
    ("caribbean-stud", "draw:1 face_up:1 bets:2 lock draw:4 face_up:1", "void CS-13b 0"),
    ("double-down-stud", "bets:2 draw:2 !hole_card_seen draw:1 hole_card_seen", "void DDS-11a 0"),
    # Betting is not closed again before the smallest deal is out, nor while a rejected card is to be replaced.
    ("double-down-stud", "close draw:4 close hole_card_seen", "void DDS-11a 0"),
    ("double-down-stud", "draw:1 face_up:1 !drawn_in_error:1 bets:2 draw:5 close hole_card_seen", "void DDS-11a 0"),
    ("double-down-stud", "draw:2 !drawn_in_error:3 drawn_in_error:1 face_up:1 bets:2 draw:5 close end", "end 45"),
    ("boston-5-stud", "draw:1 face_up:1 bets:2 draw:9 second_wager:1:1 fold:2 final_deal:1 draw:4 end", "end 38"),
)
HANDED = (  # with records and two decks
    ("double-down-stud", "begin cut:20:1 !no_activity cut:30:3", ""),
    ("double-down-stud", "begin door !no_activity", ""),
    ("double-down-stud", "other no_activity", ""),
    # Each player decides before the final cards are dealt.
    ("boston-5-stud", "bets:2 second_wager:1:1 !final_deal:1 hole_card_seen", "void B5-12a 3"),
    ("boston-5-stud", "bets:2 !final_deal:0 misdeal:1:2 other !final_deal:1 fold:2 final_deal:0 end", "end 42"),
)
RAISED = "deal:2 fold:1 second_wager:2:1 release "
BESIDE = (  # with records and two decks
    (RAISED + "other !misdeal:1:3 misdeal:1:4 held final_deal:1 end", "end 38"),
    (RAISED + "other held power held final_deal:1 end", "end 39"),
    (RAISED + "begin held final_deal:1 misdeal:1:2 !misdeal:1:2 end", "end 40"),
    (RAISED + "other lock held second_wager:2:0 end", "end"),
    (RAISED + "other misdeal:2:4 end", "end"),
    ("deal:2 power other deal:1 fold:1 release end", "void B5-12f 3 end"),  # the deck of a void round has had its turn
    ("bets:2 power other deal:1 fold:1 release end", "void HOUSE 0 end"),
    (RAISED + "other face_up:1 held power face_up:1", "void B5-12b 0"),
    # GREEN with the dealer's stack in the tray: the one player has not decided when the end is asked for.
    ("close stack offered offer take undecided fold:1 end", "end"),
    (
        RAISED + "other close held final_deal:1 end deal:1 second_wager:1:1 release held final_deal:1 end",
        "end 39 end 42",
    ),
)
BLACKJACK = (
    ("boxes:2 draw:6 up_card:5 power !misdeal:0:0 house_decision:1 !misdeal:0:0 end", "end"),
    ("boxes:2 draw:6 up_card:5 surrender:1 surrender:1 power house_decision:1 surrender:1 !surrender:1 end", "end"),
    ("boxes:2 draw:6 up_card:13 draw:1 peek:5 power house_decision:1 !up_card:5 surrender:2 end", "end"),
    ("boxes:2 draw:6 up_card:13 draw:1 peek:1 power house_decision:1 !surrender:2 !box_missed:1:2 end", "end"),
    ("boxes:2 draw:6 up_card:13 draw:1 peek:1 !box_missed:1:2 end", "end"),  # no card comes after a blackjack
    ("boxes:2 draw:6 up_card:5 dealer_card power house_decision:1 !box_missed:1:0 end", "end"),
    ("boxes:2 draw:6 face_up:1 power house_decision:1 face_up:1", "void DAB-15b 0"),
    ("boxes:3 draw:8 up_card:5 box_missed:3:0 !surrender:3 !box_missed:3:0 !box_missed:3:2 surrender:1 end", "end"),
    ("boxes:3 draw:8 up_card:5 box_missed:3:1 !box_missed:3:1 surrender:2 !box_missed:2:0 box_missed:2:2 end", "end"),
    ("boxes:2 draw:6 up_card:5 box_missed:2:0 power house_decision:1 !surrender:2 surrender:1 end", "end"),
    ("boxes:2 draw:4 !dealer_card draw:2 !up_card:10 up_card:9 surrender:1 dealer_card !surrender:1 end", "end"),
    ("boxes:2 draw:6 up_card:5 draw:1 dealer_card power house_decision:1 !surrender:1 end", "end"),
    ("boxes:2 draw:6 up_card:1 insurance_closed !insurance_closed up_card:1 !insurance_closed end", "end"),
    ("boxes:2 draw:6 up_card:1 insurance_closed power house_decision:1 !insurance_closed end", "end"),
    ("boxes:2 draw:6 up_card:1 insurance_closed draw:1 peek:5 power house_decision:1 surrender:2 end", "end"),
    (
        "boxes:2 draw:6 up_card:1 power house_decision:1 insurance_closed !insurance_closed up_card:5 up_card:1 "
        "insurance_closed power !insurance_closed end",
        "end",
    ),
    ("boxes:2 draw:6 face_up:1 draw:1 ten_found:1 draw:1 end", "end"),
    ("boxes:2 draw:6 ten_found:1 power house_decision:2 !stub_counted:19:1 stub_counted:19", "void HOUSE 0"),
)
# Its second round needs more cards than are left: 18 of the first one and the burn are in the rack.
SHORT = "draw:19 end boxes:5 draw:11 short_shoe:19 "
G7 = "DAB-7g"  # the first round without a call
# From a shoe, the first card burned: whether it has a reader, what happens, how it comes out, and the clauses flagged.
SHOE = (
    (
        False,
        "dealer_change draw:1 face_up:1 !face_up:1 draw:2 boxes:1 draw:3 end rack:3",
        "end",
        "",
    ),  # one more of each new dealer
    (False, "boxes:1 dealer_change close draw:3 end rack:0", "end", ""),  # both forgotten
    (False, "dealer_change burned:0:1 draw:1 boxes:1 draw:3 end rack:1", "end", ""),
    (False, "draw:1 boxes:1 draw:2 dealer_change dealer_change draw:2 end rack:2", "end", ""),
    (False, "draw:1 boxes:3 draw:3 !misdeal:0:0 draw:1 box_missed:2:0 misdeal:0:0", "void DAB-15e 0", ""),
    (False, "draw:1 boxes:2 draw:1 door !misdeal:0:0 !face_up:2 !ten_found:3 face_up:1 house_decision:1", "", ""),
    (False, "draw:1 boxes:2 draw:4 door misdeal:0:0", "void DAB-15e 0", ""),
    (False, "draw:1 boxes:2 draw:5 up_card:7 !misdeal:0:0 !ten_found:7 ten_found:1 end", "end", ""),
    (False, "draw:1 boxes:2 draw:1 ten_found:1 !up_card:5 draw:5 up_card:5 dealer_card end", "end", ""),
    (True, "draw:1 boxes:2 draw:6 up_card:1 reader_off draw:1 end", "end", "DAB-11b"),  # insurance is still open
    (True, "draw:1 boxes:2 draw:5 up_card:13 reader_off draw:2 end", "end", "DAB-7g"),
    (True, "draw:1 boxes:2 draw:5 up_card:13 reader_off card_to:0:6 draw:2 end", "end", ""),
    (True, "draw:1 boxes:2 draw:6 up_card:13 reader_off draw:1 end", "end", ""),  # the hole card was dealt
    (True, "draw:1 boxes:2 draw:6 up_card:5 !burned:1:4 !burned:1:3 draw:1 burned:1:3 !burned:1:4 end", "end", ""),
    (
        False,
        "draw:1 boxes:2 draw:4 up_card:5 box_missed:1:1 card_to:1:5 !surrender:1 draw:1 surrender:1 end",
        "end",
        "",
    ),
    (
        False,
        "draw:1 boxes:2 draw:4 up_card:5 !surrender:1 draw:1 surrender:1 surrender:1 surrender:1 !surrender:1 "
        "!box_missed:1:2 !card_to:1:6 surrender:2 end boxes:2 draw:5 up_card:5 surrender:1 end",
        "end end",
        "",
    ),
    (
        False,
        "draw:1 boxes:2 draw:4 up_card:1 !insurance_closed draw:1 insurance_closed draw:1 dealer_card end",
        "end",
        "",
    ),
    (False, "draw:1 boxes:2 draw:6 up_card:1 !insurance_closed dealer_card end", "end", ""),
    (False, "draw:1 boxes:2 draw:5 up_card:1 card_to:0:6 draw:1 insurance_closed draw:1 end", "end", ""),
    (False, "draw:1 boxes:2 draw:5 up_card:1 card_to:0:6 draw:2 end", "end", "DAB-11b"),
    (
        False,
        "draw:1 boxes:3 draw:6 up_card:1 box_missed:2:1 card_to:2:7 draw:1 insurance_closed card_to:2:8 draw:1 "
        "dealer_card end",
        "end",
        "",
    ),  # each box has two cards only then
    (True, "draw:1 boxes:3 draw:6 up_card:13 box_missed:2:1 card_to:2:7 draw:2 end", "end", ""),  # and the hole card
    (True, "draw:1 boxes:3 draw:6 up_card:13 box_missed:2:1 card_to:2:7 draw:3 end", "end", "DAB-7i"),
    (False, "draw:1 boxes:3 draw:5 box_missed:2:0 !card_to:2:6 card_to:1:6 end", "end", ""),  # a dead box
    (False, "draw:1 boxes:2 draw:6 drawn_in_error:1:1 burned:1:4 end rack:2", "end", ""),  # no card of the dealer
    # A dealer who needs no card takes none without a call.
    (
        False,
        "draw:1 boxes:1 draw:4 dealer_card:1 draw:1 burned:1:3 end boxes:1 draw:4 dealer_card:1 end",
        "end end",
        "",
    ),
    (
        False,
        "draw:1 boxes:1 draw:4 dealer_card:1 draw:1 end boxes:1 draw:4 dealer_card:1 dealer_card draw:1 end",
        "end end",
        G7,
    ),
    # A short shoe is not completed while a dispute is about its rack, nor does its round end meanwhile.
    (False, SHORT + "dispute:1:1 cut:4:1 insert:19 rack:1 dispute:1:0 green zones:11:0:19:0 end", "end end", G7),
    (False, SHORT + "waits lock cut:4:1 waits insert:19 draw:1 box_missed:1:2 end", "end end", G7),
    (False, SHORT + "ten_found:1 cut:4:1 insert:18 draw:1 zones:11:1:17:1 end", "end end", G7),
    (False, SHORT + "face_up:2 lift cut:20:1 load cut:20:1 lift load zones:0:0:30:0", "void DAB-15b 0 end", "DAB-7g"),
    # A ten that is found before the first card of a round was dealt in the one before it.
    (False, "draw:19 end close ten_found:1 draw:11 !short_shoe:19 short_shoe:18", "end", "DAB-7g"),
    (False, "draw:1 boxes:2 draw:5 !box_missed:1:3 box_missed:1:2 draw:1 !box_missed:1:4 box_missed:1:3", "", ""),
    (False, "draw:1 boxes:2 draw:5 up_card:5 door house_decision:1 !surrender:3 !box_missed:3:0 surrender:2", "", ""),
    (False, "draw:1 boxes:2 draw:1 door !drawn_in_error:1:1 drawn_in_error:1 house_decision:2", "void HOUSE 0", ""),
    (True, "draw:1 boxes:2 draw:6 up_card:13 peek:1 !card_to:1:7 end", "end", ""),  # no card comes after a blackjack
    # A card that lay face up is not the dealer's first, whatever its rank: without one the round is void.
    (False, "draw:1 boxes:2 draw:1 up_card:13 face_up:1 draw:4 misdeal:0:0", "void DAB-15e 0", ""),
    # A new dealer burns a card, whenever he comes, and a burn that was forgotten is reported as soon as that shows.
    (False, "draw:1 boxes:1 draw:3 end reshuffle:2 dealer_change lift load draw:3 zones:1:2:27:0 end", "end end", ""),
    (False, "draw:1 boxes:1 draw:3 end reshuffle:2 lift dealer_change load draw:3 zones:1:2:27:0 end", "end end", ""),
    (False, "draw:1 boxes:1 draw:3 end dealer_change power lock load draw:3 zones:1:2:27:0 end", "end end", ""),
    (False, "draw:1 boxes:1 draw:3 end dealer_change draw:1 power lock load draw:3 zones:2:1:27:0", "end", ""),
    (False, "draw:1 ten_found:1 !burned:0:2 draw:1 zones:0:1:28:1 boxes:1 close !burned:0:2 draw:3 end", "end", ""),
    (False, "draw:1 close ten_found:1 !burned:0 draw:1 zones:1:0:28:1 end", "end", ""),
    (False, "boxes:1 draw:1 burned:0 draw:2 up_card:5 zones:3:0:27:0 surrender:1 end", "end", ""),
    (False, "draw:1 boxes:1 draw:2 dealer_change draw:1 door house_decision:1 face_up:1 !burned:0:2", "", ""),
    # A ten in the rest, or in the rack while that is counted, is one of the shoe: both is the set without them.
    (False, "draw:4 end reshuffle:2 ten_found:1 lift ten_found:1 zones:1:1:0:2 load !ten_found:1", "end", "DAB-7g"),
)


class Words:
    """What a row may say, at one table."""

    def __init__(self, table):
        self.table = table

    def say(self, words):
        for word in words.split():
            parts = word.split(":")
            numbers = [int(number) for number in parts[1:]]
            name = parts[0]
            if hasattr(self, name):
                getattr(self, name)(*numbers)
                continue
            wanted = REFUSED if name.startswith("!") else DONE
            assert self.table.record(name.lstrip("!"), *numbers) == wanted, (words, word, self.table.reason())
            self.table.stage.run(300)

    def press(self, button):
        self.table.play(("", 300, "press", button), ("", 500, "wait", 0))

    def green(self):
        self.press("green")

    def close(self):
        self.press("close")

    def lock(self):
        self.press("lock")

    def end(self):
        assert self.table.command(ids.CMD_END_ROUND) == DONE
        self.table.stage.run(300)

    def held(self):
        """The end is held back: the final deal of Boston 5 or a count of Double Cross Poker is not on record."""
        assert self.table.command(ids.CMD_END_ROUND) == REFUSED and self.table.reason() == ids.REASON_NEED
        self.table.stage.run(300)
        due = b"B5-10c" if self.table.flow.profile.final_each else b"DCP-8e"
        assert clauses_of(self.table.stage, "held_back")[-1] == due

    def undecided(self):
        """The end is held back: a player of Boston 5 has not decided."""
        assert self.table.command(ids.CMD_END_ROUND) == REFUSED and self.table.reason() == ids.REASON_NEED
        self.table.stage.run(300)
        assert clauses_of(self.table.stage, "held_back")[-1] == b"B5-10b"

    def other(self):
        """The other deck is shuffled."""
        self.table.shuffle(2)

    def begin(self):
        """And is still being shuffled while what follows is reported."""
        self.table.stage.act("load", {"cards": 52, "deck": 2})
        self.table.play(("", 600, "press", "green"), ("shuffle_started", 500, "wait", 0))

    def give(self):
        self.table.play(("", 300, "press", "lock"), ("stack_offered", 600, "take", 0), ("stack_taken", 300, "wait", 0))

    def deal(self, positions):
        self.table.deal(positions)

    def stack(self):
        self.table.play(("stack_offered", 600, "take", 0))

    def offered(self):
        """The next stack lies in the tray."""
        self.table.play(("stack_offered", 300, "wait", 0))

    def release(self):
        self.table.release()

    def offer(self):
        """The rest lies in the tray."""
        self.table.play(("", 300, "press", "green"), ("remainder_released", 300, "wait", 0))

    def take(self):
        self.table.play(("", 300, "take", 0), ("remainder_taken", 300, "wait", 0))

    def bets(self, positions):
        self.table.play(*stories.seats(positions))
        self.close()

    def boxes(self, count):
        self.table.boxes(count)

    def peek(self, rank):
        self.table.peek(rank)

    def draw(self, times):
        for _ in range(times):
            assert self.table.stage.rig.plant.hand.draw(150)
            self.table.stage.run(300)

    def rack(self, cards):
        """So many cards were burned."""
        assert self.table.zones()[1] == cards

    def lift(self):
        self.table.lift()

    def load(self):
        self.table.load()

    def insert(self, cards):
        """The rack goes into a short shoe."""
        self.table.insert("", 1500, cards=cards)

    def waits(self):
        """The round does not end."""
        assert self.table.command(ids.CMD_END_ROUND) != DONE and self.table.reason() == ids.REASON_NEED

    def zones(self, *cards):
        assert self.table.zones() == cards, self.table.zones()

    def door(self):
        self.table.play(("", 300, "open", 0), ("warning_latched", 300, "wait", 0))

    def power(self):
        self.table.play(("", 300, "cut", 0), ("", 500, "boot", 0), ("", 3000, "wait", 0))
        if self.table.flow.state == WARNING:
            for action in ("open", "clear", "close"):
                self.table.play(("", 500, action, 0))
            self.press("ack")
        self.table.stage.run(12000)


def came_out(stage):
    """How the round came out: void by a clause, with these hands kept, or ended with this stub."""
    found = []
    voids = all_fields_of(stage, "round_voided")
    for i in range(len(voids)):
        found.append("void %s %d" % (clauses_of(stage, "round_voided")[i].decode(), voids[i][-1]))
    for fields in all_fields_of(stage, "round_ended"):
        found.append("end" if fields[3] == ids.UNKNOWN_U16 else "end %d" % fields[3])
    return " ".join(found)


def check(table, row):
    Words(table).say(row[-2])
    assert came_out(table.stage) == row[-1], (row, came_out(table.stage))


def verified(game, dealing):
    """A shuffled deck, in the machine that deals it or in the dealer's hand."""
    table = Table(game, table={"dealing": dealing}).shuffle()
    return table if dealing == "shoe" else handed_out(table)


def handed_out(table):
    table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
    return table.play(("remainder_taken", 500, "wait", 0))


def with_two_decks(game, dealing="shoe"):
    """A table that keeps records, and both decks inducted."""
    table = Table(game, table={"decks": 2, "records": True, "dealing": dealing}, config=board(inputs={"back": 28}))
    return table.inducted(1).inducted(2)


def test_two_irregularities_in_a_round_that_the_machine_deals():
    for row in AUTOMATED:
        check(verified(row[0], "shoe"), row)


def test_two_irregularities_in_a_round_that_is_dealt_by_hand():
    for row in BY_HAND:
        check(verified(row[0], "hand"), row)


def test_two_irregularities_in_a_round_from_a_draw_shoe():
    for row in DRAWN:
        table = Table(row[0], "draw", {"dealing": "manual"}, config=board("draw"))
        table.stage.act("load", {"cards": 52})
        check(table.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0)), row)


def test_a_deck_whose_hands_are_void_before_its_round_is_shuffled_again():
    for words in ("hole_card_seen", "draw:1 face_up:1 draw:1 face_up:1"):
        table = Table("caribbean-stud", "draw", {"records": True}).inducted()
        assert table.record("provenance", 1, ids.FROM_SUPPLIER) == table.record("cut", 20, 1) == DONE
        Words(table.insert("deck_loaded", 300, cards=52)).say(words)
        act(table.stage, 3000, "lift")
        table.insert("", 300, cards=52)
        assert table.display[:2] == ["Who shuffled this", "deck?"], words


def test_a_round_of_boston_5_waits_for_its_final_deal_whatever_the_other_deck_does():
    for row in BESIDE:
        check(with_two_decks("boston-5-stud").shuffle(1), row)


def test_a_record_of_a_deck_that_was_handed_out_is_about_that_deck_and_comes_in_its_turn():
    for row in HANDED:
        check(handed_out(with_two_decks(row[0], "manual").shuffle(1)), row)


def test_a_press_made_before_the_house_decides_is_about_nothing_after_it():
    table = Table("double-down-stud", table={"records": True}).inducted().shuffle()
    check(table, ("deal:2 power close house_decision:1 hole_card_seen", "void DDS-11a 0"))
    table = Table("double-down-stud", table={"records": True}).inducted().shuffle()
    check(table, ("deal:2 power house_decision:1 close end", "end"))
    assert all_fields_of(table.stage, "betting_closed") == [[2]]


def test_what_is_on_record_of_a_blackjack_round_holds_after_a_power_cut():
    """Proves: DAB-15e (in part), DAB-8a3 (in part), DAB-15b (in part), DAB-15i (in part), DAB-11b (in part)"""
    for row in BLACKJACK:
        check(Shoe(20, reader=True).load(), row)


def test_two_irregularities_in_a_round_of_a_blackjack_shoe():
    """Proves: DAB-7c, DAB-15e (in part), DAB-15n (in part), DAB-11b (in part), DAB-7g (in part), DAB-15g (in part),
    DAB-8a3 (in part), DAB-15i (in part), DAB-15c (in part), DAB-7i (in part)"""
    for row in SHOE:
        shoe = Shoe(30, reader=row[0]).load()
        check(shoe, row[:3])
        assert [clause.decode() for clause in clauses_of(shoe.stage, "draw_flagged")] == row[3].split(), row


def test_a_card_that_is_due_to_the_dealers_hand_is_held_back_for_by_the_clause_of_the_misdeal():
    for record, clause in ((("misdeal", 0, 4), b"CS-13d"), (("face_up", 1), b"CS-13b")):
        table = Table("caribbean-stud").shuffle().deal(1)
        assert table.record(*record) == DONE
        Words(table).green()
        assert clauses_of(table.stage, "held_back") == [clause]


def test_a_hold_on_a_deck_hides_no_count_that_is_due_and_each_is_held_back_for_by_its_own_clause():
    for i in range(6):
        dealing, dealt, due = (
            ("shoe", "deal:2 release", b"CS-9f"),
            ("manual", "bets:2 lock", b"CS-7g"),
            ("hand", "bets:2 lock", b"CS-8f"),
        )[i // 2]
        hold, clause = (("winner_hold", b"CS-10c"), ("dispute", b"CS-10d"))[i % 2]
        table = verified(short_deck("caribbean-stud", stub_rounds=1, stub_exempt=0), dealing)
        Words(table).say("%s %s:1:1" % (dealt, hold))
        assert table.command(ids.CMD_END_ROUND) == REFUSED and clauses_of(table.stage, "held_back") == [due]
        Words(table).say("stub_counted:37 end")
        table.stage.act("load", {"cards": 52})
        Words(table).green()
        assert clauses_of(table.stage, "held_back")[1:] == [clause]
        Words(table).say("%s:1:0" % hold)
        table.play(("", 300, "press", "green"), ("deck_verified", 500, "wait", 0))


def test_a_count_that_is_due_is_held_back_for_by_its_own_clause_also_when_each_player_has_decided():
    for game, dealing, words, clause in (
        ("boston-5-stud", "manual", "bets:2 fold:1 second_wager:2:1 final_deal:1", b"B5-7f"),
        ("boston-5-stud", "hand", "bets:2 fold:1 second_wager:2:1 final_deal:1", b"B5-8e"),
        ("caribbean-stud", "manual", "bets:2 lock fold:1", b"CS-7g"),
        ("caribbean-stud", "hand", "bets:2 lock fold:1", b"CS-8f"),
        ("double-cross-poker", "hand", "bets:2 fold:1", b"DCP-8e"),
        ("double-cross-poker", "shoe", "deal:2 release fold:1", b"DCP-9d"),
    ):
        table = verified(short_deck(game, stub_rounds=1), dealing)
        Words(table).say(words)
        assert table.command(ids.CMD_END_ROUND) == REFUSED and clauses_of(table.stage, "held_back") == [clause]


def test_a_count_at_the_panel_is_of_the_number_that_is_due_and_a_press_beside_it_ends_the_round_after_it():
    for dealing, game, words, due in (
        ("shoe", "double-cross-poker", "deal:2 release", 41),
        ("manual", "caribbean-stud", "bets:2 lock", 37),
        ("hand", "double-cross-poker", "bets:2", 41),
    ):
        for button, cards, order, over in (
            ("lock", due, ids.CONSEQUENCE_NONE, "round_ended"),
            ("ack", ids.UNKNOWN_U16, ids.ALL_VOID_REMOVE_DECK, "round_voided"),
        ):
            table = verified(short_deck(game, stub_rounds=1, stub_exempt=0), dealing)
            Words(table).say(words)
            table.stage.act("press", {"button": button})
            table.stage.act("press", {"button": "green"})
            table.stage.run(1000)
            assert all_fields_of(table.stage, "recorded") == [[ids.REC_STUB_COUNTED, cards, 0, order]]
            assert over in table.stage.names() and "held_back" not in table.stage.names(), (dealing, button)
