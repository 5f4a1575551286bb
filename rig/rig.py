"""Firmware and plant on one clock: scan, then jump to the next instant at which anything can happen."""

from firmware.app import App
from firmware.image import INPUTS
from firmware.journal.cells import cells_require
from firmware.journal.halts import halt_store
from firmware.journal.keys import Keys
from firmware.protocol.dictionary import Words
from hal.sim.body import FAR
from hal.sim.nv import PowerCut
from hal.sim.plant import Plant
from hal.sim.port import SimHal
from hal.sim.rng import mix
from rig.flash_nv import make_nv
from rig.games import load_profile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from hal.api import Config
    from hal.sim.nv import Nv
    from hal.sim.truth import Figures
    from rig.games import Game

WORDS = Words()
ZERO_WAKES_MAX = 64  # scans at one instant before we call it a livelock
FRAMES_MAX = 5000  # and frames sent: ten journals full
WATCHDOG_US = 500000  # as on the boards; and between two scans a board waits a beat at most
BEAT_MS = 200
SCAN_WORK_US = 1200  # of a full scan without interrupts: its budget, see docs/BUDGETS.md
WRITE_US = 4000  # of a cell with its record: a scan that writes a warning takes 13 to 17 ms on an emulated board
EDGE_US = 50  # what an interrupt for an edge takes
CAPTURING = ("rp2",)  # ports that capture edges without interrupts
CAUSE_WATCHDOG = 1
NEVER_US = -1
STUCK_MS = 700
# What happens at an ordered instant: power fails, the firmware halts, or it hangs and the watchdog ends that.
CUT_POWER, CUT_CRASH, CUT_STUCK = range(3)


class Crash(Exception):
    """What a scan raises when a scenario orders it."""


class Livelock(Exception):
    """The firmware keeps asking for another scan at the same instant, or has more scans than `Rig.scans_max`."""


class Rig:
    """A simulated device on a table. Survives power cuts: boot() makes a new app on the same plant and storage. The
    firmware works with the config; `truth` says in what the machine differs from it (hal/sim/truth.py)."""

    scans_max = 0  # 0: no limit. Tests set one: what a broken device never does is not waited for.

    def __init__(
        self,
        config: "Config",
        game: "Game",
        seed: int,
        board_crc: int,
        key: bytes = b"",
        nv: "Nv | None" = None,
        truth: "Figures | None" = None,
    ) -> None:
        self.config = config
        self.board_crc = board_crc
        self.game = game
        self.plant = Plant(config, INPUTS, seed, truth)
        self.nv = make_nv(config["nv"], seed) if nv is None else nv
        self.scans = 0
        self.scan_us = 0  # a scan takes up to so long, and sees what happens meanwhile only when the next one comes
        self.deliver: "Callable[[], None] | None" = None  # takes what the device sent, before time goes on
        self.arrive_us = FAR  # when bytes on the cable reach one of its ends: a wait ends then
        self.powered = False
        # Power that was ordered to fail, beside that at a storage write, which is the storage's business: at an
        # instant, or while a frame goes out, of which so many bytes get through.
        self.cut_us = -1
        self.cut_how = CUT_POWER
        self.cut_frame, self.cut_frame_bytes = -1, 0
        self.frames_sent = 0
        self.unread = 0  # bytes of the host that no scan has looked at yet
        self.struck = False  # an ordered cut has come, and power is still off
        self.crash_name = ""  # the next scan raises this
        self.halted = False  # it did, and said so
        self.stuck_us = 0  # until then no scan ends
        self.reset_us = NEVER_US  # when the watchdog will have waited long enough
        self.pause_us = NEVER_US  # when the wait ends that the limit of the last step cut short
        self.alone = False  # that wait is one in which nothing scans
        if key:
            hal = SimHal(self.plant, self.nv)
            cells_require(hal)
            Keys(hal).store(key)
        self.boot()

    def boot(self, cause: int = 0) -> None:
        """Power on, or a reset. The firmware's memory is lost; plant and storage keep their state."""
        profile = load_profile(self.game)
        if self.powered:
            self.cut_power()
        self.struck = False
        self.crash_name = ""
        self.halted = False
        self.stuck_us = 0
        self.reset_us = NEVER_US
        self.pause_us = NEVER_US
        self.nv.power_on()
        self.hal = SimHal(self.plant, self.nv)
        self.hal.cause = cause
        self.hal.edge_us = 0 if self.config["mcu"]["port"] in CAPTURING else EDGE_US
        self.plant.changed = True
        # Levels that are already there at power-up are seen, but are no edges.
        self.plant.edges = []
        try:
            self.app = App(self.hal, self.config, profile, self.board_crc, WORDS)
            self.powered = True
        except PowerCut:
            self._strike()  # already at a write of the boot itself
        self.wake_us = self.plant.now_us
        self.zero_wakes = 0
        self.frames = 0

    def cut_power(self) -> None:
        """Motors stop, the link goes quiet, the app is gone."""
        self.powered = False
        self.reset_us = NEVER_US
        self.pause_us = NEVER_US
        self.plant.power_off()

    def lit(self) -> "list[str]":
        """The lamps that a person sees lit."""
        return self.plant.true.lit(self.app.out.level) if self.powered else []

    def _strike(self) -> None:
        self.cut_us = -1
        self.struck = True
        self.cut_power()

    def _fail(self) -> None:
        """The ordered instant has come."""
        self.cut_us = -1
        if self.cut_how == CUT_CRASH:
            self.crash_name = "MemoryError"
            self._scan()
        elif self.cut_how == CUT_STUCK:
            self.get_stuck(STUCK_MS)
        else:
            self._strike()
        self.struck = True

    def halt(self, name: str) -> None:
        """What firmware/main.py does about an exception: motors off, store the reason, then wait for the watchdog."""
        self.hal.all_off()
        try:
            halt_store(self.hal, self.app.boot, name)
        except PowerCut:
            self._strike()
            return
        self.powered = False
        self.halted = True
        self.reset_us = self.plant.now_us + WATCHDOG_US

    def get_stuck(self, ms: int) -> None:
        """A scan that takes so long. Motors stay as they are, and the watchdog goes on counting."""
        self.stuck_us = self.plant.now_us + ms * 1000
        self.reset_us = self.plant.now_us + WATCHDOG_US

    def step(self, limit_us: int) -> None:
        """One scan, then on to the next event, the wake the firmware asked for, or limit_us."""
        plant = self.plant
        self.pause_us = NEVER_US
        if self.cut_us >= 0 and self.powered:
            if plant.now_us >= self.cut_us:
                self._fail()
                return
            limit_us = min(limit_us, self.cut_us)
        if not self.powered or plant.now_us < self.stuck_us:
            self._unattended(limit_us)
            return
        wake_ms = self._scan()
        if self.scans == self.scans_max:
            raise Livelock("state %d after %d scans" % (self.app.flow.state, self.scans))
        if not self.powered:
            return
        if plant.beams.storms:
            self._charge()
        # This link takes no time: a long backlog goes out frame by frame, answer by answer, at one instant.
        sent = len(self.hal.sent) + len(self.hal.service_sent) != 0
        if sent and self._send():
            return
        if wake_ms <= 0 or plant.changed:
            if sent and self.frames < FRAMES_MAX:
                self.frames += 1
                self.zero_wakes = 0
            else:
                self.zero_wakes = 0 if self._reads_on() else self.zero_wakes + 1
            if self.zero_wakes > ZERO_WAKES_MAX:
                raise Livelock("state %d keeps asking for scans" % self.app.flow.state)
            return
        wake_us = (plant.now_us // 1000 + wake_ms) * 1000
        self.wake_us = wake_us
        if min(wake_us, limit_us) > plant.now_us:
            self.zero_wakes = 0
            self.frames = 0
            self._wait(limit_us)

    def _reads_on(self) -> bool:
        """A backlog of what a host has sent is work, too: True while it gets shorter, at a port or in the link."""
        before = self.unread
        link = self.app.link
        self.unread = len(self.hal.received) + len(self.hal.service_received) + link.rx_size - link.rx_at
        return self.unread < before

    def resume(self, limit_us: int) -> None:
        """Go on with a wait that the limit of a step cut short, without a scan: as if there had been no limit."""
        if self.alone:
            self._unattended(limit_us)
        else:
            self._wait(limit_us)

    def _wait(self, limit_us: int) -> None:
        end_us = min(self.wake_us, self.arrive_us)
        if self.cut_us >= 0:
            end_us = min(end_us, self.cut_us)
        self.plant.advance(min(end_us, limit_us))
        self.alone = False
        self._pause(end_us)

    def _pause(self, end_us: int) -> None:
        """Note the end of this wait if the limit came first."""
        cut_short = not self.plant.changed and self.plant.now_us < end_us
        self.pause_us = end_us if cut_short else NEVER_US

    def _charge(self) -> None:
        """Under a storm of edges time goes by in a scan: its own, that of storage writes, and that of interrupts."""
        plant = self.plant
        busy_us = min(self.hal.busy_us(SCAN_WORK_US + self.hal.written * WRITE_US), 2 * WATCHDOG_US)
        self.stuck_us = max(self.stuck_us, plant.now_us + busy_us)
        if busy_us > self.config["mechanism"]["scan_ms_max"] * 1000:
            self.app.overran(busy_us // 1000)
        if busy_us >= WATCHDOG_US and self.reset_us == NEVER_US:
            self.reset_us = plant.now_us + WATCHDOG_US

    def _send(self) -> bool:
        """Hand over what the device sent; True if power failed on the way."""
        cut = self.frames_sent == self.cut_frame
        self.frames_sent += 1
        if cut:
            self.hal.sent = self.hal.sent[: self.cut_frame_bytes]
        if self.deliver is not None:
            self.deliver()
        if cut:
            self._strike()
        return cut

    def _scan(self) -> int:
        """What the scan returned; notes whether the watchdog was fed."""
        fed = self.hal.fed
        self.hal.written = 0
        if self.crash_name:
            self.app.decide = _crash
        try:
            wake_ms = self.app.scan(self.hal.ticks_ms())
        except PowerCut:
            self._strike()
            return 0
        except Crash:
            self.halt(self.crash_name)
            return 0
        self.scans += 1
        if self.scan_us and self.plant.now_us >= self.stuck_us:
            self.stuck_us = self.plant.now_us + mix(self.scan_us, self.scans, self.plant.now_us) % self.scan_us
        if self.hal.fed != fed:
            self.reset_us = NEVER_US
            return wake_ms
        if self.reset_us == NEVER_US:
            self.reset_us = self.plant.now_us + WATCHDOG_US
        elif self.plant.now_us >= self.reset_us:
            self.boot(CAUSE_WATCHDOG)
            return 0
        return min(wake_ms, BEAT_MS)

    def _unattended(self, limit_us: int) -> None:
        """Let time pass without a scan: the machine moves on until the next scan, or until the watchdog resets
        everything."""
        plant = self.plant
        stuck = self.powered
        end_us = min(self.stuck_us if stuck else FAR, self.arrive_us)
        if self.reset_us != NEVER_US:
            end_us = min(end_us, self.reset_us)
        plant.changed = False
        self.zero_wakes = 0  # time goes by: no scan follows at the same instant
        plant.advance(min(end_us, limit_us))
        self.alone = True
        self._pause(end_us)
        plant.changed = stuck and plant.now_us >= self.stuck_us
        if self.reset_us != NEVER_US and plant.now_us >= self.reset_us:
            self.boot(CAUSE_WATCHDOG)


def _crash(now_ms: int) -> int:
    raise Crash()
