"""The HAL verbs over the simulated plant. Clocks start just before they wrap, so that every run crosses the wrap."""

from hashlib import sha256

from hal.sim.rate import NO_LINE, Rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import InputImage
    from hal.sim.nv import Nv
    from hal.sim.plant import Plant

_MASK = 0x3FFFFFFF
_ORIGIN_MS = 0x40000000 - 12000
_ORIGIN_US = 0x40000000 - 15000000
LINK_BUFFER = 4096
MACHINE_COUNT = 6  # the first outputs: motors, reverse and dark
CAPTURE_US = 200  # a sample under a storm, where hardware captures the edges (docs/BUDGETS.md)


class SimHal:
    """One boot of the simulated device; the plant and the storage live on when it is thrown away."""

    def __init__(self, plant: "Plant", nv: "Nv") -> None:
        self.plant = plant
        self.nv = nv
        self.sent = bytearray()  # device to host, until it is read
        self.received = bytearray()  # host to device
        self.service = False  # which port is the link
        self.service_sent = bytearray()
        self.service_received = bytearray()
        self.lines: "tuple[str, str, str, str]" = ("", "", "", "")
        self.fed = 0
        self.entropy_draws = 0
        self.entropy_ok = True
        self.cause = 0
        self.rate = Rate(plant)
        self.first = True  # nothing was sampled yet
        self.edge_us = 0  # what an interrupt takes; 0: edges are captured without one
        self.masks = True  # interrupts are off while there is noise
        self.written = 0  # cells, in this scan

    def ticks_ms(self) -> int:
        return (_ORIGIN_MS + self.plant.now_us // 1000) & _MASK

    def ticks_us(self) -> int:
        return (_ORIGIN_US + self.plant.now_us) & _MASK

    def idle(self, ms: int) -> None:
        self.plant.advance(self.plant.now_us + ms * 1000)

    def sample(self, inp: "InputImage") -> bool:
        plant = self.plant
        inp.axis = plant.axis.state()
        inp.axis_early = plant.axis.early
        inp.panel_lost = plant.faults.panel_lost
        if self.first:
            self.first = False
            plant.edges = []  # edges before the first sample: levels are enough
        if self.rate.noisy != NO_LINE:
            self.rate.watch()
            return self._blind(inp)
        if not plant.changed and not plant.edges:
            return False
        plant.changed = False
        if plant.edges:
            self.rate.count(plant.edges)
            if inp.edge_count + len(plant.edges) > len(inp.edge_us):
                self.rate.crowd(plant.edges)
            if self.rate.noisy != NO_LINE:
                return self._blind(inp)
        count = inp.edge_count
        for line, value, t_us in plant.edges:
            if count == len(inp.edge_us):
                inp.edge_lost = True
                break
            inp.edge[count] = line << 1 | value
            inp.edge_us[count] = (_ORIGIN_US + t_us) & _MASK
            count += 1
        inp.edge_count = count
        if plant.edges:
            plant.edges = []
        inp.card_code = plant.card_code
        inp.card_codes = plant.card_codes
        inp.raw[:] = plant.level
        return True

    def _blind(self, inp: "InputImage") -> bool:
        """Too many edges: none counts, and levels are as they are."""
        plant = self.plant
        inp.noisy = self.rate.noisy
        inp.edge_lost = inp.edge_lost or inp.noisy != NO_LINE
        inp.edge_count = 0
        inp.axis = plant.axis.state()
        inp.raw[:] = plant.level
        plant.edges = []
        plant.changed = False
        return True

    def drive(self, level: bytearray, watch_slot: bool) -> None:
        if self.rate.noisy != NO_LINE:
            # A scan that began before still believes the rollers to be running.
            level = bytearray(MACHINE_COUNT) + level[MACHINE_COUNT:]
        self.plant.drive(level, watch_slot)

    def all_off(self) -> None:
        self.plant.all_off()

    def move(self, slots: int, home: bool) -> None:
        self.plant.move(slots, home)

    def step(self, steps: int, pace: int) -> None:
        self.plant.step(steps, pace)

    def home_at(self) -> int:
        return self.plant.axis.home_at

    def stop_after(self, output: int, line: int, delay_us: int) -> None:
        self.plant.stop_after(output, line, delay_us)

    def show(self, lines: "tuple[str, str, str, str]") -> None:
        self.lines = lines

    def link_readinto(self, buf: bytearray) -> int:
        received = self.service_received if self.service else self.received
        if not received:
            return 0
        size = min(len(buf), len(received))
        for i in range(size):
            buf[i] = received[i]
        if self.service:
            self.service_received = received[size:]
        else:
            self.received = received[size:]
        return size

    def link_write(self, buf: memoryview, start: int, end: int) -> int:
        sent = self.service_sent if self.service else self.sent
        size = min(end - start, LINK_BUFFER - len(sent))
        sent.extend(buf[start : start + size])
        return size

    def link_service(self, on: bool) -> None:
        self.service = on
        self.received = bytearray()  # what arrives at a port that is not the link is gone
        self.service_received = bytearray()

    def nv_read(self, address: int, buf: bytearray) -> bool:
        return self.nv.read(address, buf)

    def nv_prog(self, address: int, buf: bytearray) -> bool:
        if self._fault("nv"):
            return False
        self.written += 1
        return self.nv.prog(address, buf)

    def nv_erase(self, address: int, size: int) -> bool:
        return self.nv.erase(address, size)

    def nv_sync(self) -> bool:
        return not (self.nv.broken or self._fault("nv"))

    def entropy_into(self, buf: bytearray) -> bool:
        """Noise from the seed: good enough to try everything, worthless for play. A board has a real source."""
        kind = self._fault("entropy")
        noise = b""
        for i in range(len(buf)):
            at = self.entropy_draws & 31
            if at == 0 or not noise:
                noise = sha256(b"%d %d" % (self.plant.seed, self.entropy_draws >> 5)).digest()
            byte = noise[at]
            if kind == "stuck":
                byte = 0xA5
            elif kind == "biased":
                byte &= noise[at - 1] & noise[at - 2]  # one bit in eight is set
            elif kind == "correlated":
                byte &= noise[at - 1]  # a bit differs from the one before it one time in four
                byte ^= byte >> 1
                byte ^= byte >> 2
                byte ^= byte >> 4
                if i and buf[i - 1] & 1:
                    byte ^= 0xFF
            buf[i] = byte
            self.entropy_draws += 1
        return self.entropy_ok and kind != "dead"

    def _fault(self, name: str) -> str:
        """The kind of an active fault, or nothing."""
        faults = self.plant.faults
        fault = faults.active(name) if faults.entries else None
        return str(fault.values["kind"]) if fault else ""

    def busy_us(self, work_us: int) -> int:
        """How long a scan with so much work takes under a storm. If every edge is an interrupt and they leave no time
        for anything else, the scan ends only after the storm."""
        beams = self.plant.beams
        if not self.edge_us:
            return work_us + CAPTURE_US
        if self.masks:
            # Each line can have so many before it is masked.
            return work_us + self.edge_us * (self.rate.limit + 1) * len(beams.storms)
        spare = 1000000 - beams.edges_per_s() * self.edge_us
        ends_us = self.plant.fault_timer.due_us - self.plant.now_us
        return work_us * 1000000 // spare if spare > 0 else ends_us + work_us

    def watchdog_feed(self) -> None:
        self.fed += 1

    def reset_cause(self) -> int:
        return self.cause

    def unique_id(self) -> int:
        return 0x51 << 16 | self.plant.seed & 0xFFFF
