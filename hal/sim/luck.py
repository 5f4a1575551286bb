"""Bad luck: every fault the simulated machine can have, by name, as data. One seed, one history of accidents.

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
| ejector_stuck | | the arm, or the pusher, stays where it is |
| beam_stuck | line, level | the line shows this level |
| beam_blind | line | the line shows 0, in the dark too |
| beam_noise | line, every_us, width_us | in every period one pulse of the wrong level |
| storm | line, edges_per_s | the line changes so many times a second, up to 200,000 (100 kHz) [4] |
| beam_dust | line, um | shadows are longer by this, half before and half behind the card [3] |
| axis_stall | | the move takes its time and nothing moves |
| axis_slip | thousandths | the move ends so many thousandths of a place short |
| home_lost | | the home mark is not seen: not by homing, not in passing |
| panel_lost | | the panel does not answer: its buttons read 0, and the port says so (a board's after 3 s) |
| litter | cards (1) | so many foreign cards lie in the tray at from_ms |
| entropy | kind (dead, stuck, biased) | the source reports failure, gives one byte only, or mostly zero bits |
| nv | kind (broken) | no write reaches the storage |

[1] At a carousel's exit, which knows no way back: until the outfeed has been started again so often.
[2] rail: throat B clears, the next beam or store never gets it; exit: it leaves its slot, the exit beam never sees it.
[3] Of cards that begin to move while the fault is active; on throat_a, throat_b, exit and arrival.
[4] On a line that is polled, as buttons on an expander are, there is none. While there is one, scans take their time.

Which card: `card` n is the nth at that place since the last load, from 0 (at the exit and in the tray since power-up);
`ppm` strikes by chance, keyed by seed, card and attempt; with neither it strikes every card. For the axis it is `move`
n, the nth since power-up, or `ppm`. `times` bounds how often a fault strikes: once where a card or move is named, else
without end. `from_ms` and `for_ms` bound it in simulated time.
"""

from hal.sim.beams import Pulses, Storm
from hal.sim.body import FAR, JAM_HARD
from hal.sim.rng import mix
from hal.sim.track import TRAIT_BACK, TRAIT_FACE, TRAIT_FOREIGN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.body import Body
    from hal.sim.plant import Plant
    from hal.sim.throat import Throat

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
    "ejector_stuck": ({}, ()),
    "beam_stuck": ({"line": _NEEDED, "level": _NEEDED}, ()),
    "beam_blind": ({"line": _NEEDED}, ()),
    "beam_noise": ({"line": _NEEDED, "every_us": _NEEDED, "width_us": _NEEDED}, ()),
    "storm": ({"line": _NEEDED, "edges_per_s": _NEEDED}, ()),
    "beam_dust": ({"line": _NEEDED, "um": _NEEDED}, ()),
    "axis_stall": ({}, _MOVE),
    "axis_slip": ({"thousandths": _NEEDED}, _MOVE),
    "home_lost": ({}, ()),
    "panel_lost": ({}, ()),
    "litter": ({"cards": 1}, ()),
    "entropy": ({"kind": _NEEDED}, ()),
    "nv": ({"kind": _NEEDED}, ()),
}
_CHOICES = {
    "jam.place": ("throat", "exit", "mouth"),
    "stall.place": ("throat", "exit", "mouth"),
    "card_lost.place": ("rail", "exit"),
    "roller_dead.roller": ("pick", "transport"),
    "beam_stuck.level": (0, 1),
    "entropy.kind": ("dead", "stuck", "biased"),
    "nv.kind": ("broken",),
}
_DUSTY = ("throat_a", "throat_b", "exit", "arrival")
# Those that begin and end by themselves; the others are asked when something happens.
_TIMED = ("roller_dead", "ejector_stuck", "beam_stuck", "beam_blind", "beam_noise", "storm", "panel_lost", "litter")


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
            choices = _CHOICES.get(name + "." + key)
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
        self.pulses: "Pulses | None" = None
        self.storm: "Storm | None" = None

    def number_of(self, key: str) -> int:
        return int(self.values[key])


class Luck:
    """All faults of one plant. `faults` is empty as long as nobody added one, and then nobody asks further."""

    def __init__(self, plant: "Plant") -> None:
        self.plant = plant
        self.faults: "list[Fault]" = []
        self.added = 0
        self.dead = bytearray(2)  # pick, transport
        self.panel_lost = False
        self.struck_us = -1  # when the first fault did anything
        self.due_us = FAR

    def add(self, spec: "Spec") -> None:
        """Raises ValueError for what no machine of this kind can have."""
        plant = self.plant
        fault = Fault(spec, self.added, plant.now_us)
        if "line" in fault.values and fault.values["line"] not in plant.lines:
            raise ValueError("no line %s" % fault.values["line"])
        if fault.name == "beam_dust" and fault.values["line"] not in _DUSTY:
            raise ValueError("dust is modelled on " + ", ".join(_DUSTY))
        if fault.name == "beam_noise" and fault.number_of("every_us") <= fault.number_of("width_us"):
            raise ValueError("a pulse must be shorter than its period")
        if fault.name == "storm":
            plant.beams.check_storm(self._line(fault), fault.number_of("edges_per_s"))
        if fault.place and fault.name != "card_lost":
            plant.check_place(fault.place, fault.number_of("at_um"))
        self.added += 1
        self.faults.append(fault)
        self.fire(plant.now_us)

    def clear(self) -> None:
        """The machine is repaired."""
        ended = self.faults
        self.faults = []
        self.due_us = FAR
        for fault in ended:
            if fault.begun:
                self._end(fault)

    def fire(self, now_us: int) -> None:
        """Begin and end what has its time."""
        due = FAR
        for fault in self.faults:
            if fault.name not in _TIMED:
                continue
            if not fault.begun and fault.from_us <= now_us < fault.until_us:
                fault.begun = True
                self._begin(fault)
            elif fault.begun and now_us >= fault.until_us:
                fault.begun = False
                fault.times = 0
                self._end(fault)
            for edge_us in (fault.from_us, fault.until_us):
                if now_us < edge_us < due:
                    due = edge_us
        self.due_us = due

    def _begin(self, fault: Fault) -> None:
        plant = self.plant
        self._note()
        if fault.name == "roller_dead":
            self.dead[0 if fault.values["roller"] == "pick" else 1] += 1
            plant.apply()
        elif fault.name == "panel_lost":
            self._plug_panel(False)
        elif fault.name == "litter":
            plant.litter(fault.number_of("cards"))
        elif fault.name == "beam_noise":
            every_us, width_us = fault.number_of("every_us"), fault.number_of("width_us")
            fault.pulses = Pulses(self._line(fault), every_us, width_us, plant.now_us)
            plant.beams.add_noise(fault.pulses)
        elif fault.name == "storm":
            fault.storm = Storm(self._line(fault), fault.number_of("edges_per_s"), plant.now_us)
            plant.beams.add_storm(fault.storm)
        elif fault.name != "ejector_stuck":
            level = fault.number_of("level") if fault.name == "beam_stuck" else 0
            plant.beams.force(self._line(fault), level, plant.now_us)

    def _end(self, fault: Fault) -> None:
        plant = self.plant
        if fault.name == "roller_dead":
            self.dead[0 if fault.values["roller"] == "pick" else 1] -= 1
            plant.apply()
        elif fault.name == "ejector_stuck":
            plant.apply()
        elif fault.name == "panel_lost":
            self._plug_panel(True)
        elif fault.pulses is not None:
            plant.beams.drop_noise(fault.pulses, plant.now_us)
        elif fault.storm is not None:
            plant.beams.drop_storm(fault.storm, plant.now_us)
        elif fault.name != "litter":
            plant.beams.force(self._line(fault), -1, plant.now_us)

    def _plug_panel(self, there: bool) -> None:
        self.panel_lost = not there
        self.plant.changed = True

    def _note(self) -> None:
        if self.struck_us < 0:
            self.struck_us = self.plant.now_us

    def _line(self, fault: Fault) -> int:
        return self.plant.lines.index(str(fault.values["line"]))

    # -- questions at the moment something happens -----------------------------------------------------------------

    def active(self, name: str) -> "Fault | None":
        """A fault of that name in its time, whatever it strikes."""
        now_us = self.plant.now_us
        for fault in self.faults:
            if fault.name == name and fault.from_us <= now_us < fault.until_us:
                self._note()
                return fault
        return None

    def strikes(self, name: str, place: str, nth: int, subject: int, attempt: int) -> "Fault | None":
        """The first fault of that name that hits this subject; counts as one time."""
        for fault in self.faults:
            if fault.name == name and fault.place == place and self._hits(fault, nth, subject, attempt):
                fault.times -= 1 if fault.times > 0 else 0
                self._note()
                return fault
        return None

    def _hits(self, fault: Fault, nth: int, subject: int, attempt: int) -> bool:
        if not fault.times or not fault.from_us <= self.plant.now_us < fault.until_us:
            return False
        if fault.nth >= 0 and fault.nth != nth:
            return False
        return fault.ppm < 0 or mix(self.plant.seed ^ fault.number << 8, subject, attempt) % PPM < fault.ppm

    def misfeeds(self, nth: int, card: int, attempt: int) -> bool:
        for fault in self.faults:
            if fault.name != "misfeed":
                continue
            if fault.nth >= 0:
                if self._hits(fault, nth, card, 0):
                    fault.times -= 1
                    self._note()
                    return True
            elif attempt <= fault.number_of("times") and self._hits(fault, nth, card, self.plant.loads):
                self._note()
                return True
        return False

    def wear_us(self, passed: int) -> int:
        fault = self.active("wear")
        return fault.number_of("us_per_thousand_cards") * passed // 1000 if fault else 0

    def dust_um(self, line: int) -> int:
        um = 0
        now_us = self.plant.now_us
        for fault in self.faults:
            if fault.name == "beam_dust" and self._line(fault) == line and fault.from_us <= now_us < fault.until_us:
                um += fault.number_of("um")
                self._note()
        return um

    def blocks_ejector(self) -> bool:
        return bool(self.faults) and self.active("ejector_stuck") is not None

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

    def picked(self, throat: "Throat", body: "Body", nth: int) -> None:
        """A card has just left the hopper: what is wrong with it, and what will happen to it."""
        plant = self.plant
        card = body.cards[0]
        attempt = plant.loads * 32 + body.attempt
        offset_um = 0
        if self.faults:
            fault = self.strikes("double_feed", "", nth, card, attempt)
            if fault and throat.hopper:
                body.cards.append(throat.hopper.pop(throat.at_end))
                offset_um = fault.number_of("offset_um")
            self._mark(nth, card)
        throat.shape(body, offset_um)
        if not self.faults:
            return
        body.lost = self.strikes("card_lost", "rail", nth, card, attempt) is not None
        self._stop(body, "throat", nth, attempt, 0)
        self._stop(body, "mouth", nth, attempt, throat.b_um)
        if throat.fall_um:
            self._stop(body, "exit", throat.passed, attempt, 0)

    def drawn(self, body: "Body", nth: int) -> None:
        """A hand has just taken hold of it."""
        self._mark(nth, body.cards[0])

    def ejected(self, body: "Body", nth: int) -> None:
        """A card has just left its slot."""
        if self.faults:
            attempt = self.plant.loads * 32
            body.lost = self.strikes("card_lost", "exit", nth, body.cards[0], attempt) is not None
            self._stop(body, "exit", nth, attempt, 0)

    def _mark(self, nth: int, card: int) -> None:
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

    def _stop(self, body: "Body", place: str, nth: int, attempt: int, from_um: int) -> None:
        fault = self.strikes("jam", place, nth, body.cards[0], attempt)
        if fault:
            body.jogs = JAM_HARD
        else:
            fault = self.strikes("stall", place, nth, body.cards[0], attempt)
            if not fault:
                return
            body.jogs = fault.number_of("jogs")
        body.jam_um = from_um + fault.number_of("at_um")
