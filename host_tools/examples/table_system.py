"""Rounds by command. The table system presses the buttons, people move cards, count and clear warnings.

    python table_system.py URL KEY-FILE [ROUNDS]

Every status says what the shoe waits for (`next_step`). The table system gives the command or tells the record that is
due; after a refusal it waits for a change. Without a URL it makes a simulated shoe with hands at it, and a key for it,
in a temporary folder. Stop it anywhere and start it again: what was under way is asked about first.
"""

import secrets
import sys
import tempfile
from pathlib import Path

from fairshoe import CommandResult, Event, FairshoeError, Need, RoundView, Shoe, Status, Step, What, next_step
from fairshoe.games.record_kinds import By, Source
from fairshoe.keys import write_key
from fairshoe.messages import (
    CloseBetting,
    CommandAccepted,
    CommandEnded,
    EndRound,
    HeldBack,
    RoundEnded,
    RoundVoided,
    SetPositions,
    State,
)

SEATS = 3
IDLE = 20  # statuses, two in a second: a hand that draws no card for so long has finished the round
ABOUT_COMMANDS = (CommandAccepted, CommandEnded, HeldBack)
# Only a person knows: a count, whether a dispute is over, whether a jam is cleared, what the dealer's card shows.
PERSON = (Need.STUB_COUNT, Need.RACK, Need.DISPUTE, Need.SERVICE, Need.ACKNOWLEDGE, Need.HOLE_CARD)


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


def give(shoe: Shoe, status: Status, step: Step) -> CommandResult | None:
    """Do what is due, if it is up to a table system."""
    if step.need in PERSON and What.FINAL_DEAL not in step.records:
        return None
    if step.records:
        first = What.TENS_REMOVED if What.TENS_REMOVED in step.records else step.records[0]
        what = What.SECOND_WAGER if step.positions else first
        return shoe.records.put(what, *numbers(what, step, shoe.current_round))
    if step.command is CloseBetting and status.positions != SEATS and status.state != State.WAITING_FOR_WAGERS:
        result = shoe.command(SetPositions, positions=SEATS)
        if result.done:
            return result
    return shoe.command(step.command) if step.command is not None else None


def play(url: str, key: Path, store: Path, rounds: int) -> None:
    with Shoe.open(url, key=key, store=store) as shoe:
        unfinished = shoe.unfinished()
        if unfinished is not None:
            print(f"{unfinished.command} of an earlier run: {shoe.wait(shoe.resume(unfinished)).outcome.name.lower()}")
        over = same = 0
        seen = refused = None
        for message in shoe.messages():
            if isinstance(message, (RoundEnded, RoundVoided)):
                over += 1
                print(f"round {message.round}: {message.NAME.removeprefix('round_')}", flush=True)
                if over == rounds:
                    shoe.acknowledge()
                    return
            if isinstance(message, Event) and not isinstance(message, ABOUT_COMMANDS):
                refused = None  # something has changed
            if not isinstance(message, Status):
                continue
            now = (message.state, message.need, message.records_due, message.positions_due, message.dealt)
            same, seen = (same + 1 if now == seen else 0), now
            refused = refused if now == refused else None
            step = next_step(message)
            if refused or (step.command is EndRound and step.need == Need.DRAW and same < IDLE):
                continue
            result = give(shoe, message, step)
            if result is None:
                if step.need in PERSON and not same:
                    print(f"waiting for a person: {step.text}", flush=True)
                continue
            refused = None if result.done else now
            print(f"{step.need.name.lower()} (operation {result.op}): {result.outcome.name.lower()}", flush=True)
            shoe.status_after(result)


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
