"""What happens next at the table: who acts, what the dealer says, what the dealer does, and by which clause.

Pure: made from the round, what it asks for, the lines that are not done yet and the shoe's own next step.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from fairshoe import Need, Step
from fairshoe.messages import CloseBetting, Command, EndRound, Release
from fairshoe_table.play.game import Ask, Play, name_of
from fairshoe_table.rules.ledger import Line, Outcome
from fairshoe_table.rules.money import dollars

NO_MORE_BETS = "No more bets"
_COMMANDS: dict[type[Command], tuple[str, str]] = {
    CloseBetting: ("close betting", NO_MORE_BETS),
    Release: ("release the rest of the deck", ""),
    EndRound: ("pick the cards up in order, so that each hand can be reconstructed; then end the round", ""),
}

_GIVING: dict[type[Command], str] = {
    CloseBetting: "closes betting",
    Release: "releases the rest of the deck",
    EndRound: "ends the round",
}


@dataclass(frozen=True)
class Prompt:
    """`who` acts; `say` is what the dealer says aloud, empty if nothing; `do` is what the dealer does."""

    who: str
    do: str
    say: str = ""
    clause: str = ""


def whose(line: Line) -> str:
    """`seat 3`; of a shared box or a split `seat 3, bettor 2, hand 2`. The first ones are not numbered."""
    bettor = f", bettor {line.bettor}" if line.bettor > 1 else ""
    return name_of(line.seat) + bettor + (f", hand {line.hand + 1}" if line.hand else "")


def for_line(line: Line) -> Prompt:
    """The next line of the settlement."""
    who = whose(line)
    stake = f"{line.wager} {dollars(line.stake)}"
    if line.paid:
        back = f"; the {line.wager} of {dollars(line.returned)} stays the player's" if line.returned else ""
        do = f"pay {who} {dollars(line.paid)} on {stake}{back}"
        if line.credited:
            do = f"credit the game account of {who} with {dollars(line.paid)} for {stake}; pay no chips"
    elif line.outcome is Outcome.LOSE:
        do = f"take {stake} of {who}"
    elif line.outcome is Outcome.HALF:
        do = f"take {dollars(line.collected - line.spent)}, half of the chips on {stake}, of {who}"
    else:
        do = f"give {stake} back to {who}"
    if line.coupon:
        do += f"; its coupon of {dollars(line.coupon)} " + ("goes into the drop box" if line.spent else "too")
    return Prompt("dealer", do + (f" ({line.why})" if line.why else ""), clause=line.clause)


def for_ask(ask: Ask) -> Prompt:
    """A player is asked aloud; faces are turned over in silence, unless the prompt has words."""
    who, prompt = name_of(ask.seat), ask.prompt
    if ask.kind == "cards":
        return Prompt("dealer", f"{who}: {ask.text}", prompt.say, prompt.clause)
    return Prompt(who, f"{who}: {ask.text}", prompt.say or f"{who.capitalize()}: {ask.text}", prompt.clause)


def for_command(play: Play, command: type[Command]) -> Prompt:
    do, say = _COMMANDS[command]
    if command is not CloseBetting:
        return Prompt("dealer", do, say, play.game.clause("dispute") if command is EndRound else "")
    if play.closed:
        return Prompt("dealer", play.game.closes_again, say, play.game.clause("closing_again"))
    if play.game.drawn:  # the first card closes betting there, and nothing is announced
        return Prompt("dealer", f"when all wagers are placed, {do} and draw", clause=play.game.clause("closing"))
    return Prompt("dealer", f"when all wagers are placed, {do}", say, play.game.clause("closing"))


def for_wagers() -> Prompt:
    return Prompt("players", "enter the wagers as they are placed", "Place your bets")


def for_reading(number: int) -> Prompt:
    """The auditor has the line: the shoe takes no command, and the dealer has nothing to do at it."""
    return Prompt("auditor", f"reads the seed of round {number} from the shoe; enter wagers meanwhile")


def for_lost() -> Prompt:
    return Prompt("shoe", "the shoe does not answer; check its cable and power")


def for_refusal(why: str) -> Prompt:
    return Prompt("supervisor", f"{why} Remove the deck and shuffle it again, or decide below")


def for_shoe(step: Step | None, giving: type[Command] | None, by_themselves: Collection[Need]) -> Prompt:
    """Nothing is due at the table: what the shoe does, or waits for. `giving`: a command that the table gives.
    `by_themselves`: what simulated hands do unasked."""
    if step is None:
        return Prompt("shoe", "connect the shoe")
    if giving is not None:
        return Prompt("shoe", _GIVING.get(giving, "takes a command of the table"))
    if step.need in by_themselves:
        return Prompt("simulated hands", step.text)
    return Prompt("shoe" if step.machine else "dealer", step.text)
