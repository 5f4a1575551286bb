"""The metaclass of messages: what `dataclass(frozen=True, slots=True)` makes, in a quarter of the time.

`dataclasses` compiles six functions for each class, and makes a class with slots twice. The hundred classes of messages
took 0.1 s of every start of a program that way. Here all classes share the functions, which find the fields by their
names. Being a metaclass, it needs no decorator at each of them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_facts: object) -> Any:
        """That of Python 3.11, for type checkers alone."""
        return lambda metaclass: metaclass


T = TypeVar("T", bound="Frozen")
_set = object.__setattr__


@dataclass_transform(frozen_default=True)
class Frozen(type):
    """Its classes are frozen dataclasses with slots, without default values."""

    def __new__(cls: type[T], name: str, bases: tuple[type, ...], names: dict[str, Any]) -> T:
        own = tuple(word for word, kind in names.get("__annotations__", {}).items() if "ClassVar" not in str(kind))
        made: Any = type.__new__(cls, name, bases, {**names, **({} if bases else _SHARED), "__slots__": own})
        return dataclasses.dataclass(init=False, repr=False, eq=False)(made)


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


_SHARED = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__reduce__": _reduce,
}
