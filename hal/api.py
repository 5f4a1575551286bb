"""The HAL verbs: what a port must provide and may assume. Types and contracts only; never shipped to a device.

Times wrap at 2**30. Nothing here sleeps except `idle`. A verb that can fail returns False; none raises in normal
operation. Inputs are logical (1: blocked, pressed, open, away from home), outputs too (1: running, lit).
Lines, outputs and their numbers are the firmware's: a port receives the tuples of names when it is made, binds each
to a pin of the board config, and leaves a line that the board lacks at 0.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any, Callable, Protocol

    Config = dict[str, Any]
    OpenData = Callable[[str], Any]  # opens a data file of the board by name (board.json): a binary file to read

    class InputImage(Protocol):
        """The part of the process image that `sample` fills."""

        raw: bytearray  # raw levels; the firmware debounces them
        axis: int  # 0 at rest, 1 moving, 2 lost
        axis_early: int  # lost because the home mark came so many steps too soon; else 0
        edge: bytearray  # twice the line, and the level it has from then on
        edge_us: array[int]
        edge_count: int
        edge_lost: bool
        noisy: int  # 255, or the line whose edges are ignored because there are too many
        panel_lost: bool  # the board has a panel on a bus, and it has not answered for 3 s: buttons read 0
        card_code: int  # where cards are recognised: the last one read, 1 .. 52, 0 if unreadable
        card_codes: int  # how many were read so far

    class BlockDevice(Protocol):
        """Raw flash, as MicroPython's block devices have it: blocks of 4,096 bytes, pages of 256."""

        def readblocks(self, block: int, buf: bytearray | memoryview, offset: int) -> object: ...

        def writeblocks(self, block: int, buf: bytearray, offset: int) -> object:
            """Program one page that is blank. Nothing is erased."""
            ...

        def ioctl(self, operation: int, block: int) -> object:
            """Operation 6 erases a block. Anything but 0 or None: it did not."""
            ...

    class Storage(Protocol):
        """Cells of 96 bytes that keep their content without power. docs/STORAGE.md has times and back ends.

        Callers pass addresses that are multiples of the cell size. An address out of range returns False, and so
        does every call while the chip does not answer. A cell that was never written reads as bytes that are no valid
        record: all 0x00 or all 0xFF.
        """

        def nv_read(self, address: int, buf: bytearray) -> bool:
            """Fill buf with whole cells, in practice one. At any time, cards moving or not."""
            ...

        def nv_prog(self, address: int, buf: bytearray) -> bool:
            """Write one whole cell, over whatever it held; only while nothing moves.

            Interrupts may be off meanwhile: for 5 ms at most if nv_erase had got it ready, for as long as an erase
            otherwise. A power cut may leave the old content, the new, any prefix of the new on the rest of the old, or
            noise, in this cell; every other cell stays as it was. False: it may have failed half-way, like a cut."""
            ...

        def nv_erase(self, address: int, size: int) -> bool:
            """Get ready: once True, the next programs of up to `size` bytes in all are quick ones, each 5 ms at most.

            No readable data is erased. Only at rest between rounds: one call may take 400 ms, with
            interrupts off. False: not ready yet, so ask again in a later scan; programs work meanwhile, slowly. FRAM
            has nothing to do and returns True at once; flash can get 128 cells ready and never more."""
            ...

        def nv_sync(self) -> bool:
            """Everything programmed before is durable once this returns True."""
            ...

    class Hal(Storage, Protocol):
        """A port."""

        def ticks_ms(self) -> int:
            """Milliseconds, wrapping at 2**30."""
            ...

        def ticks_us(self) -> int:
            """Microseconds, wrapping at 2**30; edges are stamped with it."""
            ...

        def idle(self, ms: int) -> None:
            """Wait until something happens or ms have passed. The only verb that blocks."""
            ...

        def sample(self, inp: InputImage) -> bool:
            """Raw levels, axis state and all edges since the last call into the image. False: nothing changed.

            Edges come in time order, each with its line and microsecond, bounces and all. More than fit, or no sample
            for a second (the watchdog allows half of one): edge_lost is set, and the firmware stops, because it can no
            longer count. Where a chip has no hard interrupts, a stamp is late by as long as the VM was busy, and a
            change that is taken back meanwhile is not seen.

            No rate of edges, on one line or on all, keeps this from returning: 1 Hz to 100 kHz. A line that has more
            than `edges_per_s_max` of the board config allows in 8 ms is noise. Then the port switches every motor off
            by itself, as all_off does, in this sample or before it; sets noisy to that line, or to the one with the
            most edges; and drops edges. A port that sees more edges than fit within 8 ms, of all lines together, calls
            that noise as well if one line may not have so many (RP2, simulator). Until every line has been below its
            rate for 50 ms, each sample sets edge_lost and shows raw levels as they are, and noisy is a line that is
            noise now: 120 ms after the noise moved to another line at the latest. Then noisy is 255 again and edges
            count. A port that cannot keep this says so in its config check (docs/BOARDS.md).

            Raises RuntimeError if an interrupt handler raised: from then on inputs cannot be trusted."""
            ...

        def drive(self, level: bytearray, watch_slot: bool) -> None:
            """Set every output. Edges of the slot beam are reported only while watch_slot (a turning carousel would
            give hundreds without a use); its raw level is right then too, and 0 otherwise. `reverse` turns the
            direction of pick and transport; `dark` switches the light of all beams off, and is left on for a few
            milliseconds at most."""
            ...

        def all_off(self) -> None:
            """Every motor, reverse and dark off, axis halted. Callable at any time, from any state."""
            ...

        def move(self, slots: int, home: bool) -> None:
            """Move carousel or elevator by so many places (signed, ramps included), or to its home mark. Returns at
            once; `sample` shows the axis moving until it rests. It is lost when the mark is not found, or passes
            where it should not: a stepper that lost steps is noticed at the next pass of the mark."""
            ...

        def step(self, steps: int, pace: int) -> None:
            """Move carousel or elevator by so many steps (signed): for the diagnostic mode. At `pace` percent of its
            speed, ramps in the same time scale; 0: at a quarter of it. Returns at once, as move does. The place is
            unknown afterwards: home again."""
            ...

        def home_at(self) -> int:
            """The step of the last move, from 1, with which the edge of the home mark passed; 65535: it did not."""
            ...

        def stop_after(self, output: int, line: int, delay_us: int) -> None:
            """Switch `output` off by itself delay_us after the next time `line` becomes blocked, without waiting for
            a scan. One such order at a time; a later one replaces it. To the microsecond, but for what an interrupt
            takes: docs/BUDGETS.md and docs/BOARDS.md say how long."""
            ...

        def show(self, lines: tuple[str, str, str, str]) -> None:
            """Four lines of twenty characters for the dealer, in ASCII. Returns at once: a display gets them in `idle`,
            piece by piece, at instants that depend on the moment of this call and on nothing that moves. A device that
            has none does without."""
            ...

        def link_readinto(self, buf: bytearray) -> int:
            """As many received bytes as are there, at most len(buf). Never waits."""
            ...

        def link_write(self, buf: memoryview, start: int, end: int) -> int:
            """Queue bytes for sending; returns how many were taken, which may be none. Never waits for the
            reader; only a service port may drop bytes that are not read."""
            ...

        def link_service(self, on: bool) -> None:
            """From here on the link verbs are about the service port (on) or the table port (off), and the other one is
            deaf and silent: what arrives there is gone. After a boot it is the table port. Called at rest only."""
            ...

        def entropy_into(self, buf: bytearray) -> bool:
            """Fill with raw noise of the board's source, nothing smoothed: the firmware tests the samples. A source of
            single bits gives eight to a byte, the first highest. False: the source is known to be broken."""
            ...

        def watchdog_feed(self) -> None:
            """Start the watchdog, which resets the device after 500 ms without a call; from then on feed it.

            Called once before the first scan and then only at the end of a healthy scan. A watchdog that already runs
            with a longer time-out (hal/boot_main.py, in a release image) is shortened by the first call."""
            ...

        def reset_cause(self) -> int:
            """0 power-on, 1 watchdog, 2 other."""
            ...

        def unique_id(self) -> int:
            """A number below 2**30 that differs between boards."""
            ...
