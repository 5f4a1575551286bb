"""The procedure of each kind of step: acts through the device and the hands, and fills in what it measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairshoe import messages
from fairshoe.bench import hands as hands_
from fairshoe.bench.deck_runner import Deck, Overdue, Play
from fairshoe.bench.device import Device
from fairshoe.bench.hands import Hands, Task
from fairshoe.bench.plan import Step
from fairshoe.errors import PortLost
from fairshoe.messages import Meters
from fairshoe.text.describe import words
from fairshoe.wear import BEAMS

SILENT_S = 2.0  # four status messages
TOLD_S = 100.0  # meters and health come after a welcome, or ten seconds later; a busy machine simulates slowly
COMMAND_S = 600.0
SETTLED_S = 1.0  # a button is pressed by a hand that has let go of the cards; a command could come too early


class NotApplicable(Exception):
    """The step does not apply to this device; the text says why."""


class NotTested(Exception):
    """The step applies to this device, and this run cannot test it; the text says what is missing."""


@dataclass
class Board:
    """What the bench knows about the machine before it asks."""

    name: str
    kind: str
    crc: int
    deck_cards: int
    places: int  # of the store, all of which a sweep has to see; 0 without one
    count_assurance: str
    clear_ack: bool  # whether a host without a key may acknowledge events


@dataclass
class Findings:
    """What a step has measured so far. Kept also if the step ends early."""

    figures: dict[str, float | None] = field(default_factory=dict[str, "float | None"])
    notes: list[str] = field(default_factory=list[str])
    series: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    decks: list[Deck] = field(default_factory=list[Deck])

    def point(self, series: str, label: str, value: float | None) -> None:
        if value is not None:
            self.series.setdefault(series, []).append({"label": label, "value": value})


@dataclass
class Bench:
    """Everything a step works with. `say` gets its progress."""

    device: Device
    hands: Hands
    play: Play
    board: Board
    say: Callable[[str], None]


Procedure = Callable[[Bench, Step, Findings], None]


def identity(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    seconds = int(step.arguments["seconds"])
    before = device.statuses
    device.rest(seconds)
    found.figures["status_per_s"] = round((device.statuses - before) / seconds, 2)
    boots = [event for event in device.events if isinstance(event, messages.Booted)]
    found.figures["board_known"] = int(boots[-1].board_crc == bench.board.crc) if boots else None
    if not boots:
        found.notes.append("another host got the event of its start; the next start reports the board")
    # Every device reports its start, so a table system need not see this one.
    waited = sum(event.seq <= device.seq_at_start and not isinstance(event, messages.Booted) for event in device.events)
    if waited:
        word = "events that had waited for a host since before"
        found.notes.append(f"{word}: {waited}; they are in the log, acknowledged")
    welcome = device.welcome
    session = f"session of the {words(welcome.role.name)}" if device.keyed else "session without a key"
    found.notes.append(f"{session}; the link is {words(welcome.mode.name)}, the device has {_a_key(welcome.has_key)}")


def _a_key(has_key: int) -> str:
    return "a key" if has_key else "no key yet"


def power_on(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    mark = len(device.events)
    power_cycle(bench, hands_.OFF, hands_.ON)
    bench.say("self-test and proof that it is empty")
    bench.play.until(
        lambda: bool(device.since(mark, messages.EmptyProved) or device.since(mark, messages.WarningLatched)),
        60,
        "the proof that it is empty",
    )
    note_warnings(device, mark, found)
    boots = device.since(mark, messages.Booted)
    found.figures["resets"] = sum(boot.cause != 0 for boot in boots)
    proofs = device.since(mark, messages.EmptyProved)
    if proofs:
        found.figures["ready_s"] = round(proofs[0].uptime, 3)
        found.figures["places_missed"] = max(bench.board.places - proofs[0].slots_swept, 0)


def power_cycle(bench: Bench, off: Task, on: Task) -> None:
    """Off and on again, whether the port goes away with the power or only falls silent."""
    device, hands = bench.device, bench.hands
    mark = len(device.events)
    hands.do(off)
    try:
        if not device.wait(device.silent_for(SILENT_S), hands.patience_s):
            raise Overdue(f"after '{off.words}' the device went on talking")
    except PortLost:
        pass  # it has its power from the cable, or its port is its own
    hands.do(on)
    if not device.survive(lambda: bool(device.since(mark, messages.Booted)), hands.patience_s):
        raise Overdue("the device did not report that it started")


def note_warnings(device: Device, mark: int, found: Findings) -> None:
    latched = device.since(mark, messages.WarningLatched)
    found.figures["warnings"] = found.figures.get("warnings") or 0
    found.figures["warnings"] += len(latched)
    found.notes += [f"warning {words(event.warning.name)}, event {event.seq}" for event in latched]


def door(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    mark = len(device.events)
    for _ in range(int(step.arguments["times"])):
        _swing_door(bench)
    found.figures["opened"] = len(device.since(mark, messages.DoorOpened))
    found.figures["closed"] = len(device.since(mark, messages.DoorClosed))
    found.figures["proved"] = len(device.since(mark, messages.EmptyProved))
    note_warnings(device, mark, found)


def _swing_door(bench: Bench) -> None:
    """Open, closed, and proved empty again."""
    device, play = bench.device, bench.play
    at = len(device.events)
    play.do(hands_.OPEN, lambda: bool(device.since(at, messages.DoorOpened)))
    play.do(hands_.CLOSE, lambda: bool(device.since(at, messages.DoorClosed)))
    play.until(lambda: bool(device.since(at, messages.EmptyProved)), 60, "the proof that it is empty")
    play.rest()


def key_switch(bench: Bench, step: Step, found: Findings) -> None:
    """With the switch on the table port is silent; events come when it is off again."""
    device = bench.device
    if device.welcome.role == messages.Role.SERVICE:
        raise NotTested("this session lives by the key switch: run the plan at the table port")
    mark = len(device.events)
    bench.hands.do(hands_.KEY_ON)
    device.wait(device.silent_for(SILENT_S), 10)
    bench.hands.do(hands_.KEY_OFF)
    device.survive(lambda: any(not event.on for event in device.since(mark, messages.Service)), bench.hands.patience_s)
    found.figures["switched_on"] = sum(event.on for event in device.since(mark, messages.Service))
    found.figures["switched_off"] = sum(not event.on for event in device.since(mark, messages.Service))


def quiet(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    seconds = int(step.arguments["seconds"])
    mark = len(device.events)
    before = _gathered(bench)
    late = device.health.overruns if device.health else 0
    bench.say(f"{seconds} s without a touch")
    device.rest(seconds)
    after = _gathered(bench)
    glitches = {name: getattr(after, name) - getattr(before, name) & 0xFFFF for name in BEAMS}
    found.figures["glitches"] = sum(glitches.values())
    found.notes += [f"{words(name)}: {count} glitches" for name, count in glitches.items() if count]
    found.figures["overruns"] = device.health.overruns - late & 0xFFFF if device.health else None
    found.figures["scan_ms_max"] = device.health.scan_ms_max if device.health else None
    note_warnings(device, mark, found)


def _gathered(bench: Bench) -> Meters:
    """Meters with every glitch until now. A device adds them up when it comes back to waiting for a deck, as it does
    after its door was opened and closed; a new session alone would hear the old sum again."""
    _swing_door(bench)
    return fresh_meters(bench.device)


def fresh_meters(device: Device) -> Meters:
    """The device's meters now; a new session makes it send them."""
    device.renew()
    device.wait(lambda: device.meters is not None and device.health is not None, TOLD_S)
    if device.meters is None:
        raise Overdue("the device did not tell its meters")
    return device.meters


def decks(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    mark = len(device.events)
    count = int(step.arguments["decks"])
    for number in range(1, count + 1):
        bench.say(f"deck {number} of {count}")
        deck = bench.play.deck(bench.board.deck_cards)
        found.decks.append(deck)
        label = str(deck.number)
        found.point("intake_s", label, deck.intake_s)
        for stack, ms in enumerate(deck.stack_ms, 1):
            found.point("stack_ms", f"{label}.{stack}", ms)
        device.wait(lambda: False, 0.5)  # meters follow the end of the deck
        if device.meters and device.meters.feed_us:
            found.point("feed_ms", label, round(device.meters.feed_us / 1000, 2))
        _sum_up(bench, found, mark)


def _sum_up(bench: Bench, found: Findings, mark: int) -> None:
    figures, device = found.figures, bench.device
    cards = max(sum(deck.loaded for deck in found.decks), 1)
    stacks = [ms for deck in found.decks for ms in deck.stack_ms]
    intakes = [deck.intake_s for deck in found.decks if deck.intake_s is not None]
    figures["decks"] = len(found.decks)
    figures["decks_wrong"] = sum(not right(deck, bench.board) for deck in found.decks)
    figures["misfeeds_per_thousand"] = round(sum(deck.misfeeds for deck in found.decks) * 1000 / cards, 2)
    figures["stalls_per_thousand"] = round(sum(deck.stalls for deck in found.decks) * 1000 / cards, 2)
    figures["intake_s_max"] = max(intakes, default=None)
    figures["stack_ms_max"] = max(stacks, default=None)
    meters = device.meters
    figures["feed_ms"] = round(meters.feed_us / 1000, 2) if meters and meters.feed_us else None
    drift = (meters.feed_us - meters.feed_us_new) * 100 / meters.feed_us_new if meters and meters.feed_us_new else None
    figures["feed_drift_percent"] = None if drift is None else round(drift, 1)
    means = [point["value"] for point in found.series.get("feed_ms", ())]
    figures["feed_change_percent"] = round((means[-1] - means[0]) * 100 / means[0], 1) if means else None
    figures["warnings"] = None
    found.notes.clear()
    note_warnings(device, mark, found)


def right(deck: Deck, board: Board) -> bool:
    """Every count there is says what was put in, and nothing stopped it."""
    counts = (deck.counted, deck.swept, deck.out)
    said = [count for count in counts if count is not None]
    return not deck.warnings and not deck.refused and bool(said) and all(count == deck.loaded for count in said)


def counts(bench: Bench, step: Step, found: Findings) -> None:
    figures = found.figures
    for name in ("short_noticed", "long_noticed", "good_accepted", "miscounted"):
        figures[name] = 0
    for difference in step.arguments["differences"]:
        cards = bench.board.deck_cards + difference
        bench.say(f"a deck of {cards}")
        deck = bench.play.deck(cards, _recipe(difference))
        found.decks.append(deck)
        found.point("counted", f"{cards} in", deck.counted)
        if deck.counted != cards:
            figures["miscounted"] = (figures["miscounted"] or 0) + 1
            found.notes.append(f"deck of {cards}: counted {'nothing' if deck.counted is None else deck.counted}")
        name = "good_accepted" if not difference else "short_noticed" if difference < 0 else "long_noticed"
        noticed = right(deck, bench.board) if not difference else deck.refused
        figures[name] = (figures[name] or 0) + int(noticed)


def _recipe(difference: int) -> str:
    count = "one card" if abs(difference) == 1 else f"{abs(difference)} cards"
    if not difference:
        return "a good deck"
    return f"a good deck with {count} {'removed' if difference < 0 else 'added'}"


def cut_card(bench: Bench, step: Step, found: Findings) -> None:
    device, play = bench.device, bench.play
    cut_at = int(step.arguments["cut_at"])
    mark = len(device.events)
    play.cut_at = cut_at
    try:
        found.decks.append(play.deck(bench.board.deck_cards))
    finally:
        play.cut_at = -1
    seen = device.since(mark, messages.CutReached)
    found.figures["cut_seen"] = len(seen)
    if seen:
        found.figures["cut_off_by"] = abs(seen[0].drawn - cut_at)
    note_warnings(device, mark, found)


def commands(bench: Bench, step: Step, found: Findings) -> None:
    device = bench.device
    if device.welcome.role not in (messages.Role.TABLE, messages.Role.SERVICE):
        raise NotTested("needs --key-file, the key of the table")
    if device.welcome.mode != messages.Mode.TABLE:
        raise NotApplicable("the device only reports (link.mode report_only): it takes no command")
    hands = _CommandHands(bench, found)
    found.figures["commands_done"] = found.figures["commands_failed"] = 0
    deck = Play(device, hands, bench.board.kind, bench.play.decks).deck(bench.board.deck_cards)
    bench.play.decks = deck.number
    found.decks.append(deck)
    found.figures["decks_wrong"] = int(not right(deck, bench.board))


class _CommandHands:
    """Hands that press no button where a command does the same."""

    _GREEN: dict[messages.State, type[messages.Command]] = {  # noqa: RUF012
        messages.State.WAITING_FOR_DECK: messages.Shuffle,
        messages.State.WAITING_FOR_GREEN: messages.Release,
        messages.State.DECK_HELD: messages.Release,
        messages.State.WAITING_FOR_ROUND_END: messages.EndRound,
    }

    def __init__(self, bench: Bench, found: Findings) -> None:
        self._bench = bench
        self._found = found
        self.unattended = bench.hands.unattended
        self.patience_s = bench.hands.patience_s

    def do(self, task: Task) -> None:
        kind, arguments = self._command(task)
        if kind is None:
            self._bench.hands.do(task)
            return
        device = self._bench.device
        device.rest(SETTLED_S)
        pending = device.shoe.start(kind, **arguments)
        device.wait(lambda: pending.result is not None, COMMAND_S)
        done = pending.result is not None and pending.result.done
        name = "commands_done" if done else "commands_failed"
        self._found.figures[name] = (self._found.figures[name] or 0) + 1
        if not done:
            ended = words(pending.result.outcome.name) if pending.result else "not answered"
            self._found.notes.append(f"{kind.NAME}: {ended}")

    def again(self, task: Task) -> None:
        self._bench.hands.again(task)

    def _command(self, task: Task) -> tuple[type[messages.Command] | None, dict[str, int]]:
        if task.action != "press":
            return None, {}
        if task.argument == "seat":
            return messages.SetPositions, {"positions": 1}
        named: dict[str, type[messages.Command]] = {
            "close": messages.CloseBetting,
            "lock": messages.ConfirmLockout,
            "ack": messages.AcknowledgeWarning,
        }
        return named.get(task.argument) or self._GREEN.get(self._bench.device.state), {}
