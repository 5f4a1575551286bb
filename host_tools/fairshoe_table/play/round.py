"""A round of a game as reported: inputs of people and of the shoe change it, and it says what is needed next.

`apply` is pure: the same inputs in the same order give the same round, so a round is rebuilt from its inputs after a
crash, without code for recovery (0042). What people answer is checked against what the round asks for: another seat,
another number of cards, a choice that is not offered, an answer before the closing of bets or after the end is refused
and changes nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fairshoe.errors import UsageError
from fairshoe_table.play.game import ALL_OUT, Ask, Dealt, Play, Settled, read
from fairshoe_table.play.inputs import (
    AFTER_THE_END,
    NO_HAND,
    Cards,
    Closed,
    Confirmed,
    Corrected,
    Counted,
    Decided,
    Exposed,
    HandVoided,
    Input,
    Voided,
    Wagered,
)
from fairshoe_table.rules.line_shapes import Void, with_coupons
from fairshoe_table.rules.meters import Meters
from fairshoe_table.rules.money import dollars

COUNT_MAX = 416  # cards of eight whole packs: no count of cards or chips is more


def in_force(inputs: Iterable[Input]) -> list[Input]:
    """The inputs with the cards that corrections have put in place of others; the corrections stay at their place."""
    fact = list(inputs)
    place = {one.key: number for number, one in enumerate(fact)}
    for one in list(fact):
        for of, cards in corrected(one):
            wrong = fact[place[of]]
            was = wrong.data.get("was", wrong.data["cards"])
            fact[place[of]] = replace(wrong, data={**wrong.data, "cards": cards, "was": was})
    return fact


def corrected(fact: Input) -> list[tuple[str, list[int]]]:
    """Each input that a correction changes, and its cards."""
    if fact.kind != "correct":
        return []
    also = fact.data.get("also", "")
    return [(fact.data["of"], fact.data["cards"]), *([(also, fact.data["also_cards"])] if also else [])]


def rebuild(play: Play, inputs: Iterable[Input]) -> Play:
    """The round after all these inputs."""
    for fact in in_force(inputs):
        play = apply(play, fact)
    return play


def rebuild_unread(play: Play, inputs: Iterable[Input], why: str) -> Play:
    """What is certain of a round that does not follow from its inputs: who wagered, and whether it is closed, void or
    over. Nothing is checked: it only has to be voided, and brought to its end at its shoe (0061)."""
    fact = tuple(inputs)
    play = replace(play.game.new(play.game.options()), options=play.options, inputs=fact, unread=why)
    for one in fact:
        with contextlib.suppress(Exception):  # whatever a game raises: this seat is not known then
            match one.kind:
                case "wager":
                    typed = read(play, one)
                    if isinstance(typed, Wagered):
                        play = play.game.taken(play, typed, {it: cents for it, cents in typed.amounts.items() if cents})
                case "closed":
                    play = play.game.close(play)
                case "void":
                    play = play.game.void(play, Void(str(one.data["clause"])))
                case _:
                    play = replace(play, over=play.over or one.kind == "over")
    return play


def apply(play: Play, fact: Input) -> Play:
    """The round after this input."""
    if play.over and fact.kind not in AFTER_THE_END:
        raise UsageError(f"the round is over: {fact.kind} comes too late.", "A supervisor decides.")
    after = _changed(play, fact)
    return replace(after, inputs=(*after.inputs, fact), over=after.over or fact.kind == "over")


def _changed(play: Play, fact: Input) -> Play:
    if fact.kind in NO_HAND:
        return play
    typed = read(play, fact)
    match typed:
        case Wagered():
            return _wagered(play, typed)
        case Closed():
            return play.game.close(play)
        case Cards() | Exposed() | Decided():
            return _answered(play, fact, typed)
        case Confirmed():
            return _answered(play, fact, typed) if _asked(play, fact.key) is not None else play  # else about a deck
        case Counted():
            if not 0 <= typed.count <= COUNT_MAX:
                raise UsageError(f"{typed.count} cards or chips?", "Count them again.")
            return play
        case Voided():
            return play.game.void(play, Void(typed.clause, frozenset(typed.kept)))
        case HandVoided():
            return play.game.void_hand(play, typed.seat, typed.clause)
        case Corrected():
            return play
        case _:
            return play.game.apply(play, typed)


def _wagered(play: Play, fact: Wagered) -> Play:
    if play.closed:
        raise UsageError("betting is closed.", "Return the wager.")
    after = play.game.wagered(_owned(play, fact.seat, fact.player), fact)
    coupons = ((fact.seat, fact.bettor, it, cents) for it, cents in fact.coupons.items())
    return replace(after, coupons=(*after.coupons, *coupons))


def _owned(play: Play, seat: int, player: str) -> Play:
    """Refuse a seat that is more than a player may have."""
    if not player:
        return play
    owners = {**dict(play.owners), seat: player}
    mine = sorted(its for its, name in owners.items() if name == player)
    most = play.game.areas_most(play.options, owners)
    if len(mine) > most:
        raise UsageError(f"{player} wagers on seats {mine}, at most {most} (ruling one-hand).", "Return the wager.")
    return replace(play, owners=tuple(owners.items()))


def _asked(play: Play, key: str) -> Ask | None:
    """As if all cards were out: how far the shoe has come is no input, and a replay must not depend on it."""
    return next((ask for ask in play.game.asks(play, ALL_OUT) if ask.key == key), None)


def _answered(play: Play, fact: Input, typed: Cards | Exposed | Decided | Confirmed) -> Play:
    """The round after an answer to something that it asks for now."""
    if not play.closed:
        raise UsageError(f"{fact.kind} before betting is closed.", "Close betting first.")
    ask = _asked(play, f"{typed.KIND}:{typed.seat}:{typed.part}")
    if ask is None or ask.key != fact.key:
        raise UsageError(f"{fact.key} is not what this round asks for.", "Look at what is asked now.")
    if isinstance(typed, Cards):
        if len(typed.cards) != ask.count:
            raise UsageError(f"{len(typed.cards)} cards, and not {ask.count}.", "Enter the cards of the hand again.")
        play.game.check_cards(play, typed)
    elif isinstance(typed, Decided):
        _check_choice(play, ask, typed)
    return play.game.answered(play, typed)


def _check_choice(play: Play, ask: Ask, fact: Decided) -> None:
    if fact.WORD not in ask.choices:
        raise UsageError(f"{fact.WORD!r} is not possible here.", f"One of {', '.join(ask.choices)}.")
    if fact.cents is None:
        return
    most = dict(ask.most).get(fact.WORD)
    if most is None:
        raise UsageError(f"{fact.WORD} has one amount here.", "It cannot be made for less.")
    if not 0 < fact.cents <= most or (fact.cents % play.options.chip and fact.cents != most):
        raise UsageError(f"{dollars(fact.cents)} to {fact.WORD}?", f"Whole chips, up to {dollars(most)}.")


def asks(play: Play, dealt: Dealt) -> list[Ask]:
    """What is needed next, as far as the shoe has come; empty: nothing now, or nothing at all."""
    return list(play.game.asks(play, dealt))


def settle(play: Play, meters: Mapping[str, Meters]) -> Settled:
    """The lines that are due now."""
    found = play.game.settle(play, meters)
    coupons = {(seat, bettor, wager): cents for seat, bettor, wager, cents in play.coupons}
    return replace(found, lines=tuple(with_coupons(found.lines, coupons, play.options.rounding)))
