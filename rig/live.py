"""A simulated machine that people watch and handle while it runs: time in small pieces, a record, and pictures.

The record is a scenario: `saved()` is its file, and `fairshoe scenario run` plays it to the same transcript. Everything
that crosses to the page is JSON text.
"""

import json
from binascii import hexlify

from firmware.fault import FAULT_NAMES
from firmware.image import OUTPUTS
from firmware.protocol import ids
from hal.sim.beams import LIGHT
from hal.sim.body import FAR
from hal.sim.faults import CHOICES, FAULTS
from rig.causes import Causes
from rig.event_fields import FIELDS, TEXTS
from rig.expect import WORDS, text_of
from rig.operator import next_moves
from rig.scenario import Scenario, check_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config
    from hal.sim.body import Body
    from rig.operator import Move
    from rig.peer import Event

    Data = dict[str, Any]

_STATES = ids.STATE_NAMES.split()
_FAULTS = FAULT_NAMES.split()
_NEEDS = ids.NEED_NAMES.split()
_LAMPS = OUTPUTS.index("lamp_green")
LOOK_MS = 400  # from one look of the operator to the next
_END_MS = 500  # what a scenario lets pass after its last step


class Live:
    """One machine from power-up on. Actions happen at whole milliseconds, as the steps of a scenario file do."""

    def __init__(self, data: "Data", config: "Config") -> None:
        self.data = data
        self.steps: "list[Data]" = []
        data.setdefault("script", self.steps)
        self.scenario = Scenario(data, config)
        self.stage = self.scenario.stage
        self.stage.tap = self._tap
        self.rig = self.stage.rig
        self.config = config
        self.acted_ms = 0  # when the last step of the record was done
        self.causes = Causes(self.rig.plant.faults)
        self.scan_us = -1  # when the last scan was
        self.warning = 0
        self.shown = 0  # events in earlier pictures
        self.dealer_ms = -1  # when the operator does something, if there is one
        self.moves: "list[Move]" = []
        self.last = ""  # the event after which the operator does nothing more
        self.planned: "list[tuple[int, Data]]" = []  # steps to come, with their milliseconds
        self.wire: "list[list[Any]]" = []  # since the last picture
        self.news: "list[Data]" = []

    # -- time ------------------------------------------------------------------------------------------------------

    def run_to(self, ms: int) -> None:
        """Go on to that millisecond of simulated time."""
        while self.planned and self.planned[0][0] <= ms:
            at_ms, step = self.planned.pop(0)
            self._run_dealt(at_ms)
            self.act(json.dumps(step))
        self._run_dealt(ms)

    def _run_dealt(self, ms: int) -> None:
        while self.dealer_ms >= 0 and self.dealer_ms <= ms and not self.rig.struck:
            self._run(self.dealer_ms)
            self._deal()
        self._run(ms)

    def _run(self, ms: int) -> None:
        limit_us = ms * 1000
        plant = self.rig.plant
        while plant.now_us < limit_us and not self.rig.struck:
            self._go(limit_us)

    def step_scan(self) -> None:
        """One scan, and on to the next one, or as far as 1 s."""
        scans = self.rig.scans
        limit_us = self.rig.plant.now_us + 1000000
        while self.rig.scans == scans and self.rig.plant.now_us < limit_us:
            self._go(limit_us)
        if self.rig.pause_us >= 0:
            self._go(limit_us)

    def _go(self, limit_us: int) -> None:
        rig = self.rig
        if rig.pause_us < 0:
            self.scan_us = rig.plant.now_us
        self.stage.glide_step(limit_us)
        self.look()

    def look(self) -> None:
        """Take note of new events and of another warning."""
        rig = self.rig
        if self.shown != len(self.stage.peer.events) or (rig.powered and rig.app.flow.warning != self.warning):
            self._note()

    def now_ms(self) -> int:
        """The next whole millisecond without a scan: something can be done then, as before a scenario's step."""
        now_us = self.rig.plant.now_us
        return (now_us + 1000 if now_us == self.scan_us else now_us + 999) // 1000

    # -- what people do --------------------------------------------------------------------------------------------

    def act(self, text: str) -> str:
        """Do one step, as a scenario has it, now; returns what is wrong with it, or nothing."""
        step: "Data" = json.loads(text)
        at_ms = self.now_ms()
        self._run(at_ms)
        self.stage.end_glide()
        try:
            self.scenario.do(step)
        except ValueError as error:
            return str(error)
        if at_ms != self.acted_ms:
            step["after_ms"] = at_ms - self.acted_ms
        self.acted_ms = self.now_ms()
        self.steps.append(step)
        self.causes.acted(step, len(self.steps), self.rig.plant.now_us)
        return ""

    def dealer(self, on: bool, last: str = "") -> None:
        """Let a careful operator do what the display asks for, until an event if one is named; or do it yourself."""
        self.moves = []
        self.last = last
        self.dealer_ms = self.now_ms() if on else -1

    def _deal(self) -> None:
        """The operator's next move, or a look at the machine."""
        if self.last and self.last in self.stage.names():
            self.dealer_ms = -1
            return
        if self.moves:
            _delay_ms, action, arguments = self.moves.pop(0)
            step = dict(arguments)
            step["do"] = action
            self.act(json.dumps(step))
        else:
            self.moves = next_moves(self.stage, True)
        self.dealer_ms = self.now_ms() + (self.moves[0][0] if self.moves else LOOK_MS)

    def plan(self, text: str) -> None:
        """Do steps by itself as time passes, each so long after the one before, whatever else is done meanwhile."""
        at_ms = self.now_ms()
        for step in json.loads(text):
            at_ms += step.pop("after_ms", 0)
            self.planned.append((at_ms, step))

    def replay(self, text: str) -> None:
        """Do the steps of a record, each at its time. Raises ValueError for one that cannot be done."""
        steps: "list[Data]" = json.loads(text)
        check_steps(steps, "step")
        for i in range(len(steps)):
            self.run_to(self.acted_ms + steps[i].pop("after_ms", 0))
            problem = self.act(json.dumps(steps[i]))
            if problem:
                raise ValueError("step[%d]: %s" % (i, problem))

    def saved(self) -> str:
        """The scenario of all that was done until now."""
        data = dict(self.data)
        rest = {"after_ms": self.now_ms() - self.acted_ms, "do": "wait"}
        data["script"] = self.steps + [rest]
        return json.dumps(data)

    def finish(self) -> "list[str]":
        """End as a scenario does; returns the transcript."""
        self.act('{"do": "wait"}')
        self.run_to(self.now_ms() + _END_MS)
        self.stage.end_glide()
        self.scenario.close()
        return self.scenario.lines

    # -- pictures --------------------------------------------------------------------------------------------------

    def about(self) -> str:
        """What does not change: the parts of this machine, and what can be done to it."""
        config = self.config
        return json.dumps(
            {
                "board": config["name"],
                "kind": config["mechanism"]["kind"],
                "mechanism": config["mechanism"],
                "lines": self.rig.plant.lines,
                "light": LIGHT,
                "inputs": list(config["inputs"].keys()),
                "outputs": OUTPUTS,
                "wired": list(config["outputs"].keys()),
                "places": len(self.rig.plant.slots),
                "deck": self.rig.app.flow.profile.deck_cards,
                "faults": FAULTS,
                "choices": CHOICES,
            }
        )

    def picture(self) -> str:
        """What is so at this instant, and what happened since the last picture."""
        rig = self.rig
        plant = rig.plant
        flow = rig.app.flow
        found: "Data" = {
            "t": plant.now_us,
            "scans": rig.scans,
            "power": 1 if rig.powered else 0,
            "state": _STATES[flow.state],
            "warning": _FAULTS[flow.warning],
            "need": _NEEDS[flow.need],
            "display": rig.hal.lines if rig.powered else ("", "", "", ""),
            "lamps": _hex(rig.app.out.level[_LAMPS : _LAMPS + 3] if rig.powered else bytes(3)),
            "out": _hex(plant.outputs),
            "level": _hex(plant.level),
            "truth": _hex(plant.truth),
            "edges": plant.beams.shown_edges,
            "hopper": len(plant.hopper),
            "tray": len(plant.tray),
            "lost": len(plant.lost),
            "slots": _hex(bytes([len(slot) for slot in plant.slots])),
            "axis": self._axis(),
            "lift": self._lift(),
            "reader": plant.reader.rank,
            "bodies": [[i] + self._body(body) for i in range(len(plant.tracks)) for body in plant.tracks[i].bodies],
            "next": [plant.source.picked, self._ejected(), plant.output_tray.landed, getattr(plant.axis, "moves", 0)],
            "cable": self._cable(),
            "faults": [fault.text() for fault in plant.faults.entries if fault.times and plant.now_us < fault.until_us],
            "struck": self.causes.struck_us(),
            "crashes": plant.crashes,
            "news": self.news,
            "wire": self.wire,
        }
        self.news = []
        self.wire = []
        return json.dumps(found)

    def _cable(self) -> "list[int]":
        """bit_ppm, lose_ppm, piece_ppm and delay_ms of the cable."""
        noise = self.stage.to_host
        return [noise.bit_ppm, noise.lose_ppm, noise.piece_ppm, noise.delay_us // 1000] if noise else [0, 0, 0, 0]

    def _axis(self) -> int:
        """Thousandths of a place."""
        axis: "Any" = self.rig.plant.axis
        if not axis.moving:
            return axis.real if self.rig.plant.slots else 0
        return axis.real + axis.step * min(axis.travelled(self.rig.plant.now_us), axis.reach)

    def _ejected(self) -> int:
        """The number of the next card at the exit, as faults count them."""
        plant = self.rig.plant
        return plant.outlet.ejected if plant.kind == "carousel" else plant.source.passed + 1

    def _lift(self) -> int:
        """Thousandths of the way from the tray of shelves up to the hopper."""
        plant = self.rig.plant
        if plant.kind != "shelves":
            return 0
        shelves: "Any" = plant.store
        if shelves.up_us == FAR:
            return 1000 if shelves.lifting else 0
        return 1000 - (shelves.up_us - plant.now_us) * 1000 // shelves.lift_us

    def _body(self, body: "Body") -> "list[int]":
        x_um = body.position(self.rig.plant.now_us)
        return [x_um, body.length_um, len(body.cards), body.cards[0], body.traits, 1 if body.moving else 0]

    # -- news ------------------------------------------------------------------------------------------------------

    def _tap(self, way: int, data: "bytes | bytearray") -> None:
        self.wire.append([self.rig.plant.now_us, way, _hex(data)])

    def _note(self) -> None:
        """New events, and the moment at which the device found something wrong."""
        warning = self.rig.app.flow.warning
        if warning != self.warning:
            self.warning = warning
            if warning:
                entry: "Data" = {"at": self.scan_us, "warning": _FAULTS[warning]}
                entry["cause"] = self.causes.of(_FAULTS[warning], self.scan_us)
                self.news.append(entry)
        events = self.stage.peer.events
        while self.shown < len(events):
            event = events[self.shown]
            self.shown += 1
            entry = {"at": self.scan_us, "event": event.name, "round": event.round}
            entry["fields"] = self._fields(event)
            if event.name == "cards_odd" and not warning:
                entry["cause"] = self.causes.of("", self.scan_us)  # a rule covers it: the machine goes on
            entry["order"] = FIELDS[event.name] + list(TEXTS[event.name])  # dicts have none on the VM
            self.news.append(entry)

    def _fields(self, event: "Event") -> "Data":
        found: "Data" = {}
        names = FIELDS[event.name]
        for i in range(len(names)):
            words = WORDS[names[i]].split() if names[i] in WORDS else []
            value = event.fields[i]
            found[names[i]] = words[value] if value < len(words) else value
        for name in TEXTS[event.name]:
            found[name] = text_of(self.stage.peer, event, name)
        return found


class Watched:
    """A scenario that plays itself: `post` gets a picture every so often in simulated time."""

    def __init__(self, live: Live, post: "Callable[[str], None]", every_ms: int) -> None:
        self.live = live
        self.post = post
        self.every_us = every_ms * 1000
        self.due_us = 0
        self.listen = live.stage.listen
        live.stage.listen = self._listen

    def play(self) -> "list[str]":
        """To the end; what was not as expected."""
        problems = self.live.scenario.play()
        self.post(self.live.picture())
        return problems

    def _listen(self) -> None:
        live = self.live
        live.scan_us = live.rig.plant.now_us
        if self.listen is not None:
            self.listen()
        live.look()
        if live.scan_us >= self.due_us:
            self.due_us = live.scan_us + self.every_us
            self.post(live.picture())


def watch(data_text: str, config_text: str, post: "Callable[[str], None]", every_ms: int) -> str:
    """Play a scenario; returns what was not as expected, as JSON."""
    return json.dumps(Watched(start(data_text, config_text), post, every_ms).play())


def _hex(data: "bytes | bytearray") -> str:
    return hexlify(bytes(data)).decode()


def start(data_text: str, config_text: str) -> Live:
    """A machine as a scenario begins it: title, board, game, seed, role."""
    return Live(json.loads(data_text), json.loads(config_text))
