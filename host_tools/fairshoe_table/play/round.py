"""A round of a game as reported: inputs of people and of the shoe change it, and it says what is needed next.

`apply` is pure: the same inputs in the same order give the same round, so a round is rebuilt from its journal after a
crash. `Need`s come in the order of the rules; cards are asked for when the dealer turns them over, never before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.games import boston5, double_cross, double_down
from fairshoe_table.games.caribbean import settlement as caribbean
from fairshoe_table.games.double_attack import round as blackjack
from fairshoe_table.games.double_attack import settlement as double_attack
from fairshoe_table.games.double_cross import RIGHT, TOP, Axis
from fairshoe_table.play.options import (
    BostonOptions,
    CaribbeanOptions,
    DoubleAttackOptions,
    DoubleCrossOptions,
    DoubleDownOptions,
    Options,
)
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.line_shapes import Void
from fairshoe_table.rules.meters import Meters
from fairshoe_table.rules.seats import HasSeat, check_adjacent, settle_order

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Input:
    """Something that happened: who told it is in `data`. A round takes each key once."""

    key: str
    kind: str
    data: Data = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Ask:
    """What the round needs next from a person: cards that were turned over, or a decision of a seat."""

    kind: str  # "cards", "expose" or "decide"; of the table itself also "count" and "confirm"
    seat: int  # DEALER and COMMUNITY for their cards
    text: str
    count: int = 0
    choices: tuple[str, ...] = ()
    part: str = ""  # tells several asks of one seat apart
    most: tuple[tuple[str, int], ...] = ()  # choices that may be made for less, and their most in cents

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.seat}:{self.part}"

    def answer(self, **data: Any) -> Input:
        return Input(self.key, self.kind, {"seat": self.seat, "part": self.part, **data})


@dataclass(frozen=True)
class Dealt:
    """How far the shoe has come, as its events say: all stacks taken, how often betting was closed, the rest out."""

    stacks: bool = False
    closings: int = 0
    rest: bool = False


@dataclass(frozen=True)
class Settled:
    """Lines that are due, and what they do to the meters."""

    lines: tuple[Line, ...]
    progressive: Meters | None = None
    five_card: Meters | None = None


Round = double_down.Round | boston5.Round | caribbean.Round | double_cross.Round | double_attack.Round


@dataclass(frozen=True)
class Play:
    """One round at the table. `stakes` holds what was put on the layout: (seat, wager, cents)."""

    game: str
    options: Options
    round: Round
    closed: bool = False
    stakes: tuple[tuple[int, Wager, int], ...] = ()
    sources: tuple[str, ...] = ()  # where faces came from
    owners: tuple[tuple[int, str], ...] = ()  # seats of players who are known by name

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(sorted(hand.seat for hand in _hands(self.round)))

    @property
    def void(self) -> bool:
        return self.round.void is not None


def _hands(round: Round) -> Sequence[HasSeat]:
    match round:
        case double_down.Round():
            return round.areas
        case double_attack.Round():
            return round.boxes
        case _:
            return round.hands


def new_play(game: str, options: Options) -> Play:
    rounds: dict[str, Round] = {
        "double-down-stud": double_down.Round(()),
        "boston-5-stud": boston5.Round(()),
        "caribbean-stud": caribbean.Round(()),
        "double-cross-poker": double_cross.Round(()),
        "double-attack-blackjack": double_attack.Round(()),
    }
    if game not in rounds:
        raise UsageError(f"no game {game!r}.", f"There are {', '.join(rounds)}.")
    return Play(game, options, rounds[game])


# --- wagers ------------------------------------------------------------------------------------

# Wagers that are made before the deal, and the field of the hand that has their amount.
_FIELDS: dict[str, dict[Wager, str]] = {
    "double-down-stud": {Wager.ORIGINAL: "original"},
    "boston-5-stud": {Wager.ANTE: "ante", Wager.FIRST: "first", Wager.BONUS: "bonus"},
    "caribbean-stud": {
        Wager.ANTE: "ante",
        Wager.BONUS: "bonus",
        Wager.PROGRESSIVE: "progressive",
        Wager.FIVE_CARD: "five_card",
        Wager.FIVE_CARD_DEALER: "five_card_dealer",
        Wager.COVER_ALL: "cover_all",
    },
    "double-cross-poker": {Wager.ANTE: "ante", Wager.BONUS: "bonus"},
    "double-attack-blackjack": {Wager.INITIAL: "initial", Wager.BONUS: "bonus"},
}

WAGER_MAX = 10**9  # cents of one wager: a limit of the books, far above any posted one
_NEEDED = (Wager.ORIGINAL, Wager.ANTE, Wager.FIRST, Wager.INITIAL)


def wager(seat: int, amounts: Mapping[Wager, int], bettor: int = 1, player: str = "") -> Input:
    """The wagers of one seat before the deal. `bettor`: of one to three who share a box of Double Attack Blackjack.
    `player` names who wagers, where one person may have several seats; without a name every seat is another one's."""
    key = f"wager:{seat}" if bettor == 1 else f"wager:{seat}.{bettor}"
    named = {it.value: cents for it, cents in amounts.items()}
    return Input(key, "wager", {"seat": seat, "amounts": named, "bettor": bettor, "player": player})


def _wagered(play: Play, data: Data) -> Play:
    if play.closed:
        raise UsageError("betting is closed.", "Return the wager.")
    names = _FIELDS[play.game]
    amounts: dict[Wager, int] = {Wager(name): cents for name, cents in data["amounts"].items() if cents}
    unknown = [it.value for it in amounts if it not in names]
    if unknown:
        raise UsageError(f"{play.game} has no {unknown[0]} wager before the deal.", "Return it.")
    wrong = [cents for cents in amounts.values() if type(cents) is not int or not 0 < cents <= WAGER_MAX]
    if wrong:
        raise UsageError(f"seat {data['seat']}: a wager of {wrong[0]} cents.", "Return it.")
    seat = int(data["seat"])
    if not 1 <= seat < COMMUNITY:
        raise UsageError(f"no seat {seat}.", "Seats count from 1, at the dealer's far left.")
    play = _owned(play, seat, str(data.get("player", "")))
    stakes = (*play.stakes, *((seat, it, cents) for it, cents in amounts.items()))
    # A wager that must be there and is not is 0, which the check of the hand refuses.
    needed = [names[it] for it in _NEEDED if it in names]
    given: dict[str, Any] = {**dict.fromkeys(needed, 0), **{names[it]: cents for it, cents in amounts.items()}}
    round, options = play.round, play.options
    match round:
        case double_down.Round():
            assert isinstance(options, DoubleDownOptions)
            area = double_down.Area(seat, **given)
            area.check(options)
            return replace(play, round=replace(round, areas=(*round.areas, area)), stakes=stakes)
        case boston5.Round():
            assert isinstance(options, BostonOptions)
            hand = boston5.Hand(seat, **given)
            hand.check(options)
            return replace(play, round=replace(round, hands=(*round.hands, hand)), stakes=stakes)
        case caribbean.Round():
            assert isinstance(options, CaribbeanOptions)
            cs_hand = caribbean.Hand(seat, **given)
            cs_hand.check(options)
            return replace(play, round=replace(round, hands=(*round.hands, cs_hand)), stakes=stakes)
        case double_cross.Round():
            assert isinstance(options, DoubleCrossOptions)
            cross = double_cross.Hand(seat, **given)
            cross.check(options)
            return replace(play, round=replace(round, hands=(*round.hands, cross)), stakes=stakes)
        case double_attack.Round():
            assert isinstance(options, DoubleAttackOptions)
            number = int(data.get("bettor", 1))
            boxes = blackjack.wagered(round, seat, number, given["initial"], given.get("bonus", 0), options)
            return replace(play, round=boxes, stakes=stakes)


def _owned(play: Play, seat: int, player: str) -> Play:
    """Refuse a seat that is more than a player may have: one, two adjacent areas (DDS 6(c)), more boxes (DAB 14)."""
    if not player:
        return play
    owners = {**dict(play.owners), seat: player}
    mine = sorted(its for its, name in owners.items() if name == player)
    options = play.options
    most = 1
    if isinstance(options, DoubleDownOptions):
        most = 2 if options.two_areas else 1
        check_adjacent(owners, most)
    elif isinstance(options, DoubleAttackOptions):
        most = options.boxes_per_player
    if len(mine) > most:
        raise UsageError(f"{player} wagers on seats {mine}, at most {most} (ruling one-hand).", "Return the wager.")
    return replace(play, owners=tuple(owners.items()))


# --- reported facts -----------------------------------------------------------------------------


def in_force(inputs: Iterable[Input]) -> list[Input]:
    """The inputs with the cards that corrections have put in place of others; the corrections stay at their place."""
    told = list(inputs)
    place = {one.key: number for number, one in enumerate(told)}
    for one in list(told):
        if one.kind == "correct":
            wrong = told[place[one.data["of"]]]
            told[place[wrong.key]] = replace(wrong, data={**wrong.data, "cards": one.data["cards"], "corrected": True})
    return told


def rebuild(play: Play, inputs: Iterable[Input]) -> Play:
    """The round after all these inputs."""
    for told in in_force(inputs):
        play = apply(play, told)
    return play


def apply(play: Play, told: Input) -> Play:
    """The round after this input."""
    data = told.data
    if isinstance(play.round, double_attack.Round) and told.kind in blackjack.KINDS:
        assert isinstance(play.options, DoubleAttackOptions)
        round, staked = blackjack.apply(play.round, told.kind, data, play.options)
        sources = (*play.sources, str(data["source"])) if told.kind == "cards" else play.sources
        return replace(play, round=round, stakes=(*play.stakes, *staked), sources=sources)
    match told.kind:
        case "wager":
            return _wagered(play, data)
        case "closed":
            if isinstance(play.round, caribbean.Round) and isinstance(play.options, CaribbeanOptions):
                column = caribbean.cover_column(len(play.seats), play.options)
                return replace(play, closed=True, round=replace(play.round, cover_column=column))
            return replace(play, closed=True)
        case "cover all":  # the device's own count of the hands dealt
            if isinstance(play.round, caribbean.Round):
                return replace(play, round=replace(play.round, cover_column=int(data["column"])))
            return play
        case "cards":
            cards = tuple(int(card) for card in data["cards"])
            _check_cards(play, cards, data)
            return replace(_cards(play, data, cards), sources=(*play.sources, str(data["source"])))
        case "expose":
            return _change(play, int(data["seat"]), exposed=bool(data["shown"]))
        case "decide":
            return _decided(play, int(data["seat"]), str(data["choice"]), data.get("cents"))
        case "void":
            return _voided(play, Void(str(data["clause"]), frozenset(data["kept"])))
        case "void hand":
            return _change(play, int(data["seat"]), void=str(data["clause"]))
        case "withdrawn":
            return _withdrawn(play, int(data["seat"]))
        case "confirm" if data["part"] == "final" and isinstance(play.round, boston5.Round):
            return replace(play, round=replace(play.round, final=True))
        case "not accepted":
            return _not_accepted(play, int(data["seat"]))
        case _:
            return play  # about the shoe; it changes no hand


def _voided(play: Play, void: Void) -> Play:
    """All hands are void. Optional bonuses of Boston 5 that are open now stand by other rules than those that were
    settled before (ruling `b5-void-bonus`)."""
    round = play.round
    if isinstance(round, boston5.Round):
        round = replace(round, hands=tuple(replace(hand, open_at_void=hand.bonus_open) for hand in round.hands))
    return replace(play, round=replace(round, void=void))


def _withdrawn(play: Play, seat: int) -> Play:
    """A second wager is taken back before the final two cards are dealt (B5 10(c)): a fold."""
    round = play.round
    hand = next((it for it in round.hands if it.seat == seat), None) if isinstance(round, boston5.Round) else None
    final = isinstance(round, boston5.Round) and round.final
    if hand is None or not hand.second or hand.void or final:
        raise UsageError(f"seat {seat} has no second wager to withdraw (B5 10(c)).", "After the last cards it stays.")
    return _change(play, seat, second=0, withdrawn=hand.second)


def _not_accepted(play: Play, seat: int) -> Play:
    """A progressive wager that the acceptor did not take is returned before the deal (CS 7(c))."""
    round = play.round
    hand = next((it for it in round.hands if it.seat == seat), None) if isinstance(round, caribbean.Round) else None
    if hand is None or not hand.progressive or hand.bet is not None:
        raise UsageError(f"seat {seat} has no progressive wager to return (CS 7(c)).", "Check the seat.")
    return _change(play, seat, progressive=0, not_accepted=hand.progressive)


def _change(play: Play, seat: int, **changes: Any) -> Play:
    """Change the hand of one seat."""
    round = play.round
    if seat not in play.seats:
        raise UsageError(f"seat {seat} has no wager in this round.", f"Seats in play: {play.seats}.")
    if isinstance(round, double_down.Round):
        areas = tuple(replace(it, **changes) if it.seat == seat else it for it in round.areas)
        return replace(play, round=replace(round, areas=areas))
    if isinstance(round, double_attack.Round):
        raise UsageError(f"box {seat} cannot be changed so.", "Use a decision or a card.")
    hands: Any = tuple(replace(it, **changes) if it.seat == seat else it for it in round.hands)
    return replace(play, round=replace(round, hands=hands))


def known_cards(play: Play) -> list[int]:
    """Every face that was entered in this round."""
    round = play.round
    if isinstance(round, double_down.Round):
        own = [area.card for area in round.areas if area.card is not None]
        return [*own, *round.community]
    if isinstance(round, double_attack.Round):
        return []  # six or eight packs: a face may come again
    found = [card for hand in round.hands for card in hand.cards] + list(round.dealer)
    if isinstance(round, double_cross.Round):
        found += [card for card in round.community if card is not None]
    return found


def _check_cards(play: Play, cards: tuple[int, ...], data: Data) -> None:
    """A card is in the deck once: the same face twice is a wrong entry, or a wrong deck."""
    seat, known = int(data["seat"]), known_cards(play)
    if isinstance(play.round, boston5.Round):
        known = [card for card in known if card not in _hand_cards(play, seat)]  # three, and then all five of them
    twice = [card for card in cards if card in known or cards.count(card) > 1]
    if twice or not all(0 <= card < 52 for card in cards):
        raise UsageError(
            "a card is entered twice.", "Check the hand; if it is right, the deck is wrong: stop the round."
        )


def _hand_cards(play: Play, seat: int) -> tuple[int, ...]:
    round = play.round
    if isinstance(round, (double_down.Round, double_attack.Round)):
        return ()
    return round.dealer if seat == DEALER else next((it.cards for it in round.hands if it.seat == seat), ())


def _cards(play: Play, data: Data, cards: tuple[int, ...]) -> Play:
    seat, round = int(data["seat"]), play.round
    if isinstance(round, double_down.Round):
        if seat != COMMUNITY:
            return _change(play, seat, card=cards[0])
        # The hole card comes last and stands first.
        return replace(play, round=replace(round, community=(*cards, *round.community)))
    assert not isinstance(round, double_attack.Round)
    if isinstance(round, double_cross.Round) and seat == COMMUNITY:
        places = (TOP, RIGHT) if data["part"] == "open" else (0, 1, 4)
        community = list(round.community)
        for place, card in zip(places, cards, strict=True):
            community[place] = card
        return replace(play, round=replace(round, community=tuple(community)))
    if seat == DEALER:
        return replace(play, round=replace(round, dealer=cards))
    if isinstance(round, boston5.Round):
        # What was exposed stays, in whichever order five cards are entered; a correction changes it.
        exposed = next((hand.exposed_cards for hand in round.hands if hand.seat == seat), ())
        kept = exposed if exposed and not data.get("corrected") else cards[:3]
        return _change(play, seat, cards=cards, exposed_cards=kept)
    return _change(play, seat, cards=cards)


def _decided(play: Play, seat: int, choice: str, amount: int | None = None) -> Play:
    """A second, bet, raise or double down wager puts money on the layout as well; only a double down wager may be less
    than the most (`amount`, DDS 1)."""
    round = play.round
    hand = next((it for it in _hands(round) if it.seat == seat), None)
    match hand:
        case double_down.Area():
            cents = (hand.original if amount is None else amount) if choice == "double" else 0
            assert isinstance(play.options, DoubleDownOptions)
            replace(hand, double=cents).check(play.options)
            return _stake(_change(play, seat, double=cents), seat, {Wager.DOUBLE_DOWN: cents})
        case boston5.Hand():
            cents = hand.first if choice == "raise" else 0
            return _stake(_change(play, seat, second=cents), seat, {Wager.SECOND: cents})
        case caribbean.Hand():
            cents = 2 * hand.ante if choice == "raise" else 0
            return _stake(_change(play, seat, bet=cents), seat, {Wager.BET: cents})
        case double_cross.Hand():
            if choice == "fold":
                return _change(play, seat, raised=False)
            changed = _change(play, seat, raised=True, axis=Axis[choice.upper()])
            return _stake(changed, seat, {Wager.RAISE_1: hand.ante, Wager.RAISE_2: hand.ante})
        case _:
            raise UsageError(f"seat {seat} has no wager in this round.", f"Seats in play: {play.seats}.")


def _stake(play: Play, seat: int, amounts: Mapping[Wager, int]) -> Play:
    more = tuple((seat, it, cents) for it, cents in amounts.items() if cents)
    return replace(play, stakes=(*play.stakes, *more))


# --- what is needed ----------------------------------------------------------------------------


def asks(play: Play, dealt: Dealt) -> list[Ask]:
    """What is needed next, as far as the shoe has come; empty: nothing now, or nothing at all."""
    if play.void:
        return list(_kept(play.round)) if isinstance(play.round, boston5.Round) else []
    if not dealt.stacks:
        return []
    match play.round:
        case double_down.Round():
            return list(_double_down(play.round, dealt))
        case boston5.Round():
            return list(_boston(play.round, dealt))
        case caribbean.Round():
            assert isinstance(play.options, CaribbeanOptions)
            return list(_caribbean(play.round, play.options)) if dealt.rest else []  # the stub first, CS 9(e)
        case double_cross.Round():
            return list(_double_cross(play.round, dealt))
        case double_attack.Round():
            assert isinstance(play.options, DoubleAttackOptions)
            found = blackjack.next_ask(play.round, play.options)
            if found is None:
                return []
            count = int(found.kind == "cards")
            return [Ask(found.kind, found.seat, found.text, count, found.choices, found.part, found.most)]


def _double_down(round: double_down.Round, dealt: Dealt) -> Iterator[Ask]:
    yield from (Ask("cards", area.seat, "enter the card of this seat", 1) for area in round.areas if area.card is None)
    if not round.community:
        yield Ask("cards", COMMUNITY, "enter the three cards that lie face up", 3, part="up")
        return
    # Also after the second closing: the dealer may have closed with the button, and chips lie there that were not told.
    undecided = [area for area in sorted(round.areas, key=lambda it: it.seat) if area.double is None]
    for area in undecided:
        most = (("double", area.original),)
        yield Ask("decide", area.seat, "double down?", choices=("double", "stand"), most=most)
    if not undecided and dealt.closings >= 2 and len(round.community) == 3:
        yield Ask("cards", COMMUNITY, "turn over the hole card", 1, part="hole")


def _kept(round: boston5.Round) -> Iterator[Ask]:
    """Three-card hands that stand in a void round if they qualify for the optional bonus (B5 12(a), (f))."""
    assert round.void is not None
    for hand in sorted(round.hands, key=lambda it: it.seat):
        if hand.seat not in round.void.kept or hand.void or not hand.open_at_void:
            continue
        if hand.exposed is None:
            text = f"the round is void ({round.void.clause}); expose the three cards for the optional bonus?"
            yield Ask("expose", hand.seat, text)
        elif hand.exposed and not hand.cards:
            yield Ask("cards", hand.seat, "enter the three cards that are exposed", 3, part="three")


def _boston(round: boston5.Round, dealt: Dealt) -> Iterator[Ask]:
    live = [hand for hand in sorted(round.hands, key=lambda it: it.seat) if not hand.void]
    showing = [hand for hand in live if hand.bonus and hand.exposed is None]
    if showing:
        yield Ask("expose", showing[0].seat, "expose the three cards for the optional bonus?")
        return
    unseen = [hand for hand in live if hand.exposed and not hand.cards]
    yield from (Ask("cards", hand.seat, "enter the three cards that are exposed", 3, part="three") for hand in unseen)
    undecided = [hand for hand in live if hand.second is None]
    if unseen or undecided:
        if not unseen:
            text = "second wager, or fold?"
            yield Ask("decide", undecided[0].seat, text, choices=("raise", "fold"))
        return
    if not dealt.rest:
        return
    if not round.final:
        seats = [str(hand.seat) for hand in live if hand.second]
        whom = f"to seat {' and seat '.join(seats)} and to yourself" if seats else "to yourself"
        yield Ask("confirm", DEALER, f"deal two more cards {whom}", choices=("dealt",), part="final")
        return
    if not round.dealer:
        yield Ask("cards", DEALER, "turn over your five cards", 5)
    for hand in settle_order(live):
        if hand.second and len(hand.cards) != 5:
            yield Ask("cards", hand.seat, "turn over the five cards of this seat", 5, part="five")


def _caribbean(round: caribbean.Round, options: CaribbeanOptions) -> Iterator[Ask]:
    live = [hand for hand in sorted(round.hands, key=lambda it: it.seat) if not hand.void]
    for hand in live:
        if hand.bet is None:
            yield Ask("decide", hand.seat, "bet twice the ante, or fold?", choices=("raise", "fold"))
            return
    for hand in live:
        if hand.bet == 0 and caribbean.faces_needed(hand, options) and not hand.cards:  # ruling `cs-fold-faces`
            yield Ask("cards", hand.seat, "enter the cards of the folded hand before they go to the rack", 5)
    if not round.dealer:
        yield Ask("cards", DEALER, "turn over your hole cards; enter all five, the up-card first", 5)
    for hand in settle_order(live):
        if hand.bet and not hand.cards:
            yield Ask("cards", hand.seat, "turn over the cards of this seat", 5)


_SHOWN_TWO = "enter the two cards that are exposed; they are turned face down again after their wager"  # DCP 10(a)


def _double_cross(round: double_cross.Round, dealt: Dealt) -> Iterator[Ask]:
    if not dealt.rest:
        return
    hands = sorted(round.hands, key=lambda it: it.seat)
    if round.community[TOP] is None:
        yield Ask(
            "cards", COMMUNITY, "turn over the card farthest from you, then the one at your right", 2, part="open"
        )
        return
    for hand in hands:
        if hand.bonus and hand.exposed is None:
            yield Ask("expose", hand.seat, "expose the two cards for the three-card wager?")
            return
    unseen = [hand for hand in hands if hand.exposed and not hand.cards]
    yield from (Ask("cards", hand.seat, _SHOWN_TWO, 2) for hand in unseen)
    undecided = [hand for hand in hands if hand.raised is None]
    if undecided and not unseen:
        choices = ("vertical", "horizontal", "fold")
        yield Ask("decide", undecided[0].seat, "fold, or play vertical or horizontal?", choices=choices)
    if undecided or unseen:
        return
    if round.community[0] is None:
        yield Ask("cards", COMMUNITY, "turn over the other three: left, middle, nearest", 3, part="rest")
    if not round.dealer:
        yield Ask("cards", DEALER, "turn over your two cards", 2)
    for hand in settle_order(hands):
        if hand.raised and not hand.cards:
            yield Ask("cards", hand.seat, "turn over the two cards of this seat", 2)


# --- settlement --------------------------------------------------------------------------------


def settle(play: Play, progressive: Meters | None = None, five_card: Meters | None = None) -> Settled:
    """The lines that are due now."""
    match play.round:
        case double_down.Round():
            assert isinstance(play.options, DoubleDownOptions)
            return Settled(tuple(double_down.settle(play.round, play.options)))
        case boston5.Round():
            assert isinstance(play.options, BostonOptions)
            return Settled(tuple(boston5.settle(play.round, play.options)))
        case caribbean.Round():
            assert isinstance(play.options, CaribbeanOptions)
            found = caribbean.settle(play.round, play.options, progressive, five_card)
            return Settled(found.lines, found.progressive, found.five_card)
        case double_cross.Round():
            assert isinstance(play.options, DoubleCrossOptions)
            return Settled(tuple(double_cross.settle(play.round, play.options)))
        case double_attack.Round():
            assert isinstance(play.options, DoubleAttackOptions)
            return Settled(tuple(double_attack.settle(play.round, play.options)))


def meter_stakes(play: Play) -> tuple[int, int]:
    """Cents of this round that contribute to the progressive and to the five-card meter."""
    if not play.closed or not isinstance(play.round, caribbean.Round):
        return 0, 0
    return caribbean.progressive_stakes(play.round)
