"""What hal/stm32 uses of MicroPython's stm: registers by name."""

PWR: int
PWR_CR1: int
RNG: int
RNG_SR: int
RTC: int
RTC_BKP0R: int
USART2: int
USART6: int
USART_ISR: int
USART_TDR: int

class _Memory:
    def __getitem__(self, address: int) -> int: ...
    def __setitem__(self, address: int, value: int) -> None: ...

mem32: _Memory
