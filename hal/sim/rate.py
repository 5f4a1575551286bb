"""The rate of edges on each line, as a port counts it: a line that is faster than cards can make it is noise.

A line may have so many edges in any 8 ms. Windows that begin at fixed times, or with the edge of another line, would
let a line at a little more than its rate pass for as long as the two keep step.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.plant import Plant

WINDOW_US = 8000
QUIET_US = 50000  # so long every line must be below its rate before edges count again
NO_LINE = 255


class Rate:
    """Of one port. `noisy` is the line with too many edges, or NO_LINE."""

    def __init__(self, plant: "Plant") -> None:
        self.plant = plant
        self.limit = plant.beams.edges_per_s_max * WINDOW_US // 1000000
        self.noisy = NO_LINE
        self._last_us = 0  # when there was noise
        self._last = [[-WINDOW_US] * self.limit for _ in plant.lines]  # of each line, the times of its last edges
        plant.beams.mute(False, plant.now_us)

    def count(self, edges: "list[tuple[int, int, int]]") -> None:
        """Edges in order of time. Switches everything off if a line has too many."""
        least_us = WINDOW_US
        for line, _level, at_us in edges:
            last = self._last[line]
            last.append(at_us)
            gone_us = at_us - last.pop(0)
            if gone_us < least_us:
                least_us = gone_us  # of several lines the fastest is named
                self._strike(line)

    def crowd(self, edges: "list[tuple[int, int, int]]") -> None:
        """More edges than an image takes. All of them in one window, and more than one line may have: noise, though no
        line exceeds its own rate yet. The one with the most edges is named."""
        if self.noisy == NO_LINE and len(edges) > self.limit and edges[-1][2] - edges[0][2] < WINDOW_US:
            lines = [edge[0] for edge in edges]
            self._strike(max(lines, key=lines.count))

    def watch(self) -> None:
        """While it is noisy: find out whether it still is."""
        plant = self.plant
        beams = plant.beams
        self.count(plant.edges)
        fastest = beams.fastest()
        if fastest is not None and fastest.edges_per_s > beams.edges_per_s_max:
            self._strike(fastest.line)
        beams.show_storms(plant.now_us)
        if plant.now_us - self._last_us >= QUIET_US:
            self.noisy = NO_LINE
            beams.mute(False, plant.now_us)

    def _strike(self, line: int) -> None:
        plant = self.plant
        self._last_us = plant.now_us
        if self.noisy == NO_LINE:
            plant.all_off()
            plant.beams.mute(True, plant.now_us)
        self.noisy = line
