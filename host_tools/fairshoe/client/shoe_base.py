"""The part of Shoe and AsyncShoe that neither moves bytes nor waits: properties, callbacks, arguments of commands."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from fairshoe.client.argument_checks import check_listener, check_nonce, check_open
from fairshoe.client.command_queue import Pending
from fairshoe.client.exchange import Core
from fairshoe.client.notices import Listeners, Report
from fairshoe.client.operation_numbers import Numbers, Unfinished
from fairshoe.client.share_judge import LostShare
from fairshoe.client.store import Store
from fairshoe.client.table_share import TableShare
from fairshoe.errors import NoAnswer, UsageError
from fairshoe.games.rounds import RoundView
from fairshoe.keys import KeyRing, RoleKey, take_key
from fairshoe.link import framing
from fairshoe.link.session import HostSession, LinkCounts
from fairshoe.messages import CloseBetting, Message, RoundEnded, RoundVoided, Status, Welcome
from fairshoe.transport.urls import PortAddress

if TYPE_CHECKING:
    from fairshoe.sim.port import SimPort

Kind = TypeVar("Kind", bound=Report)


COMMAND_S = 120.0
RETRY_S = 0.1  # until a lost port is tried again; doubled every time
RETRY_S_MAX = 5.0
NAP_S = 0.05
SILENT_S = 10.5  # a device holds a line for the table that was heard within ten seconds
STALE_S = 10.0  # a connection over a network that is silent for so long is closed and made again


class Parts(NamedTuple):
    """What a shoe is made of before its port is open. `owned` is closed with the shoe."""

    core: Core
    address: PortAddress
    owned: Store | None


def prepare(
    url: str,
    key: RoleKey | KeyRing | str | Path | None,
    operations: Numbers | None,
    after_seq: int,
    answer_s: float,
    store: Store | str | Path | None,
    device: int | None,
    new_log: bool,
    clock: bool,
    nonce: bool,
    shufflers: Collection[int],
) -> Parts:
    """Check the arguments of `open` and open the store."""
    check_open(url, key, operations, after_seq, answer_s, store, device)
    taken = take_key(key)
    check_nonce(nonce, taken)
    address = PortAddress(url)
    owned = Store(store) if isinstance(store, (str, Path)) else None
    kept = owned or (store if isinstance(store, Store) else None)
    session = HostSession(taken, after_seq, kept is not None)
    share = TableShare(nonce, kept, shufflers=shufflers)
    return Parts(Core(url, session, operations, kept, new_log, device, clock, share), address, owned)


def round_over(message: Message) -> bool:
    return isinstance(message, (RoundEnded, RoundVoided))


def fits(message: Message, until: Any) -> bool:
    """Whether a message is what `run` waits for: of a class, or one for which a function returns True."""
    return until is not None and (isinstance(message, until) if isinstance(until, type) else bool(until(message)))


def do_nothing() -> None:
    """The default of functions that a program may give."""


class ShoeBase:
    """Shoe and AsyncShoe begin with this."""

    def __init__(self, core: Core, name: str, line: object) -> None:
        self._core = core
        self._line = line  # a simulated one has hands
        self._listeners = Listeners()
        self._owned: Store | None = None  # closed with the shoe
        self._greeted = core.session is None  # a shoe that only listens says no hello
        self._stopping = False
        self.name = name

    @property
    def welcome(self) -> Welcome | None:
        """What the device said about itself when the session began."""
        return self._core.welcome

    @property
    def status(self) -> Status | None:
        """The newest; None before the first."""
        return self._core.status

    @property
    def open_round(self) -> int:
        """The round that has begun and not ended, as far as events were received; 0 if none."""
        return self._core.open_round

    @property
    def current_round(self) -> RoundView:
        """The newest round, open or over, as far as events were received. With a store it is there after a restart."""
        return self._core.view

    @property
    def up(self) -> bool:
        """Whether the device was heard of lately."""
        return self._core.up

    @property
    def drops(self) -> framing.Drops:
        """What was lost on the way here; the device sends events again until they arrive."""
        return self._core.drops

    @property
    def counts(self) -> LinkCounts:
        """How good the link is."""
        return self._core.counts

    @property
    def seq_last(self) -> int:
        """Of the last event received."""
        return self._core.seq_last

    @property
    def store(self) -> Store | None:
        """Where events are kept, if anywhere."""
        return self._core.store

    @property
    def pending(self) -> Pending | None:
        """The command that is under way, also if the program no longer waits for it."""
        return self._core.pending

    @property
    def ready(self) -> bool:
        """Whether a message waits for the program."""
        return self._core.ready

    @property
    def lost_shares(self) -> list[LostShare]:
        """Shuffles of this shift and before that ended without the table's share; of a shoe opened with nonce=True."""
        return self._core.share.judge.lost

    @property
    def share_text(self) -> str:
        """How many shares of this shift were lost, in words; of a shoe without any, why it has none."""
        return self._core.share.text

    @property
    def share_open(self) -> bool:
        """Whether the deck inside has the table's share or is about to, and not all of its cards are out: its end would
        count. A person may end it beforehand."""
        return self._core.share.wanted and self._core.share.judge.open != 0

    @property
    def door_unexplained(self) -> bool:
        """Whether a deck was lost by a door, and no person has said why it was opened."""
        return self._core.share.wanted and self._core.share.judge.pending is not None

    def check_deck(self) -> None:
        """Raises DeckNotShared if the deck inside is not to be played: its order has no share of the table. Commands
        that use the deck raise the same."""
        self._core.share.check(CloseBetting)

    def accept_deck(self, by: str) -> LostShare:
        """A supervisor, by name, accepts the one deck that is inside although its order has no share of the table: a
        cable was loose, for example. With a store this is on file. It does not reduce the count of the shift."""
        return self._core.share.accept(by)

    def end_deck(self, by: str, cause: str) -> int:
        """A person, by name, ends the deck inside before its cards are out, or says why the door was opened; then its
        end does not count as the device's word. The number of its shuffle."""
        return self._core.share.end(by, cause)

    def hands_wagered(self, round_number: int, hands: int) -> None:
        """So many hands have wagers in this round of the shoe: the deck keeps the table's share only if each got its
        stack, also where the device says that it deals to fewer."""
        if self._core.share.wanted:
            self._core.share.wagered(round_number, hands)

    @property
    def log_id(self) -> int:
        """Of the device's log in the store; 0 without a store."""
        events = self._core.events
        return events.log.id if events is not None and events.log is not None else 0

    @property
    def sim(self) -> SimPort:
        """The simulated shoe behind a sim:// URL: its hands and its cable."""
        from fairshoe.sim.port import SimPort  # only who asks for a simulation loads one

        if not isinstance(self._line, SimPort):
            raise UsageError(f"{self.name} is no simulated shoe.", "Open sim://pico-carousel, for example.")
        return self._line

    @overload
    def on(self, kind: type[Kind], function: Callable[[Kind], Any]) -> Callable[[Kind], Any]: ...

    @overload
    def on(self, kind: type[Kind]) -> Callable[[Callable[[Kind], Any]], Callable[[Kind], Any]]: ...

    def on(self, kind: type[Any], function: Callable[[Any], Any] | None = None) -> Any:
        """Call a function for every message or notice (LinkLost, ...) of this kind: `shoe.on(RoundEnded, book)`, or as
        a decorator. `run` serves them, and so do loops over events. An event whose function fails is not
        acknowledged. An AsyncShoe awaits functions for messages that are coroutine functions; those for notices are
        called from the task that moves bytes, and must be plain and short."""
        check_listener(kind, function)

        def add(wanted: Callable[[Any], Any]) -> Callable[[Any], Any]:
            self._listeners.add(kind, wanted)
            return wanted

        return add if function is None else add(function)

    def off(self, kind: type[Kind], function: Callable[[Kind], Any]) -> None:
        """Call it no more."""
        self._listeners.remove(kind, function)

    def stop(self) -> None:
        """End `run`, from a function that it has called."""
        self._stopping = True

    def unfinished(self) -> Unfinished | None:
        """The command of an earlier run whose outcome is unknown."""
        return self._core.unfinished()

    def _not_in_time(self, timeout_s: float | None) -> NoAnswer:
        return NoAnswer(
            f"{self.name}: what was waited for did not come within {timeout_s:g} s.",
            "See what the device is doing: its display, or shoe.status.",
        )
