"""A round of Double Attack Blackjack as reported: what changes it, and what is needed next.

One to three bettors share a box (DAB 13): the first one calls, the others follow or not. The dealer's second card is
drawn at the end (7(g)), or dealt face down after the deal and, with a reader, asked about first (7(i)).
"""

from __future__ import annotations

from dataclasses import replace

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import DEALER, Delivered
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_attack.settlement import (
    Bettor,
    Box,
    Follow,
    Peek,
    PlayerHand,
    Round,
    Stakes,
    dealer_draws,
    insurance_most,
    may_double,
    may_draw,
    may_split,
    may_surrender,
    surrender_waits,
    ten_or_ace,
)
from fairshoe_table.play.game import Ask, Text
from fairshoe_table.play.inputs import Decided
from fairshoe_table.rules.cards import ACE, rank
from fairshoe_table.rules.ledger import Wager

Most = tuple[tuple[str, int], ...]  # choices that may be made for less, and their most in cents
Staked = tuple[int, str, int]
Changed = tuple[Round, tuple[Staked, ...]]


FIRST = Text("first", "a card to yourself, face up", "DAB-7e")
MISSED = Text("missed", "missed ({clause}): complete, or dead?", "DAB-15i")
AHEAD = Text("ahead", "the card that was delivered wrongly is your second one: leave it open", "DAB-15a")
FORWARD = Text("forward", "the card that was delivered wrongly belongs to this box", "DAB-15a")
HOLE = Text("hole", "deal your hole card face down", "DAB-7i")
BLACKJACK = Text("blackjack", "blackjack: turn over the hole card", "DAB-7i")
ATTACK = Text("attack", "double attack?", "DAB-7d", "Double attack?")
ATTACK_TOO = Text("attack-too", "bettor {bettor}: double attack?", "DAB-13e")
TO_BOX = Text("to-box", "card {number} to this box", "DAB-7e")
INSURANCE = Text("insurance", "insurance?", "DAB-11b", "Insurance?")
INSURANCE_TOO = Text("insurance-too", "bettor {bettor}: insurance?", "DAB-13g")
TO_HAND = Text("to-hand", "a card to hand {hand} of this box", "DAB-7f")
CALL = Text("call", "hand {hand} has {points}", "DAB-7f")
TURN = Text("turn", "turn over the hole card", "DAB-7g")
DEALERS_CARD = Text("dealers-card", 'say "Dealer\'s card", and draw', "DAB-7g", "Dealer's card")
DOUBLE_TOO = Text("double-too", "bettor {bettor}: double too?", "DAB-13d")
COVER = Text("cover", "bettor {bettor}: cover both hands, or play one of them?", "DAB-13f")
PROMPTS = (
    *(AHEAD, FORWARD, FIRST, MISSED, HOLE, BLACKJACK, ATTACK, ATTACK_TOO, TO_BOX, INSURANCE, INSURANCE_TOO),
    *(TO_HAND, CALL, TURN, DEALERS_CARD, DOUBLE_TOO, COVER),
)


# --- wagers ------------------------------------------------------------------------------------


def check_wagered(round: Round, seat: int, number: int, options: DoubleAttackOptions) -> None:
    """The first bettor of a box calls its decisions (DAB 13(b))."""
    if seat > options.positions:
        raise UsageError(f"box {seat}: the table has {options.positions} positions (DAB 10(c)).", "Return the wager.")
    there = next((len(box.bettors) for box in round.boxes if box.seat == seat), 0)
    if number != there + 1:
        raise UsageError(f"box {seat}: bettor {number} wagers before another one.", "Enter who calls first.")


def wagered(round: Round, seat: int, number: int, initial: int, bonus: int) -> Round:
    """The wagers of one bettor."""
    bettor = Bettor(number, (Stakes(initial),), bonus)
    there = next((box for box in round.boxes if box.seat == seat), None)
    if there is None:
        return replace(round, boxes=(*round.boxes, Box(seat, (bettor,))))
    return _with_box(round, replace(there, bettors=(*there.bettors, bettor)))


# --- reported facts -----------------------------------------------------------------------------


def peeked(round: Round, answer: Peek) -> Round:
    """What the reader has said."""
    return _checked(replace(round, peek=answer))


def card(round: Round, seat: int, part: str, face: int) -> Round:
    if seat == DEALER:
        after = replace(round, dealer=(*round.dealer, face))
        said = {Peek.NO: False, Peek.BLACKJACK: True}.get(after.peek, after.dealer_blackjack)
        if len(after.dealer) == 2 and said is not after.dealer_blackjack:
            raise UsageError(f"the reader said {after.peek.value}, and the hole card differs.", "Check the card.")
        return _checked(after)
    box = _box(round, seat)
    round = replace(round, forward=round.forward if round.forward != seat else 0)
    number = int(part.split(".")[0])
    hand = box.hands[number]
    hand = replace(hand, cards=(*hand.cards, face), due=False)
    hand = replace(hand, done=hand.done or hand.points >= 21)  # a doubled hand may still be surrendered (DAB 8(a))
    if len(hand.cards) == 2 and not hand.split:
        round = replace(round, late=round.late - {seat})  # its turn is that of its place (DAB 7(e))
    return _checked(_with_hand(round, box, number, hand))


def refused(round: Round, seat: int) -> Round:
    """A player who refuses a card that was drawn in error and seen gets no more cards in this round (DAB 15(f))."""
    box = _box(round, seat)
    hands = tuple(hand if hand.done else replace(hand, done=True, due=False) for hand in box.hands)
    if not _dealt(round) or hands == box.hands:
        raise UsageError(f"box {seat}: no hand can refuse a card now (DAB 15(f)).", "Choose the box that acts.")
    if any(len(hand.cards) < 2 for hand in hands):
        raise UsageError(f"box {seat}: a split hand has one card (DAB 15(f)).", "Complete it first.")
    left = tuple(it for it in round.missed if it[0] != seat)
    return _checked(_with_box(replace(round, missed=left), replace(box, hands=hands)))


def missed(round: Round, seat: int, cards: int, clause: str) -> Round:
    """A box that got no card is dead until the next deal; otherwise the player chooses (DAB 15(i), (j)). A box that
    waits for no card has missed none."""
    if _waiting(_box(round, seat)) is None:
        return round
    if not cards:
        return _dead(round, seat, clause)
    return replace(round, missed=(*round.missed, (seat, clause)), misses=(*round.misses, seat))


def delivered(round: Round, seat: int, becomes: int) -> Round:
    """A card delivered wrongly, until each box has two: it moves forward to a box, is the dealer's next one, or was
    burned (DAB 15(a)); later 15(d) to (j) speak."""
    if _dealt(round) or not round.dealer:
        raise UsageError("no card is on its way to a box (DAB 15(a)).", "Report it by 15(d) to (j).")
    if becomes == Delivered.TO_DEALER:
        return replace(round, ahead=True)
    return replace(round, forward=_box(round, seat).seat) if becomes == Delivered.FORWARD else round


def let_out(round: Round, seat: int, clause: str) -> Round:
    """The house lets a box out for an error of the dealer: it plays no more (DAB 15(a), ruling `dab-let-out`)."""
    box = _box(round, seat)
    return _checked(
        replace(
            round,
            boxes=tuple(it for it in round.boxes if it.seat != seat),
            out=(*round.out, (box, clause)),
            follows=tuple(it for it in round.follows if it.seat != seat),
            missed=tuple(it for it in round.missed if it[0] != seat),
            forward=round.forward if round.forward != seat else 0,
        )
    )


def _waiting(box: Box) -> int | None:
    """The hand that waits for a card."""
    if len(box.hands) == 1 and len(box.hands[0].cards) < 2:
        return None if box.hands[0].dead else 0
    return next((number for number, hand in enumerate(box.hands) if hand.due), None)


def _dead(round: Round, seat: int, clause: str) -> Round:
    """No one wagers more on the hand."""
    box = _box(round, seat)
    number = _waiting(box)
    if number is None:
        return round
    round = replace(round, follows=tuple(it for it in round.follows if (it.seat, it.hand) != (seat, number)))
    return _checked(_with_hand(round, box, number, replace(box.hands[number], dead=clause, done=True, due=False)))


def _checked(round: Round) -> Round:
    """Finished when no hand is open and the dealer takes no more cards; at once when the reader has found a blackjack
    and the hole card is turned over."""
    if round.peek is Peek.BLACKJACK:
        return replace(round, finished=len(round.dealer) == 2)
    if not round.boxes:
        return replace(round, finished=True)  # every box was let out
    ready = _dealt(round) and not round.follows and all(hand.done for box in round.boxes for hand in box.hands)
    return replace(round, finished=ready and bool(round.dealer) and not dealer_draws(round))


def _dealt(round: Round) -> bool:
    firsts = [(box.hands[0], len(box.hands)) for box in round.boxes]
    return bool(firsts) and all(number > 1 or len(hand.cards) >= 2 or bool(hand.dead) for hand, number in firsts)


def _box(round: Round, seat: int) -> Box:
    for box in round.boxes:
        if box.seat == seat:
            return box
    raise UsageError(f"box {seat} has no wager in this round.", "Check the box.")


def _with_box(round: Round, box: Box) -> Round:
    return replace(round, boxes=tuple(box if it.seat == box.seat else it for it in round.boxes))


def _with_hand(round: Round, box: Box, number: int, hand: PlayerHand) -> Round:
    return _with_box(round, replace(box, hands=(*box.hands[:number], hand, *box.hands[number + 1 :])))


def _with_bettor(box: Box, bettor: Bettor) -> Box:
    return replace(box, bettors=tuple(bettor if it.number == bettor.number else it for it in box.bettors))


def _with_stakes(box: Box, number: int, hand: int, **more: int) -> Box:
    """More of this bettor on one hand of the box."""
    bettor = box.bettors[number - 1]
    stakes = (*bettor.stakes[:hand], replace(bettor.stakes[hand], **more), *bettor.stakes[hand + 1 :])
    return _with_bettor(box, replace(bettor, stakes=stakes))


def decided(round: Round, fact: Decided, options: DoubleAttackOptions) -> Changed:
    """The round after a decision, and what was staked."""
    seat, choice, amount = fact.seat, fact.WORD, fact.cents
    name, _, rest = fact.part.partition(".")
    match name:
        case "hole":
            return replace(round, hole=True), ()
        case "attack":
            return _attack(round, seat, int(rest or 1), choice, amount, options)
        case "insurance":
            return _insurance(round, seat, int(rest or 1), choice, amount, options)
        case "missed":
            return _after_a_miss(round, seat, choice), ()
        case "follow":
            return _followed(round, choice, amount, options)
        case _:
            return _called(round, seat, int(name), choice, amount, options)


def _attack(
    round: Round, seat: int, number: int, choice: str, amount: int | None, options: DoubleAttackOptions
) -> Changed:
    box = _box(round, seat)
    initial = box.bettors[number - 1].initial
    cents = (initial if amount is None else amount) if choice == "attack" else 0
    box = _with_stakes(box, number, 0, attack=cents)
    box.check(options)
    round = replace(round, asked=round.asked | {(f"attack.{number}", seat)})
    return _with_box(round, box), _staked(seat, Wager.ATTACK, cents)


def _insurance(
    round: Round, seat: int, number: int, choice: str, amount: int | None, options: DoubleAttackOptions
) -> Changed:
    box = _box(round, seat)
    bettor = box.bettors[number - 1]
    most = insurance_most(bettor.initial, options.chip)
    cents = (most if amount is None else amount) if choice == "insure" else 0
    box = _with_bettor(box, replace(bettor, insurance=cents))
    box.check(options)
    round = replace(round, asked=round.asked | {(f"insurance.{number}", seat)})
    return _with_box(round, box), _staked(seat, Wager.INSURANCE, cents)


def _after_a_miss(round: Round, seat: int, choice: str) -> Round:
    clause = next(clause for its, clause in round.missed if its == seat)
    round = replace(round, missed=tuple(it for it in round.missed if it[0] != seat))
    return replace(round, late=round.late | {seat}) if choice == "complete" else _dead(round, seat, clause)


def _called(
    round: Round, seat: int, number: int, choice: str, amount: int | None, options: DoubleAttackOptions
) -> Changed:
    """A decision of the bettor who calls."""
    box = _box(round, seat)
    hand = box.hands[number]
    if choice not in choices_of(box, number, options):
        raise UsageError(f"box {seat}: {choice} is not possible with this hand.", "Ask the player again.")
    others = tuple(Follow(choice, seat, number, it.number) for it in box.bettors[1:])
    match choice:
        case "draw":
            return _with_hand(round, box, number, replace(hand, due=True)), ()
        case "stand":
            return _checked(_with_hand(round, box, number, replace(hand, done=True))), ()
        case "surrender":
            halved = not surrender_waits(round, options)
            given_up = replace(hand, done=True, surrendered=True, halved=halved)
            return _checked(_with_hand(round, box, number, given_up)), ()
        case "double":
            box, cents = _doubled(box, 1, number, amount)
            round = replace(round, follows=tuple(it for it in others if _on(box, it)))
            round = _with_hand(round, box, number, replace(hand, due=True, doubled=True))
            return round, _staked(seat, Wager.DOUBLED, cents)
        case _:
            round, cents = _split(round, box, number, options)
            follows = tuple(it for it in others if _on(box, it))
            return replace(round, follows=follows), _staked(seat, Wager.SPLIT, cents)


def _on(box: Box, follow: Follow) -> bool:
    """Whether this bettor has a wager on the hand."""
    return bool(box.bettors[follow.bettor - 1].stakes[follow.hand].by_wager())


def _double_most(box: Box, number: int, hand: int) -> int:
    """All wagers of this bettor on the hand (DAB 9(a))."""
    mine = box.bettors[number - 1].stakes[hand]
    return mine.initial + mine.attack + mine.split


def _doubled(box: Box, number: int, hand: int, amount: int | None) -> tuple[Box, int]:
    most = _double_most(box, number, hand)
    cents = most if amount is None else amount
    if not 0 < cents <= most:
        raise UsageError(f"box {box.seat}: {cents} cents to double down (DAB 9(a)).", f"1 to {most} cents.")
    return _with_stakes(box, number, hand, doubled=cents), cents


def _split_cents(bettor: Bettor, options: DoubleAttackOptions) -> int:
    """The initial amount (ruling `dab-split-amount`)."""
    attack = sum(stakes.attack for stakes in bettor.stakes)
    return bettor.initial + (attack if options.split_matches_both else 0)


def _split(round: Round, box: Box, number: int, options: DoubleAttackOptions) -> tuple[Round, int]:
    """Two hands of one card each. The other bettors have nothing on the second one yet."""
    first, second = box.hands[number].cards
    cents = _split_cents(box.bettors[0], options)
    hands = tuple(PlayerHand((card,), split=True, due=True) for card in (first, second))
    bettors = tuple(
        replace(
            it,
            stakes=(
                *it.stakes[: number + 1],
                Stakes(split=cents if it.number == 1 else 0),
                *it.stakes[number + 1 :],
            ),
        )
        for it in box.bettors
    )
    box = replace(box, hands=(*box.hands[:number], *hands, *box.hands[number + 1 :]), bettors=bettors)
    return _with_box(round, box), cents


def _followed(round: Round, choice: str, amount: int | None, options: DoubleAttackOptions) -> Changed:
    """Another bettor of the box doubles or not, covers both hands of a split or names one (DAB 13(d), (f))."""
    follow, *rest = round.follows
    box = _box(round, follow.seat)
    round = replace(round, follows=tuple(rest))
    if follow.what == "double":
        if choice != "double":
            return round, ()
        box, cents = _doubled(box, follow.bettor, follow.hand, amount)
        return _with_box(round, box), _staked(follow.seat, Wager.DOUBLED, cents)
    bettor = box.bettors[follow.bettor - 1]
    if choice == "cover":
        cents = _split_cents(bettor, options)
        box = _with_stakes(box, follow.bettor, follow.hand + 1, split=cents)
        return _with_box(round, box), _staked(follow.seat, Wager.SPLIT, cents)
    if choice == "second":
        stakes = list(bettor.stakes)
        stakes[follow.hand : follow.hand + 2] = [Stakes(), stakes[follow.hand]]
        box = _with_bettor(box, replace(bettor, stakes=tuple(stakes)))
    return _with_box(round, box), ()


def _staked(seat: int, wager: str, cents: int) -> tuple[Staked, ...]:
    return ((seat, wager, cents),) if cents else ()


# --- what is needed ----------------------------------------------------------------------------


def choices_of(box: Box, number: int, options: DoubleAttackOptions) -> tuple[str, ...]:
    hand = box.hands[number]
    possible = {
        "stand": not hand.done,
        "draw": may_draw(hand),
        "double": may_double(hand),
        "split": may_split(box, number, options) and not hand.done,
        "surrender": may_surrender(hand),
    }
    return tuple(choice for choice, yes in possible.items() if yes)


def next_ask(round: Round, options: DoubleAttackOptions) -> Ask | None:
    """In the order of DAB 7(d) to (i). None: nothing, or the answer of the reader."""
    if not round.dealer:
        return Ask("cards", DEALER, FIRST, 1, part="1")
    if round.ahead and len(round.dealer) == 1:
        return Ask("cards", DEALER, AHEAD, 1, part="2")
    if round.forward:
        box = _box(round, round.forward)
        return Ask("cards", box.seat, FORWARD, 1, part=f"0.{len(box.hands[0].cards)}")
    if round.missed:
        seat, clause = round.missed[0]
        times = round.misses.count(seat)  # a round takes each question once
        part = "missed" if times == 1 else f"missed.{times}"
        return Ask("decide", seat, MISSED, choices=("complete", "dead"), part=part, values={"clause": clause})
    boxes = sorted(round.boxes, key=lambda box: (box.seat in round.late, box.seat))
    found = _attack_ask(round, boxes, options) or _deal_ask(boxes)
    if found is not None:
        return found
    if options.hole_card and not round.hole and not round.ahead:
        return Ask("decide", DEALER, HOLE, choices=("dealt",), part="hole")
    found = _insurance_ask(round, boxes, options)
    if found is not None:
        return found
    if round.peek is Peek.BLACKJACK:
        turned = len(round.dealer) > 1
        return None if turned else Ask("cards", DEALER, BLACKJACK, 1, part="2")
    if waits_for_reader(round, options):
        return None
    return _play_ask(round, boxes, options)


def waits_for_reader(round: Round, options: DoubleAttackOptions) -> bool:
    """Whether the reader must answer before any further card (DAB 7(i))."""
    return options.reader and not round.ahead and round.peek is Peek.NONE and ten_or_ace(round.dealer[0])


def _attack_ask(round: Round, boxes: list[Box], options: DoubleAttackOptions) -> Ask | None:
    """The others only where the bettor who calls has attacked (DAB 13(e))."""
    if any(hand.cards for box in boxes for hand in box.hands):
        return None
    for box in sorted(boxes, key=lambda box: box.seat):
        for bettor in box.bettors if box.bettors[0].stakes[0].attack else box.bettors[:1]:
            if (f"attack.{bettor.number}", box.seat) not in round.asked:
                most = () if options.attack_equals_initial else (("attack", bettor.initial),)
                return _asks_bettor(box.seat, "attack", bettor, (ATTACK, ATTACK_TOO), ("attack", "no"), most)
    return None


def _asks_bettor(
    seat: int, name: str, bettor: Bettor, texts: tuple[Text, Text], choices: tuple[str, str], most: Most
) -> Ask:
    """The bettor who calls is not numbered."""
    if bettor.number == 1:
        return Ask("decide", seat, texts[0], 0, choices, name, most)
    part = f"{name}.{bettor.number}"
    return Ask("decide", seat, texts[1], 0, choices, part, most, {"bettor": bettor.number})


def _deal_ask(boxes: list[Box]) -> Ask | None:
    for card in (0, 1):
        for box in boxes:
            if len(box.hands) == 1 and len(box.hands[0].cards) == card and not box.hands[0].dead:
                return Ask("cards", box.seat, TO_BOX, 1, part=f"0.{card}", values={"number": card + 1})
    return None


def _insurance_ask(round: Round, boxes: list[Box], options: DoubleAttackOptions) -> Ask | None:
    """Every bettor for himself (DAB 13(g)), before the reader is used, and where it fails before that as well. A dead
    hand has no wager to insure."""
    if rank(round.dealer[0]) != ACE or round.peek in (Peek.NO, Peek.BLACKJACK) or len(round.dealer) > 1:
        return None
    for box in sorted((box for box in boxes if not box.hands[0].dead), key=lambda box: box.seat):
        for bettor in box.bettors:
            if (f"insurance.{bettor.number}", box.seat) not in round.asked:
                most = (("insure", insurance_most(bettor.initial, options.chip)),)
                texts = (INSURANCE, INSURANCE_TOO)
                return _asks_bettor(box.seat, "insurance", bettor, texts, ("insure", "no"), most)
    return None


def _play_ask(round: Round, boxes: list[Box], options: DoubleAttackOptions) -> Ask | None:
    if round.follows:
        return _follow_ask(round)
    for box in boxes:
        for number, hand in enumerate(box.hands):
            part = f"{number}.{len(hand.cards)}.{len(box.hands)}"
            if hand.due:
                return Ask("cards", box.seat, TO_HAND, 1, part=part, values={"hand": number + 1})
            if not hand.done and not hand.dead and hand.points < 21:
                values = {"hand": number + 1, "points": hand.points}
                most = (("double", _double_most(box, 1, number)),)
                return Ask("decide", box.seat, CALL, 0, choices_of(box, number, options), part, most, values)
    if not round.finished and dealer_draws(round):
        if len(round.dealer) == 1 and round.hole:
            return Ask("cards", DEALER, TURN, 1, part="2")
        return Ask("cards", DEALER, DEALERS_CARD, 1, part=str(len(round.dealer) + 1))
    return None


def _follow_ask(round: Round) -> Ask:
    follow = round.follows[0]
    hand = _box(round, follow.seat).hands[follow.hand]
    hands = len(_box(round, follow.seat).hands)
    part = f"follow.{follow.hand}.{len(hand.cards)}.{hands}.{follow.bettor}"
    who = {"bettor": follow.bettor}
    if follow.what == "double":
        most = (("double", _double_most(_box(round, follow.seat), follow.bettor, follow.hand)),)
        return Ask("decide", follow.seat, DOUBLE_TOO, 0, ("double", "no"), part, most, who)
    return Ask("decide", follow.seat, COVER, 0, ("cover", "first", "second"), part, values=who)
