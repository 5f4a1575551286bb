"""Carousel: cards come out in exactly the order drawn, and a deck is verified only after a whole cycle of its own."""

from support import SLOW, check_stage, fields_of
from tables import deck_in_order, deck_inside, drawn_order, faults, set_up, small_board
from test_radix import permutations, scrambled

from firmware.games.flow import DECK_READY, WAITING_FOR_DECK, WARNING
from hal.sim.rng import mix

CARDS = 8


def start(stage, cards=CARDS):
    stage.play([("", 300, "load", cards), ("", 300, "wait", 0)])
    stage.act("press", {"button": "green"})


def dealt_order(stage, cards=CARDS):
    """Deal everything that is inside, card by card, from a verified deck: as it came out."""
    stage.run(300)
    stage.play([("", 0, "press", "close")])
    out = []
    for _ in range(cards):
        stage.play([("stack_offered", 200, "take", 0)])
        out += stage.taken[-1]
    return out


def test_every_card_comes_out_where_the_order_says():
    for order in permutations(4)[:: 6 if SLOW else 1] + [scrambled(4, 1)]:
        stage = set_up("carousel", 4, stack_cards=1)
        start(stage, 4)
        drawn_order(stage)
        for i in range(4):
            stage.rig.app.order[i] = order[i]
        stage.until("deck_verified", 60000)
        assert dealt_order(stage, 4) == deck_in_order(stage, order), order


def test_misfeeds_and_stalls_in_the_middle_change_nothing():
    for seed in range(2 if SLOW else 8):
        stage = set_up("carousel", CARDS, seed=seed, stack_cards=1)
        faults(
            stage,
            {"fault": "misfeed", "ppm": 200000, "times": 2},
            {"fault": "stall", "place": "throat", "at_um": 40000 + 10000 * seed, "jogs": 1 + seed % 2, "ppm": 300000},
        )
        start(stage)
        order = drawn_order(stage)
        stage.until("deck_verified", 90000)
        check_stage(stage)
        assert deck_inside(stage) == deck_in_order(stage, order), seed
        assert dealt_order(stage) == deck_in_order(stage, order), seed


def test_a_bottom_feed_carousel_gives_its_order_too():
    stage = set_up("carousel", CARDS, config=small_board("carousel", feed="bottom"), stack_cards=1)
    start(stage)
    order = drawn_order(stage)
    stage.until("deck_verified", 60000)
    assert dealt_order(stage) == deck_in_order(stage, order)


class History:
    """A table where everything goes wrong by chance, and an operator who puts it right. One seed, one history."""

    def __init__(self, kind, seed):
        self.kind = kind
        self.seed = seed
        self.draws = 0
        self.stage = set_up(kind, CARDS, seed=seed)
        self.order = None
        self.verified = 0
        self.watch()

    def pick(self, count):
        self.draws += 1
        return mix(self.seed, 0xD1CE, self.draws) % count

    def watch(self):
        """Know every order as it is drawn. A new app after every boot."""
        app = self.stage.rig.app
        draw = app.shuffler.draw

        def drawn(order, count):
            good = draw(order, count)
            self.order = list(order[:CARDS])
            return good

        app.shuffler.draw = drawn

    def mishap(self):
        at_um = 30000 + self.pick(100) * 1000
        card = self.pick(CARDS)
        specs = (
            {"fault": "jam", "place": "throat", "at_um": at_um, "card": card},
            {"fault": "stall", "place": "throat", "at_um": at_um, "card": card, "jogs": 1 + self.pick(3)},
            {"fault": "misfeed", "card": card, "times": 1 + self.pick(5)},
            {"fault": "double_feed", "card": card, "offset_um": self.pick(90) * 1000},
            {"fault": "card_lost", "place": "rail", "card": card},
            {"fault": "axis_stall", "move": self.stage.rig.plant.axis.moves + self.pick(12)},
            {"fault": "axis_slip", "move": self.stage.rig.plant.axis.moves + self.pick(12), "thousandths": 1000},
            {"fault": "axis_slip", "move": self.stage.rig.plant.axis.moves + self.pick(12), "thousandths": 300},
            {"fault": "entropy", "kind": "dead"},
        )
        which = self.pick(len(specs) + 3)
        if which < len(specs):
            faults(self.stage, specs[which])

    def cycle(self):
        stage = self.stage
        self.mishap()
        start(stage, (CARDS, CARDS, CARDS, CARDS - 1, CARDS + 1)[self.pick(5)])
        stage.run(self.pick(4000))
        what = self.pick(6)
        if what == 0:
            stage.play([("", 0, "open", 0)])
        elif what == 1:
            stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0)])
            self.watch()
        for _ in range(400):
            if stage.rig.app.flow.state in (DECK_READY, WARNING):
                break
            stage.run(200)
        self.judge()
        self.recover()

    def judge(self):
        stage = self.stage
        plant = stage.rig.plant
        check_stage(stage)
        if stage.rig.app.flow.state == DECK_READY:
            self.verified += 1
            assert deck_inside(stage) == deck_in_order(stage, self.order), self.seed
            assert not plant.hopper and not plant.lost, self.seed

    def recover(self):
        """Everything out by hand, whatever it was, until it waits for a deck again."""
        stage = self.stage
        stage.rig.plant.repair()
        stage.play([("", 200, "open", 0), ("", 200, "clear", 0), ("", 500, "close", 0), ("", 300, "press", "ack")])
        for _ in range(60):
            if stage.rig.app.flow.state == WAITING_FOR_DECK:
                return
            stage.run(500)
        raise AssertionError("never ready again, seed %d" % self.seed)


def cycles_are_whole(stage):
    """Between a start and its verified deck nothing ended the cycle; and no deck is verified twice."""
    running = False
    for event in stage.peer.events:
        if event.name == "shuffle_started":
            running = True
        elif event.name in ("shuffle_failed", "deck_refused", "warning_latched", "power_lost", "booted", "door_opened"):
            running = False
        elif event.name == "deck_verified":
            if not running:
                return False
            running = False
    return True


def play_histories(make, kind, first, slow, fast, cycles):
    verified = 0
    for seed in range(first, first + (slow if SLOW else fast)):
        print("seed", seed)
        history = make(kind, seed)
        for _ in range(cycles):
            history.cycle()
        assert cycles_are_whole(history.stage), seed
        verified += history.verified
        assert len(fields_of(history.stage, "deck_verified")) == history.verified, seed
    assert verified


def test_whatever_happens_no_deck_is_verified_but_after_a_whole_cycle_and_in_the_order_drawn():
    play_histories(History, "carousel", 900, 3, 60, 4)


def test_shelves_too():
    play_histories(ShelfHistory, "shelves", 706, 2, 30, 3)


class ShelfHistory(History):
    """A verified deck of shelves is handed out as a whole."""

    def judge(self):
        stage = self.stage
        check_stage(stage)
        if "deck_verified" not in [event.name for event in stage.peer.events[-1:]]:
            return
        self.verified += 1
        stage.play([("", 200, "press", "green"), ("", 5000, "take", 0)])
        if stage.names()[-1] in ("remainder_released", "remainder_taken"):
            assert stage.taken[-1] == deck_in_order(stage, self.order), self.seed
