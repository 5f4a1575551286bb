"""The real figures of a simulated machine, where they differ from its board config.

The port works with the config, the plant with the truth. A truth is a flat dict of what differs: mechanical figures by
the names of the config's `mechanism`, and the keys below. Without one the machine is as configured.

    Rig(config, "house", 7, 0, truth={"slot_count": 53, "brake_um": 8000})
    Stage(config, "house", 7, truth={"swapped": ["throat_a", "throat_b"], "backwards": ["transport"]})
    Rig(config, "house", 7, 0, truth=dict(other_config["mechanism"], inverted=["exit"]))

| key | meaning |
|---|---|
| swapped | two lines: each shows the beam of the other |
| inverted | lines that show 0 for blocked |
| backwards | motors that turn the wrong way: pick, transport, outfeed, axis |
| lamps | which lamps light at the outputs of green, amber and red: `["amber", "green", ""]` |
| outfeed_um_per_ms | speed of a carousel's outfeed; else as configured, or that of the transport |
| home_steps | steps from the home mark to the place where slot 0 is at the mouth; else as configured, or HOME_STEPS |
| slip_at_start | 1: slip is drawn again whenever a roller starts on a card, not once for each card |
| warm_percent, warm_s | change of the rollers' speed as they warm up, and how long that takes from power-up |
| worn_percent_per_thousand_cards | speed that the rollers lose by wear |
| worn_us_per_thousand_cards | growth of the pick latency |

Speed and acceleration of the axis are those that the motor can follow. If more is ordered, it stalls on the way. Unless
the truth has them, they are above those of the config by SPARE_PERCENT, and as much again.
"""

from hal.sim.body import FAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config

    Figures = dict[str, Any]

# Of the config's mechanism; what it has besides these is the firmware's own business.
FIGURE_NAMES = (
    "card_um throat_a_um throat_b_um nip_um transport_um_per_ms brake_um roller_start_us slip_percent_max"
    " pick_latency_us_min pick_latency_us_max feed bounce_us slot_count slot_steps slot_beam_slots axis_mrev_per_s"
    " axis_mrev_per_s2 shelf_count shelf_steps shelf_cards_max axis_mshelf_per_s axis_mshelf_per_s2 arrival_um lift_us"
    " ejector_us exit_um tray_um"
)
FIGURES = FIGURE_NAMES.split()
HOME_STEPS = 2  # how far before place 0 the mark begins, in the direction of homing
HOME_WIDTH_STEPS = 24
SPARE_PERCENT = 30  # of the speed of an axis; its acceleration has as much on the same time scale
LAMPS = ("green", "amber", "red")
_FIRST_LAMP = 6  # of the outputs
MOTORS = ("pick", "transport", "outfeed", "axis")
OWN_NAMES = (
    "swapped inverted backwards outfeed_um_per_ms home_steps slip_at_start warm_percent warm_s"
    " worn_percent_per_thousand_cards worn_us_per_thousand_cards lamps"
)
_OWN = OWN_NAMES.split()
_LISTS = ("swapped", "inverted", "backwards", "lamps")
_BELOW_ZERO = ("warm_percent", "worn_percent_per_thousand_cards", "worn_us_per_thousand_cards")
_DIVISOR_NAMES = (
    "card_um transport_um_per_ms outfeed_um_per_ms slot_count slot_steps shelf_count shelf_steps"
    " axis_mrev_per_s axis_mrev_per_s2 axis_mshelf_per_s axis_mshelf_per_s2"
)
_NEVER_ZERO = _DIVISOR_NAMES.split()


class Truth:
    """`mech` has the figures of the real mechanism; `ordered` those that the port works with."""

    def __init__(self, config: "Config", truth: "Figures | None", lines: "tuple[str, ...]") -> None:
        self.ordered = config["mechanism"]
        self.own: "Figures" = {}
        self.mech: "Figures" = dict(self.ordered)
        self.limits: "Figures" = {}  # figures that the truth has
        given = truth or {}
        for key in given:
            if key in _OWN:
                _check(key, given[key])
                self.own[key] = given[key]
            elif key in FIGURES and key in self.ordered:
                _check(key, given[key])
                self.mech[key] = given[key]
                self.limits[key] = given[key]
            elif given[key] != self.ordered.get(key):
                known = [name for name in FIGURES if name in self.ordered]
                raise ValueError("no truth %r in this machine; known: %s" % (key, ", ".join(_OWN + known)))
        self.differs = bool(self.own) or self.mech != self.ordered
        self.wire = bytearray(range(len(lines)))  # which line shows each beam or switch
        self.flip = bytearray(len(lines))
        swapped = self._names("swapped", lines)
        if len(swapped) not in (0, 2):
            raise ValueError("swapped: two lines")
        for i in range(len(swapped)):
            self.wire[lines.index(swapped[i])] = lines.index(swapped[1 - i])
        for name in self._names("inverted", lines):
            self.flip[lines.index(name)] = 1
        turned = self._names("backwards", MOTORS)
        self.pick_way = -1 if "pick" in turned else 1
        self.transport_way = -1 if "transport" in turned else 1
        self.axis_way = -1 if "axis" in turned else 1
        self.outfeed_turns = "outfeed" not in turned

    def number(self, key: str) -> int:
        return int(self.own.get(key, self.ordered.get(key, 0)))

    def speed(self, now_us: int, passed: int) -> int:
        """Of the rollers at the throat, with their heat and wear."""
        speed = self.mech["transport_um_per_ms"]
        if self.own:
            warm_us = self.number("warm_s") * 1000000
            warmth = min(now_us * 1000 // warm_us, 1000) if warm_us else 1000
            speed += speed * self.number("warm_percent") * warmth // 100000
            speed -= speed * self.number("worn_percent_per_thousand_cards") * passed // 100000
        return max(speed, 1)

    def stalls_at(self, ramp: int, key: str, percent: int, accel_percent: int) -> int:
        """After how much of a ramp the axis no longer follows its pulses, at so many percent of what the config has."""
        most, ordered = 100 + SPARE_PERCENT, self.ordered[key] * percent
        speed = self.limits[key] * 100 if key in self.limits else self.ordered[key] * most
        key += "2"
        accel = self.limits[key] * 10000 if key in self.limits else self.ordered[key] * most * most
        if accel < self.ordered[key] * accel_percent * 100:
            return 0
        return ramp * speed // ordered * speed // ordered if speed < ordered else FAR

    def lit(self, levels: bytearray) -> "list[str]":
        """The lamps that are lit at these levels of the outputs."""
        lamps = self.own.get("lamps", LAMPS)
        return [lamps[i] for i in range(len(LAMPS)) if levels[_FIRST_LAMP + i] and lamps[i]]

    def _names(self, key: str, known: "tuple[str, ...]") -> "list[str]":
        names = list(self.own.get(key, ()))
        for name in names:
            if name not in known:
                raise ValueError("%s: no %r; known: %s" % (key, name, ", ".join(known)))
        return names


def _check(key: str, value: "Any") -> None:
    """ValueError for what no machine can have: it comes from a file that a person writes."""
    if key in _LISTS:
        good = isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value)
        if good and key == "lamps":
            good = len(value) == len(LAMPS) and all(name in LAMPS for name in value if name)
        wanted = '["green", "amber", "red"] in any order, "" for a dead one' if key == "lamps" else "a list of names"
    elif key == "feed":
        good, wanted = value in ("top", "bottom"), "top or bottom"
    else:
        least = 1 if key in _NEVER_ZERO else 0
        good = isinstance(value, int) and not isinstance(value, bool) and (value >= least or key in _BELOW_ZERO)
        wanted = "a whole number" if key in _BELOW_ZERO else "a whole number from %d" % least
    if not good:
        raise ValueError("truth %s: %s, not %r" % (key, wanted, value))
