"""The status says what the device waits for: a player who reads nothing else plays rounds and is never refused."""

from dab_tables import Shoe
from game_tables import DONE, KEY, Table
from support import act, all_fields_of, board, to_device

from firmware.games.flow import WAITING_FOR_DECK, WARNING
from firmware.games.table_facts import DUE
from firmware.protocol import ids
from rig import stories
from rig.story import Stage

NEED, HOPPER_SEEN, DECK_NEXT, RECORDS_DUE, POSITIONS_DUE = 18, 19, 20, 21, 22
COMMANDS = {
    ids.NEED_SHUFFLE: ids.CMD_SHUFFLE,
    ids.NEED_LOCKOUT: ids.CMD_CONFIRM_LOCKOUT,
    ids.NEED_RELEASE: ids.CMD_RELEASE,
    ids.NEED_ROUND_END: ids.CMD_END_ROUND,
    ids.NEED_CARD: ids.CMD_GIVE_CARD,
    ids.NEED_ACKNOWLEDGE: ids.CMD_ACKNOWLEDGE_WARNING,
}
STEPS_MAX = 200


def status_of(table):
    """The next status that the host receives."""
    table.stage.peer.messages["status"] = None
    for _ in range(30):
        table.stage.run(50)
        told = table.stage.peer.messages["status"]
        if told is not None:
            return told
    raise AssertionError("no status")


def need_of(table):
    return status_of(table)[NEED]


class Player:
    """Two positions, hands and a table system; all that it knows of the device is the status."""

    def __init__(self, table, kind):
        self.table = table
        self.kind = kind
        self.needs = []
        self.drawn = 0
        self.draws = 8  # at a draw shoe: cards after which the round is ended, whatever the plan says

    def play(self, rounds):
        for _ in range(STEPS_MAX):
            told = status_of(self.table)
            need = told[NEED]
            if not self.needs or self.needs[-1] != need:
                self.needs.append(need)
            if self.table.stage.names().count("round_ended") == rounds:
                return self
            if told[RECORDS_DUE]:
                self._record(told)
            else:
                self._do(need, told)
        raise AssertionError(("stuck", self.needs))

    def _give(self, command, a=0):
        assert self.table.command(command, a) == DONE, (command, self.needs, self.table.reason())

    def _do(self, need, told):
        stage = self.table.stage
        if need == ids.NEED_DECK:
            assert not told[HOPPER_SEEN]
            stage.act("load", {"cards": self.table.flow.profile.deck_cards, "deck": told[DECK_NEXT]})
        elif need == ids.NEED_CLOSE_BETTING:
            if not told[4]:
                self._give(ids.CMD_SET_POSITIONS, 2)
            self._give(ids.CMD_CLOSE_BETTING)
            self.drawn = 0
        elif need == ids.NEED_TAKE:
            stage.act("take", {})
        elif need in (ids.NEED_DRAW, ids.NEED_BURN):
            if self.drawn == self.draws and need == ids.NEED_DRAW:
                self._give(ids.CMD_END_ROUND)
            else:
                assert stage.rig.plant.hand.draw(150)
                self.drawn += need == ids.NEED_DRAW
        elif need == ids.NEED_EMPTY_SHOE:
            stage.act("lift", {})
        elif need:
            self._give(COMMANDS[need])

    def _record(self, told):
        """Every record that is due."""
        deck = told[DECK_NEXT]
        names = ids.RECORD_NAMES.split()
        profile = self.table.flow.profile
        half = profile.deck_cards // 2
        source = max([b for b in (1, 2, 3) if profile.sources >> b & 1] or [0])
        values = {"cut": (half, 1), "progressive": (1, 1), "final_deal": (2, 0), "provenance": (deck, source)}
        due = [what for what in range(32) if told[RECORDS_DUE] >> what & 1]
        if ids.REC_FOLD in due:
            assert due == [ids.REC_FOLD, ids.REC_SECOND_WAGER]
            for i in range(16):
                if told[POSITIONS_DUE] >> i & 1:
                    assert self.table.record("second_wager", i + 1, 1) == DONE
            return
        # In the order of their numbers, but the tens first. (MicroPython's sort is not stable.)
        first = [what for what in due if what == ids.REC_TENS_REMOVED]
        for what in first + [what for what in due if what != ids.REC_TENS_REMOVED]:
            name = names[what]
            a, b = values.get(name, (deck, 0))
            if name == "stub_counted":
                a = self.table.flow.facts.stub()
                if a == ids.UNKNOWN_U16:
                    a = profile.deck_cards
            assert self.table.record(name, a, b) == DONE, (name, a, b, self.needs, self.table.reason())


def play(game, kind="carousel", rounds=1, **table):
    config = board(kind)
    if table.get("decks") == 2:
        config["inputs"]["back"] = {"pin": 28}
    made = Table(game, kind, table, config=config)
    return Player(made, kind).play(rounds)


def test_every_poker_game_is_played_from_the_status_alone_with_records():
    for game in ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker"):
        player = play(game, records=True)
        refused = [result for result in player.table.stage.peer.results if result[2] == ids.OUTCOME_REJECTED]
        assert refused == []
        assert ids.NEED_INDUCTION in player.needs


def test_every_way_of_dealing_is_played_from_the_status_alone():
    for dealing, decks in (("manual", 1), ("hand", 1), ("manual", 2)):
        for records in (False, True):
            play("caribbean-stud", dealing=dealing, decks=decks, records=records, rounds=2)
    play("caribbean-stud", decks=2, records=True, rounds=3)
    play("caribbean-stud", "shoe", records=True)
    play("double-down-stud", "draw", records=True)


def test_decisions_are_asked_for_until_the_last_position_has_decided():
    player = play("boston-5-stud", records=True)
    table = player.table
    table.shuffle()
    told = status_of(table)
    while told[NEED] != ids.NEED_DECISIONS:
        if told[RECORDS_DUE]:
            player._record(told)
        else:
            player._do(told[NEED], told)
        told = status_of(table)
    assert told[POSITIONS_DUE] == 3
    assert table.record("fold", 1) == DONE
    told = status_of(table)
    assert (told[NEED], told[POSITIONS_DUE]) == (ids.NEED_DECISIONS, 2)
    assert table.record("second_wager", 2, 1) == DONE
    told = status_of(table)
    assert (told[NEED], told[POSITIONS_DUE], told[RECORDS_DUE]) == (ids.NEED_RELEASE, 0, 0)
    # No positions set: the rest is asked for while the next stack lies in the tray.
    table = Table("boston-5-stud", table={"records": True}).inducted().shuffle()
    taken = ("stack_offered", 600, "take", 0)
    table.play(("", 300, "press", "close"), taken, taken, ("stack_offered", 300, "press", "green"))
    told = status_of(table)
    assert (told[NEED], told[POSITIONS_DUE]) == (ids.NEED_DECISIONS, 1)
    assert table.record("second_wager", 1, 1) == DONE
    assert need_of(table) == ids.NEED_RELEASE and table.display[0] == "Second wagers"
    table.play(("", 300, "press", "green"), ("remainder_released", 300, "wait", 0))


def test_a_drawn_shoe_is_played_from_the_status_alone():
    shoe = Shoe(cards=20, table={"records": True})
    player = Player(shoe, "draw").play(1)
    assert ids.NEED_BURN in player.needs and ids.NEED_CUT in player.needs


def drawn_rounds(draws, rounds, game="boston-5-stud"):
    player = Player(Table(game, "draw", {"records": True}), "draw")
    player.draws = draws
    return player.play(rounds)


def play_until(player, wanted):
    """Do what each status asks for, until one says what is wanted."""
    for _ in range(STEPS_MAX):
        told = status_of(player.table)
        if wanted(told):
            return
        if told[RECORDS_DUE]:
            player._record(told)
        else:
            player._do(told[NEED], told)
    raise AssertionError("never asked for")


def test_a_draw_shoe_asks_for_a_due_count_once_the_cards_of_the_plan_are_out():
    player = drawn_rounds(20, 4)
    table = player.table
    play_until(player, lambda told: told[RECORDS_DUE] == 1 << ids.REC_STUB_COUNTED)
    assert table.display[0] == "Count the stub"
    table.play(("", 300, "press", "lock"), ("", 500, "wait", 0))
    assert need_of(table) == ids.NEED_ROUND_END
    assert table.command(ids.CMD_END_ROUND) == DONE
    stub = 52 - 3 * 3 - 3 * 2  # two players and the dealer: three cards each, and two of the final deal
    assert all_fields_of(table.stage, "round_ended")[-1][3:] == [stub, stub]


def test_a_draw_shoe_asks_for_a_due_count_when_the_end_is_asked_for_before():
    """The cards of the plan are not out, and never will be: what holds back the end is the need."""
    player = drawn_rounds(14, 4, "caribbean-stud")
    table = player.table
    play_until(player, lambda told: told[NEED] == ids.NEED_DRAW and player.drawn == 14)
    assert table.command(ids.CMD_END_ROUND) == ids.OUTCOME_REJECTED and table.reason() == ids.REASON_NEED
    told = status_of(table)
    assert (told[NEED], told[RECORDS_DUE]) == (ids.NEED_COUNT, 1 << ids.REC_STUB_COUNTED)
    table.play(("", 300, "press", "lock"), ("", 500, "wait", 0))
    assert need_of(table) == ids.NEED_DRAW
    assert table.command(ids.CMD_END_ROUND) == DONE


def test_a_draw_shoe_with_unknown_positions_asks_for_a_due_count_with_the_end():
    table = Table("boston-5-stud", "draw")
    stage = table.stage
    for number in range(5):
        stage.act("load", {"cards": 52})
        table.play(
            ("", 600, "press", "green"), ("deck_loaded", 900, "press", "close"), ("round_started", 300, "wait", 0)
        )
        for _ in range(6):  # the smallest deal
            assert need_of(table) == ids.NEED_DRAW
            assert stage.rig.plant.hand.draw(150)
            stage.run(300)
        assert need_of(table) == ids.NEED_ROUND_END
        if number == 4:
            assert table.command(ids.CMD_END_ROUND) == ids.OUTCOME_REJECTED
            assert need_of(table) == ids.NEED_COUNT
            table.play(("", 300, "press", "lock"), ("recorded", 500, "wait", 0))
        assert table.command(ids.CMD_END_ROUND) == DONE
        act(stage, 1000, "lift")


def test_with_two_decks_a_need_that_stands_is_shown_once():
    """The round of one deck is settled while the other waits: neither step may take back what the other shows."""
    table = Table("boston-5-stud", table={"decks": 2, "dealing": "shoe"}, config=board(inputs={"back": {"pin": 28}}))
    flow = table.flow
    table.shuffle(1).deal(2).release()
    flow.facts.row[DUE] = 1
    for deck, need in ((0, ids.NEED_COUNT), (2, ids.NEED_COUNT), (0, ids.NEED_ROUND_END)):
        if deck:
            table.shuffle(deck)
        elif need == ids.NEED_ROUND_END:
            flow.facts.row[DUE] = 0
        assert need_of(table) == need
        table.stage.run(500)
        shown = []
        table.stage.rig.hal.show = shown.append
        for _ in range(20):
            table.stage.run(50)
        assert shown == [] and flow.need == need, (len(shown), flow.need, need)


def test_a_stopped_machine_names_door_path_and_acknowledgement_in_turn():
    table = Table("caribbean-stud")
    stage = table.stage
    table.shuffle()
    act(stage, 300, "open")
    assert table.flow.state == WARNING and need_of(table) == ids.NEED_CLOSE_DOOR
    stage.act("close", {})
    assert need_of(table) == ids.NEED_ACKNOWLEDGE
    stage.act("load", {"cards": 3})
    assert need_of(table) == ids.NEED_CLEAR_PATH
    stage.act("lift", {})
    assert need_of(table) == ids.NEED_ACKNOWLEDGE
    assert table.command(ids.CMD_ACKNOWLEDGE_WARNING) == DONE
    stage.until("deck_removed", 60000)
    assert need_of(table) == ids.NEED_TAKE
    stage.act("take", {})
    stage.until("warning_cleared", 60000)
    assert need_of(table) == ids.NEED_DECK and table.flow.state == WAITING_FOR_DECK


def test_a_fault_that_hides_cards_asks_for_the_open_door_first():
    table = Table("caribbean-stud")
    table.stage.act("fault", {"fault": "jam", "place": "throat", "card": 3, "at_um": 20000})
    table.insert("warning_latched", 500, cards=52)
    assert need_of(table) == ids.NEED_OPEN_DOOR


def test_a_full_journal_asks_for_a_host_that_stores_events():
    stage = Stage(board(), "caribbean-stud", 7, KEY, ids.ROLE_TABLE)
    stage.play(stories.start())
    stage.peer.acknowledges = False
    app = stage.rig.app
    while app.flow.hold == 0:
        app.outbox.post(ids.EV_DOOR_OPENED)
        stage.run(50)
    stage.run(1000)
    assert stage.peer.messages["status"][NEED] == ids.NEED_STORE_EVENTS


def test_a_status_follows_every_result_and_every_recorded_change_of_the_need():
    table = Table("caribbean-stud", table={"records": True})
    for step in ("inspected", "verified", "shown"):
        assert table.record(step, 1) == DONE
    peer = table.stage.peer
    status_of(table)  # the periodic one: the next of these is half a second away
    peer.messages["status"] = None
    table.op += 1
    to_device(table.stage, peer.command(table.op, ids.CMD_RECORD, ids.REC_WASHED, 1, 0), 60)
    assert peer.results[-1][2] == DONE
    assert peer.messages["status"][NEED] == ids.NEED_DECK
