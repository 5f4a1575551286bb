"""Rounds by command: the table system presses the buttons, the dealer only moves cards.

    python table_system.py URL KEY-FILE [ROUNDS]

Without a URL it makes a simulated shoe with hands at it, and a key for it, in a temporary folder. Stop it anywhere and
start it again: what was under way is asked about first, under its own number.
"""

import secrets
import sys
import tempfile
from pathlib import Path

from fairshoe import Command, FairshoeError, Shoe, State, Status
from fairshoe.keys import write_key
from fairshoe.messages import (
    AcknowledgeWarning,
    CloseBetting,
    ConfirmLockout,
    EndRound,
    Release,
    RoundEnded,
    RoundVoided,
    SetPositions,
    Shuffle,
)

SEATS = 3
# What the house does next, by what the machine waits for. Everything else is up to machine and dealer.
NEXT: dict[State, type[Command]] = {
    State.WAITING_FOR_DECK: Shuffle,
    State.DECK_READY: CloseBetting,
    State.WAITING_FOR_LOCKOUT: ConfirmLockout,
    State.WAITING_FOR_GREEN: Release,
    State.WAITING_FOR_ROUND_END: EndRound,
    State.WARNING: AcknowledgeWarning,
}


def give(shoe: Shoe, status: Status) -> None:
    kind = NEXT.get(status.state)
    if kind is None:
        return
    if kind is CloseBetting and status.positions != SEATS:
        result = shoe.command(SetPositions, positions=SEATS)
    else:
        result = shoe.command(kind)
    # Not now: there is no deck in the hopper yet, or somebody at the machine was faster. The next status tells.
    if result.done:
        print(f"{kind.NAME} (operation {result.op}): done", flush=True)


def play(url: str, key: Path, store: Path, rounds: int) -> None:
    with Shoe.open(url, key=key, store=store) as shoe:
        unfinished = shoe.unfinished()
        if unfinished is not None:
            print(f"{unfinished.command} of an earlier run: {shoe.wait(shoe.resume(unfinished)).outcome.name.lower()}")
        over = 0
        for message in shoe.messages():
            if isinstance(message, Status):
                give(shoe, message)
            elif isinstance(message, (RoundEnded, RoundVoided)):
                over += 1
                print(f"round {message.round}: {message.NAME.removeprefix('round_')}", flush=True)
                if over == rounds:
                    shoe.acknowledge()
                    return


def main(arguments: list[str]) -> int:
    try:
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            if arguments:
                url, key, store = arguments[0], Path(arguments[1]), Path("table.db")
            else:
                key, store = here / "device.key", here / "table.db"
                write_key(key, "device", secrets.token_bytes(32))
                url = f"sim://pico-carousel?dealer=hands&key={key}"
            play(url, key, store, int(arguments[2]) if len(arguments) > 2 else 2)
    except FairshoeError as error:
        print(f"{error.what}\n{error.advice}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sys.exit("usage: table_system.py [URL KEY-FILE [ROUNDS]]")
    sys.exit(main(sys.argv[1:]))
