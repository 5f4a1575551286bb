"""What is public does not change under users without a version step: one test for each kind of surface."""

import pytest
import surface

import fairshoe


@pytest.mark.parametrize("name", surface.SURFACES)
def test_nothing_that_a_release_promised_is_gone_or_different_without_a_version_step(name: str) -> None:
    version, promised = surface.read(name)
    lost = surface.broken(promised, surface.SURFACES[name]())
    words = "\n".join([*lost, surface.advice(name, version)])
    assert not lost or surface.may_break(version, fairshoe.__version__), words


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("0.2.0", "0.2.0", False),
        ("0.2.0", "0.2.9", False),
        ("0.2.0", "0.3.0", True),
        ("0.9.0", "0.10.0", True),
        ("0.10.0", "0.9.0", False),
        ("0.9.0", "1.0.0", True),
        ("1.2.0", "1.9.0", False),
        ("1.2.0", "2.0.0", True),
        ("2.0.0", "1.9.0", False),
    ],
)
def test_a_break_needs_a_step_of_the_first_number_or_before_1_of_the_second(old: str, new: str, allowed: bool) -> None:
    assert surface.may_break(old, new) is allowed


def test_what_is_new_breaks_none_and_what_is_gone_or_changed_is_named() -> None:
    old = {"a": "x", "b": "y"}
    assert surface.broken(old, {**old, "c": "z"}) == []
    assert surface.broken(old, {"a": "z"}) == ["gone: b", "changed: a: was 'x', is 'z'"]
    said = surface.advice("library", "0.2.7")
    assert "0.3.0" in said and "make surface WRITE=1" in said


def test_a_further_optional_parameter_is_new_and_a_further_needed_one_is_a_change() -> None:
    def old(self: object, url: str, *, key: str = "") -> None: ...
    def more(self: object, url: str, *, key: str = "", store: str = "") -> None: ...
    def needs(self: object, url: str, store: str, *, key: str = "") -> None: ...
    def less(self: object, url: str) -> None: ...

    lines = [surface.parameters("open", function) for function in (old, more, needs, less)]
    assert lines[0] == {"open": "(url)", "open(key)": "keyword-only"}
    assert [len(surface.broken(lines[0], other)) for other in lines[1:]] == [0, 1, 1]


def test_the_shape_of_json_has_keys_and_kinds_and_not_values() -> None:
    value = {"a": 1, "b": [{"c": True}, {"c": False, "d": "x"}], "e": None}
    assert dict(surface.shape(value)) == {".a": "number", ".b[].c": "bool", ".b[].d": "str"}
