"""What a journal tells about the course before a stop, and what may have led to it. replay.py plays it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairshoe.boards.configs import board_names, load_board
from fairshoe.errors import Exit, FairshoeError
from fairshoe.games.profiles import game_names, load_game
from fairshoe.messages import (
    Booted,
    CommandAccepted,
    DeckLoaded,
    DeckRefused,
    Event,
    Fault,
    RoundStarted,
    Sensor,
    ShuffleStarted,
    StackOffered,
    StackStarted,
    WarningLatched,
)

Step = dict[str, Any]
# What a device records for itself, or for its host: the course goes on without it.
_ASIDE = frozenset(
    {
        "sealed",
        "clock_set",
        "command_accepted",
        "command_ended",
        "recorded",
        "record_damaged",
        "signing_key",
        "key_changed",
        "journal_filling",
        "shuffle_nonce",
        "shuffle_committed",
        "service",
        "betting_closed",
        "held_back",
        "stub_due",
        "cover_all",
        "cut_reached",
    }
)


class NoStop(FairshoeError):
    """Nothing that could be replayed."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class Course:
    """What a device did from the last deck, or from its start, up to a stop."""

    board: str
    game: str | dict[str, object]
    cards: int  # that were in the hopper; 0: none were loaded
    events: tuple[Event, ...]  # up to the stop, which is the last
    known: tuple[str, ...]  # what the journal tells
    guessed: tuple[str, ...]

    @property
    def stop(self) -> WarningLatched:
        last = self.events[-1]
        assert isinstance(last, WarningLatched)
        return last


# -- the course --------------------------------------------------------------------------------------------------------


def course_of(events: Sequence[Event], seq: int | None = None, board: str = "", game: str = "") -> Course:
    """The course before the stop with this number, or before the last one. Board and game, if given, take the place of
    what the journal tells. Raises NoStop."""
    stops = [event for event in events if isinstance(event, WarningLatched)]
    if seq is not None:
        stops = [event for event in stops if event.seq <= seq][-1:]
    if not stops:
        raise NoStop(
            "no stop is in these records: no warning was latched.",
            "Take an export or a capture that has the event warning_latched, or name the number of one.",
        )
    before = [event for event in events if event.seq < stops[-1].seq]
    first = max((i for i, it in enumerate(before) if isinstance(it, (ShuffleStarted, DeckLoaded))), default=-1)
    cleared = max((i for i, it in enumerate(before) if it.NAME == "warning_cleared"), default=-1)
    window = before[first:] if first > cleared else before[cleared + 1 :]
    known: list[str] = []
    guessed: list[str] = []
    name = board or _board(before, known, guessed)
    playing = game or _game(events, window, name, known, guessed)
    cards = _cards(window, events, stops[-1], known, guessed)
    if any(isinstance(event, CommandAccepted) for event in window):
        guessed.append("commands of the table system are presses at the panel here")
    guessed.append("the order of the cards: no journal has it")
    plain = [event for event in window if event.NAME not in _ASIDE and not isinstance(event, Booted)]
    return Course(name, playing, cards, (*plain, stops[-1]), tuple(known), tuple(guessed))


def _board(before: Sequence[Event], known: list[str], guessed: list[str]) -> str:
    crc = next((event.board_crc for event in reversed(before) if isinstance(event, Booted)), 0)
    for name in board_names():
        if load_board(name)[1] == crc:
            known.append(f"board {name}, from the checksum that the device reported")
            return name
    shuffles = any(isinstance(event, ShuffleStarted) for event in before)
    name = "pico-carousel" if shuffles or not any(isinstance(it, DeckLoaded) for it in before) else "pico-shoe"
    guessed.append(f"board {name}: the records name none of ours (--board names it)")
    return name


def _game(
    events: Sequence[Event], window: Sequence[Event], board: str, known: list[str], guessed: list[str]
) -> str | dict[str, object]:
    started = [event for event in events if isinstance(event, RoundStarted)]  # a device keeps its game
    deck = next((it.expected for it in reversed(window) if isinstance(it, (ShuffleStarted, DeckLoaded))), 0)
    for name in game_names():
        if started and name != "house" and load_game(name)["code"] == started[-1].game:
            known.append(f"game {name}, from round {started[-1].round}")
            return name
    clauses = {str(getattr(event, "clause", "")).partition("-")[0] for event in events}
    for name in game_names():
        if name != "house" and load_game(name)["code"] in clauses:
            known.append(f"game {name}, from a clause that the device named")
            return name
    kind = load_board(board)[0]["mechanism"]["kind"]
    if not started and kind == "carousel" and deck in (0, 52):
        guessed.append("game caribbean-stud: no round was played (--game names it)")
        return "caribbean-stud"
    guessed.append(f"a house game of {deck or 52} cards")
    return {"deck_cards": deck or 52}


def _cards(
    window: Sequence[Event], events: Sequence[Event], stop: WarningLatched, known: list[str], guessed: list[str]
) -> int:
    expected = next((it.expected for it in window if isinstance(it, (ShuffleStarted, DeckLoaded))), 0)
    if not expected:
        return 0
    if stop.warning == Fault.MISMATCH:
        refused = [it for it in events if isinstance(it, DeckRefused) and stop.seq < it.seq <= stop.seq + 3]
        counted = refused[0].counted if refused else stop.cards_seen
        known.append(f"{counted} cards, as the device counted them")
        return counted
    guessed.append(f"{expected} cards in the hopper: the count did not end")
    return expected


# -- the fault ---------------------------------------------------------------------------------------------------------


def causes(course: Course) -> Iterator[tuple[str, list[Step]]]:
    """What may have led to the stop, likeliest first: in words, and as steps. A step with `hand` comes at the moment of
    the stop, the others before the deck is loaded."""
    stop = course.stop
    seen = max(0, stop.cards_seen - 1)
    line = stop.sensor.name.lower() if stop.sensor not in (Sensor.NONE, Sensor.UNRECOGNISED) else "throat_a"
    if stop.warning == Fault.MISMATCH:
        yield "a deck of that number of cards", []
    if len(course.events) > 1 and course.events[-2].boot != stop.boot:
        yield "power, lost at a moment that no journal has", [{"hand": 1, "do": "cut"}]
    if stop.warning == Fault.DOOR:
        yield "the door, opened then", [{"hand": 1, "do": "open"}]
    elif stop.warning == Fault.POWER:
        yield "power, lost at a moment that no journal has", [{"hand": 1, "do": "cut"}]
    elif stop.warning == Fault.RESET:
        yield "firmware that hangs, and the watchdog", [{"hand": 1, "do": "stuck", "ms": 700}]
    elif stop.warning == Fault.JAM_EXIT:
        for number in _at_exit(course):
            yield f"a jam of card {number + 1} at the exit", [_fault("jam", place="exit", at_um=40000, card=number)]
        yield "an ejector that sticks", [{"hand": 1, **_fault("ejector_stuck")}]
    elif stop.warning == Fault.STACK:
        yield "cards dropped into the tray", [{"hand": 1, **_fault("litter", cards=2)}]
    for words, spec in _BY_CARD.get(stop.warning, ()):
        yield f"{words}, card {seen + 1}", [{"do": "fault", **spec, "card": seen}]
    for words, spec in _BY_TIME.get(stop.warning, ()):
        more = {"line": line} if spec["fault"] in ("beam_stuck", "beam_blind", "storm") else {}
        for when in ({"hand": 1}, {}):
            yield words + (f" ({line})" if more else ""), [{**when, "do": "fault", **spec, **more}]
    if stop.warning == Fault.JAM_THROAT:
        yield "a card that is held while it is drawn", [{"hand": 1, "do": "hold"}]


def _fault(fault: str, **values: Any) -> Step:
    return {"do": "fault", "fault": fault, **values}


_BY_CARD: dict[Fault, tuple[tuple[str, Step], ...]] = {
    Fault.MISFEED: (("a card that does not feed", {"fault": "misfeed", "times": 9}),),
    Fault.JAM_THROAT: (
        ("a jam between the throat beams", {"fault": "jam", "place": "throat", "at_um": 60000}),
        ("a jam before the second beam", {"fault": "jam", "place": "throat", "at_um": 40000}),
        ("a jam in the mouth", {"fault": "jam", "place": "mouth", "at_um": 20000}),
    ),
    Fault.DOUBLE_FEED: (
        ("two cards, one 30 mm behind the other", {"fault": "double_feed", "offset_um": 30000}),
        ("two cards, aligned", {"fault": "double_feed"}),
    ),
    Fault.CARD_LENGTH: (("a short card", {"fault": "foreign", "length_um": 60000}),),
    Fault.BACK: (("another back", {"fault": "wrong_back"}),),
    Fault.FACE_UP: (("a card face up", {"fault": "face_up"}),),
    Fault.MISMATCH: (("a card lost under a rail", {"fault": "card_lost", "place": "rail"}),),
}
_BY_TIME: dict[Fault, tuple[tuple[str, Step], ...]] = {
    Fault.AXIS: (("a home mark that is not seen", {"fault": "home_lost"}),),
    Fault.ENTROPY: (("a noise source that is dead", {"fault": "entropy", "kind": "dead"}),),
    Fault.JOURNAL: (("storage that takes no writes", {"fault": "nv", "kind": "broken"}),),
    Fault.EJECTOR: (("an ejector that sticks", {"fault": "ejector_stuck"}),),
    Fault.PANEL: (("a panel that is unplugged", {"fault": "panel_lost"}),),
    Fault.BEAM: (
        ("a beam that stays blocked", {"fault": "beam_stuck", "level": 1}),
        ("a blind beam", {"fault": "beam_blind"}),
    ),
    Fault.CARDS_INSIDE: (("a beam that stays blocked", {"fault": "beam_stuck", "level": 1}),),
    Fault.NOISE: (("20 kHz on a line", {"fault": "storm", "edges_per_s": 40000}),),
}


def _at_exit(course: Course) -> Iterator[int]:
    """Which card since the deck came may have stopped at the exit: the middle one of its stack first."""
    out = sum(it.cards for it in course.events if isinstance(it, StackOffered))
    last = next((it for it in reversed(course.events[:-1]) if isinstance(it, StackStarted)), None)
    numbers = range(out, out + (last.cards if last and course.events[-2].NAME == "stack_started" else 5))
    yield from sorted(numbers, key=lambda number: abs(number - numbers[len(numbers) // 2]))
