"""Scenarios: a machine, the actions of people, the faults and the expected result, as data. docs/SCENARIOS.md
describes the files; the same file gives the same transcript on every VM."""

from binascii import crc32, hexlify

from firmware.deck.ledger import ZONE_NAMES
from firmware.fault import FAULT_NAMES
from firmware.protocol import ids, table
from hal.sim.noise import PPM, Noise
from rig.actions import check_action
from rig.event_fields import FIELDS
from rig.expect import check_expect, judge, misread
from rig.invariants import Invariants
from rig.key_rotator import new_key, rotate
from rig.operator import good_round, recover
from rig.stories import STORIES, expanded
from rig.story import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable

    from hal.api import Config

    Data = dict[str, Any]

WAIT_MS = 120000
SEED = 7  # of a file that gives none
ORDER_MS = 600000  # eight decks are shuffled in less
_WHERE = ("title", "story", "board", "changes", "truth", "game", "seed", "role", "scan_us")
KEYS = _WHERE + ("faults", "script", "expect", "clauses")
SCAN_US_MAX = 4000  # what the budget allows, and scan_ms_max of the reference boards
DELAY_MS_MAX = 60000
_STEP = ("on", "within_ms", "after_ms", "do")
_KEY = bytes(range(32))  # every simulated device of a scenario with a role has this one
# What is done after an ordered power cut; everything else is left out.
_DARK = ("boot", "watchdog", "recover", "good_round")
_HOST_ACTIONS = {
    "command": ("name", "argument", "what", "a", "b", "outcome", "reason"),
    "command_again": (),
    "forge": ("name",),
    "read": ("display",),
    "tell": ("text",),
    "audit": (),
    "rotate": ("key",),
    "host": ("acknowledges", "share"),
    "link": ("bit_ppm", "lose_ppm", "piece_ppm", "delay_ms"),
    "recover": (),
    "good_round": ("positions",),
}


class Scenario:
    """One file, checked when it is made and played once."""

    def __init__(self, data: "Data", config: "Config") -> None:
        check(data)
        self.data = data
        self.lines: "list[str]" = []  # the transcript
        self.problems: "list[str]" = []
        self.detected_us = -1
        self.done_us: "Data" = {}  # when each action was last done before the machine stopped
        self.op = 0
        self.given = (0, 0, 0, 0)  # the last command and its arguments
        self._heard = 0
        for path in data.get("changes", {}):
            change(config, path, data["changes"][path])
        role = data.get("role", "")
        if role:
            config["link"]["mode"] = "table"
        key = _KEY if role else b""
        number = ids.ROLE_NAMES.split().index(role) if role else 0
        game, truth = data.get("game", "house"), data.get("truth")
        self.stage = Stage(config, game, data.get("seed", SEED), key, number, truth)
        self.stage.rig.scan_us = data.get("scan_us", 0)
        self.stage.listen = self._listen
        self.invariants: "Invariants | None" = None
        if data.get("expect", {}).get("invariants"):
            self.invariants = Invariants(self.stage, config)
            self.stage.before = self.invariants.hand
        for spec in data.get("faults", ()):
            self.stage.rig.plant.add_fault(spec)

    def play(self, steps: "Iterable[Data] | None" = None) -> "list[str]":
        """Play to the end; returns what was not as expected, in words. Steps that are made up as it goes may come in
        place of the script."""
        try:
            self._steps(self.data["script"] if steps is None else steps)
            self.stage.run(500)
        except Exception as error:
            # An error that ends a scenario is a finding about the machine; the other scenarios still run.
            self.problems.append("%s: %s" % (type(error).__name__, error))
        self.close()
        self.problems += judge(self.stage, self.data.get("expect", {}), self.done_us, self.detected_us)
        return self.problems

    def _steps(self, steps: "Iterable[Data]") -> None:
        for step in steps:
            if "repeat" in step:
                for _ in range(step["repeat"]):
                    self._steps(step["steps"])
            elif "story" in step:
                for part in expanded(step):
                    if isinstance(part, dict):
                        self._steps([part])
                        continue
                    name, delay_ms, action, argument = part
                    self._wait(name, WAIT_MS, delay_ms)
                    if self.stage.rig.struck:
                        break
                    self._say("do %s %s" % (action, argument))
                    self.stage.act_typed(action, str(argument))
            else:
                self._step(step)

    def _step(self, step: "Data") -> None:
        action = step["do"]
        rig = self.stage.rig
        in_the_dark = action in _DARK or "_at_" in action
        if rig.struck and not in_the_dark:
            return
        rig.struck = False
        self._wait(step.get("on", ""), step.get("within_ms", WAIT_MS), step.get("after_ms", 0))
        if rig.struck and not in_the_dark:
            return
        self.do(step)

    def do(self, step: "Data") -> None:
        """Do what a step says, now, and write it down."""
        action = step["do"]
        if self.detected_us < 0:
            self.done_us[action] = self.stage.rig.plant.now_us
        arguments = {key: step[key] for key in step if key not in _STEP}
        self._say("do " + " ".join([action] + ["%s=%s" % (key, arguments[key]) for key in sorted(arguments)]))
        if action in _HOST_ACTIONS:
            self._host(action, arguments)
        else:
            self.stage.act(action, arguments)

    def _wait(self, name: str, within_ms: int, after_ms: int) -> None:
        if name:
            self.stage.until(name, within_ms)
        self.stage.run(after_ms)

    def _host(self, action: str, arguments: "Data") -> None:
        stage = self.stage
        if action == "recover":
            recover(stage)
        elif action == "good_round":
            if self.invariants is not None:
                self.invariants.fresh()
            good_round(stage, arguments.get("positions", 0))
            self._finish()
        elif action == "host":
            stage.peer.acknowledges = arguments.get("acknowledges", True)
            stage.share(arguments.get("share", ""))
        elif action == "link":
            seed = self.data.get("seed", SEED)  # what is under way in the old cable is lost
            stage.to_host = Noise(seed, **arguments)
            stage.to_device = Noise(seed + 1, **arguments)
        elif action == "command":
            self.op += 1
            argument = arguments.get("argument", 0)
            if "what" in arguments:
                argument = RECORDS.index(arguments["what"])
            self.given = (COMMANDS[arguments["name"]], argument, arguments.get("a", 0), arguments.get("b", 0))
            self._answered(self._order(), arguments)
        elif action == "forge":
            stage.say(stage.peer.forged(COMMANDS[arguments["name"]]))
        elif action == "read":
            problem = misread(self.stage, arguments["display"])
            if problem:
                self.problems.append(problem)
        elif action == "rotate":
            key = new_key(arguments.get("key", 1))
            if self.invariants is not None:
                self.invariants.powercut.storage.key_offered = key
            rotate(stage, _KEY, key)
        elif action == "audit":
            self._audit()
        elif action == "tell":
            pass  # for readers, who find it in the transcript
        elif self.op:
            self._order()  # what must come of it is a promise

    def _audit(self) -> None:
        seed = self.stage.ask_seed(_KEY)
        self._say("told " + hexlify(seed).decode())
        if self.invariants is not None:
            self.invariants.powercut.seed_told(seed)

    def _answered(self, outcome: str, arguments: "Data") -> None:
        name = "%s %s" % (arguments["name"], arguments.get("what", ""))
        if not outcome:
            return  # power failed first
        if outcome != arguments.get("outcome", "done"):
            self.problems.append("command %s: %s" % (name.strip(), outcome))
        reason = REASONS[self.stage.peer.results[-1][3]]
        if reason != arguments.get("reason", reason):
            self.problems.append("command %s: reason %s" % (name.strip(), reason))

    def _order(self) -> str:
        """Give the last command, perhaps not for the first time. Returns its outcome; nothing if power failed."""
        if self.stage.before is not None:
            self.stage.before("command", {"op": self.op})
        message, argument, a, b = self.given
        outcome = self.stage.order(self.op, message, argument, ORDER_MS, a, b)
        if outcome < 0:
            return ""
        word = ids.OUTCOME_NAMES.split()[outcome]
        self._say("outcome " + word)
        return word

    def _finish(self) -> None:
        """Let the device send what it still has, then check the invariants that hold at the end."""
        self.stage.run(2000)
        if self.invariants is not None:
            self.invariants.finish()

    # -- what is written down --------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.lines.append("%12d %s" % (self.stage.rig.plant.now_us, text.replace("\n", " / ")))

    def _listen(self) -> None:
        """After every scan: new events, and when the machine first noticed that something is wrong."""
        if self.invariants is not None:
            self.invariants.scan()
        events = self.stage.peer.events
        while self._heard < len(events):
            event = events[self._heard]
            names = FIELDS[event.name]
            words = ["%s=%d" % (names[i], event.fields[i]) for i in range(len(names))]
            self._say(" ".join(["event", event.name, "round=%d" % event.round] + words))
            self._heard += 1
        if self.detected_us < 0 and self.stage.rig.app.flow.warning:
            self.detected_us = self.stage.rig.plant.now_us

    def close(self) -> None:
        """Write down how it ended."""
        rig = self.stage.rig
        flow = rig.app.flow
        zones = ZONE_NAMES.split()
        self._say("ledger " + " ".join(["%s=%d" % (zones[i], flow.ledger.zone[i]) for i in range(len(zones))]))
        state = ids.STATE_NAMES.split()[flow.state]
        self._say("state %s warning %s" % (state, FAULT_NAMES.split()[flow.warning]))
        self._say("taken %s" % self.stage.taken)
        data = bytes(self.stage.transcript)
        self._say("link %d bytes crc %d, storage crc %d" % (len(data), crc32(data), crc32(bytes(rig.nv.data))))
        self._say("scans %d crashes %d" % (rig.scans, rig.plant.crashes))


def check(data: "Data") -> None:
    """Raise ValueError, with the place and what would be right, for a file that cannot be played."""
    for key in data:
        if key not in KEYS:
            raise ValueError("no key %r; known: %s" % (key, ", ".join(KEYS)))
    for key in ("title", "board", "script"):
        if key not in data:
            raise ValueError("needs %r" % key)
    if not isinstance(data.get("clauses", []), list):
        raise ValueError("clauses: a list of ids, as rules/clauses.json has them")
    check_steps(data["script"], "script")
    if data.get("role", "table") not in ("recorder", "table", "service"):
        raise ValueError("role: one of recorder, table, service")
    scan_us = data.get("scan_us", 0)
    if not isinstance(scan_us, int) or not 0 <= scan_us <= SCAN_US_MAX:
        raise ValueError("scan_us: 0 to %d" % SCAN_US_MAX)
    check_expect(data.get("expect", {}))


def check_steps(steps: "list[Any]", where: str) -> None:
    """Raise ValueError for a step that cannot be played."""
    for i in range(len(steps)):
        if not isinstance(steps[i], dict):
            raise ValueError("%s[%d]: a step is an object" % (where, i))
        problem = _step_problem(steps[i], "%s[%d]" % (where, i))
        if problem:
            raise ValueError("%s[%d]: %s" % (where, i, problem))


def _step_problem(step: "Data", where: str) -> str:
    after_ms = step.get("after_ms", 0)
    if not isinstance(after_ms, int) or after_ms < 0:
        return "after_ms is 0 or more"
    if "repeat" in step:
        check_steps(step["steps"], where + ".steps")
    elif "story" in step:
        if step["story"] not in STORIES:
            return "no story %r; known: %s" % (step["story"], ", ".join(sorted(STORIES)))
    elif "do" not in step:
        return "needs 'do', 'story' or 'repeat'"
    elif step.get("on", "") and step["on"] not in FIELDS:
        return "no event %r" % step["on"]
    else:
        arguments = {key: step[key] for key in step if key not in _STEP}
        try:
            (_check_host if step["do"] in _HOST_ACTIONS else check_action)(step["do"], arguments)
        except ValueError as error:
            return str(error)
    return ""


def _check_host(action: str, arguments: "Data") -> None:
    for key in arguments:
        if key not in _HOST_ACTIONS[action]:
            raise ValueError("%s has no %r; known: %s" % (action, key, ", ".join(_HOST_ACTIONS[action])))
    if action == "read" and "display" not in arguments:
        raise ValueError("read needs display")
    if arguments.get("reason", "none") not in REASONS:
        raise ValueError("no reason %r; known: %s" % (arguments["reason"], ", ".join(REASONS)))
    if arguments.get("what", "none") not in RECORDS:
        raise ValueError("record has no %r; known: %s" % (arguments["what"], ", ".join(RECORDS[1:])))
    if action in ("command", "forge") and arguments.get("name") not in COMMANDS:
        raise ValueError("no command %r; known: %s" % (arguments.get("name"), ", ".join(sorted(COMMANDS))))
    if action == "link":
        for key in arguments:
            most = DELAY_MS_MAX if key == "delay_ms" else PPM
            if not isinstance(arguments[key], int) or not 0 <= arguments[key] <= most:
                raise ValueError("link: %s is 0 to %d" % (key, most))


def change(config: "Config", path: str, value: object) -> None:
    """Set one value of the board config; null takes it away, as a board without that sensor."""
    words = path.split(".")
    place = config
    for word in words[:-1]:
        place = place.setdefault(word, {})
    if value is None:
        place.pop(words[-1], None)
    else:
        place[words[-1]] = value


COMMANDS = {spec.split()[0]: message for message, kind, spec in table.MESSAGES if kind == ids.CLASS_COMMAND}
RECORDS = ids.RECORD_NAMES.split()
REASONS = ids.REASON_NAMES.split()
