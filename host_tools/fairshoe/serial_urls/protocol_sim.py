"""pyserial's handler for sim:// URLs: a simulated shoe with the interface of a serial port; `sim` is the SimPort."""

from __future__ import annotations

from typing import Any

from serial.serialutil import PortNotOpenError, SerialBase, SerialException

from fairshoe.errors import FairshoeError
from fairshoe.sim.port import SimPort


class Serial(SerialBase):
    """Baud rate and the like can be set and change nothing; control lines say what an idle cable would."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self.sim: SimPort | None = None
        super().__init__(*arguments, **settings)

    def open(self) -> None:
        if self.port is None:
            raise SerialException("Port must be configured before it can be used.")
        if self.is_open:
            raise SerialException("Port is already open.")
        try:
            self.sim = SimPort.from_url(str(self.port), self.timeout)
        except FairshoeError as error:
            raise SerialException(f"could not open port {self.port}: {error}") from error
        self.is_open = True

    def close(self) -> None:
        if self.sim is not None:
            self.sim.close()
        self.sim = None
        self.is_open = False

    def _reconfigure_port(self, *_arguments: Any, **_settings: Any) -> None:
        """pyserial calls this when a setting changes; the only one that means anything here is the timeout."""
        if self.sim is not None:
            self.sim.timeout = self.timeout

    @property
    def in_waiting(self) -> int:
        return self._device().in_waiting

    @property
    def out_waiting(self) -> int:
        return 0  # what is written has arrived

    def read(self, size: int = 1) -> bytes:
        device = self._device()
        try:
            return device.read(size)
        except OSError as error:
            raise SerialException(f"read failed: {error}") from error

    def write(self, b: Any, /) -> int:
        device = self._device()
        try:
            return device.write(bytes(b))
        except OSError as error:
            raise SerialException(f"write failed: {error}") from error

    def flush(self) -> None:
        self._device()

    def reset_input_buffer(self) -> None:
        self._device().reset_input_buffer()

    def reset_output_buffer(self) -> None:
        self._device()

    def _update_break_state(self) -> None:
        self._device()

    def _update_rts_state(self) -> None:
        self._device()

    def _update_dtr_state(self) -> None:
        self._device()

    @property
    def cts(self) -> bool:
        return self._device().is_open

    @property
    def dsr(self) -> bool:
        return self._device().is_open

    @property
    def ri(self) -> bool:
        return not self._device().is_open

    @property
    def cd(self) -> bool:
        return self._device().is_open

    def _device(self) -> SimPort:
        if self.sim is None:
            raise PortNotOpenError()
        return self.sim
