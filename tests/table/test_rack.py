"""The rack: drop + closing + credits - opening - fills = win, to the cent, over rounds with kills."""

import contextlib
import csv
import json
import os
import sqlite3
from pathlib import Path
from random import Random

import pytest
from kills import Killed
from running_tables import options_of, start_meters
from sitting import bet, sitting
from test_books import OVER, ROUNDS, void
from test_coupons import takes, with_them

from fairshoe.cli.command_line import main
from fairshoe.errors import FairshoeError, UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.books.rack import as_csv, rows
from fairshoe_table.desk.loop import DeskLoop
from fairshoe_table.play.inputs import Input
from fairshoe_table.rules.ledger import TRAY

VOID_HAND = Input("void hand:4", "void hand", {"seat": 4, "clause": "CS-13d"})
RACK_ROUNDS = int(os.environ.get("RACK_ROUNDS", "40"))  # RACK_ROUNDS=1000 for the whole claim


TABLE = "meter room"  # as accounts of meters begin


class Unlucky(sqlite3.Connection):
    """Dies before a random statement."""

    rng = Random(36)
    dead = False

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        if not sql.startswith(("PRAGMA", "ROLLBACK")) and self.rng.random() < 0.01:
            self.dead = True
        if self.dead:
            raise Killed
        return super().execute(sql, *values)  # type: ignore[arg-type]


def clock() -> str:
    """Midnight passes, and the clock is set back."""
    return f"2026-10-{Unlucky.rng.choice(('24', '25'))}T{Unlucky.rng.choice(('23', '00'))}:59:59.000Z"


def test_the_win_is_what_was_counted_over_rounds_with_kills(tmp_path: Path) -> None:
    rng, path = Random(9), tmp_path / "books.db"
    with Books(path, TABLE) as books:
        start_meters(books)
    physical, counted, kills, slips, taken = 0, 0, 0, 0, 0

    def until_done(deed: object, *values: object) -> object:
        nonlocal kills
        while True:
            connection: sqlite3.Connection | None = None
            try:
                with Books(path, TABLE, connection=Unlucky, now=clock) as books:
                    connection = books._db  # pyright: ignore[reportPrivateUsage]
                    return deed(books, *values)  # type: ignore[operator]
            except Killed:
                kills += 1
                if connection is not None:
                    connection.close()

    def slip(kind: str, cents: int) -> None:
        nonlocal slips
        slips += 1
        until_done(lambda books: books.rack.add(kind, cents, "J. Doe", key=f"slip {slips}"))  # type: ignore[attr-defined]

    for number in range(RACK_ROUNDS):
        if number % 20 == 0:
            physical = 100_000_000
            slip("opening", physical)
        for kind, sign in (("fill", 1), ("credit", -1), ("drop", -1), ("coupon", -1)):
            if rng.random() < 0.2:
                cents = rng.randrange(100, 50_000)
                slip(kind, cents)
                physical += sign * cents
        game = rng.choice(list(ROUNDS))
        late = rng.choice([[], [], [void("XX-1")], [VOID_HAND] if game == "caribbean-stud" else []])

        def round_of(books: Books, game: str = game, late: list[Input] = late) -> int:
            """Some are void after the settlement, and the house makes up for what has gone to meters."""
            found = books.open_round(game)
            for fact in [*with_them(game), *late, OVER]:
                books.record(found, fact, takes(game))
            return found

        before = number
        until_done(lambda books, old=before: round_of(books) if books.rounds_over() == old else 0)  # type: ignore
        with Books(path, TABLE) as books:
            lines = books.lines(books.last_over())
        physical += sum(line.collected - line.spent - (line.paid if line.source == TRAY else 0) for line in lines)
        spent = sum(line.spent for line in lines)
        slip("coupon", spent)
        taken += spent
        if number % 20 == 19:
            slip("closing", physical)
            counted += 1
    with Books(path, TABLE) as books:
        for shift in books.rack.shifts():
            assert shift.difference == 0 and (not shift.closed or shift.counted == shift.win)
            assert shift.closed or shift.expected == physical
        assert books.audit() == [] and books.rounds_over() == RACK_ROUNDS
        assert sum(shift.coupons for shift in books.rack.shifts()) == taken > 0 and kills > RACK_ROUNDS // 2


def test_entries_that_cannot_be_right_are_refused(tmp_path: Path) -> None:
    with Books(tmp_path / "books.db") as books:
        with pytest.raises(UsageError, match="no shift is open"):
            books.rack.add("fill", 100, "J. Doe")
        books.rack.add("opening", 100_000, "J. Doe")
        for kind, cents, by in (("opening", 5, "J. Doe"), ("fill", -1, "J. Doe"), ("fill", 5, " "), ("tip", 5, "J.")):
            with pytest.raises(UsageError):
                books.rack.add(kind, cents, by)
        books.rack.add("fill", 500, "J. Doe", key="F-1")
        books.rack.add("fill", 500, "J. Doe", key="F-1")
        with pytest.raises(UsageError, match="F-1"):
            books.rack.add("fill", 600, "J. Doe", key="F-1")
        number = books.open_round("double-down-stud")
        books.record(number, ROUNDS["double-down-stud"][0], options_of("double-down-stud"))
        with pytest.raises(UsageError, match="layout"):
            books.rack.add("closing", 100_500, "J. Doe")
        assert books.rack.shift(1).expected == 100_500


def test_the_books_are_looked_at_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path)
    with Books(tmp_path / "books.db") as books:
        start_meters(books)
    assert main(["table", "rack", folder, "opening", "1,000", "--by", "J. Doe"]) == 0
    with Books(tmp_path / "books.db") as books:
        number = books.open_round("double-down-stud")
        for fact in [*ROUNDS["double-down-stud"], OVER]:
            books.record(number, fact, options_of("double-down-stud"))
    blind = (
        ["rack", folder, "fill", "0", "--by", "J. Doe"],
        *(["books", folder, "shift", *it] for it in ([], ["--json"])),
    )
    for what in blind:
        assert main(["table", *what]) == 0
    assert main(["table", "books", folder, "shift", "--out", str(tmp_path / "shift.html")]) == 0
    said = capsys.readouterr().out + (tmp_path / "shift.html").read_text(encoding="utf-8")
    assert "win" not in said and "expected" not in said and "$940" not in said and "94000" not in said
    assert main(["table", "rack", folder, "closing", "940.00", "--by", "J. Doe"]) == 0
    assert "difference $0" in capsys.readouterr().out  # seat 2 has won $60
    assert main(["table", "books", folder, "shift", "--out", str(tmp_path / "shift.html")]) == 0
    assert "shift 1, closed" in (tmp_path / "shift.html").read_text(encoding="utf-8")
    for what in ("audit", "meters", "links", "rounds", "export"):
        assert main(["table", "books", folder, what, "--json"]) == 0
    capsys.readouterr()
    assert main(["table", "books", folder, "export", "--rows", "rack"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("id,tbl,shift,kind,cents")
    assert main(["table", "books", folder, "replay", "--json"]) == 1  # rounds of this test have no header
    assert "unknown header" in json.loads(capsys.readouterr().out)["findings"][0]
    with sqlite3.connect(tmp_path / "books.db") as db:
        db.execute("UPDATE lines SET line = replace(line, '\"paid\": 6000', '\"paid\": 9000')")
        db.execute("UPDATE lines SET line = replace(line, '\"paid\": 3000', '\"paid\": 9000')")
    assert main(["table", "books", folder, "audit"]) == 1
    assert "its lines say" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["rack", "fill", "1e9999", "--by", "J. Doe"],
        ["rack", "fill", "nan", "--by", "J. Doe"],
        ["rack", "fill", "0.001", "--by", "J. Doe"],
        ["rack", "fill", "\u0661\u0662", "--by", "J. Doe"],
        ["rack", "fill", "9" * 5000, "--by", "J. Doe"],
        ["rack", "fill", "10", "--by", "J.\x1b[31m Doe"],
        ["rack", "fill", "10", "--by", "J. \udcff"],
        ["rack", "fill", "10", "--by", "J. Doe", "--note", "a\nb"],
        ["rack", "fill", "10", "--by", "J. Doe", "--slip", "\x00"],
        ["rack", "fill", "10", "--by", "J. Doe", "--slip", "(1.1)"],
        ["rack", "fill", "10", "--by", "J. Doe", "--slip", "x" * 10_000],
        ["books", "shift", "--shift", "-1"],
        ["books", "shift", "--shift", "2"],
        ["books", "export", "--rows", "sqlite_master"],
    ],
    ids=lambda words: " ".join(words)[:40].encode("ascii", "replace").decode(),
)
def test_odd_entries_are_refused_in_words_and_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["table", "rack", str(tmp_path), "opening", "100", "--by", "J. Doe"]) != 0  # there are no books yet
    with Books(tmp_path / "books.db") as books:
        books.rack.add("opening", 10_000, "J. Doe")
        before = books.rows("rack")
    assert main(["table", words[0], str(tmp_path), *words[1:]]) != 0
    said = capsys.readouterr().err
    assert "internal" not in said and "Traceback" not in said and "\x1b[31m" not in said
    with Books(tmp_path / "books.db") as books:
        assert books.rows("rack") == before


def test_a_slip_is_never_taken_for_an_entry_without_one(tmp_path: Path) -> None:
    with Books(tmp_path / "books.db") as books:
        books.rack.add("opening", 10_000, "J. Doe")
        books.rack.add("fill", 500, "J. Doe")
        for number in range(4):
            books.rack.add("fill", 500, "J. Doe", key=f"1.{number}")
        books.rack.add("fill", 500, "J. Doe")
        assert books.rack.shift(1).total("fill") == 3000


def test_a_late_drop_belongs_to_its_shift_and_a_slip_to_one_shift(tmp_path: Path) -> None:
    def rack(*words: str) -> int:
        return main(["table", "rack", str(tmp_path), *words, "--by", "J. Doe"])

    Books(tmp_path / "books.db").close()
    assert [rack("opening", "100"), rack("fill", "5", "--slip", "F-1"), rack("closing", "95")] == [0, 0, 0]
    assert [rack("fill", "5"), rack("opening", "95"), rack("fill", "5", "--slip", "F-1")] == [2, 0, 2]
    for _ in range(2):  # the same slip once more
        assert rack("drop", "10", "--shift", "1", "--slip", "D-1") == 0
    for wrong in (("drop", "3"), ("drop", "-1"), ("fill", "1"), ("closing", "1")):
        assert rack(wrong[0], "10", "--shift", wrong[1]) != 0
    with Books(tmp_path / "books.db") as books:
        assert [(it.counted, it.total("fill", "drop")) for it in books.rack.shifts()] == [(0, 1500), (-9500, 0)]
        number = books.open_round("double-down-stud")
        books.rack.add("closing", 9500, "J. Doe")
        for fact in [*ROUNDS["double-down-stud"], OVER]:
            books.record(number, fact, options_of("double-down-stud"))
        assert books.rack.shift(2).win == 0 and ("win while no shift was open", -6000) in rows(books.rack.shift(2))


def test_a_shift_is_closed_on_the_page_when_every_line_is_done(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:

        def rack(kind: str, cents: int) -> str:
            return it.tap(do="rack", kind=kind, cents=cents, by="J. Doe", note="", key=f"{kind} 1")

        assert "opening $1,000" in rack("opening", 100_000)
        bet(it, 2, original=1000)
        while not it.desk.open_lines():
            it.go_on()
        with pytest.raises(FairshoeError, match="not done"):
            rack("closing", 100_000)
        number = it.finish()
        rack("closing", 100_000 - sum(line.net for line in it.desk.books.lines(number)))
        assert it.desk.books.rack.shift(1).difference == 0


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_text_of_an_export_is_a_formula(tmp_path: Path, start: str) -> None:
    with Books(tmp_path / "books.db") as books:
        books.rack.add("opening", 100, f'{start}HYPERLINK("x")', note='a,"b"')
        (row,) = csv.DictReader(as_csv(books.rows("rack")).splitlines())
        assert (row["by"], row["note"], row["cents"]) == (f'\'{start}HYPERLINK("x")', 'a,"b"', "100")


def test_a_table_is_known_by_the_name_of_its_books(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "books.db"
    with Books(path, "CS-3") as books:
        books.rack.add("opening", 100_000, "J. Doe")
    with Books(path) as books:
        assert books.table == "CS-3"
    with Books(path, "CS-4") as books:
        books.rack.add("opening", 50_000, "J. Doe")
    assert main(["table", "books", str(tmp_path), "shift"]) != 0
    assert "has the tables CS-3, CS-4" in capsys.readouterr().err
    assert main(["table", "books", str(tmp_path), "shift", "--name", "CS-4"]) == 0
    assert capsys.readouterr().out.startswith("CS-4, shift 1")
    for wrong in (" ", "a/b", "x" * 41, "a\nb"):
        with pytest.raises(UsageError, match="no name of a table"):
            Books(path, wrong)


@pytest.mark.parametrize("what", [["books", "audit"], ["rack", "fill", "10", "--by", "J. Doe"]], ids="-".join)
def test_a_file_that_is_no_database_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: list[str]
) -> None:
    (tmp_path / "books.db").write_bytes(b"This is no database. " * 500)
    assert main(["table", what[0], str(tmp_path), *what[1:]]) != 0
    assert "cannot be opened as books" in capsys.readouterr().err


def test_names_in_old_books_bring_no_colour_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Books(tmp_path / "books.db") as books:
        books.rack.add("opening", 10_000, "J. Doe")
    with sqlite3.connect(tmp_path / "books.db") as db:
        db.execute("UPDATE rack SET by = ?, note = 'x'", ("\x1b[31mJ. Doe",))
    assert main(["table", "books", str(tmp_path), "export", "--rows", "rack"]) == 0
    assert "\x1b" not in capsys.readouterr().out


# --- what must not end the table ---------------------------------------------------------------


def test_a_full_disk_is_shown_and_the_table_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        bet(it, 2, original=1000)
        it.next()
        number, books = it.desk.number, it.desk.books
        db, before = books._db, books.inputs(number)  # pyright: ignore[reportPrivateUsage]
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        more = "INSERT INTO inputs (round, key, kind, data) SELECT 0, MAX(id), 'x', ? FROM inputs"
        for size in (1000, 100, 10):
            with contextlib.suppress(sqlite3.OperationalError):
                while True:
                    db.execute(more, ("x" * size,))
        void = {"do": "house", "choice": "void", "by": "J. Doe", "reason": "the cards were mixed"}
        with pytest.raises(FairshoeError, match="full"):
            it.tap(**void)
        assert books.inputs(number) == before and books.audit() == []
        db.execute("PRAGMA max_page_count = 100000")
        it.tap(**void)
        assert [one.kind for one in books.inputs(number)][len(before) :][:2] == ["house", "void"]
        turns = [sqlite3.OperationalError("database or disk is full"), ZeroDivisionError(), None]
        turn = DeskLoop.turn

        def failing(desk: DeskLoop) -> None:
            error = turns.pop(0) if turns else None
            if error is not None:
                raise error
            if not turns:
                desk.stop()
            turn(desk)

        monkeypatch.setattr(DeskLoop, "turn", failing)
        it.desk.run()
        texts = [text for _, text in it.desk.calls]
        assert any("disk is full" in text for text in texts) and any("ZeroDivisionError" in text for text in texts)
