"""A table with a host that may command: what the tests of games share."""

from remembered import Remembered, remembered
from support import act, all_fields_of, board, check_stage, clauses_of

from firmware.protocol import ids
from rig import stories
from rig.games import game_data
from rig.story import Stage

KEY = bytes(range(32))
REFUSED = ids.OUTCOME_REJECTED
DONE = ids.OUTCOME_DONE


class Table(Remembered):
    """A device, a dealer's hands and a table system."""

    def __init__(self, game, kind="carousel", table=None, seed=7, role=ids.ROLE_TABLE, config=None):
        config = config or board(kind)
        config["link"]["mode"] = "table"
        config["table"] = table or {}
        super().__init__()
        self.boot(config, game, seed, role)

    @remembered
    def boot(self, config, game, seed, role):
        self.stage = Stage(config, game, seed, KEY, role)
        self.stage.until("empty_proved", 20000, then_ms=3000)
        return self

    def record(self, what, a=0, b=0):
        """Put something on record; its outcome."""
        return self.command(ids.CMD_RECORD, ids.RECORD_NAMES.split().index(what), a, b)

    def recorded(self, what, a=0, b=0):
        """Put something on record, which is done, and let its event through."""
        assert self.record(what, a, b) == DONE, what
        self.stage.run(300)

    @remembered
    def inducted(self, deck=1):
        """A new deck as the rules have it: looked through, shown and mixed by hand, each step on record."""
        for step in ("inspected", "verified", "shown", "washed"):
            assert self.record(step, deck) == DONE, step
        return self

    def command(self, message, argument=0, a=0, b=0):
        self.op += 1
        return self.stage.order(self.op, message, argument, a=a, b=b)

    def reason(self):
        """Why the last command got no further."""
        return self.stage.peer.results[-1][3]

    def play(self, *steps):
        self.stage.play(list(steps))
        return self

    def told(self, name):
        """Every event of that name: its numbers, and the clause."""
        clauses = clauses_of(self.stage, name)
        fields = all_fields_of(self.stage, name)
        return [tuple(fields[i]) + (clauses[i].decode(),) for i in range(len(fields))]

    def insert(self, event, run_ms, **deck):
        """Cards go in and GREEN is pressed; waits for the event, if one is named, and goes on for so long."""
        self.stage.act("load", deck)
        return self.play(("", 300, "press", "green"), (event, run_ms, "wait", 0))

    @remembered
    def shuffle(self, deck=1):
        act(self.stage, 300, "load", cards=self.flow.profile.deck_cards, deck=deck)
        self.stage.play([("", 300, "press", "green"), ("deck_verified", 500, "wait", 0)])
        return self

    @remembered
    def deal(self, positions):
        """Betting closed and every stack taken."""
        self.stage.play(stories.seats(positions) + [("", 500, "press", "close"), ("round_started", 600, "wait", 0)])
        if self.flow.profile.lockout:
            self.stage.play([("", 100, "press", "lock")])
        self.stage.play([("stack_offered", 600, "take", 0) for _ in range(positions + 1)])
        return self

    @remembered
    def release(self):
        self.play(
            ("", 300, "press", "green"), ("remainder_released", 600, "take", 0), ("remainder_taken", 300, "wait", 0)
        )
        return self

    def end(self):
        self.play(("", 300, "press", "green"), ("", 500, "wait", 0))
        return self

    def round(self, positions, deck=1):
        return self.shuffle(deck).deal(positions).release().end()

    def status(self):
        """The state that the host was last told."""
        self.stage.run(300)
        return self.stage.rig.app.reporter.status[0]

    @property
    def flow(self):
        return self.stage.rig.app.flow

    @property
    def display(self):
        return list(self.stage.rig.hal.lines)

    def close(self):
        check_stage(self.stage)


def short_deck(game, **changes):
    """A game of the rules with another deck or plan, for a small machine."""
    data = dict(game_data(game))
    data.update(changes)
    return data
