"""The serial port of an emulated board, as pyserial would have it: reading lets emulated time go on."""

from emulator.bench import Bench

READ_S = 0.02


class TablePort:
    """For fairshoe.Shoe, with `clock` as its clock."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    @property
    def in_waiting(self) -> int:
        return len(self.bench.arrived)

    def clock(self) -> float:
        return self.bench.now_us / 1e6

    def read(self, size: int) -> bytes:
        arrived = self.bench.arrived
        if not arrived:
            self.bench.pico.run(READ_S, until=lambda: bool(arrived))
        data = bytes(arrived[:size])
        del arrived[:size]
        return data

    def write(self, data: bytes) -> None:
        self.bench.send(data)

    def close(self) -> None:
        """The board stays where it is."""
