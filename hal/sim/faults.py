"""Every fault the simulated machine can have, by name, as data. One seed gives one history of accidents.

A fault is a dict, as it stands in a scenario file: `{"fault": "jam", "place": "throat", "card": 10, "at_um": 60000}`.

| fault | its own keys (default) | what happens |
|---|---|---|
| misfeed | times (1) | the pick roller turns and no card comes, at the first `times` tries |
| double_feed | offset_um (0) | two cards come together, the second so far behind; 0: aligned |
| jam | place (throat, exit, mouth), at_um | the card stops there for good; mouth counts from throat B |
| stall | place, at_um, jogs (1) | the card stops until moved back `jogs` times [1] |
| card_lost | place (rail, exit) | slips under a rail behind throat B, or on its way from slot to exit [2] |
| foreign | length_um | no card of any deck: of that length, unreadable |
| wrong_back | | the card has another deck's back |
| face_up | | the card lies face up |
| tray_slow | us | the card comes to rest in the tray so much later |
| wear | us_per_thousand_cards | the pick latency grows with the cards that went through |
| roller_dead | roller (pick, transport) | the motor turns and moves nothing |
| roller_slow | percent | the rollers of the throat turn so much slower than the board config says |
| ejector_stuck | | the arm, or the pusher, stays where it is |
| beam_stuck | line, level | the line shows this level |
| beam_blind | line | the line shows 0, in the dark too |
| beam_noise | line, every_us, width_us | in every period one pulse of the wrong level |
| storm | line, edges_per_s, percent (50), pull (toggled, low, high) | so many changes a second, up to 200,000 [4] |
| beam_dust | line, um | shadows are longer by this, half before and half behind the card [3] |
| axis_stall | | the move takes its time and nothing moves |
| axis_slip | thousandths | the move ends so many thousandths of a place short |
| home_lost | | the home mark is not seen: not by homing, not in passing |
| panel_lost | | the panel does not answer: its buttons read 0, and the port says so (a board's after 3 s) |
| litter | cards (1) | so many foreign cards lie in the tray at from_ms |
| entropy | kind (dead, stuck, biased, correlated) | reports failure, gives one byte, mostly 0, or mostly the last bit |
| nv | kind (broken) | no write reaches the storage |

- [1] A carousel's exit cannot reverse: there the card stops until the outfeed has been started again that many times.
- [2] `rail`: throat B clears, and the next beam or the store never sees the card. `exit`: the card leaves its slot, and
  the exit beam never sees it.
- [3] For cards that begin to move while the fault is active; on throat_a, throat_b, exit and arrival.
- [4] For `percent` of the time it shows the wrong level, or is pulled to 0 or 1. Polled lines, such as buttons on an
  expander, have no storms. During a storm scans take as long as on a device.

Which card: `card` n is the nth at that place since the last load, from 0 (at the exit and in the tray since power-up);
`ppm` strikes by chance, keyed by seed, card and attempt; with neither it strikes every card. For the axis it is `move`
n, the nth since power-up, or `ppm`. `times` bounds how often a fault strikes: once where a card or move is named, else
without end. `from_ms` and `for_ms` bound it in simulated time.
"""

from hal.sim.body import FAR, JAM_HARD
from hal.sim.chassis import TRAIT_BACK, TRAIT_FACE, TRAIT_FOREIGN
from hal.sim.rng import mix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.body import Body
    from hal.sim.chassis import Chassis

    Spec = dict[str, int | str]

PPM = 1000000
_ANY = ("from_ms", "for_ms", "fault")
_CARD = ("card", "ppm", "times")
_MOVE = ("move", "ppm", "times")
_NEEDED = None

# Own keys of each fault with their defaults, and the selectors it takes.
FAULTS: "dict[str, tuple[dict[str, int | str | None], tuple[str, ...]]]" = {
    "misfeed": ({"times": 1}, _CARD),
    "double_feed": ({"offset_um": 0}, _CARD),
    "jam": ({"place": _NEEDED, "at_um": _NEEDED}, _CARD),
    "stall": ({"place": _NEEDED, "at_um": _NEEDED, "jogs": 1}, _CARD),
    "card_lost": ({"place": _NEEDED}, _CARD),
    "foreign": ({"length_um": _NEEDED}, _CARD),
    "wrong_back": ({}, _CARD),
    "face_up": ({}, _CARD),
    "tray_slow": ({"us": _NEEDED}, _CARD),
    "wear": ({"us_per_thousand_cards": _NEEDED}, ()),
    "roller_dead": ({"roller": _NEEDED}, ()),
    "roller_slow": ({"percent": _NEEDED}, ()),
    "ejector_stuck": ({}, ()),
    "beam_stuck": ({"line": _NEEDED, "level": _NEEDED}, ()),
    "beam_blind": ({"line": _NEEDED}, ()),
    "beam_noise": ({"line": _NEEDED, "every_us": _NEEDED, "width_us": _NEEDED}, ()),
    "storm": ({"line": _NEEDED, "edges_per_s": _NEEDED, "percent": 50, "pull": "toggled"}, ()),
    "beam_dust": ({"line": _NEEDED, "um": _NEEDED}, ()),
    "axis_stall": ({}, _MOVE),
    "axis_slip": ({"thousandths": _NEEDED}, _MOVE),
    "home_lost": ({}, ()),
    "panel_lost": ({}, ()),
    "litter": ({"cards": 1}, ()),
    "entropy": ({"kind": _NEEDED}, ()),
    "nv": ({"kind": _NEEDED}, ()),
}
CHOICES = {
    "jam.place": ("throat", "exit", "mouth"),
    "stall.place": ("throat", "exit", "mouth"),
    "card_lost.place": ("rail", "exit"),
    "roller_dead.roller": ("pick", "transport"),
    "beam_stuck.level": (0, 1),
    "storm.pull": ("toggled", "low", "high"),
    "entropy.kind": ("dead", "stuck", "biased", "correlated"),
    "nv.kind": ("broken",),
}
_DUSTY = ("throat_a", "throat_b", "exit", "arrival")


class Fault:
    """One entry, checked and completed."""

    def __init__(self, spec: "Spec", number: int, now_us: int) -> None:
        name = str(spec.get("fault", ""))
        if name not in FAULTS:
            raise ValueError("no fault %r; known: %s" % (name, ", ".join(sorted(FAULTS))))
        own, selectors = FAULTS[name]
        known = sorted(set(own) | set(selectors) | set(_ANY))
        for key in spec:
            if key not in known:
                raise ValueError("fault %s has no key %r; known: %s" % (name, key, ", ".join(known)))
        self.name = name
        self.values: "dict[str, int | str]" = {}
        for key in own:
            value = spec.get(key, own[key])
            if value is None:
                raise ValueError("fault %s needs %s" % (name, key))
            choices = CHOICES.get(name + "." + key)
            if choices and value not in choices:
                raise ValueError("fault %s: %s is one of %s" % (name, key, ", ".join([str(c) for c in choices])))
            self.values[key] = value
        self.number = number
        self.nth = int(spec.get("card", spec.get("move", -1)))
        self.ppm = int(spec.get("ppm", -1))
        self.times = int(spec.get("times", 1 if self.nth >= 0 else -1))
        self.place = str(self.values.get("place", ""))
        self.from_us = int(spec.get("from_ms", 0)) * 1000
        self.until_us = FAR
        if "for_ms" in spec:
            self.until_us = max(now_us, self.from_us) + int(spec["for_ms"]) * 1000
        self.begun = False
        self.struck_us = -1  # when it first did anything

    def text(self) -> str:
        """Its name, and which line it is about."""
        return "%s %s" % (self.name, self.values["line"]) if "line" in self.values else self.name

    def number_of(self, key: str) -> int:
        return int(self.values[key])


class Faults:
    """All faults of one machine, and what they answer when something happens. While `entries` is empty, parts ask
    nothing further."""

    def __init__(self, plant: "Chassis") -> None:
        self.plant = plant
        self.entries: "list[Fault]" = []
        self.added = 0
        self.dead = bytearray(2)  # pick, transport
        self.panel_lost = False
        self.struck_us = -1  # when the first fault did anything

    def checked(self, spec: "Spec") -> Fault:
        """Raises ValueError for what no machine of this kind can have."""
        plant = self.plant
        fault = Fault(spec, self.added, plant.now_us)
        if "line" in fault.values and fault.values["line"] not in plant.lines:
            raise ValueError("no line %s" % fault.values["line"])
        if fault.name == "beam_dust" and fault.values["line"] not in _DUSTY:
            raise ValueError("dust is modelled on " + ", ".join(_DUSTY))
        if fault.name == "beam_noise" and fault.number_of("every_us") <= fault.number_of("width_us"):
            raise ValueError("a pulse must be shorter than its period")
        if fault.place and fault.name != "card_lost":
            self._check_place(fault.place, fault.number_of("at_um"))
        return fault

    def add(self, fault: Fault) -> None:
        self.added += 1
        self.entries.append(fault)

    def _check_place(self, place: str, at_um: int) -> None:
        """Whether a card can stop there."""
        plant = self.plant
        if plant.kind == "draw":
            raise ValueError("a hand draws the cards: nothing jams")
        if place == "exit":
            if not plant.exit_um:
                raise ValueError("no exit to jam")
            if at_um >= plant.exit_um + plant.card_um:
                raise ValueError("past the exit beam a card falls freely into the tray")

    def note(self, fault: Fault) -> None:
        """This fault does something."""
        now_us = self.plant.now_us
        if fault.struck_us < 0:
            fault.struck_us = now_us
        if self.struck_us < 0:
            self.struck_us = now_us

    def line_of(self, fault: Fault) -> int:
        return self.plant.lines.index(str(fault.values["line"]))

    # -- questions at the moment something happens -----------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether there is one of that name, in its time or not."""
        for fault in self.entries:
            if fault.name == name:
                return True
        return False

    def active(self, name: str) -> "Fault | None":
        """A fault of that name in its time, whatever it strikes."""
        now_us = self.plant.now_us
        for fault in self.entries:
            if fault.name == name and fault.from_us <= now_us < fault.until_us:
                self.note(fault)
                return fault
        return None

    def strikes(self, name: str, place: str, nth: int, subject: int, attempt: int) -> "Fault | None":
        """The first fault of that name that hits this subject; counts as one time."""
        for fault in self.entries:
            if fault.name == name and fault.place == place and self._hits(fault, nth, subject, attempt):
                fault.times -= 1 if fault.times > 0 else 0
                self.note(fault)
                return fault
        return None

    def _hits(self, fault: Fault, nth: int, subject: int, attempt: int) -> bool:
        if not fault.times or not fault.from_us <= self.plant.now_us < fault.until_us:
            return False
        if fault.nth >= 0 and fault.nth != nth:
            return False
        return fault.ppm < 0 or mix(self.plant.seed ^ fault.number << 8, subject, attempt) % PPM < fault.ppm

    def misfeeds(self, nth: int, card: int, attempt: int) -> bool:
        for fault in self.entries:
            if fault.name != "misfeed":
                continue
            if fault.nth >= 0:
                if self._hits(fault, nth, card, 0):
                    fault.times -= 1
                    self.note(fault)
                    return True
            elif attempt <= fault.number_of("times") and self._hits(fault, nth, card, self.plant.loads):
                self.note(fault)
                return True
        return False

    def wear_us(self, passed: int) -> int:
        fault = self.active("wear")
        return fault.number_of("us_per_thousand_cards") * passed // 1000 if fault else 0

    def slowed(self, speed: int) -> int:
        fault = self.active("roller_slow")
        return speed * (100 - fault.number_of("percent")) // 100 if fault else speed

    def dust_um(self, line: int) -> int:
        um = 0
        now_us = self.plant.now_us
        for fault in self.entries:
            if fault.name == "beam_dust" and self.line_of(fault) == line and fault.from_us <= now_us < fault.until_us:
                um += fault.number_of("um")
                self.note(fault)
        return um

    def blocks_ejector(self) -> bool:
        return bool(self.entries) and self.active("ejector_stuck") is not None

    def hides_home(self) -> bool:
        return self.active("home_lost") is not None

    def axis_reach(self, nth: int, distance: int) -> int:
        """How much of a move really happens."""
        if self.strikes("axis_stall", "", nth, nth, 0):
            return 0
        fault = self.strikes("axis_slip", "", nth, nth, 0)
        return max(0, distance - fault.number_of("thousandths")) if fault else distance

    def late_us(self, nth: int, card: int) -> int:
        fault = self.strikes("tray_slow", "", nth, card, self.plant.loads)
        return fault.number_of("us") if fault else 0

    def mark(self, nth: int, card: int) -> None:
        """What a card is does not change with the attempt."""
        plant = self.plant
        loads = plant.loads
        fault = self.strikes("foreign", "", nth, card, loads)
        if fault:
            plant.mark_card(card, fault.number_of("length_um"), TRAIT_FOREIGN)
        if self.strikes("wrong_back", "", nth, card, loads):
            plant.mark_card(card, 0, TRAIT_BACK)
        if self.strikes("face_up", "", nth, card, loads):
            plant.mark_card(card, 0, TRAIT_FACE)

    def stop(self, body: "Body", place: str, nth: int, attempt: int, from_um: int) -> None:
        """Where the card will stop, if a jam or stall at this place strikes it."""
        fault = self.strikes("jam", place, nth, body.cards[0], attempt)
        if fault:
            body.jogs = JAM_HARD
        else:
            fault = self.strikes("stall", place, nth, body.cards[0], attempt)
            if not fault:
                return
            body.jogs = fault.number_of("jogs")
        body.jam_um = from_um + fault.number_of("at_um")
