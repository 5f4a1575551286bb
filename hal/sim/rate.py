"""The rate of edges on each line, as a port counts it: a line that is faster than cards can make it is noise."""

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
        self._since_us = [-WINDOW_US] * len(plant.lines)
        self._counts = [0] * len(plant.lines)
        plant.beams.mute(False, plant.now_us)

    def count(self, edges: "list[tuple[int, int, int]]") -> None:
        """Edges in order of time. Switches everything off if a line has too many."""
        most = self.limit
        for line, _level, at_us in edges:
            if at_us - self._since_us[line] >= WINDOW_US:
                self._since_us[line] = at_us
                self._counts[line] = 0
            self._counts[line] += 1
            if self._counts[line] > most:
                most = self._counts[line]
                self._strike(line)

    def crowd(self, edges: "list[tuple[int, int, int]]") -> None:
        """More edges than an image takes. All of them in one window, and more than one line may have: noise, though no
        line exceeds its own rate yet. The one with the most edges is named."""
        if self.noisy == NO_LINE and len(edges) > self.limit and edges[-1][2] - edges[0][2] < WINDOW_US:
            self._strike(max(edges, key=lambda edge: self._counts[edge[0]])[0])

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
