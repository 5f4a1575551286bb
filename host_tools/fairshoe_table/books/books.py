"""The table's books in one SQLite file: inputs, lines of settlements, transfers, accounts and meters.

An input and everything that follows from it are one transaction: the line of a settlement is booked with its cause or
not at all, and its key is unique, so a program that was killed anywhere books nothing twice. Inputs are the truth, and
rounds are rebuilt from them: a state kept beside them could disagree after a crash (0042). Several tables may share a
file; then they share meters too, if `link` says so.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fairshoe.errors import UsageError
from fairshoe.files import make_private
from fairshoe.games.jackpot_links import TableFacts, link_objections
from fairshoe_table.books import checks
from fairshoe_table.books.accounts import ADD, Accounts
from fairshoe_table.books.checks import ShoeRound
from fairshoe_table.books.header import UNKNOWN, Header, digest, options_of, settings_text, utc_now
from fairshoe_table.books.rack import Rack
from fairshoe_table.books.schema import prepare
from fairshoe_table.books.settling import DECIDED, DECISIONS, VOIDS, Settling
from fairshoe_table.play import registry
from fairshoe_table.play.game import ALL_OUT, Game, Play
from fairshoe_table.play.inputs import NO_HAND, Input, check_lines, signed
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import apply, asks, corrected, rebuild, rebuild_unread
from fairshoe_table.rules.ledger import COUPONS, IN_SUSPENSE, SUSPENSE, Line, Transfer, layout, player, transfers
from fairshoe_table.rules.line_shapes import void_line
from fairshoe_table.rules.meters import Meter, Meters

ASIDE = ("done", "seed check")  # inputs about a round from which nothing follows, even if its game is gone
EXPORTED = (
    *("rounds", "inputs", "lines", "transfers", "accounts", "meters", "contributions", "links", "settings", "rack"),
)
NAME_MAX = 40  # characters of the name of a table
_KNOWN_MAX = 2  # rounds that are kept as they were read: this one and the one before


@dataclass
class _Known:
    """A round as it was read: the id of its last input and the hash of its options, by which it is known to be the same
    still; its game, the inputs, and the round that follows from them."""

    last: tuple[int | None, str]
    game: str
    inputs: list[Input]
    play: Play | None = None


def _voided_unread(inputs: Iterable[Input]) -> bool:
    return any(fact.data.get("unread") for fact in inputs if fact.kind == "void")


class Books:
    """The books of one table. One open round at a time."""

    def __init__(
        self,
        path: Path | str,
        table: str = "",
        link: str = "",
        connection: type[sqlite3.Connection] = sqlite3.Connection,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """`table` is its name; without one that of the books, if they are of one table. `connection` is another kind of
        connection, for tests that end the program between two statements; `now` gives the time of rows."""
        self._now = now
        self._known: dict[int, _Known] = {}
        self._settings: dict[str, Options] = {}
        if str(path) != ":memory:":
            make_private(Path(path))
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30, factory=connection)
            prepare(self._db, path)
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path} cannot be opened as books: {error}.", "Check the file, or restore it.") from error
        found = self.tables()
        self.table = table or (found[0] if len(found) == 1 else "table-1")
        if not self.table.isprintable() or "/" in self.table or not 0 < len(self.table.strip()) <= NAME_MAX:
            raise UsageError(
                f"{ascii(table)[:60]} is no name of a table.", f"Up to {NAME_MAX} letters without a slash."
            )
        self.link = link or self.table
        self.rack = Rack(self._db, self.table, now)
        self._accounts = Accounts(self._db, self.table, self.link, now)
        self._settling = Settling(self._accounts)
        self.history, self.lines, self.meters = self._accounts.history, self._accounts.lines, self._accounts.meters
        self.balances, self.on_the_layout = self._accounts.balances, self._accounts.on_the_layout

    def tables(self) -> list[str]:
        """The names of all tables in this file."""
        return [row[0] for row in self._db.execute("SELECT tbl FROM rounds UNION SELECT tbl FROM rack")]

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Books:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")  # before the first read: another table may write to the same file
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            self._known.clear()  # it may have what is now undone
            if self._db.in_transaction:  # a full disk may have ended it already
                self._db.execute("ROLLBACK")
            raise

    # -- rounds -------------------------------------------------------------------------------------------------------

    def open_round(self, game: str, head: Header | None = None, options: Options | None = None) -> int:
        """The round that is open at this table, or a new one. The header and its options are written until wagers are
        booked; without one it is unknown."""
        with self._transaction() as db:
            row = db.execute("SELECT id, game FROM rounds WHERE tbl = ? AND over = 0", (self.table,)).fetchone()
            if row is not None and row[1] != game:
                advice = "Finish it first; if its game is gone, void it: `fairshoe table void`."
                raise UsageError(f"a round of {row[1]} is open at {self.table}.", advice)
            number = row[0] if row is not None else self._new_round(game)
            if head is not None and options is not None and not self._wagered(number):
                self._write_header(number, head, options)
            return number

    def _new_round(self, game: str) -> int:
        found = self._db.execute("INSERT INTO rounds (tbl, game) VALUES (?, ?)", (self.table, game)).lastrowid
        assert found is not None
        return found

    def _wagered(self, number: int) -> bool:
        found = "SELECT 1 FROM inputs WHERE round = ? AND kind IN ('wager', 'closed') LIMIT 1"
        return self._db.execute(found, (number,)).fetchone() is not None

    def _write_header(self, number: int, head: Header, options: Options) -> None:
        text = settings_text(head.game, options)
        self._db.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (digest(text), text))
        self._db.execute(
            "UPDATE rounds SET device = ?, log = ?, settings = ?, program = ?, package = ?, began = ? WHERE id = ?",
            (head.device, head.log, digest(text), head.program, head.package, self._now(), number),
        )

    def confirm_header(self, number: int, head: Header, options: Options, fact: Input) -> None:
        """A supervisor has said by which options and from which shoe a round is played whose header is unknown."""
        with self._transaction():
            self._write_header(number, head, options)
            self._record(number, fact, options, 0)

    def header(self, number: int) -> Header:
        names = "game, device, log, COALESCE(shoe_round, 0), settings, program, package, began"
        return Header(*self._db.execute(f"SELECT {names} FROM rounds WHERE id = ?", (number,)).fetchone())

    def options(self, number: int) -> Options | None:
        """Those of the header; None: unknown, or this program cannot read them. The same text gives the same object:
        `play` compares by identity, at every status."""
        found = self.header(number).settings
        if found not in self._settings:
            row = self._db.execute("SELECT data FROM settings WHERE hash = ?", (found,)).fetchone()
            if row is None:
                return None
            try:
                self._settings[found] = options_of(row[0])
            except (UsageError, LookupError, TypeError, ValueError):
                return None
        return self._settings[found]

    def dealt_before(self, device: str, log: str, seq: int) -> bool:
        """Whether a round that is over began with this event of this shoe: events may come again."""
        found = (
            "SELECT 1 FROM rounds JOIN inputs ON inputs.round = rounds.id AND key = 'closed'"
            " WHERE over = 1 AND device = ? AND log = ? AND seq = ?"
        )
        return self._db.execute(found, (device, log, seq)).fetchone() is not None

    def inputs(self, number: int) -> list[Input]:
        return list(self._read(number).inputs)

    def play(self, number: int, options: Options) -> Play:
        """The round, rebuilt from the reported facts. One that does not follow from them by these options is `unread`:
        nothing is booked in it any more, but that a supervisor voids it."""
        known = self._read(number)
        if known.play is None or known.play.options is not options:
            known.play = self._rebuilt(known, options)
        return known.play

    def _rebuilt(self, known: _Known, options: Options) -> Play:
        game, settings = registry.find(known.game), known.last[1]
        if _voided_unread(known.inputs):
            return rebuild_unread(Play(game, options, None), known.inputs, "it was voided unread")
        # By identity first: options that were read from this header need not be hashed.
        if (
            settings != UNKNOWN
            and self._settings.get(settings) is not options
            and settings != self._hash(game, options)
        ):
            return rebuild_unread(Play(game, options, None), known.inputs, "its header names other options")
        try:
            return rebuild(game.new(options), known.inputs)
        except Exception as error:  # whatever a game raises: there must be a way out (0061)
            why = error.what if isinstance(error, UsageError) else repr(error)
            return rebuild_unread(Play(game, options, None), known.inputs, why)

    def _hash(self, game: Game, options: Options) -> str:
        return digest(settings_text(game.name, options))

    def _read(self, number: int) -> _Known:
        """The inputs of a round, read again only after a new one: a table asks for them at every status."""
        latest = "SELECT (SELECT MAX(id) FROM inputs WHERE round = r.id), settings, game FROM rounds r WHERE id = ?"
        newest, settings, game = self._db.execute(latest, (number,)).fetchone() or (None, UNKNOWN, "")
        known = self._known.get(number)
        if known is None or known.last != (newest, settings):
            rows = self._db.execute("SELECT key, kind, data FROM inputs WHERE round = ? ORDER BY id", (number,))
            known = _Known((newest, settings), game, [Input(key, kind, json.loads(data)) for key, kind, data in rows])
            self._known = {**{it: self._known[it] for it in list(self._known)[-_KNOWN_MAX:]}, number: known}
        return known

    def record(self, number: int, fact: Input, options: Options, seq: int = 0) -> list[Line]:
        """Book an input and all that follows from it; the lines that were booked now. The same input again changes
        nothing; the same key with other content is refused."""
        return self.record_all(number, [fact], options, seq)

    def record_all(self, number: int, fact: Iterable[Input], options: Options, seq: int = 0) -> list[Line]:
        """Book several inputs, all of them or none: a crash must not leave half of the wagers of a round."""
        with self._transaction():
            return [line for one in fact for line in self._record(number, one, options, seq)]

    def _record(self, number: int, fact: Input, options: Options, seq: int) -> list[Line]:
        data = json.dumps(dict(fact.data))
        known = self._db.execute(
            "SELECT kind, data, seq FROM inputs WHERE round = ? AND key = ?", (number, fact.key)
        ).fetchone()
        if known is not None:
            if known[:2] != (fact.kind, data) and (seq == 0 or seq != known[2]):  # not the same event again
                raise UsageError(f"{fact.key} was booked with other content.", "Correct it, or call a supervisor.")
            return []
        if fact.kind in ASIDE:
            self._input(number, fact, data, seq)
            return []
        before = self.play(number, options)
        if before.unread and fact.kind not in NO_HAND:
            raise UsageError(f"round {number} cannot be read: {before.unread}", "A supervisor may void it.")
        after = self._corrected(number, before, fact) if fact.kind == "correct" else apply(before, fact)
        cause = self._input(number, fact, data, seq)
        if fact.kind == "closed":
            self._closed(number, fact)
        placed, coupons = after.stakes[len(before.stakes) :], after.coupons[len(before.coupons) :]
        self._accounts.move(number, cause, [Transfer(COUPONS, player(seat), cents) for seat, _, _, cents in coupons])
        self._accounts.move(number, cause, [Transfer(player(seat), layout(seat), cents) for seat, _, cents in placed])
        booked: list[Line] = []
        if fact.kind == DECIDED:
            booked = self._settling.decided(number, cause, str(fact.data["line"]), str(fact.data["choice"]))
        if not after.unread:
            if fact.kind not in VOIDS:
                self._settling.contribute(number, cause, after)
            booked += self._settling.settle(number, cause, after, fact.kind)
            # After a void only now: wagers whose payout `settle` has put in suspense are not returned (0063).
            self._settling.contribute(number, cause, after)
        if fact.kind == "over":
            self._finish(number)
        return booked

    def _input(self, number: int, fact: Input, data: str, seq: int) -> int:
        cause = self._db.execute(
            "INSERT INTO inputs (round, key, kind, data, seq, utc, shift) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, fact.key, fact.kind, data, seq, self._now(), self.rack.open_shift()),
        ).lastrowid
        assert cause is not None
        return cause

    def void_unread(self, by: str, reason: str, over: bool = False) -> list[Line]:
        """Void the open round of this table without its game, its options or its shoe, and return what lies on the
        layout; lines that were booked stand. `over`: end it too, because no table will."""
        who = signed(by, reason)
        house = Input("house:0:void", "house", {"seat": 0, "part": "void", "choice": "void", **who})
        void = Input("void", "void", {"clause": "HOUSE", "kept": [], **who, "unread": True})
        with self._transaction() as db:
            row = db.execute("SELECT id FROM rounds WHERE tbl = ? AND over = 0", (self.table,)).fetchone()
            if row is None or not self._wagered(row[0]):
                raise UsageError(f"no round with wagers is open at {self.table}.", "Nothing is to be voided.")
            number = row[0]
            if any(fact.kind == "void" for fact in self.inputs(number)):
                raise UsageError(f"round {number} is void already.", "Start the table: it brings it to its end.")
            causes = [self._input(number, fact, json.dumps(dict(fact.data)), 0) for fact in (house, void)]
            coupons = self._coupons(number)
            lines = [
                replace(void_line(seat, "wagers", cents, "HOUSE", "all wagers"), coupon=coupons[seat])
                for seat, cents in self.on_the_layout()
            ]
            for line in lines:
                self._accounts.put(number, causes[1], line, transfers(line))
            if over:
                self._input(number, Input("over", "over"), "{}", 0)
                self._finish(number)
            return lines

    def _coupons(self, number: int) -> Counter[int]:
        """Cents of coupons that lie before each seat."""
        found: Counter[int] = Counter()
        for fact in self.inputs(number):
            found[fact.data.get("seat", 0)] += sum(fact.data.get("coupons", {}).values())
        for line in self.lines(number):
            found[line.seat] -= line.coupon
        return found

    def _closed(self, number: int, fact: Input) -> None:
        """The shoe that deals the round, and its number there."""
        self._db.execute("UPDATE rounds SET shoe_round = ? WHERE id = ?", (fact.data["round"], number))
        if "device" in fact.data:
            self._db.execute(
                "UPDATE rounds SET device = ?, log = ? WHERE id = ?", (fact.data["device"], fact.data["log"], number)
            )

    # -- corrections --------------------------------------------------------------------------------------------------

    def correct(
        self,
        number: int,
        of: str,
        cards: Sequence[int],
        options: Options,
        source: str,
        approval: str,
        also: tuple[str, Sequence[int]] = ("", ()),
    ) -> list[Line]:
        """Put other cards in the place of those of one input, before or after they were settled. Nothing is
        overwritten: the wrong input stays, lines that change are reversed and booked again. `approval` names the
        supervisor; `also` is the other input where cards of two were exchanged: neither can be corrected alone. Gives
        the lines that were booked now."""
        if not approval.strip():
            raise UsageError("a correction names no supervisor.", "Call one, and enter who approves it.")
        check_lines(approval)
        times = sum(fact.kind == "correct" and fact.data["of"] == of for fact in self.inputs(number))
        data = {"of": of, "cards": list(cards), "source": source, "approval": approval.strip()}
        data |= {"also": also[0], "also_cards": list(also[1])} if also[0] else {}
        return self.record(number, Input(f"correct:{of}:{times + 1}", "correct", data), options)

    def _corrected(self, number: int, before: Play, fact: Input) -> Play:
        """The round as it would have been with the right cards; refused where it would have gone on otherwise."""
        inputs = self.inputs(number)
        there = {one.key: len(one.data["cards"]) for one in inputs if one.kind == "cards"}
        if any(there.get(of) != len(cards) for of, cards in corrected(fact)):
            raise UsageError(f"no such cards in round {number}.", "Choose a hand that was entered.")
        newer = self._db.execute(
            "SELECT 1 FROM inputs i JOIN rounds r ON r.id = i.round WHERE r.tbl = ? AND r.id > ? AND i.key = 'closed'",
            (self.table, number),
        ).fetchone()
        if newer is not None:
            raise UsageError(f"another round was dealt after round {number}.", "A supervisor settles it by hand.")
        after = rebuild(before.game.new(before.options), [*inputs, fact])
        if after.void:
            raise UsageError(f"round {number} is void: its cards decide nothing.", "Leave them.")
        if any(one.key == "over" for one in inputs) and asks(after, ALL_OUT):
            raise UsageError("with these cards the round would not be over.", "A supervisor settles it by hand.")
        return after

    def _finish(self, number: int) -> None:
        left = self.on_the_layout()
        if left:
            raise UsageError(f"round {number} is over and wagers lie on the layout: {left}.", "Settle them first.")
        self._db.execute("UPDATE rounds SET over = 1 WHERE id = ?", (number,))

    def in_suspense(self) -> list[tuple[int, Line]]:
        """Validated payouts of hands that became void, by round: a supervisor decides about each."""
        if not self.balances().get(f"{self.table}/{SUSPENSE}"):
            return []
        rows = self._db.execute(
            "SELECT DISTINCT round FROM lines JOIN rounds ON id = round WHERE tbl = ? AND instr(line, ?)",
            (self.table, json.dumps(IN_SUSPENSE)),
        ).fetchall()
        return [(row[0], line) for row in rows for line in self.lines(row[0]) if line.state == IN_SUSPENSE]

    def decide_suspense(self, choice: str, options: Options, by: str, reason: str) -> tuple[int, Line]:
        """Pay the first payout in suspense, with envy bonuses for that hand, or give it back to where it came from; its
        round, and the line then."""
        waiting = self.in_suspense()
        number, line = (waiting or [(0, None)])[0]
        if line is None or choice not in DECISIONS:
            raise UsageError(f"{choice!r} decides about no payout in suspense.", f"One of {', '.join(DECISIONS)}.")
        data = {"choice": choice, **signed(by, reason)}
        with_it = [it for at, it in waiting if at == number and (line.envied or line.seat) in (it.seat, it.envied)]
        fact = [Input(f"{DECIDED}:{it.key}", DECIDED, {"line": it.key, **data}) for it in with_it]
        return number, self.record_all(number, fact, self.options(number) or options)[0]

    def audit(self) -> list[str]:
        return checks.audit(self._db, self._accounts)

    def shoe_rounds(self, device: str = "", log: str = "") -> dict[int, ShoeRound]:
        return checks.shoe_rounds(self._db, self.table, device, log)

    def rounds_over(self) -> int:
        row = self._db.execute("SELECT COUNT(*) FROM rounds WHERE tbl = ? AND over = 1", (self.table,)).fetchone()
        return int(row[0])

    def last_over(self) -> int:
        """The newest round of this table that is over; 0 before the first."""
        row = self._db.execute("SELECT MAX(id) FROM rounds WHERE tbl = ? AND over = 1", (self.table,)).fetchone()
        return int(row[0] or 0)

    def line_count(self) -> int:
        return int(self._db.execute("SELECT COUNT(*) FROM lines").fetchone()[0])

    def replay(self, options: Options | None = None) -> list[str]:
        """Settle everything again from the inputs of this table, which shares its meters with no other; what comes out
        otherwise than it was booked. `options` are for rounds whose header is unknown."""
        with Books(":memory:", self.table, self.link) as again:
            seeds = self._db.execute(
                "SELECT pool, name, seed, rate FROM meters WHERE link = ?", (self.link,)
            ).fetchall()
            for pool in {row[0] for row in seeds}:
                again.start_meters(
                    Meters(pool, {name: Meter(seed, seed, rate) for its, name, seed, rate in seeds if its == pool})
                )
            found: list[str] = []
            copies: dict[int, int] = {}
            # In the order in which they came: a payout in suspense may be decided about in a later round.
            fact = self._db.execute(
                "SELECT r.id, game, key, kind, data FROM inputs i JOIN rounds r ON r.id = i.round WHERE tbl = ?"
                " ORDER BY i.id",
                (self.table,),
            )
            for number, game, key, kind, data in fact.fetchall():
                its = self.options(number) or options
                if number not in copies and _voided_unread(self.inputs(number)):
                    again.copy_moves(self, number)
                    copies[number] = 0
                if copies.get(number) == 0:
                    continue
                if its is None:
                    found.append(f"round {number} has an unknown header: nothing says by which options it is settled")
                    break
                copy = copies[number] = copies.get(number) or again.open_round(game)
                try:
                    again.record(copy, Input(key, kind, json.loads(data)), its)
                except UsageError as error:
                    found.append(f"round {number} is booked otherwise than its game allows: {error.what}")
                    break
            found += [
                f"round {number} is booked otherwise than its inputs settle"
                for number, copy in copies.items()
                if copy and again.lines(copy) != self.lines(number)
            ]
            start = (f"{self.table}/", f"{self.link}/")
            own = {name: cents for name, cents in self.balances().items() if name.startswith(start)}
            if again.balances() != own:
                found.append(f"the inputs of {self.table} give other balances than the books have")
            return found

    def copy_moves(self, other: Books, number: int) -> None:
        """The transfers of a round of other books, as they are."""
        rows = other._db.execute("SELECT source, target, cents FROM transfers WHERE round = ?", (number,))
        for source, target, cents in rows:
            for name, change in ((source, -cents), (target, cents)):
                self._db.execute(ADD, (name, change))

    def rows(self, table: str) -> list[dict[str, object]]:
        """Rows of the file as they are, for an export."""
        if table not in EXPORTED:
            raise UsageError(f"no table {table!r} to export.", f"One of {', '.join(EXPORTED)}.")
        found = self._db.execute(f"SELECT * FROM {table}")
        names = [it[0] for it in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    # -- meters -------------------------------------------------------------------------------------------------------

    def start_meters(self, meters: Meters) -> None:
        """Put the seeds in, once: meters that are there stay as they are."""
        with self._transaction():
            if self.meters(meters.pool) is not None:
                return
            self._accounts.save(meters)
            for name, meter in meters.by_name.items():
                self._accounts.move(0, 0, [Transfer("house", f"meter {meters.pool}/{name}", meter.cents)])

    def join_link(self, facts: TableFacts) -> None:
        """Share the meters of the link with the tables in it, if pay tables, wagers and decks agree (CS 12(n))."""
        with self._transaction() as db:
            rows = db.execute("SELECT tbl, facts FROM links WHERE link = ?", (self.link,)).fetchall()
            tables: Mapping[str, TableFacts] = {name: TableFacts(**json.loads(text)) for name, text in rows}
            objections = link_objections({**tables, self.table: facts})
            if objections:
                raise UsageError(f"{self.table} may not join {self.link}: {objections[0]} (CS 12(n)).", "Correct it.")
            data: dict[str, Any] = asdict(facts)
            db.execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?)", (self.link, self.table, json.dumps(data)))
