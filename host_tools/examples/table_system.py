"""Rounds by command. The table system presses the buttons, people move cards, count and clear warnings.

    python table_system.py URL KEY-FILE [ROUNDS]

Stop it anywhere and start it again: what was under way is asked about first. Without a URL it makes a simulated shoe
with hands at it, and a key for it, in a temporary folder.
"""

import secrets
import sys
import tempfile
from pathlib import Path

from fairshoe import Command, CommandResult, FairshoeError, Hooks, RoundView, Shoe, Step, What
from fairshoe.games.record_kinds import By, Source
from fairshoe.keys import write_key

SEATS = 3


def numbers(what: What, step: Step, view: RoundView) -> tuple[int, int]:
    """The two numbers of a record. A real table system has them from its own books."""
    if what in (What.SECOND_WAGER, What.FOLD):
        return step.positions[0], 1 if what == What.SECOND_WAGER else 0
    known = {
        What.PROVENANCE: (step.deck, Source.MACHINE),
        What.CUT: (26, By.DEALER),
        What.PROGRESSIVE: (0, 0),
        What.FINAL_DEAL: (len(view.raised) or SEATS, 0),
    }
    return known.get(what, (step.deck, 0))


def call(step: Step) -> None:
    print(f"waiting for a person: {step.text}", flush=True)


def tell(command: type[Command], result: CommandResult) -> None:
    print(f"{command.NAME} (operation {result.op}): {result.outcome.name.lower()}", flush=True)


def play(url: str, key: Path, store: Path, rounds: int) -> None:
    with Shoe.open(url, key=key, store=store) as shoe:
        for view in shoe.play(Hooks(SEATS, numbers, call, told=tell), rounds):
            print(f"round {view.number}: {'voided' if view.void else 'ended'}")


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
