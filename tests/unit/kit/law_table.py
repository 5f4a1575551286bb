"""Plays the rows of rules/law/GAME.law: what a table does and tells, against what a row says must come of it."""

from game_tables import DONE, Table, short_deck
from remembered import remembered
from support import board

from firmware.games.flow import WARNING
from firmware.protocol import ids
from rig import stories
from rig.event_fields import FIELDS, TEXTS
from rig.law import DRAWN, IN_PART, WORDS
from rig.story import Stuck

# These a row may leave out; `nothing` says that not even they come.
MAY = ("recorded none", "round_started", "lockout_confirmed", "deck_verified", "remainder_released", "stack_offered")
WAIT_MS = 300  # between two movements of a dealer
PATIENCE_MS = 120000  # the longest wait for an event, of a shuffle
WAITS = 400
COUNTS = {"remainder_released": "counted", "cover_all": "column", "stack_offered": "cards"}
TOLD = [does[0] for _saying, does in WORDS["outcome"]]


class LawTable(Table):
    """A table of a game in one mode of dealing. A method do_WORD is what a saying of the page of words does."""

    def __init__(self, game, settings, mode):
        self.mode = mode
        self.refusal = ""
        values = {"table": {}, "game": {}, "board": {"kind": "draw" if mode == DRAWN else "carousel"}}
        for part, name, value in settings:
            values[part][name] = int(value) if value.isdigit() else value
        table = values["table"]
        if mode != DRAWN:
            table["dealing"] = "shoe" if mode == "automated" else mode
        kind = values["board"]["kind"]
        config = board(kind, inputs={"back": {"pin": 28}} if table.get("decks") == 2 else {})
        if values["board"].get("basic"):
            config["mechanism"]["count_assurance"] = "basic"
            del config["inputs"]["opacity"]
        super().__init__(short_deck(game, **values["game"]) if values["game"] else game, kind, table, config=config)
        if not values["board"].get("empty"):
            for deck in range(1, table.get("decks", 1) + 1 if table.get("records") else 1):
                self.inducted(deck)
            self.do_shuffled(1)
        self.judged = len(self.glance.peer.events)

    @property
    def profile(self):
        return self.glance.rig.app.flow.profile

    def do(self, step):
        """Do it; what has come of it, but for what may be left out and is. That may take seconds."""
        self.refusal = ""
        self.call(step.does)
        if step.does[0] == "rounds":  # other rows judge them
            self.judged = len(self.glance.peer.events)
            return []
        told = [(["refused", self.refusal], "")] if self.refusal else []
        for _ in range(WAITS):
            self.stage.run(WAIT_MS)
            told += self.tell([words for words, _clause in step.outcomes])
            if len(told) >= len(step.outcomes):
                break
        return told

    def tell(self, named):
        """What the device has reported since the last look, as (words, clause)."""
        events = self.stage.peer.events[self.judged :]
        self.judged += len(events)
        voided = "round_voided" in [event.name for event in events]  # says what the record before it says
        told = []
        for event in events:
            words = words_of(event)
            text = " ".join(words)
            left_out = text.startswith(MAY) or (voided and "recorded all_void" in text)
            if words and (words in named or not left_out or named == [["nothing"]]):
                told.append((words, self.clause_of(event)))
        return told

    def clause_of(self, event):
        if "clause" not in TEXTS[event.name]:
            return ""
        at = TEXTS[event.name]["clause"] + 2
        return bytes(self.stage.peer.payloads[event.seq][at : at + 8]).rstrip(b"\0").decode()

    def call(self, words):
        getattr(self, "do_" + words[0])(*[int(word) if word.isdigit() else word for word in words[1:]])

    def do_automated(self, *words):
        """Where the machine deals. Elsewhere the dealer has the rest in his hand, or in the shoe."""
        if self.mode == "automated":
            self.call(words)

    def do_record(self, *what):
        self.outcome(self.record(*what))

    def do_order(self, name):
        self.outcome(self.command(getattr(ids, "CMD_" + name.upper())))

    def outcome(self, outcome):
        self.refusal = "" if outcome == DONE else ids.REASON_NAMES.split()[self.reason()]

    def do_play(self, *steps):
        """Steps as EVENT:ACTION:ARGUMENT; `-` waits for no event."""
        for step in steps:
            event, action, value = (step + ":0").split(":")[:3]
            if event != "-":
                self.stage.until(event, PATIENCE_MS)
            self.stage.run(WAIT_MS)
            self.stage.act_typed(action, value)
        self.stage.run(WAIT_MS)

    def do_inserted(self, cards, deck=1):
        self.stage.act("load", {"cards": cards, "deck": deck})
        self.play(("", 300, "press", "green"), ("", 1500, "wait", 0))

    def do_inducted(self, deck):
        self.inducted(deck)

    def do_shuffled(self, deck):
        """A deck that is ready to be dealt: inside, loaded, in a manual shoe or in the dealer's hand."""
        if not self.glance.rig.app.flow.machine.shuffles:
            self.loaded(deck)
            return
        self.shuffle(deck)
        if self.mode != "automated" and not self.glance.rig.app.flow.tail:
            self.release()

    def do_loaded(self, deck):
        self.loaded(deck)

    @remembered
    def loaded(self, deck):
        self.insert("deck_loaded", 600, cards=self.profile.deck_cards, deck=deck)

    def do_bets(self, positions):
        self.play(*stories.seats(positions))
        self.do_play("-:press:close")

    @remembered
    def do_dealt(self, positions):
        """Betting closed and locked out, and all the cards that the machine, or the shoe, gives before the rest."""
        self.do_bets(positions)
        if self.profile.lockout:
            self.do_play("-:press:lock")
        if self.mode == "automated":
            self.do_stacks(positions + 1)
        if self.mode == DRAWN:
            self.do_drawn(self.profile.stack_cards * positions + self.profile.last_cards)

    def do_stacks(self, count):
        self.do_play(*["stack_offered:take"] * count)

    def do_drawn(self, count):
        self.do_play(*["-:draw:150"] * count)

    def do_rounds(self, count, positions):
        for _ in range(count):
            self.whole_round(positions)

    @remembered
    def whole_round(self, positions):
        """In which all raise; then the next deck is shuffled."""
        self.do_dealt(positions)
        if self.profile.closings > 1:
            self.do_play("-:press:close")
        if self.mode == "automated":
            self.release()
        if self.profile.final_each:
            self.record("final_deal", positions)
        self.do_order("end_round")
        self.do_shuffled(1)

    def do_jam(self, place, card):
        self.stage.rig.plant.add_fault({"fault": "jam", "place": place, "card": card - 1, "at_um": 60000})

    def do_wrong_back(self, card):
        self.stage.rig.plant.add_fault({"fault": "wrong_back", "card": card - 1})

    def do_power(self):
        self.do_play("-:cut", "-:boot")
        self.stage.run(3000)
        if self.flow.state == WARNING:
            self.do_play("-:open", "-:clear", "-:close", "-:press:ack")
        self.stage.run(9000)


def words_of(event):
    """An event as the page of words has it; empty if none of its outcomes is about it."""
    if event.name not in TOLD:
        return []
    value = dict(zip(FIELDS[event.name], event.fields))
    words = [event.name]
    if "consequence" in value:
        words.append(ids.CONSEQUENCE_NAMES.split()[value["consequence"]])
    if words == ["round_voided", "all_void_but_complete"]:
        kept = 0 if value["hands_kept"] == ids.UNKNOWN_U16 else value["hands_kept"]
        words += [str(i + 1) for i in range(9) if kept >> i & 1] or ["0"]
    elif event.name == "round_ended" and value["stub"] != ids.UNKNOWN_U16:
        words += [str(value["stub"])] + ["counted"] * (value["stub_counted"] == value["stub"])
    elif event.name == "held_back":
        words.append(ids.NEED_NAMES.split()[value["need"]])
    elif event.name in COUNTS:
        words.append(str(value[COUNTS[event.name]]))
    return words


def wrong_in(row, mode, clauses, column):
    """The first thing that comes otherwise than the row says; empty if none does."""
    table = LawTable(row.game, row.settings, mode)
    for step in row.steps(column, clauses[0].rstrip(IN_PART)):
        told = table.do(step)
        law = [] if [words for words, _clause in step.outcomes] == [["nothing"]] else step.outcomes
        # Not every event names a clause.
        law = [(words, clause if i >= len(told) or told[i][1] else "") for i, (words, clause) in enumerate(law)]
        unseen = [line for line in step.shown if line not in table.display]
        if told != law or unseen:
            return "%s, %s: %s: law %s %s, device %s" % (step.place, mode, step.text, law, unseen, told)
    table.close()
    return ""


def check_rows(rows):
    """Play them in each of their modes and with all of their values; what comes otherwise is reported together."""
    wrong = []
    for row in rows:
        for mode, clauses in row.claims:
            for column in row.plays():
                try:
                    wrong.append(wrong_in(row, mode, clauses, column))
                except (Stuck, AssertionError) as error:
                    wrong.append("%s, %s: %s" % (row.place, mode, error or "a step did not work"))
    assert wrong and not any(wrong), "\n".join([text for text in wrong if text])
