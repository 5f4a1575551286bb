"""The metaclass of messages makes what `dataclasses` makes: the same values, refusals and texts."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from fairshoe.frozen import Frozen
from fairshoe.messages import ALL, Booted, KeyIs, Message


def derived_of(kind: Any, finish: Any) -> Any:
    class Base(metaclass=kind):
        first: int

    base: Any = finish(Base)

    class Derived(base):
        second: str

    return finish(Derived)


def as_it_is(made: Any) -> Any:
    return made


OURS = derived_of(Frozen, as_it_is)
THEIRS = derived_of(type, dataclasses.dataclass(frozen=True, slots=True))


@pytest.mark.parametrize("values", [((1, "a"), {}), ((1,), {"second": "a"}), ((), {"second": "a", "first": 1})])
def test_values_are_given_by_place_and_by_name(values: tuple[Any, Any]) -> None:
    ours, theirs = (derived(*values[0], **values[1]) for derived in (OURS, THEIRS))
    assert (ours.first, ours.second) == (theirs.first, theirs.second) == (1, "a")
    assert repr(ours) == repr(theirs)
    assert ours == OURS(1, "a")
    assert ours != OURS(1, "b")
    assert ours != theirs
    assert hash(ours) == hash(OURS(1, "a"))


@pytest.mark.parametrize(
    "values", [((), {}), ((1,), {}), ((1, "a", 2), {}), ((1, "a"), {"second": "b"}), ((1,), {"third": 3})]
)
@pytest.mark.parametrize("derived", [OURS, THEIRS])
def test_too_few_too_many_and_unknown_values_are_refused(derived: Any, values: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError):
        derived(*values[0], **values[1])


@pytest.mark.parametrize("derived", [OURS, THEIRS])
def test_a_value_never_changes(derived: Any) -> None:
    value = derived(1, "a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.first = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.first
    assert not hasattr(value, "__dict__")
    assert [field.name for field in dataclasses.fields(value)] == ["first", "second"]
    assert dataclasses.replace(value, first=3) == derived(3, "a")


def test_messages_are_copied_pickled_and_matched() -> None:
    message = KeyIs(result=1, generation=2, check=b"12345678")
    assert pickle.loads(pickle.dumps(message)) == copy.deepcopy(message) == message
    match message:
        case KeyIs(result, generation):
            assert (result, generation) == (1, 2)
    assert all(issubclass(cls, Message) and dataclasses.is_dataclass(cls) for cls in ALL)
    assert [field.name for field in dataclasses.fields(Booted)][:2] == ["seq", "boot"]
