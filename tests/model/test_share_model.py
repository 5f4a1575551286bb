"""The game between device and table: the judging host takes the steps of the model, and says the same after each."""

import random
from typing import Any

import draws
from model.monitor import Monitor, Rejected
from model.steps import Table, source_of

from fairshoe import messages
from fairshoe.client.share_judge import SHIFT_S, Judge
from fairshoe.errors import NonceAltered

BOUNDS = {"DECKS": 40, "LOST": 200, "ENDED": 200, "STACKS": 2}  # no bound ends a walk
NONCE = bytes(range(32))
SHARES = (messages.Share.GIVEN, messages.Share.LATE, messages.Share.ABORTED)
STEPS_MAX = 80
HONEST = 0.7  # of the moves: or hardly a round would come to its end


class Game:
    """The same moves, for the model and for the host: in steps, and in events."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.monitor = Monitor(Table(source_of("share"), BOUNDS))
        self.judge = Judge(lambda _event: NONCE)
        self.now = 0.0
        self.seq = self.round = 0
        self.cards = 6
        for event in ("commit", "tell", "verify", "close_betting", "stack", "stack", "rest"):
            self.tell(event, 1)  # the device deals its rounds itself

    def event(self, kind: type[messages.Event], *fields: Any, of_round: int = 0) -> messages.Event:
        self.seq += 1
        return kind(self.seq, 1, 0, 0, 0, of_round, 1, *fields)

    def ends(self) -> messages.Event:
        jam, none = messages.Fault.JAM_EXIT, messages.Consequence(0)
        kinds = [
            self.event(messages.WarningLatched, jam, 6, 0, 0, 0),
            self.event(messages.Booted, 0, 0, "", 0, ""),
            self.event(messages.RemovalStarted),
            self.event(messages.EmptyProved, 60),
        ]
        if self.monitor.state["round"]:
            kinds.append(self.event(messages.RoundVoided, jam, "", 0, 0, 0, none, 0, of_round=self.round))
        return self.random.choice(kinds)

    def said(self, step: str, value: int) -> messages.Event | None:
        """What the device says with this step."""
        match step:
            case "commit":
                return self.event(messages.ShuffleCommitted, bytes(32), 30)
            case "tell":
                share = SHARES[value - 1]
                return self.event(messages.ShuffleNonce, share, 0, NONCE if value == 1 else bytes(32))
            case "verify":
                self.cards = 6
                return self.event(messages.DeckVerified, 6, 6, 0, 0)
            case "load":
                self.cards = 6
                return self.event(messages.DeckLoaded, 6, 1)
            case "close_betting" | "play_again":
                self.round += 1
                return self.event(messages.RoundStarted, "CS", 1, of_round=self.round)
            case "stack":
                self.cards -= 2
                return self.event(messages.StackTaken, (6 - self.cards) // 2, 2, of_round=self.round)
            case "rest" | "hand_out":
                of_round = self.round if step == "rest" else 0
                return self.event(messages.RemainderTaken, self.cards, of_round=of_round)
            case "face_up":
                none = messages.Consequence(0)
                return self.event(messages.CardsOdd, messages.Fault.FACE_UP, 1, none, "", of_round=self.round)
            case "end":
                return self.ends()
            case "open_door":
                return self.event(messages.DoorOpened)
            case _:
                return None

    def tell(self, step: str, value: int = 0) -> bool:
        """Whether the host raises an alarm."""
        judge = self.judge
        match step:
            case "end_beforehand":
                judge.ended[judge.open] = ("A. Smith", "the game closes")
            case "name_door":
                assert judge.pending is not None
                judge.ended[judge.pending.seq] = ("A. Smith", "a card was stuck")
            case "accept":
                against = judge.against()
                assert against is not None
                judge.accepted.add(against.seq)
            case "clock_ahead":
                self.now += SHIFT_S
            case _:
                event = self.said(step, value)
                try:
                    if event is not None:
                        judge.feed(event, self.now)
                except NonceAltered:
                    return True
        return False

    def due(self) -> str:
        """What an honest device does next, but that a stack may be missing."""
        state = self.monitor.state
        if state["round"]:
            return self.random.choice(("stack", "stack", "rest"))
        if state["share"] and not state["record"]:
            return "tell"
        if state["share"] and not state["verified"]:
            return "verify"
        return "close_betting" if state["inside"] and not state["against"] else "commit"

    def move(self) -> str:
        """One step that the model allows."""
        while True:
            honest = self.random.random() < HONEST
            step = self.due() if honest else self.random.choice(self.monitor.steps)
            values = [1 if honest else self.random.randint(1, 3)] if step == "tell" else []
            round_before = self.monitor.state["round"]
            try:
                self.monitor.take(step, *values)
            except Rejected:
                continue
            self.monitor.state["round"], after = round_before, self.monitor.state["round"]
            alarm = self.tell(step, *values)
            self.monitor.state["round"] = after
            self.check(alarm)
            return f"{step} {values or ''}"

    def check(self, alarm: bool) -> None:
        state = self.monitor.state
        assert alarm == bool(state["alarm"])
        found = self.judge.count(self.now), self.judge.count(self.now, True)
        assert found == (state["lost"], state["ended"])
        assert (self.judge.open != 0) == bool(state["share"]) or alarm
        assert (self.judge.pending is not None) == bool(state["door"])
        if state["inside"] and not state["round"] and not alarm:
            assert (self.judge.against() is not None) == bool(state["against"])


def test_the_host_judges_as_the_model_says() -> None:
    for _ in range(draws.amount(100, 5000)):
        seed = random.randrange(1 << 30)
        game = Game(seed)
        moves: list[str] = []
        try:
            while len(moves) < STEPS_MAX and not game.monitor.state["alarm"]:
                moves.append(game.move())
        except AssertionError:
            print(f"replay with Game({seed}): {'; '.join(moves)}, and one more")
            raise
