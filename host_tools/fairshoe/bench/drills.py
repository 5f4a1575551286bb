"""The drills of a bench plan: provoke a jam and a power cut, and check how the device reacts."""

from __future__ import annotations

from fairshoe import messages
from fairshoe.bench import hands as hands_
from fairshoe.bench import steps as steps
from fairshoe.bench.device import Device
from fairshoe.bench.plan import Step
from fairshoe.bench.step_kinds import KINDS
from fairshoe.bench.steps import Bench, Findings, NotApplicable, Procedure, right

# Where a simulated card stops, from the hopper or, at a carousel's exit, from its slot.
_JAM_UM = {
    ("throat", "carousel"): 60000,
    ("throat", "shelves"): 60000,
    ("throat", "shoe"): 60000,
    ("exit", "carousel"): 40000,
    ("exit", "shoe"): 140000,
}
_JAMS = (messages.Fault.JAM_THROAT, messages.Fault.JAM_EXIT)
_STARTS = (messages.ShuffleStarted, messages.StackStarted, messages.ReleaseStarted)
_SHUFFLES = (messages.ShuffleStarted.ID, messages.ShuffleCommitted.ID)
_GOES_ON = (messages.DeckVerified, messages.StackOffered, messages.RoundEnded)
_DRAWN_BEFORE_CUT = 3
_CATCH_UP_S = 60.0


def jam(bench: Bench, step: Step, found: Findings) -> None:
    place, times = str(step.arguments["place"]), int(step.arguments["times"])
    if (place, bench.board.kind) not in _JAM_UM:
        raise NotApplicable(f"a {bench.board.kind} has no place called {place} where a card can be made to stop")
    figures = found.figures
    figures.update({"jams_noticed": 0, "resumed": 0, "recovered": 0, "good_after": 0, "notice_ms_max": None})
    for number in range(1, times + 1):
        bench.say(f"jam {number} of {times}")
        _one_jam(bench, place, number, found)
    bench.say("a good deck afterwards")
    deck = bench.play.deck(bench.board.deck_cards)
    found.decks.append(deck)
    figures["good_after"] = int(right(deck, bench.board))


def _one_jam(bench: Bench, place: str, number: int, found: Findings) -> None:
    device, play, figures = bench.device, bench.play, found.figures
    play.rest()
    bench.hands.do(hands_.jam(place, _JAM_UM[place, bench.board.kind]))
    mark = len(device.events)
    play.start(bench.board.deck_cards)
    play.go(lambda: bool(device.since(mark, messages.WarningLatched) or device.since(mark, messages.RoundEnded)))
    bench.hands.do(hands_.UNJAM)
    warnings = device.since(mark, messages.WarningLatched)
    if warnings and warnings[0].warning in _JAMS:
        figures["jams_noticed"] = (figures["jams_noticed"] or 0) + 1
        ms = _notice_ms(device.events[mark:], warnings[0])
        found.point("notice_ms", str(number), ms)
        if ms is not None:
            figures["notice_ms_max"] = max(figures["notice_ms_max"] or 0, ms)
    else:
        found.notes.append(
            f"jam {number}: " + (f"told as {warnings[0].warning.name.lower()}" if warnings else "not noticed")
        )
    after = len(device.events)
    play.rest()
    found.decks.append(play.stopped_deck(mark))
    figures["resumed"] = (figures["resumed"] or 0) + sum(isinstance(event, _GOES_ON) for event in device.events[after:])
    figures["recovered"] = (figures["recovered"] or 0) + len(device.since(mark, messages.WarningCleared))


def _notice_ms(events: list[messages.Event], warning: messages.WarningLatched) -> int | None:
    """From the device's record that a motion starts to its record that it was stopped. The card jams somewhere in
    between, so that no jammed card was pushed for longer than this."""
    starts = [event.uptime for event in events if isinstance(event, _STARTS) and event.seq < warning.seq]
    return round((warning.uptime - starts[-1]) * 1000) if starts else None


def power_cut(bench: Bench, step: Step, found: Findings) -> None:
    times, figures = int(step.arguments["times"]), found.figures
    for name in ("cuts", "told_void", "events_missing", "events_misplaced", "recovered", "good_after"):
        figures[name] = 0
    for number in range(1, times + 1):
        bench.say(f"power cut {number} of {times}")
        _one_cut(bench, step, found)
    deck = bench.play.deck(bench.board.deck_cards)
    found.decks.append(deck)
    figures["good_after"] = int(right(deck, bench.board))


def _one_cut(bench: Bench, step: Step, found: Findings) -> None:
    device, play, figures = bench.device, bench.play, found.figures
    mark, misplaced = len(device.events), device.misplaced
    during = str(step.arguments["during"])
    play.start(bench.board.deck_cards)
    if during == "shuffle":
        play.until(lambda: bool(device.since(mark, messages.ShuffleStarted)), 60, "the start of the shuffle")
        device.rest(int(step.arguments["after_ms"]) / 1000)
    else:
        play.go(lambda: _dealing(bench, mark))
    steps.power_cycle(bench, hands_.CUT, hands_.BOOT)
    play.until(lambda: bool(device.since(mark, messages.WarningLatched)), 30, "the warning that power was lost")
    lost = device.since(mark, messages.PowerLost)
    figures["cuts"] = (figures["cuts"] or 0) + len(lost)
    if during == "shuffle":
        reported = bool(lost) and lost[0].during in _SHUFFLES
    else:
        reported = bool(device.since(mark, messages.RoundVoided)) and not device.since(mark, messages.RoundEnded)
    if not reported:
        found.notes.append(f"the power was not cut during the {during}, or the device did not say so")
    figures["told_void"] = (figures["told_void"] or 0) + int(reported)
    play.rest()
    found.decks.append(play.stopped_deck(mark))
    figures["recovered"] = (figures["recovered"] or 0) + len(device.since(mark, messages.WarningCleared))
    figures["events_misplaced"] = (figures["events_misplaced"] or 0) + device.misplaced - misplaced
    figures["events_missing"] = (figures["events_missing"] or 0) + _missing(device)


def _dealing(bench: Bench, mark: int) -> bool:
    device = bench.device
    if bench.board.kind != "draw":
        return bool(device.since(mark, messages.StackStarted))
    drawn = device.status.dealt if device.status else 0
    return bool(device.since(mark, messages.RoundStarted)) and drawn >= _DRAWN_BEFORE_CUT


def _missing(device: Device) -> int:
    """Events that the device has recorded and we have not had, once it has had time to send them."""
    device.renew()
    device.wait(lambda: device.shoe.seq_last >= device.welcome.seq_last, _CATCH_UP_S)
    return max(device.welcome.seq_last - device.shoe.seq_last, 0)


# The procedure of a kind is the function of its name, here or in steps.py.
PROCEDURES: dict[str, Procedure] = {kind: {**vars(steps), **globals()}[kind] for kind in KINDS}
