"""Turns the physical truth into line levels: bounce at every edge, faulty lines, and light that is switched off.

Every other part says what is so (`set`); only this one writes levels and edges. A bounce adds edges but does not wake
the firmware, which looks again by itself while a line is unsettled; only a last edge after such a look does.
"""

from hal.sim.body import FAR
from hal.sim.rng import mix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.chassis import Chassis

LIGHT = ("hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut")
STORM_MAX = 200000  # edges a second: 100 kHz
PULLS = {"toggled": (1, 1), "low": (0, 0), "high": (0, 1)}  # what is kept of a disturbed level, and what it becomes
_FREE, _LOW, _HIGH = range(3)


class Pulses:
    """Noise on one line: a pulse in every period, somewhere in it."""

    def __init__(self, line: int, every_us: int, width_us: int, from_us: int) -> None:
        self.line = line
        self.every_us = every_us
        self.width_us = width_us
        self.period = 0
        self.from_us = from_us
        self.on = False
        self.due_us = FAR


class Storm:
    """A line that is disturbed and free again so many times a second, evenly: two changes are a period, of which it is
    disturbed for `percent`. Meanwhile it shows the wrong level, or 0, or 1. `due_us` is the next change, while each is
    an event."""

    def __init__(self, line: int, edges_per_s: int, from_us: int, percent: int = 50, pull: str = "toggled") -> None:
        self.line = line
        self.edges_per_s = edges_per_s
        self.from_us = from_us
        self.late = (50 - percent) * 20000  # of every odd change, in millionths of a change
        self.keep, self.flip = PULLS[pull]
        self.edges = 0
        self.due_us = self.at_us(1)

    def at_us(self, edge: int) -> int:
        return self.from_us + (edge * 1000000 + (self.late if edge & 1 else 0)) // self.edges_per_s

    def skip_to(self, now_us: int) -> None:
        """Count the changes up to now without playing them."""
        passed = (now_us - self.from_us) * self.edges_per_s
        self.edges = passed // 2000000 * 2
        if passed % 2000000 >= 1000000 + self.late:
            self.edges += 1

    def shown(self, level: int) -> int:
        """What the line shows of its true level."""
        return level & self.keep ^ self.flip if self.edges & 1 else level

    def seen(self, level: int) -> bool:
        """Whether the line changes: not where it has the level that it is pulled to."""
        return level & self.keep ^ self.flip != level


class Beams:
    """Sole writer of the plant's levels and edges."""

    def __init__(self, plant: "Chassis", config: "Config") -> None:
        lines = plant.lines
        inputs = config["inputs"]
        self.plant = plant
        self.bounce_us = plant.true.mech["bounce_us"]
        self.edges_per_s_max = config["mechanism"]["edges_per_s_max"]  # on any one line; more is noise
        self.truth = plant.truth
        self.wired = bytearray([1 if name in inputs else 0 for name in lines])
        self.polled = bytearray([1 if isinstance(inputs.get(name), dict) else 0 for name in lines])  # by an expander
        self.seen = bytearray(self.wired)  # wired, and the slot beam only while the port watches it
        self.seen[plant.line_slot] = 0
        self.light = bytearray([1 if name in LIGHT else 0 for name in lines])
        self.forced = bytearray(len(lines))
        self.covered = bytearray(len(lines))  # by a hand
        self.lied = plant.lied
        self.edge_counts = [0] * len(lines)
        self.shown_edges = [0] * len(lines)  # for people who look at the machine
        self.flips = bytearray(len(lines))  # edges of the last bounce
        self.dark = False
        self.plain = not self.bounce_us
        self.queue: "list[tuple[int, int, int]]" = []
        self.noises: "list[Pulses]" = []
        self.storms: "list[Storm]" = []
        self.muted = False  # the port drops all edges: storms are not played edge by edge
        self.due_us = FAR
        self.wire = plant.true.wire
        self.flip = plant.true.flip
        for line in range(len(lines)):
            if self.wire[line] != line or self.flip[line]:
                self.lied[line] = 1
                plant.level[self.wire[line]] = self._at_port(line, 0)

    def set(self, line: int, level: int, now_us: int) -> None:
        """Set the true level of a line."""
        if self.truth[line] == level:
            return
        self.truth[line] = level
        if self.plain:
            if self.seen[line]:
                self._show(line, level, now_us)
            return
        self._settle(line, now_us)
        if self.queue or self.noises or self.storms:
            self._schedule()

    def watch(self, on: bool, now_us: int) -> None:
        """Switch the slot beam on or off for the port."""
        line = self.plant.line_slot
        self.seen[line] = 1 if on and self.wired[line] else 0
        self._show(line, self._shown(line), now_us)

    def switch_dark(self, dark: bool, now_us: int) -> None:
        self.dark = dark
        self._replan()
        for line in range(len(self.light)):
            if self.light[line]:
                self._drop(line)
                self._show(line, self._shown(line), now_us)
        self._schedule()

    def cover(self, line: int, on: bool, now_us: int) -> None:
        """A hand covers a beam, or holds a switch, whatever else is so; or lets go."""
        if not self.wired[line]:
            raise ValueError("this machine has no " + self.plant.lines[line])
        self.covered[line] = 1 if on else 0
        self._replan()
        self._drop(line)
        self._show(line, self._shown(line), now_us)

    # -- faults ----------------------------------------------------------------------------------------------------

    def force(self, line: int, level: int, now_us: int) -> None:
        """Show this level regardless of the truth; -1 ends it."""
        self.forced[line] = (_FREE, _LOW, _HIGH)[level + 1]
        self.lied[line] = 1
        self._replan()
        self._drop(line)
        self._show(line, self._shown(line), now_us)

    def add_noise(self, pulses: Pulses) -> None:
        self.lied[pulses.line] = 1
        self.noises.append(pulses)
        self._next_pulse(pulses)
        self._replan()
        self._schedule()

    def drop_noise(self, pulses: Pulses, now_us: int) -> None:
        self.noises.remove(pulses)
        self._show(pulses.line, self._shown(pulses.line), now_us)
        self._replan()
        self._schedule()

    def check_storm(self, line: int, edges_per_s: int, percent: int) -> None:
        """Raise ValueError where there can be none."""
        if not self.wired[line] or self.polled[line]:
            why = "it is polled" if self.wired[line] else "this machine has none"
            raise ValueError("no storm on %s: %s" % (self.plant.lines[line], why))
        if not 1 <= edges_per_s <= STORM_MAX:
            raise ValueError("a storm has 1 to %d edges a second" % STORM_MAX)
        if not 1 <= percent <= 99:
            raise ValueError("a storm disturbs 1 to 99 percent of the time")

    def add_storm(self, storm: Storm) -> None:
        self.lied[storm.line] = 1
        self.storms.append(storm)
        self._replan()
        self.mute(self.muted, self.plant.now_us)

    def drop_storm(self, storm: Storm, now_us: int) -> None:
        self.storms.remove(storm)
        self._show(storm.line, self._shown(storm.line), now_us)
        self._replan()
        self._schedule()

    def mute(self, on: bool, now_us: int) -> None:
        """Whether the port drops every edge; if so, changes of a storm are counted and not played."""
        self.muted = on
        self.show_storms(now_us)
        for storm in self.storms:
            storm.due_us = FAR if on else storm.at_us(storm.edges + 1)
        self._schedule()

    def show_storms(self, now_us: int) -> None:
        """Bring the lines under a storm to the level that they have now."""
        for storm in self.storms:
            storm.skip_to(now_us)
            self._show(storm.line, self._shown(storm.line), now_us)

    def edges_per_s(self) -> int:
        """Of all storms on lines that the port looks at."""
        return sum([storm.edges_per_s for storm in self.storms if self._stormy(storm)])

    def fastest(self) -> "Storm | None":
        found = None
        for storm in self.storms:
            if self._stormy(storm) and (found is None or storm.edges_per_s > found.edges_per_s):
                found = storm
        return found

    def fire(self, now_us: int) -> None:
        while self.queue and self.queue[0][0] <= now_us:
            _due_us, line, level = self.queue.pop(0)
            changed = self.plant.changed
            self._show(line, level, now_us)
            self.plant.changed = changed or self._ends_bounce(line)
        for pulses in self.noises:
            if pulses.due_us <= now_us:
                self._pulse(pulses, now_us)
        for storm in self.storms:
            if storm.due_us <= now_us:
                storm.edges += 1
                storm.due_us = storm.at_us(storm.edges + 1)
                self._show(storm.line, self._shown(storm.line), now_us)
        self._schedule()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _replan(self) -> None:
        hidden = self.dark or any(self.forced) or any(self.covered)
        self.plain = not (self.bounce_us or hidden or self.noises or self.storms)

    def _shown(self, line: int) -> int:
        if not self.seen[line]:
            return 0
        forced = self.forced[line]
        if forced:
            return 1 if forced == _HIGH else 0
        level = self._true(line)
        for storm in self.storms:
            if storm.line == line:
                level = storm.shown(level)
        return level

    def _true(self, line: int) -> int:
        return 1 if self.covered[line] or (self.dark and self.light[line]) else self.truth[line]

    def _stormy(self, storm: Storm) -> bool:
        """Whether a storm reaches the port: not on an unwatched line, or one that is stuck."""
        line = storm.line
        return self.seen[line] != 0 and not self.forced[line] and storm.seen(self._true(line))

    def _show(self, line: int, level: int, now_us: int) -> None:
        plant = self.plant
        level = self._at_port(line, level)
        line = self.wire[line]
        if plant.level[line] == level:
            return
        plant.level[line] = level
        self.shown_edges[line] += 1
        plant.changed = True
        plant.edges.append((line, level, now_us))
        if level and line == plant.stop_line:
            plant.stop_blocked(now_us)

    def _at_port(self, line: int, level: int) -> int:
        """An inverted line shows the other level, as long as it is read at all."""
        return level ^ 1 if self.flip[line] and self.seen[line] else level

    def _settle(self, line: int, now_us: int) -> None:
        """The true level changed, on a line that may bounce or be faulty."""
        level = self._shown(line)
        self._drop(line)
        if self.plant.level[self.wire[line]] == self._at_port(line, level):
            return
        self._show(line, level, now_us)
        if self.bounce_us and self.light[line] and not self.storms:
            self._bounce(line, level, now_us)

    def _bounce(self, line: int, level: int, now_us: int) -> None:
        """None to three short pulses, all within bounce_us."""
        count = self.edge_counts[line]
        self.edge_counts[line] = count + 1
        noise = mix(self.plant.seed, 0xB0 + line, count)
        flips = (noise & 3) * 2
        if not flips or self.bounce_us < flips * 2:
            return
        part_us = self.bounce_us // flips
        for i in range(flips):
            level = 1 - level
            noise >>= 4
            self.queue.append((now_us + i * part_us + 1 + (part_us - 1) * (noise & 15) // 16, line, level))
        self.flips[line] = flips
        self.queue.sort()
        self.due_us = min(self.due_us, self.queue[0][0])

    def _ends_bounce(self, line: int) -> bool:
        """Whether this was the last pulse and the firmware has looked in between: what it saw was not the end, and
        nothing else would make it look again."""
        for entry in self.queue:
            if entry[1] == line:
                return False
        left = self.flips[line]
        for edge in self.plant.edges:
            left -= 1 if edge[0] == line else 0
        return left > 0

    def _drop(self, line: int) -> None:
        if self.queue:
            self.queue = [entry for entry in self.queue if entry[1] != line]

    def _next_pulse(self, pulses: Pulses) -> None:
        spare_us = pulses.every_us - pulses.width_us
        begin_us = pulses.from_us + pulses.period * pulses.every_us
        pulses.due_us = begin_us + mix(self.plant.seed, 0xA0 + pulses.line, pulses.period) % spare_us
        pulses.period += 1

    def _pulse(self, pulses: Pulses, now_us: int) -> None:
        level = self._shown(pulses.line)
        pulses.on = not pulses.on
        if pulses.on:
            if self.seen[pulses.line] and not self.forced[pulses.line]:
                self._show(pulses.line, 1 - level, now_us)
            pulses.due_us += pulses.width_us
        else:
            self._show(pulses.line, level, now_us)
            self._next_pulse(pulses)

    def _schedule(self) -> None:
        due = self.queue[0][0] if self.queue else FAR
        for pulses in self.noises:
            due = min(due, pulses.due_us)
        for storm in self.storms:
            due = min(due, storm.due_us)
        self.due_us = due
