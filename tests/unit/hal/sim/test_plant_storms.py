"""Storms in the plant: every edge at its microsecond, the port's window of 8 ms, and the quiet that ends the noise."""

from support import board, raises

from firmware.image import INPUTS, NO_LINE, Inputs
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal
from hal.sim.rate import QUIET_US

LIMIT = 24  # edges in 8 ms: 3,000 a second


class Bench:
    """A plant with a port, at rest, and a motor that runs."""

    def __init__(self, kind="shoe"):
        self.plant = Plant(board(kind, mechanism={"bounce_us": 0}), INPUTS, 3)
        self.hal = SimHal(self.plant, Nv(64))
        self.inp = Inputs()
        self.hal.sample(self.inp)
        self.hal.drive(bytearray([0, 1] + [0] * 9), False)

    def run(self, us):
        """Time goes by without a sample."""
        end_us = self.plant.now_us + us
        while self.plant.now_us < end_us:
            self.plant.changed = False
            self.plant.advance(end_us)

    def sample(self):
        inp = self.inp
        inp.edge_count = 0
        inp.edge_lost = False
        self.hal.sample(inp)
        return [(INPUTS[inp.edge[i] >> 1], inp.edge[i] & 1) for i in range(inp.edge_count)]

    def storm(self, line, edges_per_s, ms=0):
        spec = {"fault": "storm", "line": line, "edges_per_s": edges_per_s}
        if ms:
            spec["for_ms"] = ms
        self.plant.add_fault(spec)

    def flip(self, line, count, every_us):
        """So many changes by whatever means, one sample after all of them."""
        for i in range(count):
            self.run(every_us)
            self.plant.set_line(INPUTS.index(line), (i + 1) % 2, self.plant.now_us)


def test_a_slow_storm_is_an_edge_at_a_time():
    bench = Bench()
    bench.storm("exit", 1000)
    bench.run(10000)
    assert bench.sample() == [("exit", 1), ("exit", 0)] * 5
    assert not bench.inp.edge_lost and bench.inp.noisy == NO_LINE
    assert bench.plant.outputs[1]


def test_as_many_edges_as_the_limit_allows_are_all_there_and_one_more_is_noise():
    for count in (LIMIT, LIMIT + 1):
        bench = Bench()
        bench.flip("tray", count, 100)
        edges = bench.sample()
        noisy = count > LIMIT
        assert bench.inp.edge_lost == noisy and bench.plant.outputs[1] != noisy
        assert bench.inp.noisy == (INPUTS.index("tray") if noisy else NO_LINE)
        assert len(edges) == (0 if noisy else count)
        assert bench.inp.raw[INPUTS.index("tray")] == count % 2


def test_noise_ends_after_50_ms_below_the_rate_and_no_sooner():
    bench = Bench()
    bench.storm("exit", 40000, 20)
    bench.run(19000)
    bench.sample()
    assert bench.inp.noisy == INPUTS.index("exit")
    bench.run(QUIET_US - 1)
    assert bench.sample() == [] and bench.inp.edge_lost and bench.inp.noisy != NO_LINE
    bench.run(1)
    assert bench.sample() == [] and not bench.inp.edge_lost and bench.inp.noisy == NO_LINE
    bench.flip("exit", 3, 1000)
    assert bench.sample() == [("exit", 1), ("exit", 0), ("exit", 1)]


def test_a_new_boot_finds_the_noise_by_itself():
    bench = Bench()
    bench.storm("exit", 40000)
    bench.run(2000)
    bench.sample()
    bench.hal = SimHal(bench.plant, Nv(64))
    bench.inp = Inputs()
    bench.run(2000)
    assert bench.sample() == [] and bench.inp.noisy == NO_LINE  # from before the first sample
    bench.run(2000)
    bench.sample()
    assert bench.inp.noisy == INPUTS.index("exit")


def test_a_storm_on_a_line_that_is_polled_or_missing_or_impossible_is_refused():
    bench = Bench()
    for line, rate in (("button_ack", 1000), ("slot", 1000), ("exit", 0), ("exit", 200001)):
        assert raises(ValueError, bench.storm, line, rate), (line, rate)
    bench.storm("exit", 200000)


def test_the_slot_beam_storms_only_while_somebody_watches_it():
    bench = Bench("carousel")
    bench.storm("slot", 100000)
    bench.run(5000)
    assert bench.sample() == [] and bench.inp.noisy == NO_LINE
    bench.hal.drive(bytearray(11), True)
    bench.run(5000)
    bench.sample()
    assert bench.inp.noisy == INPUTS.index("slot")
