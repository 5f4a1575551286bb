"""Sequences of steps that many scenarios share: a round, a wrong deck, clearing the machine by hand.

Most are typed steps (rig/story.py), which a person may type at the prompt of the simulator as well. Those of the
second half are steps as a scenario file has them: they may give commands and contain other stories. A transcript
shows the arguments of the two kinds differently, so a story never changes its kind.
"""

from rig.actions import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

    from rig.story import Step

    FileStep = dict[str, Any]


def shuffle(cards: int) -> "list[Step]":
    """Insert a deck and start it, once the device waits for one."""
    return [("", 500, "load", cards), ("", 300, "press", "green")]


def seats(count: int) -> "list[Step]":
    return [("", 200, "press", "seat") for _ in range(count)]


def deal(positions: int) -> "list[Step]":
    """From a verified deck to the last stack taken: positions set, betting closed, lock-out, a stack each."""
    steps: "list[Step]" = [("deck_verified", 800, "wait", 0)]
    steps += seats(positions)
    steps += [("", 1000, "press", "close"), ("round_started", 600, "press", "lock")]
    for _ in range(positions + 1):
        steps.append(("stack_offered", 900, "take", 0))
    return steps


def stacks(positions: int) -> "list[Step]":
    """As `deal`, in a game without lock-out."""
    steps: "list[Step]" = [("deck_verified", 800, "wait", 0)]
    steps += seats(positions) + [("", 1000, "press", "close")]
    return steps + [("stack_offered", 900, "take", 0) for _ in range(positions + 1)]


def finish() -> "list[Step]":
    """Green, take the remainder, settle, green again."""
    return [
        ("stack_taken", 700, "press", "green"),
        ("remainder_released", 900, "take", 0),
        ("remainder_taken", 1500, "press", "green"),
        ("round_ended", 100, "wait", 0),
    ]


def round_of(positions: int) -> "list[Step]":
    """One whole round, from the deck in the dealer's hand to the end."""
    return shuffle(52) + deal(positions) + finish()


def start() -> "list[Step]":
    return [("empty_proved", 100, "wait", 0)]


def refuse_deck(cards: int) -> "list[Step]":
    """A deck of the wrong size: refused, acknowledged, removed, machine proved empty again."""
    return shuffle(cards) + [
        ("warning_latched", 1500, "press", "ack"),
        ("deck_removed", 900, "take", 0),
        ("warning_cleared", 100, "wait", 0),
    ]


def hand_out() -> "list[Step]":
    """A machine that does not deal: green, and the whole deck is taken out of the tray."""
    return [
        ("deck_verified", 700, "press", "green"),
        ("remainder_released", 900, "take", 0),
        ("remainder_taken", 100, "wait", 0),
    ]


def play_shoe(positions: int) -> "list[Step]":
    """A deck in the hopper of a shoe: betting closed, a stack each, the rest released, the round ended."""
    steps: "list[Step]" = [("", 500, "load", 52), ("", 300, "press", "green"), ("deck_loaded", 500, "wait", 0)]
    steps += seats(positions) + [("", 1000, "press", "close")]
    steps += [("stack_offered", 900, "take", 0) for _ in range(positions + 1)]
    return steps + finish()


def clear_by_hand() -> "list[Step]":
    """Open the door, take everything out, close, acknowledge."""
    return [
        ("warning_latched", 1500, "open", 0),
        ("", 2000, "clear", 0),
        ("", 1000, "close", 0),
        ("", 500, "press", "ack"),
        ("warning_cleared", 100, "wait", 0),
    ]


# -- steps of scenario files -----------------------------------------------------------------------------------------


def _step(on: str, after_ms: int, do: str, **arguments: "Any") -> "FileStep":
    step: "FileStep" = {"after_ms": after_ms, "do": do}
    if on:
        step["on"] = on
    step.update(arguments)
    return step


def _press(button: str, after_ms: int, on: str = "") -> "FileStep":
    return _step(on, after_ms, "press", button=button)


def _record(what: str, **arguments: int) -> "FileStep":
    return _step("", 400, "command", name="record", what=what, **arguments)


def induct(deck: int = 1) -> "list[FileStep]":
    """The records that a deck needs before its first round."""
    return [_record(what, a=deck) for what in ("inspected", "verified", "shown", "washed")]


def wagers(positions: int, close_ms: int = 1000) -> "list[FileStep]":
    """Positions set and betting closed, at a machine that does not wait for the lock-out."""
    return [{"story": "seats", "count": positions}, _press("close", close_ms)]


def bets(positions: int) -> "list[FileStep]":
    """From a verified deck to the lock-out."""
    steps: "list[FileStep]" = [_step("deck_verified", 800, "wait")]
    return steps + wagers(positions) + [_press("lock", 600, "round_started")]


def hand_over(positions: int) -> "list[FileStep]":
    """A deck for the dealer's hand or a manual shoe: shuffled, handed out, betting closed, round started."""
    steps: "list[FileStep]" = [{"story": "shuffle", "cards": 52}, {"story": "hand_out"}, _step("", 500, "wait")]
    return steps + wagers(positions) + [_step("round_started", 600, "wait")]


def load_shoe(cards: int = 52, wait_ms: int = 500) -> "list[FileStep]":
    """Cards into a shoe, and green; wait until they are counted."""
    return [_step("", 500, "load", cards=cards), _press("green", 300), _step("deck_loaded", wait_ms, "wait")]


def rest(on: str = "", green_ms: int = 600, wait_ms: int = 800) -> "list[FileStep]":
    """Green, and take the remainder."""
    taken = _step("remainder_released", 900, "take")
    return [_press("green", green_ms, on), taken, _step("remainder_taken", wait_ms, "wait")]


def settle(green_ms: int = 600, wait_ms: int = 300) -> "list[FileStep]":
    """Green ends the round."""
    return [_press("green", green_ms), _step("round_ended", wait_ms, "wait")]


def lock_out(lock_ms: int = 400) -> "list[FileStep]":
    return [_press("lock", lock_ms), _step("lockout_confirmed", 300, "wait")]


def second_wagers() -> "list[FileStep]":
    """Boston 5 Stud: both players raise, and get their last two cards."""
    return [_record("second_wager", a=1, b=1), _record("second_wager", a=2, b=1), _record("final_deal", a=2, b=0)]


def clear_open(clear_ms: int = 2000) -> "list[FileStep]":
    """With the door open: remove every card, close, acknowledge."""
    steps = [_step("", clear_ms, "clear"), _step("", 1000, "close"), _press("ack", 500)]
    return steps + [_step("warning_cleared", 100, "wait")]


def remove_deck(ack_ms: int = 500, on: str = "") -> "list[FileStep]":
    """Acknowledge the warning, and take the refused deck out of the tray."""
    removed = _step("deck_removed", 900, "take")
    return [_press("ack", ack_ms, on), removed, _step("warning_cleared", 100, "wait")]


# As scenario files name them, with their arguments.
STORIES: "dict[str, Callable[..., list[Any]]]" = {
    "start": start,
    "shuffle": shuffle,
    "seats": seats,
    "deal": deal,
    "stacks": stacks,
    "finish": finish,
    "round": round_of,
    "refuse_deck": refuse_deck,
    "hand_out": hand_out,
    "play_shoe": play_shoe,
    "clear_by_hand": clear_by_hand,
    "induct": induct,
    "wagers": wagers,
    "bets": bets,
    "hand_over": hand_over,
    "load_shoe": load_shoe,
    "rest": rest,
    "settle": settle,
    "lock_out": lock_out,
    "second_wagers": second_wagers,
    "clear_open": clear_open,
    "remove_deck": remove_deck,
}


def flat(steps: "list[FileStep]") -> "Iterator[FileStep]":
    """Steps of a file with repetitions and stories expanded, so that each can be left out or looked at alone."""
    for step in steps:
        if "repeat" in step:
            for _ in range(step["repeat"]):
                yield from flat(step["steps"])
        elif "story" in step:
            for part in expanded(step):
                if isinstance(part, dict):
                    yield from flat([part])
                else:
                    action, given = typed(part[2], str(part[3]))
                    single = {"on": part[0], "after_ms": part[1], "do": action}
                    single.update(given)
                    yield single
        else:
            yield step


def expanded(step: "FileStep") -> "list[Any]":
    """The steps of a story, of either kind."""
    return STORIES[step["story"]](**{key: step[key] for key in step if key != "story"})
