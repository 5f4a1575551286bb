"""Records from a program and from the shell: names in place of numbers, and what the device makes of them."""

import inspect
import re
from pathlib import Path

import pytest
from rig_port import KEY, RigPort

from fairshoe.cli.command_line import main
from fairshoe.client.operation_numbers import MemoryNumbers
from fairshoe.client.records import Records, ShoeRecords
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.games import record_kinds
from fairshoe.keys import role_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Event, HeldBack, Reason, Recorded, Role, What

ROOT = Path(__file__).resolve().parents[3]
KINDS = [what for what in What if what not in (What.NONE, What.UNRECOGNISED)]


def opened() -> tuple[Shoe, RigPort]:
    port = RigPort(key=KEY, mode="table")
    session = HostSession(role_key(KEY, Role.TABLE), 0)
    shoe = Shoe(port, "rig", session, MemoryNumbers(), clock=lambda: port.rig.plant.now_us / 1e6)
    shoe.greet(30)
    port.run(4000)
    return shoe, port


def test_every_kind_has_words_for_its_numbers_and_every_typed_call_a_row_in_the_page() -> None:
    assert [what.name for what in KINDS if what.name.lower() not in record_kinds.NUMBERS] == []
    page = (ROOT / "docs" / "GAMES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z_, ]+) \|", page[page.index("## Records") :], re.MULTILINE)
    documented = {name for row in rows for name in row.split(", ")}
    calls = {name for name, _method in inspect.getmembers(Records, inspect.isfunction) if name in record_kinds.NUMBERS}
    assert len(calls) > 15
    assert calls - documented == set()


def test_words_and_numbers_mean_the_same() -> None:
    assert record_kinds.record_from_words(["cut", "26", "dealer"]) == {"what": What.CUT, "a": 26, "b": 1}
    stub = {"what": What.STUB_COUNTED, "a": 41, "b": 2}
    assert record_kinds.record_from_words(["stub-counted", "41", "misdealt-and-not-whole"]) == stub
    assert record_kinds.record_from_words(["cut", "26", "1"]) == {"what": What.CUT, "a": 26, "b": 1}
    assert record_kinds.record_from_words(["misdeal", "dealer", "4"]) == {"what": What.MISDEAL, "a": 0, "b": 4}
    assert record_kinds.record_from_words(["out-of-service", "out"]) == {"what": What.OUT_OF_SERVICE, "a": 1, "b": 0}
    assert record_kinds.record_from_words(["stub_counted", "42"]) == {"what": What.STUB_COUNTED, "a": 42, "b": 0}
    assert record_kinds.record_from_words(["no_activity"]) == {"what": What.NO_ACTIVITY, "a": 0, "b": 0}
    assert record_kinds.usage(What.CUT) == "cut CARDS dealer|player|floorperson"
    assert record_kinds.usage(What.STUB_COUNTED) == "stub_counted CARDS [not_misdealt|misdealt|misdealt_and_not_whole]"
    assert (
        record_kinds.describe_record(What.PROVENANCE, 2, record_kinds.Source.SUPPLIER) == "provenance: deck 2, supplier"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "what is to be put on record? Known: inspected, verified"),
        (["juggled"], "There is no juggled. Known: inspected"),
        (["none"], "There is no none."),
        (["cut", "26"], "record cut CARDS dealer|player|floorperson: 1 arguments were given."),
        (["no_activity", "1"], "record no_activity: 1 arguments were given."),
        (["cut", "26", "waiter"], "by: one of dealer, player, floorperson, or a number, not 'waiter'."),
        (["washed", "red"], "deck is a number, not 'red'."),
    ],
)
def test_a_slip_of_the_pen_is_told_with_what_would_be_right(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        record_kinds.record_from_words(words)
    assert message in caught.value.what


def test_a_slip_is_told_before_any_port_is_opened(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["command", "/dev/nowhere", "record", "cut", "x", "1", "--key-file", "/nowhere"]) == 2
    assert "cards is a number, not 'x'" in capsys.readouterr().err
    assert main(["command", "/dev/nowhere", "set-positions", "many", "--key-file", "/nowhere"]) == 2
    assert "set_positions takes a number of positions" in capsys.readouterr().err


def test_typed_calls_put_on_record_what_they_say() -> None:
    shoe, port = opened()
    assert shoe.records.induction().done
    assert shoe.records.provenance(record_kinds.Source.SUPPLIER).done
    refused = shoe.records.stub_counted(42, record_kinds.Misdealt.YES)
    assert not refused.done and refused.reason == Reason.ARGUMENT  # no deal to be misdealt between rounds
    assert shoe.records.dispute(begins=True).done
    port.hand("load", "52")
    port.run(500)
    port.hand("press", "green")
    port.run(1000)
    assert shoe.records.dispute(begins=False).done
    events: list[Event] = []
    for event in shoe.events():
        events.append(event)
        if isinstance(event, Recorded) and (event.what, event.b) == (What.DISPUTE, 0):
            break
    told = [(event.what, event.a, event.b) for event in events if isinstance(event, Recorded)]
    assert told == [
        (What.INSPECTED, 1, 0),
        (What.VERIFIED, 1, 0),
        (What.SHOWN, 1, 0),
        (What.WASHED, 1, 0),
        (What.PROVENANCE, 1, 2),
        (What.DISPUTE, 1, 1),
        (What.DISPUTE, 1, 0),
    ]
    assert [event.clause for event in events if isinstance(event, HeldBack)] == ["CS-10d"]


class Heard:
    """A shoe that only listens: what a call would send."""

    def __init__(self) -> None:
        self.given: list[dict[str, int]] = []

    def give(self, arguments: dict[str, int], _timeout_s: float) -> None:
        self.given.append(arguments)


CALLS = [
    ("cut", (26, record_kinds.By.PLAYER), (What.CUT, 26, 2)),
    ("deck_removed", (2,), (What.DECK_REMOVED, 2, 0)),
    ("house_decision", (True,), (What.HOUSE_DECISION, 1, 0)),
    ("house_decision", (False,), (What.HOUSE_DECISION, 2, 0)),
    ("goes_on_with_one", (2,), (What.DECK_REMOVED, 2, 2)),
    ("delivered_wrongly", (3, record_kinds.Delivered.FORWARD), (What.DELIVERED_WRONGLY, 3, 1)),
    ("let_out", (3, 2), (What.LET_OUT, 3, 2)),
    ("winner_hold", (True,), (What.WINNER_HOLD, 1, 1)),
    ("no_activity", (), (What.NO_ACTIVITY, 0, 0)),
    ("out_of_service", (True,), (What.OUT_OF_SERVICE, 1, 0)),
    ("progressive", (3, 2), (What.PROGRESSIVE, 3, 2)),
    ("fold", (4,), (What.FOLD, 4, 0)),
    ("second_wager", (4, False), (What.SECOND_WAGER, 4, 0)),
    ("final_deal", (3,), (What.FINAL_DEAL, 3, 0)),
    ("stub_counted", (40, record_kinds.Misdealt.YES_AND_NOT_WHOLE), (What.STUB_COUNTED, 40, 2)),
    ("hole_card_seen", (), (What.HOLE_CARD_SEEN, 0, 0)),
    ("misdeal", (record_kinds.DEALER, 4), (What.MISDEAL, 0, 4)),
    ("face_up", (), (What.FACE_UP, 1, 0)),
    ("drawn_in_error", (), (What.DRAWN_IN_ERROR, 1, 0)),
]


@pytest.mark.parametrize(("name", "arguments", "wanted"), CALLS)
def test_each_call_sends_its_own_record(name: str, arguments: tuple[int, ...], wanted: tuple[What, int, int]) -> None:
    heard = Heard()
    getattr(Records(heard.give), name)(*arguments)
    assert heard.given == [dict(zip(("what", "a", "b"), wanted, strict=True))]


def test_no_call_is_left_untried() -> None:
    tried = {name for name, _arguments, _wanted in CALLS}
    tried |= {"put", "induction", "inspected", "verified", "shown", "washed", "provenance", "dispute"}
    methods = {name for name, _ in inspect.getmembers(ShoeRecords, inspect.isfunction) if not name.startswith("_")}
    assert methods == tried
