"""What the dealer's page shows, as plain JSON values. It holds only what is open on the table, or was entered there."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from fairshoe import Need, Step
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import CloseBetting, Command
from fairshoe_table.books.books import Books
from fairshoe_table.books.rack import Rack, rows
from fairshoe_table.desk import prompts
from fairshoe_table.desk.drafts import Bets, Draft
from fairshoe_table.desk.line_list import ShownLine, shown_lines
from fairshoe_table.desk.page_people import Hands
from fairshoe_table.play.game import Ask, EnteredTwice, Game, Play, Stake, name_of
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.irregularities import Irregularity
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import in_force
from fairshoe_table.rules.cards import rank
from fairshoe_table.rules.money import dollars
from fairshoe_table.table.house import CHOICES

Values = dict[str, Any]
CHIPS = (100, 500, 1000, 2500, 10000)


class Desk(Protocol):
    """What is shown of a desk."""

    game: str
    kind: Game
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
    hands: Hands | None
    reading: int
    refusal: str
    twice: EnteredTwice | None

    @property
    def simulated(self) -> bool: ...
    @property
    def giving(self) -> type[Command] | None: ...
    @property
    def unasked(self) -> tuple[Need, ...]: ...
    @property
    def linked_now(self) -> bool: ...
    def waiting(self) -> list[Ask]: ...
    def open_lines(self) -> list[ShownLine]: ...
    def ended_early(self) -> bool: ...
    def held(self) -> Ask | None: ...
    def share_text(self) -> str: ...
    def may_decide(self) -> tuple[str, ...]: ...
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
        "areas": [_area(it, desk.options) for it in desk.kind.stakes(desk.options)],
        "chips": [chip for chip in CHIPS if chip % desk.options.chip == 0],
        "bettors": desk.kind.bettors(desk.options),
        "limits": [desk.options.minimum, desk.options.maximum],
        "ranks": sorted({rank(card) for card in desk.kind.pack}),
        "seats": [_seat(desk, play, seat, waiting) for seat in range(1, desk.seat_count + 1)],
        "dealer": _place(desk, play, DEALER),
        "community": _place(desk, play, COMMUNITY),
        "now": _now(desk, play, waiting, undone),
        "ask": _ask(desk, waiting),
        "lie": _lie(desk, play, waiting),
        "twice": _twice(desk, waiting, inputs),
        "reading": desk.reading,
        "lines": [_line(it) for it in shown_lines(desk.books, number)],
        "lines_of": number,
        "void": "".join(str(fact.data["clause"]) for fact in inputs if fact.kind == "void"),
        "check": "".join(str(fact.data["text"]) for fact in inputs if fact.kind == "seed check"),
        "entered": [_entered(it) for it in desk.kind.corrects(in_force(inputs))],
        "house": {"text": _house_text(desk), "choices": [[it, CHOICES[it]] for it in desk.may_decide()]},
        "irregularities": [_irregularity(it) for it in desk.kind.irregularities],
        "rack": _rack(desk.books.rack),
        "calls": [{"call": call, "text": text} for call, text in desk.calls],
        "meters": _meters(desk),
        "share": desk.share_text(),
        "again": bool(desk.previous),
        "sim": {"hands": desk.hands_by_themselves} if desk.simulated else None,
    }


def _area(it: Stake, options: Options) -> Values:
    """`unit`: the one amount that this wager may have; 0: any. `fixed`: it follows from another wager. `coupon`: one
    may be a part of it."""
    fixed, coupon = bool(it.times[0]), it.wager in options.coupons
    return {"wager": it.wager, "label": it.label or it.wager, "fixed": fixed, "unit": it.unit, "coupon": coupon}


# --- places on the layout ----------------------------------------------------------------------


def _seat(desk: Desk, play: Play, seat: int, waiting: list[Ask]) -> Values:
    staked, coupons = Counter[str](), Counter[str]()
    for where, it, cents in play.stakes:
        staked[it] += cents if where == seat else 0
    for where, _, it, cents in play.coupons:
        coupons[it] += cents if where == seat else 0
    booked = Bets({**+staked}, {**+coupons})
    first, *others = [booked] if play.seats else desk.draft.of(seat) or [booked]
    acts = bool(waiting) and waiting[0].seat == seat
    wagers = {
        "wagers": first.amounts,
        "others": [it.amounts for it in others],
        "coupons": [it.coupons for it in (first, *others)],
    }
    return {"seat": seat, **wagers, "acts": acts, **_place(desk, play, seat)}


def _place(desk: Desk, play: Play, seat: int) -> Values:
    """The cards that lie there, as far as they were entered, and where their faces came from."""
    fact = [it for it in desk.books.inputs(desk.number) if it.kind == "cards" and it.data["seat"] == seat]
    sources = list(dict.fromkeys(str(it.data["source"]) for it in fact))
    place = play.game.place(play, seat)
    hands = [{"cards": list(cards), "note": note} for cards, note in zip(place.hands, place.notes, strict=True)]
    return {"hands": hands, "source": ", ".join(sources), "says": place.says, "shape": place.shape}


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
            "checks": desk.kind.validates(undone[0].line),
        }
    elif waiting:
        prompt = prompts.for_ask(waiting[0])
    elif desk.refusal:
        prompt = prompts.for_refusal(desk.refusal)
    elif desk.offered is CloseBetting and not play.closed:
        any_wager = bool(desk.draft.placed) or bool(play.seats)
        prompt = prompts.for_command(play, CloseBetting) if any_wager else prompts.for_wagers()
        action = {"do": "close", "label": prompt.say or "Close betting"} if any_wager else {}
    elif desk.offered is not None:
        prompt = prompts.for_command(play, desk.offered)
        label = prompt.say or desk.offered.NAME.replace("_", " ").capitalize()
        action = {"do": "go", "command": desk.offered.NAME, "label": label}
    else:
        prompt = _of_the_shoe(desk)
    return {"who": prompt.who, "say": prompt.say, "do": prompt.do, "clause": prompt.clause, "action": action}


def _of_the_shoe(desk: Desk) -> prompts.Prompt:
    """What is next when nothing is due at the table. Nothing is asked of a shoe that does not hear it."""
    if desk.reading:
        return prompts.for_reading(desk.reading)
    if not desk.linked_now and desk.step is not None:
        return prompts.for_lost()
    return prompts.for_shoe(desk.step, desk.giving, desk.unasked)


def _ask(desk: Desk, waiting: list[Ask]) -> Values | None:
    if not waiting:
        return None
    ask = waiting[0]
    mine = desk.entry if desk.entry_key == ask.key else []
    return {
        "key": ask.key,
        "kind": ask.kind,
        "seat": ask.seat,
        "who": name_of(ask.seat),
        "text": ask.text,
        "count": ask.count,
        "choices": ask.choices,
        "most": dict(ask.most),
        "entry": [[card, source] for card, source in mine],
        "later": [f"{name_of(it.seat)}: {it.text}" for it in waiting[1:]],
    }


def _lie(desk: Desk, play: Play, waiting: list[Ask]) -> list[int]:
    """The faces that a person at a simulated table would see there; a page at a real shoe gets none."""
    if desk.hands is None or not waiting or waiting[0].kind != "cards":
        return []
    return list(desk.hands.lie(play, waiting[0]))


def _twice(desk: Desk, waiting: list[Ask], inputs: list[Input]) -> Values | None:
    """A card that was refused because it lies elsewhere: both entries, and what corrects the first one. `place` counts
    from 0; `of` is empty if it is in the hand that is being entered."""
    if desk.twice is None or not waiting:
        return None
    card, there = desk.twice.card, desk.twice.seat
    entered = [it for it, _ in desk.entry]
    first = {"who": name_of(there), "of": "", "cards": entered, "place": entered.index(card) if card in entered else 0}
    for fact in desk.kind.corrects(in_force(inputs)):
        if card not in entered and int(fact.data["seat"]) == there and card in fact.data["cards"]:
            first = {**_entered(fact), "place": fact.data["cards"].index(card)}
    says = f"{desk.twice.what} {desk.twice.advice}"
    return {"card": card, "first": first, "again": name_of(desk.twice.again), "place": len(entered), "says": says}


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


def _entered(fact: Input) -> Values:
    seat = int(fact.data["seat"])
    return {"of": fact.key, "who": name_of(seat), "cards": list(fact.data["cards"])}


def _house_text(desk: Desk) -> str:
    """Why a supervisor has to decide; empty if nothing but the wish to void the round calls for it."""
    held = desk.held()
    if held is not None:
        return held.text
    if desk.refusal:
        return desk.refusal
    for number, line in desk.books.in_suspense()[:1]:
        whose = f"{line.wager} of seat {line.seat}, {dollars(line.paid)}"
        return f"In suspense since round {number}: {whose}. Keep the cards and the money until it is decided"
    if desk.ended_early():
        return "The shoe has ended this round. Enter the cards that lie there and settle it"
    return ""


def _irregularity(it: Irregularity) -> Values:
    asked = {"who": list(it.who), "cards": it.cards, "named": it.named}
    return {"name": it.name, "text": it.text, "clause": it.clause, **asked}


def _rack(rack: Rack) -> Values:
    """The last shift. What the books expect is shown only after the closing: the count is blind."""
    number = rack.last_shift()
    if not number:
        return {"shift": 0, "open": False, "entries": [], "sheet": []}
    entries = rack.entries(number)
    fact = [{"kind": it.kind, "cents": it.cents, "by": it.by, "note": it.note, "utc": it.utc} for it in entries]
    closed = not rack.open_shift()
    return {"shift": number, "open": not closed, "entries": fact, "sheet": rows(rack.shift(number)) if closed else []}


def _meters(desk: Desk) -> list[Values]:
    found = [desk.books.meters(pool) for pool in desk.kind.pools(desk.options)]
    return [
        {"name": f"{meters.pool} {name}" if name != "main" else meters.pool, "cents": meter.cents}
        for meters in found
        if meters is not None
        for name, meter in meters.by_name.items()
    ]
