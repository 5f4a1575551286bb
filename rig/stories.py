"""The walking skeleton's stories: a round for three players, wrong decks, jams, and power lost in the middle."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rig.story import Step


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


# As scenario files name them, with their arguments.
STORIES = {
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
}
