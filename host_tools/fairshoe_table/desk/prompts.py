"""What happens next at the table: who acts, what the dealer says, what the dealer does, and by which clause.

Pure: made from the round, what it asks for, the lines that are not done yet and the shoe's own next step.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe import Step
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import CloseBetting, Command, EndRound, Release
from fairshoe_table.play.round import Ask, Play
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.money import dollars
from fairshoe_table.table.table import DRAWN

NO_MORE_BETS = "No more bets"
VERIFIED_FROM = 500  # for 1: a floorperson verifies a five-card bonus
_HAND_WINS = "the cards are a winning hand"
_CLOSING = {
    "double-down-stud": "DDS-8a",
    "boston-5-stud": "B5-9b",
    "caribbean-stud": "CS-9c",
    "double-cross-poker": "DCP-9b",
    "double-attack-blackjack": "DAB-5d",
}
_QUESTIONS = {
    "double down?": ("Double down?", "DDS-8e"),
    "second wager, or fold?": ("Second wager or fold?", "B5-10b"),
    "bet twice the ante, or fold?": ("Bet or fold?", "CS-10a"),
    "fold, or play vertical or horizontal?": ("Vertical, horizontal or fold?", "DCP-10c1"),
    "double attack?": ("Double attack?", "DAB-7d"),
    "insurance?": ("Insurance?", "DAB-11b"),
}
_COMMANDS: dict[type[Command], tuple[str, str]] = {
    CloseBetting: ("close betting", NO_MORE_BETS),
    Release: ("release the rest of the deck", ""),
    EndRound: ("pick the cards up in order, so that each hand can be reconstructed; then end the round", ""),
}
_PICKING_UP = {
    "double-down-stud": "DDS-9d",
    "boston-5-stud": "B5-10g",
    "caribbean-stud": "CS-10d",
    "double-cross-poker": "DCP-10h",
    "double-attack-blackjack": "DAB-7h",
}


@dataclass(frozen=True)
class Prompt:
    """`who` acts; `say` is what the dealer says aloud, empty if nothing; `do` is what the dealer does."""

    who: str
    do: str
    say: str = ""
    clause: str = ""


def name_of(seat: int) -> str:
    return {DEALER: "dealer", COMMUNITY: "community"}.get(seat, f"seat {seat}")


def whose(line: Line) -> str:
    """`seat 3`; of a shared box or a split `seat 3, bettor 2, hand 2`. The first ones are not numbered."""
    bettor = f", bettor {line.bettor}" if line.bettor > 1 else ""
    return name_of(line.seat) + bettor + (f", hand {line.hand + 1}" if line.hand else "")


def for_line(line: Line) -> Prompt:
    """The next line of the settlement."""
    who = whose(line)
    stake = f"{line.wager.value} {dollars(line.stake)}"
    if line.paid:
        back = f"; the {line.wager.value} of {dollars(line.returned)} stays the player's" if line.returned else ""
        do = f"pay {who} {dollars(line.paid)} on {stake}{back}"
        if line.credited:
            do = f"credit the game account of {who} with {dollars(line.paid)} for {stake}; pay no chips"
    elif line.outcome is Outcome.LOSE:
        do = f"take {stake} of {who}"
    elif line.outcome is Outcome.HALF:
        do = f"take half of {stake} of {who}"
    else:
        do = f"give {stake} back to {who}"
    return Prompt("dealer", do + (f" ({line.why})" if line.why else ""), clause=line.clause)


def checks(line: Line) -> tuple[str, ...]:
    """What is verified before this line is paid; then a floorperson validates it (CS 10(c)(3)(ii)c.2, c.3, 11(d)(1)). A
    five-card bonus needs one from 500 for 1 and for a percentage of the meter."""
    if line.outcome is not Outcome.WIN:
        return ()
    if line.wager is Wager.PROGRESSIVE:
        return (_HAND_WINS, f"the light of {name_of(line.seat)} on the progressive system is on")
    five_card = line.wager in (Wager.FIVE_CARD, Wager.FIVE_CARD_DEALER)
    return (_HAND_WINS,) if five_card and (line.jackpot or line.paid >= VERIFIED_FROM * line.stake) else ()


def for_ask(ask: Ask) -> Prompt:
    who = name_of(ask.seat)
    if ask.kind == "cards":
        called = ask.seat == DEALER and "Dealer's card" in ask.text
        say, clause = ("Dealer's card", "DAB-7g") if called else ("", "")
        return Prompt("dealer", f"{who}: {ask.text}", say, clause)
    say, clause = _QUESTIONS.get(ask.text, (f"{who.capitalize()}: {ask.text}", ""))
    return Prompt(who, f"{who}: {ask.text}", say, clause)


def for_command(play: Play, command: type[Command]) -> Prompt:
    do, say = _COMMANDS[command]
    if command is not CloseBetting:
        return Prompt("dealer", do, say, _PICKING_UP[play.game] if command is EndRound else "")
    if play.closed:
        return Prompt("dealer", "close betting again, then turn over the hole card", say, "DDS-8e")
    if play.game == DRAWN:  # the first card closes betting there, and nothing is announced
        return Prompt("dealer", "when all wagers are placed, close betting and draw", clause=_CLOSING[play.game])
    return Prompt("dealer", "when all wagers are placed, close betting", say, _CLOSING[play.game])


def for_wagers() -> Prompt:
    return Prompt("players", "enter the wagers as they are placed", "Place your bets")


def for_shoe(step: Step) -> Prompt:
    """Nothing is due at the table: what the shoe waits for."""
    return Prompt("shoe" if step.machine else "dealer", step.text)
