"""What device code takes from `micropython`, for CPython: the same names, without effect."""

from typing import TypeVar

_T = TypeVar("_T")


def const(value: _T) -> _T:
    """The value itself; MicroPython's compiler folds it."""
    return value


def kbd_intr(char: int) -> None:
    """CPython has no console to listen at."""


def heap_lock() -> int:
    """CPython has no heap to lock."""
    return 0


def heap_unlock() -> int:
    """The depth of locks that are left: none."""
    return 0
