"""What the dealer's page shows, as plain JSON values. It holds only what is open on the table, or was entered there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from fairshoe import Step
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import CloseBetting, Command
from fairshoe_table.books.books import Books
from fairshoe_table.desk import prompts
from fairshoe_table.desk.drafts import Draft
from fairshoe_table.desk.line_list import ShownLine, shown_lines
from fairshoe_table.games import boston5, double_cross, double_down
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.play import irregularities
from fairshoe_table.play.options import CaribbeanOptions, DoubleAttackOptions, Options
from fairshoe_table.play.round import Ask, Input, Play, in_force
from fairshoe_table.rules.ledger import Wager
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE
from fairshoe_table.rules.poker import total
from fairshoe_table.table.table import DRAWN

Values = dict[str, Any]
CHIPS = (100, 500, 1000, 2500, 10000)
_LABELS = {
    Wager.FIVE_CARD: "5-card",
    Wager.FIVE_CARD_DEALER: "5-card dealer",
    Wager.PROGRESSIVE: "progressive",
}
_BEFORE = {
    "double-down-stud": (Wager.ORIGINAL,),
    "boston-5-stud": (Wager.ANTE, Wager.FIRST, Wager.BONUS),
    "double-cross-poker": (Wager.ANTE, Wager.BONUS),
    "double-attack-blackjack": (Wager.INITIAL, Wager.BONUS),
}


class Desk(Protocol):
    """What is shown of a desk."""

    game: str
    number: int
    options: Options
    books: Books
    seat_count: int
    hands_by_themselves: bool
    draft: Draft
    entry: list[tuple[int, str]]
    entry_key: str
    calls: list[tuple[int, str]]
    previous: int
    offered: type[Command] | None
    step: Step | None

    @property
    def simulated(self) -> bool: ...
    def waiting(self) -> list[Ask]: ...
    def open_lines(self) -> list[ShownLine]: ...
    def ended_early(self) -> bool: ...
    def shown_round(self) -> int: ...


def desk_values(desk: Desk) -> Values:
    """All of it. Reads the books and decides nothing."""
    play = desk.books.play(desk.number, desk.options)
    waiting = desk.waiting()
    undone = desk.open_lines()
    number = desk.shown_round()
    inputs = desk.books.inputs(number)
    return {
        "game": desk.game,
        "round": desk.number,
        "open": not play.closed and not play.seats,
        "closed": play.closed,
        "areas": [_area(desk, it) for it in before_the_deal(desk)],
        "chips": CHIPS,
        "bettors": desk.options.bettors_per_box if isinstance(desk.options, DoubleAttackOptions) else 1,
        "limits": [desk.options.minimum, desk.options.maximum],
        "no_tens": desk.game == DRAWN,
        "seats": [_seat(desk, play, seat, waiting) for seat in range(1, desk.seat_count + 1)],
        "dealer": _place(desk, play, DEALER),
        "community": _place(desk, play, COMMUNITY),
        "now": _now(desk, play, waiting, undone),
        "ask": _ask(desk, waiting),
        "lines": [_line(it) for it in shown_lines(desk.books, number)],
        "lines_of": number,
        "void": "".join(str(told.data["clause"]) for told in inputs if told.kind == "void"),
        "check": "".join(str(told.data["text"]) for told in inputs if told.kind == "seed check"),
        "entered": [_entered(it) for it in _correctable(inputs)],
        "ended_early": desk.ended_early(),
        "irregularities": [_irregularity(it) for it in irregularities.BY_GAME[desk.game]],
        "calls": [{"call": call, "text": text} for call, text in desk.calls],
        "meters": _meters(desk),
        "again": bool(desk.previous),
        "sim": {"hands": desk.hands_by_themselves} if desk.simulated else None,
    }


def before_the_deal(desk: Desk) -> tuple[Wager, ...]:
    options = desk.options
    if not isinstance(options, CaribbeanOptions):
        return _BEFORE[desk.game]
    offered = {
        Wager.ANTE: True,
        Wager.BONUS: options.bonus_pays is not None,
        Wager.PROGRESSIVE: options.progressive_pays is not None,
        Wager.FIVE_CARD: options.five_card,
        Wager.FIVE_CARD_DEALER: options.five_card,
        Wager.COVER_ALL: bool(options.cover_all),
    }
    return tuple(it for it, there in offered.items() if there)


def _area(desk: Desk, it: Wager) -> Values:
    """`unit`: the one amount that this wager may have; 0: any."""
    options = desk.options
    unit = 0
    if isinstance(options, CaribbeanOptions) and it is Wager.PROGRESSIVE:
        unit = options.progressive_wager
    return {"wager": it.value, "label": _LABELS.get(it, it.value), "fixed": it is Wager.FIRST, "unit": unit}


# --- places on the layout ----------------------------------------------------------------------


def _seat(desk: Desk, play: Play, seat: int, waiting: list[Ask]) -> Values:
    staked: dict[str, int] = {}
    for where, it, cents in play.stakes:
        if where == seat:
            staked[it.value] = staked.get(it.value, 0) + cents
    first, *others = [{it.value: cents for it, cents in each.items()} for each in desk.draft.of(seat)] or [staked]
    acts = bool(waiting) and waiting[0].seat == seat
    wagers = {"wagers": first, "others": others}
    return {"seat": seat, **wagers, "acts": acts, "says": _decision(play, seat), **_place(desk, play, seat)}


def _place(desk: Desk, play: Play, seat: int) -> Values:
    """The cards that lie there, as far as they were entered, and where their faces came from."""
    told = [it for it in desk.books.inputs(desk.number) if it.kind == "cards" and it.data["seat"] == seat]
    sources = list(dict.fromkeys(str(it.data["source"]) for it in told))
    return {"hands": _hands(play, seat), "source": ", ".join(sources)}


def _hands(play: Play, seat: int) -> list[Values]:
    round = play.round
    if seat == DEALER:
        dealers: tuple[int | None, ...] = () if isinstance(round, double_down.Round) else round.dealer
        note = f"{total(round.dealer).points}" if isinstance(round, double_attack.Round) and round.dealer else ""
        return [{"cards": list(dealers), "note": note}] if dealers else []
    if seat == COMMUNITY:
        common = round.community if isinstance(round, (double_down.Round, double_cross.Round)) else ()
        return [{"cards": list(common), "note": ""}] if any(card is not None for card in common) else []
    match round:
        case double_down.Round():
            cards = [area.card for area in round.areas if area.seat == seat and area.card is not None]
            return [{"cards": cards, "note": ""}] if cards else []
        case double_attack.Round():
            return [
                {"cards": list(hand.cards), "note": str(hand.points)}
                for box in round.boxes
                for hand in box.hands
                if box.seat == seat and hand.cards
            ]
        case _:
            found = [list(hand.cards) for hand in round.hands if hand.seat == seat and hand.cards]
            return [{"cards": cards, "note": ""} for cards in found]


def _decision(play: Play, seat: int) -> str:
    """What the player of a seat has decided, or why the hand is out."""
    round = play.round
    if isinstance(round, double_down.Round):
        doubles = [area.double for area in round.areas if area.seat == seat]
        return "doubles down" if doubles and doubles[0] else ""
    if isinstance(round, double_attack.Round):
        hands = [hand for box in round.boxes if box.seat == seat for hand in box.hands]
        said = ["surrenders" if it.surrendered else "dead" if it.dead else "bust" if it.bust else "" for it in hands]
        return ", ".join(it for it in said if it)
    for hand in round.hands:
        if hand.seat != seat:
            continue
        match hand:
            case boston5.Hand() | caribbean.Hand():
                decided = hand.second if isinstance(hand, boston5.Hand) else hand.bet
                return f"void ({hand.void})" if hand.void else "" if decided is None else "in" if decided else "folds"
            case double_cross.Hand():
                return "folds" if hand.raised is False else hand.axis.name.lower() if hand.axis is not None else ""
    return ""


# --- what is next ------------------------------------------------------------------------------


def _now(desk: Desk, play: Play, waiting: list[Ask], undone: list[ShownLine]) -> Values:
    """Lines of the settlement come before further questions: they are due in the order in which they were booked."""
    action: Values = {}
    if undone:
        prompt = prompts.Prompt("dealer", undone[0].text, clause=undone[0].line.clause)
        action = {
            "do": "done",
            "line": undone[0].key,
            "label": "Done",
            "checks": prompts.checks(undone[0].line),
        }
    elif waiting:
        prompt = prompts.for_ask(waiting[0])
    elif desk.offered is CloseBetting and not play.closed:
        any_wager = bool(desk.draft.placed) or bool(play.seats)
        prompt = prompts.for_command(play, CloseBetting) if any_wager else prompts.for_wagers()
        action = {"do": "close", "label": prompt.say or "Close betting"} if any_wager else {}
    elif desk.offered is not None:
        prompt = prompts.for_command(play, desk.offered)
        label = prompt.say or desk.offered.NAME.replace("_", " ").capitalize()
        action = {"do": "go", "command": desk.offered.NAME, "label": label}
    else:
        prompt = prompts.Prompt("shoe", "connect the shoe") if desk.step is None else prompts.for_shoe(desk.step)
    return {"who": prompt.who, "say": prompt.say, "do": prompt.do, "clause": prompt.clause, "action": action}


def _ask(desk: Desk, waiting: list[Ask]) -> Values | None:
    if not waiting:
        return None
    ask = waiting[0]
    mine = desk.entry if desk.entry_key == ask.key else []
    return {
        "key": ask.key,
        "kind": ask.kind,
        "seat": ask.seat,
        "who": prompts.name_of(ask.seat),
        "text": ask.text,
        "count": ask.count,
        "choices": ask.choices,
        "most": dict(ask.most),
        "entry": [[card, source] for card, source in mine],
        "later": [f"{prompts.name_of(it.seat)}: {it.text}" for it in waiting[1:]],
    }


def _line(it: ShownLine) -> Values:
    line = it.line
    return {
        "key": it.key,
        "text": it.text,
        "seat": line.seat,
        "outcome": line.outcome.value,
        "net": line.net,
        "clause": line.clause,
        "source": line.source,
        "done": it.done,
    }


def _correctable(inputs: Sequence[Input]) -> list[Input]:
    """Cards that were entered, as they stand. Five cards of Boston 5 hold the three that were exposed before."""
    told = [it for it in in_force(inputs) if it.kind == "cards"]
    whole = {int(it.data["seat"]) for it in told if it.data["part"] == "five"}
    return [it for it in told if it.data["part"] != "three" or int(it.data["seat"]) not in whole]


def _entered(told: Input) -> Values:
    seat = int(told.data["seat"])
    return {"of": told.key, "who": prompts.name_of(seat), "cards": list(told.data["cards"])}


def _irregularity(it: irregularities.Irregularity) -> Values:
    return {"name": it.name, "text": it.text, "clause": it.clause, "who": list(it.who), "cards": it.cards}


def _meters(desk: Desk) -> list[Values]:
    found = [desk.books.meters(pool) for pool in (PROGRESSIVE, FIVE_CARD)]
    return [
        {"name": f"{meters.pool} {name}" if name != "main" else meters.pool, "cents": meter.cents}
        for meters in found
        if meters is not None
        for name, meter in meters.by_name.items()
    ]
