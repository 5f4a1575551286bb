"""The plant behind pins, in real time: docs/TESTING.md. tools/twin/main.py is its port for a second Pico.

The plant runs up to the present and its edges are shown `lag_us` later, which leaves that time to compute them. Rollers
that start and brake earlier by the lag make up for it: from outside the machine is as configured.
"""

import json

from hal.sim.body import FAR
from hal.sim.plant import DARK, OUTPUTS, PICK, TRANSPORT, Plant
from hal.sim.rng import mix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.truth import Figures

LAG_US_MAX = 2500
EDGES_PER_S_MAX = 500  # of noise: each is an event of the plant
REST_US = 200000
DRAWN = 32  # bounces, one after the other
_NUMBERS = ("take", "litter")
_LINES = ("cover", "uncover", "repair")


def lag_us(mech: "Config") -> int:
    """How late edges may be shown: less than a card needs to brake and a roller to start."""
    return int(min(LAG_US_MAX, mech["brake_um"] * 1000 // mech["transport_um_per_ms"], mech["roller_start_us"]))


def hastened(mech: "Config", lag: int) -> "Figures":
    """The figures of a machine that is so much ahead."""
    # Bounces are drawn beforehand: as events of the plant they would take longer than they last.
    figures: "Figures" = {"brake_um": mech["brake_um"] - mech["transport_um_per_ms"] * lag // 1000, "bounce_us": 0}
    for name in ("roller_start_us", "pick_latency_us_min", "pick_latency_us_max"):
        figures[name] = mech[name] - lag
    return figures


def bounce(seed: int, number: int, bounce_us: int) -> "list[int]":
    """None to three short pulses, all within bounce_us: when the level changes, from the edge on."""
    noise = mix(seed, 0xB0, number)
    flips = (noise & 3) * 2
    if not flips or bounce_us < flips * 2:
        return []
    part_us = bounce_us // flips
    return [i * part_us + 1 + (part_us - 1) * (noise >> 4 * i + 4 & 15) // 16 for i in range(flips)]


class WiredPlant:
    """A motor shoe at the pins of the board under test. Times are the plant's own, without the lag."""

    def __init__(self, config: "Config", lines: "tuple[str, ...]", seed: int) -> None:
        mech = config["mechanism"]
        if mech["kind"] != "shoe":
            raise ValueError("only a motor shoe is played, not a " + str(mech["kind"]))
        self.lag_us = lag_us(mech)
        self.plant = Plant(config, lines, seed, hastened(mech, self.lag_us))
        inputs = config["inputs"]
        pins = [inputs.get(name) for name in lines]
        self.pins = [pin if isinstance(pin, int) else -1 for pin in pins]  # of each line; panels are real parts
        self.first_pin = min([pin for pin in self.pins if pin >= 0])
        self.pin_count = max(self.pins) - self.first_pin + 1
        self.masks = [1 << config["outputs"][name] if name in config["outputs"] else 0 for name in OUTPUTS]
        self.outputs = bytearray(len(OUTPUTS))
        self.bits = [1 << (pin - self.first_pin) if pin >= 0 else 0 for pin in self.pins]
        self.pattern = 0  # the pins from the first on, as the last edge leaves them
        self.settled = 0  # the same when nothing bounces
        self.dark = 0
        self.switched_us = 0
        self.shown = 0  # edges ever
        self.bounced = 0
        self.drawn = [bounce(seed, i, mech["bounce_us"]) for i in range(DRAWN)]

    # -- time ------------------------------------------------------------------------------------------------------

    def switch(self, levels: int, at_us: int) -> None:
        """The board under test switched outputs: the levels of all pins at that time, which is not the future."""
        self.advance(at_us)
        for i in range(len(self.masks)):
            self.outputs[i] = 1 if levels & self.masks[i] else 0
        self.plant.drive(self.outputs, False)
        self.switched_us = self.plant.now_us

    def advance(self, to_us: int) -> None:
        plant = self.plant
        while plant.now_us < to_us:
            plant.advance(to_us)
            plant.changed = False

    def darken(self, levels: int) -> int:
        """What the pins show at once because the light of the beams was switched, or -1. The plant needs longer for
        it than the firmware waits, and shows the same later."""
        dark = levels & self.masks[DARK]
        if dark == self.dark:
            return -1
        self.dark = dark
        beams = self.plant.beams
        for line in range(len(self.pins)):
            if self.bits[line] and beams.light[line] and not (beams.forced[line] or beams.covered[line]):
                self._change(self.bits[line], 1 if dark else beams.truth[line])
        self.settled = self.pattern
        return self.pattern

    def take(self) -> "list[tuple[int, int]] | tuple[()]":
        """When the pins change and what they show then, in order, since the last call; with bounces, which are soon."""
        edges = self.plant.edges
        if not edges:
            return ()  # asked in every turn: an empty list would be memory
        beams = self.plant.beams
        calm = not (beams.noises or beams.storms)
        self.plant.edges = []
        changes: "list[tuple[int, int, int]]" = []
        for line, level, at_us in edges:
            bit = self.bits[line]
            if level == (1 if self.settled & bit else 0) or not bit:
                continue
            self.settled ^= bit
            changes.append((at_us, bit, level))
            if calm and beams.light[line]:
                self.bounced += 1
                for after_us in self.drawn[self.bounced % DRAWN]:
                    level = 1 - level
                    changes.append((at_us + after_us, bit, level))
        if len(edges) > 1:
            changes.sort()
        self.shown += len(changes)
        return [(at_us, self._change(bit, level)) for at_us, bit, level in changes]

    def _change(self, bit: int, level: int) -> int:
        self.pattern = self.pattern | bit if level else self.pattern & ~bit
        return self.pattern

    def rests(self) -> bool:
        """No motor runs, or has run for a while: between two cards of a stack they may all be off."""
        running = self.outputs[PICK] or self.outputs[TRANSPORT]
        return not running and self.plant.now_us - self.switched_us > REST_US

    def quiet_us(self) -> int:
        """For how long nothing happens by itself."""
        due_us = self.plant.next_us()
        return due_us - self.plant.now_us if due_us < FAR else REST_US

    def begin_again(self) -> bool:
        """Set the time back to 0: beyond 30 bits every number takes memory. Only in an idle machine without faults."""
        plant = self.plant
        if plant.next_us() < FAR or plant.throat.bodies or plant.faults.entries or plant.edges or not self.rests():
            return False
        plant.now_us = 0
        self.switched_us = -REST_US - 1
        return True

    # -- people ----------------------------------------------------------------------------------------------------

    def order(self, text: str) -> str:
        """What a person does, as typed, or a fault as it stands in a scenario file. The answer begins with `ok` or
        with `refused`."""
        try:
            cards = self._do(text.strip())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return "refused %s: %s" % (text.strip(), error)
        return "ok %s%s" % (text.strip(), " %d" % len(cards) if cards is not None else "")

    def _do(self, text: str) -> "list[int] | None":
        plant = self.plant
        if text.startswith("{"):
            spec = json.loads(text)
            noise_us = int(spec.get("every_us", FAR))
            if int(spec.get("edges_per_s", 0)) > EDGES_PER_S_MAX or noise_us < 2000000 // EDGES_PER_S_MAX:
                raise ValueError("more than %d edges a second cannot be played" % EDGES_PER_S_MAX)
            return plant.add_fault(spec)
        words = text.split()
        name, arguments = words[0] if words else "", words[1:]
        if name == "load":
            return plant.load(list(range(int(arguments[0] if arguments else ""))))
        if name in ("open", "close"):
            return plant.door(name == "open")
        if name in ("lift", "clear"):
            return plant.lift() if name == "lift" else plant.clear()
        if name in _NUMBERS and (name == "take" or arguments):
            count = int(arguments[0]) if arguments else -1
            return plant.take(count) if name == "take" else plant.litter(count)
        if name in _LINES and (name == "repair" or arguments):
            line = arguments[0] if arguments else ""
            if name == "repair":
                return plant.repair(line)
            return plant.beams.cover(plant.lines.index(line), name == "cover", plant.now_us)
        raise ValueError("known: load N, take [N], lift, open, close, clear, litter N, cover|uncover LINE, "
                         "repair [LINE], status, and a fault as JSON")  # fmt: skip

    def state(self) -> "dict[str, int]":
        """Where the cards are, to compare with what the board under test reports."""
        plant = self.plant
        under_way = sum([len(body.cards) for body in plant.throat.bodies])
        return {
            "hopper": len(plant.hopper), "throat": under_way, "tray": len(plant.tray), "lost": len(plant.lost),
            "put_in": plant.put_in, "handed_out": plant.handed_out, "edges": self.shown,
        }  # fmt: skip
