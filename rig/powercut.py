"""A story in which power fails where it was ordered to, and what comes after: the machine is left alone for a while, a
host asks again, an operator recovers the machine and plays a round on the same storage.

A run is a scenario as it unfolds: the steps are written down as they are done, and `data` replays it anywhere.
"""

from firmware.fault import FAULT_JOURNAL
from firmware.games import flow as states
from firmware.games.records import record_objection
from firmware.games.table_facts import HELD, HELD_DISPUTE, HELD_WINNER, SERVICE
from firmware.protocol import ids
from rig.operator import next_moves, waits_for_deck
from rig.scenario import Scenario
from rig.steps import COMMANDS
from rig.stories import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Sequence

    from hal.api import Config

    Data = dict[str, Any]

DARK_MS = 700  # and the watchdog is faster
PAGE = 256
WATCH_MS = 3000  # no person acts: anything that moves now moves by itself
REMOVAL_MS = 25000  # of what is left in a machine
MOVES_MAX = 150
_READY = (states.DECK_READY, states.DRAW_READY)
_RECORDS: "Sequence[str]" = ids.RECORD_NAMES.split()
# Records of a table system between two rounds, as far as the game takes them: each changes the facts.
_TOLD = (
    ("inspected", 1, 0),
    ("verified", 1, 0),
    ("shown", 1, 0),
    ("washed", 1, 0),
    ("provenance", 1, 1),
    ("dispute", 1, 1),
    ("dispute", 1, 0),
    ("winner_hold", 1, 1),
    ("winner_hold", 1, 0),
    ("out_of_service", 1, 0),
    ("out_of_service", 0, 0),
)
# What the machine is doing at an instant, the first that holds.
KINDS = ("boot", "hand", "path", "exit", "axis", "tray", "idle")


class PowerRun:
    """One story and its cuts, each a step that orders one: `cut_at_write`, `cut_at_time` or `cut_at_frame`.

    The first counts from power-up, the second from the end of the first. `story` is the steps of a scenario; without
    it a dealer plays `rounds` of whatever game it is, `seats` players (0: until the deck gives out). A host with the
    table role gives commands in place of the dealer's buttons. A host that is `away` acknowledges nothing until the
    operator has recovered the machine. An auditor comes by now and then if the board discloses its seeds.

    `kind` is what else happens. nag: commands that are rejected, while cards move. records: the table system tells what
    the facts keep. keys: the device key is replaced, and no round is played. full: no host listens until the journal
    refuses a round."""

    def __init__(
        self,
        data: "Data",
        config: "Config",
        cuts: "list[Data]",
        story: "list[Data] | None" = None,
        seats: int = 2,
        away: bool = False,
        rounds: int = 1,
        kind: str = "",
    ) -> None:
        self.data = dict(data)
        self.data["script"] = []
        self.data["expect"] = {"invariants": True}
        self.cuts = cuts
        self.struck = 0  # how many of them came
        self.over = False  # the story is over; what follows is the same after every one
        self.story = story
        self.seats = seats
        self.away = away
        self.rounds = rounds
        self.kind = kind
        # Of two operators the one after half of the cuts: who empties everything by hand leaves nothing to be counted.
        self.trusting = len(cuts) > 0 and sum([cuts[0][key] for key in cuts[0] if key != "do"]) % 2 == 0
        self.scenario = Scenario(self.data, config)
        self.stage = self.scenario.stage
        self.rig = self.scenario.stage.rig
        self.role = self.data.get("role", "")
        self.audited = self.role != "" and config.get("audit", {}).get("seeds") == "disclose"

    def play(self) -> "list[str]":
        """What went wrong, in words; empty if every invariant held."""
        return self.scenario.play(self._script())

    def _script(self) -> "Iterator[Data]":
        for step in self._steps():
            self.data["script"].append(step)
            yield step

    def _steps(self) -> "Iterator[Data]":
        yield {"do": "cut"}
        for cut in self.cuts[:1]:
            yield cut
        yield {"do": "boot", "after_ms": 100}
        if self.away:
            yield {"do": "host", "acknowledges": False}
        for step in self._before():
            if self.rig.struck:
                break
            yield step
        self.over = True
        if not self.rig.struck:
            yield {"do": "wait", "after_ms": 500}  # a cut at the very end comes with the next scan
        if self.rig.struck:
            self.struck = 1
            for step in self._after():
                yield step
        yield {"do": "recover"}
        if self.role and self.struck:
            # A repeated command must not act now that it could.
            yield {"do": "load", "cards": self.rig.app.flow.profile.deck_cards, "after_ms": 300}
            yield {"do": "command_again", "after_ms": 300}
            yield {"do": "wait", "after_ms": 2000}
        for step in self._deck_in_play() if self.audited else self._let_go():
            yield step
        yield {"do": "good_round"}
        if self.audited:
            yield {"do": "audit"}

    def _deck_in_play(self) -> "Iterator[Data]":
        """A deck is shuffled on what the cuts have left in storage, and its seed stays secret."""
        yield {"do": "lift", "after_ms": 500}
        yield {"do": "recover"}
        yield {"do": "load", "cards": self.rig.app.flow.profile.deck_cards, "after_ms": 500}
        yield {"do": "press", "button": "green", "after_ms": 500}
        yield {"do": "audit", "after_ms": 1000}
        yield {"do": "audit", "after_ms": 20000}

    def _let_go(self) -> "Iterator[Data]":
        """What a table system had held back when it was cut off must not be held for ever."""
        facts = self.rig.app.flow.facts
        held = facts.deck(1, HELD)
        for what, is_held in (
            ("out_of_service", facts.row[SERVICE]),
            ("dispute", held & HELD_DISPUTE),
            ("winner_hold", held & HELD_WINNER),
        ):
            if is_held:
                yield {"do": "command", "name": "record", "what": what, "a": 0 if what == "out_of_service" else 1}

    # -- before ----------------------------------------------------------------------------------------------------

    def _before(self) -> "Iterator[Data]":
        if self.story is not None:
            return flat(self.story)
        return self._key_change() if self.kind == "keys" else self._round()

    def _key_change(self) -> "Iterator[Data]":
        yield {"do": "key", "to": "on", "on": "empty_proved", "after_ms": 500}
        yield {"do": "rotate", "after_ms": 500}
        yield {"do": "key", "to": "off", "after_ms": 1500}
        yield {"do": "wait", "after_ms": 3000}

    def _round(self) -> "Iterator[Data]":
        """What a dealer does from a machine that has just been switched on to the end of the last round."""
        first = len(self.stage.peer.events)
        for _ in range(MOVES_MAX * self.rounds):
            if not self.rig.struck and self._over(first):
                return
            moves = [] if self.rig.struck else next_moves(self.stage, True)
            if self.kind == "records" and self.rig.app.flow.state == states.WAITING_FOR_DECK:
                for step in self._records():
                    yield step
            elif self.kind == "nag" and not moves:
                yield {"do": "command", "name": "shuffle", "outcome": "rejected", "after_ms": 50}
            for delay_ms, action, arguments in moves:
                for step in self._move(delay_ms, action, arguments):
                    yield step
            if self.kind == "full" and self.rig.app.flow.hold == FAULT_JOURNAL:
                return
            yield {"do": "wait", "after_ms": 400 if moves else 4000}

    def _records(self) -> "Iterator[Data]":
        flow = self.rig.app.flow
        for what, a, b in _TOLD:
            if not self.rig.struck and not record_objection(flow, ids.ROLE_TABLE, _RECORDS.index(what), a, b):
                yield {"do": "command", "name": "record", "what": what, "a": a, "b": b, "after_ms": 100}

    def _over(self, first: int) -> bool:
        goal = "round_ended" if self.rig.app.flow.machine.deals else "remainder_taken"
        return [event.name for event in self.stage.peer.events[first:]].count(goal) >= self.rounds

    def _move(self, delay_ms: int, action: str, arguments: "Data") -> "Iterator[Data]":
        state = self.rig.app.flow.shown
        button = arguments.get("button", "")
        if button == "close" and self.audited:
            yield {"do": "audit"}
        if button == "close" and state not in _READY:
            pass  # betting is closed for the second time
        elif button == "close" and self.role:
            yield {"do": "command", "name": "set_positions", "argument": self.seats or 1, "after_ms": delay_ms}
        elif button == "close":
            for _ in range(self.seats):
                yield {"do": "press", "button": "seat", "after_ms": 200}
        if button and self.role and state in COMMANDS:
            name = "close_betting" if button == "close" else COMMANDS[state]
            yield {"do": "command", "name": name, "after_ms": delay_ms}
        else:
            step = {"do": action, "after_ms": delay_ms}
            step.update(arguments)
            yield step

    # -- after -----------------------------------------------------------------------------------------------------

    def _after(self) -> "Iterator[Data]":
        for cut in self.cuts[1:]:
            yield cut
        for step in self._watch():
            yield step
        if self.trusting:
            for step in self._close_again():
                yield step
        if len(self.cuts) == 1:
            return
        for _ in range(MOVES_MAX):
            if self.rig.struck:
                self.struck = 2
                for step in self._watch():
                    yield step
                return
            if self.rig.powered and waits_for_deck(self.stage):
                return
            moves = next_moves(self.stage)
            for delay_ms, action, arguments in moves:
                step = {"do": action, "after_ms": delay_ms}
                step.update(arguments)
                yield step
            yield {"do": "wait", "after_ms": 400 if moves else 4000}

    def _close_again(self) -> "Iterator[Data]":
        """The operator sees nothing in the path, closes the door again, and lets the machine count what is inside."""
        plant = self.rig.plant
        path = [body for track in plant.tracks for body in track.bodies]
        if not self.rig.struck and self.rig.app.flow.state == states.WARNING and not path and not plant.hopper:
            for action in ("open", "close"):
                yield {"do": action, "after_ms": 500}
            yield {"do": "press", "button": "ack", "after_ms": 500}
            yield {"do": "wait", "after_ms": REMOVAL_MS}

    def _watch(self) -> "Iterator[Data]":
        dark = not self.rig.powered and self.rig.reset_us < 0
        yield {"do": "boot" if dark else "watchdog", "after_ms": DARK_MS}
        if self.rig.struck:
            return  # by the boot itself
        yield {"do": "wait", "after_ms": WATCH_MS}
        if self.role and not self.rig.struck:
            yield {"do": "command_again"}
        if self.audited and not self.rig.struck:
            yield {"do": "audit"}


class Survey:
    """Where power can fail in a story: every storage write and frame with its size, and instants by activity."""

    def __init__(self, run: PowerRun) -> None:
        self.run = run
        self.writes: "list[int]" = []
        self.frames: "list[int]" = []
        self.instants: "dict[str, list[int]]" = {kind: [] for kind in KINDS}
        self.problems: "list[str]" = []
        stage = run.stage
        self.nv = stage.rig.nv
        self.prog = self.nv.prog
        self.erase = self.nv.erase
        self.deliver = stage.rig.deliver
        self.listen = stage.listen
        self.nv.prog = self._prog
        self.nv.erase = self._erase
        stage.rig.deliver = self._deliver
        stage.listen = self._listen

    def play(self) -> None:
        self.problems = self.run.play()

    def _prog(self, address: int, buf: bytearray) -> bool:
        before = self.nv.writes
        done = self.prog(address, buf)
        self._wrote(self.nv.writes - before, len(buf))
        return done

    def _erase(self, address: int, size: int) -> bool:
        before = self.nv.writes
        done = self.erase(address, size)
        self._wrote(self.nv.writes - before, PAGE)
        return done

    def _wrote(self, count: int, size: int) -> None:
        """One write, or as many operations as a chip makes of it."""
        if not self.run.over:
            self.writes += [size] * count

    def _deliver(self) -> None:
        if not self.run.over:
            self.frames.append(len(self.run.rig.hal.sent))
        if self.deliver is not None:
            self.deliver()

    def _listen(self) -> None:
        if self.listen is not None:
            self.listen()
        if self.run.rig.powered and not self.run.over:
            self.instants[_kind(self.run)].append(self.run.rig.plant.now_us)


def _kind(run: PowerRun) -> str:
    plant = run.rig.plant
    if run.rig.app.flow.state in (states.STARTING, states.PROVING_EMPTY):
        return "boot"
    if plant.kind == "draw":
        return "hand" if plant.hand.bodies else "idle"
    if plant.throat.bodies:
        return "path"
    if len(plant.tracks) > 1 and plant.outlet.bodies:
        return "exit"
    if plant.axis.moving:
        return "axis"
    return "tray" if plant.tray else "idle"
