"""The plan of shelf passes, without a machine: any order of any deck comes out exactly, from either kind of hopper."""

from firmware.machines.radix import Radix

SEED = 20
ROOMY = 1000


def permutations(count):
    if count == 0:
        return [[]]
    shorter = permutations(count - 1)
    return [order[:at] + [count - 1] + order[at:] for order in shorter for at in range(count)]


def scrambled(count, number):
    """Some order that depends on nothing but two numbers."""
    state = SEED * 7919 + number * 104729 + count
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        state = (state * 1103515245 + 12345) & 0x3FFFFFFF
        j = (state >> 8) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def pile_after(plan, ranks, top_feed):
    """Run every pass on a pile, bottom to top; and the fullest shelf there was."""
    pile = ranks
    fullest = 0
    for number in range(plan.passes):
        plan.begin(number)
        shelves = [[] for _ in range(plan.base)]
        for rank in reversed(pile) if top_feed else pile:
            shelves[plan.shelf(rank)].append(rank)
        fullest = max(fullest, max([len(shelf) for shelf in shelves]))
        pile = [rank for shelf in shelves for rank in shelf]
    return pile, fullest


def test_every_order_of_every_small_deck_on_every_number_of_shelves():
    for top_feed in (False, True):
        for cards in range(1, 6):
            for shelves in range(2, 7):
                plan = Radix()
                assert plan.plan(cards, shelves, ROOMY, top_feed)
                for order in permutations(cards):
                    assert pile_after(plan, order, top_feed)[0] == list(range(cards)), (order, shelves, top_feed)


def test_orders_of_larger_decks():
    print("seed", SEED)
    for cards, shelves in ((52, 2), (52, 3), (52, 10), (52, 20), (104, 11), (312, 20), (384, 20), (400, 20)):
        for top_feed in (False, True):
            plan = Radix()
            plan.plan(cards, shelves, ROOMY, top_feed)
            for number in range(3):
                ranks = scrambled(cards, number)
                assert pile_after(plan, ranks, top_feed)[0] == list(range(cards)), (cards, shelves, top_feed)


def test_as_few_passes_as_the_shelves_allow():
    for cards, shelves, passes in ((2, 2, 1), (3, 2, 2), (20, 20, 1), (21, 20, 2), (400, 20, 2), (401, 20, 3)):
        plan = Radix()
        plan.plan(cards, shelves, ROOMY, False)
        assert plan.passes == passes, (cards, shelves)
        assert plan.base <= shelves and plan.base**passes >= cards


def test_a_plan_knows_its_fullest_shelf():
    for top_feed in (False, True):
        for shelves in (2, 3, 4, 7):
            for cards in range(1, 60):
                plan = Radix()
                plan.plan(cards, shelves, ROOMY, top_feed)
                fullest = pile_after(plan, list(range(cards)), top_feed)[1]
                assert plan.plan(cards, shelves, fullest, top_feed), (cards, shelves)
                assert not plan.plan(cards, shelves, fullest - 1, top_feed), (cards, shelves)
