"""`dataclass(frozen=True, slots=True)` for many classes: the same values, made in a quarter of the time.

`dataclasses` compiles six functions for each class. The hundred classes of messages took 0.1 s of every start of a
program that way. Here all classes share the functions, which find the fields by their names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_set = object.__setattr__


def dataclass(*, frozen: bool, slots: bool) -> Callable[[type[T]], type[T]]:
    """As in `dataclasses`, for classes without default values. A type checker reads the decorator of `dataclasses`."""
    if not (frozen and slots):
        raise TypeError("this dataclass is always frozen and has slots")
    return _made


def _made(cls: type[T]) -> type[T]:
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    made.__init__, made.__repr__, made.__eq__, made.__hash__ = _init, _repr, _eq, _hash
    made.__setattr__, made.__delattr__, made.__reduce__ = _refuse, _refuse, _reduce
    return made


def _init(self: Any, *values: Any, **named: Any) -> None:
    names = self.__match_args__
    if named or len(values) != len(names):
        values = _arranged(type(self).__name__, names, values, named)
    for name, value in zip(names, values, strict=True):
        _set(self, name, value)


def _arranged(what: str, names: tuple[str, ...], values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """Values in the order of the fields."""
    if len(values) > len(names):
        raise TypeError(f"{what}() takes {len(names)} values, and {len(values)} were given")
    by_name = dict(zip(names, values, strict=False))
    for name in named:
        if name not in names or name in by_name:
            raise TypeError(f"{what}() got {'an unexpected' if name not in names else 'a second'} value {name!r}")
    by_name |= named
    missing = [name for name in names if name not in by_name]
    if missing:
        raise TypeError(f"{what}() lacks {', '.join(missing)}")
    return tuple(by_name[name] for name in names)


def _values(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self.__match_args__])


def _repr(self: Any) -> str:
    fields = zip(self.__match_args__, _values(self), strict=True)
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in fields)})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse(self: Any, name: str, *_value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _reduce(self: Any) -> tuple[Any, ...]:
    return self.__class__, _values(self)
