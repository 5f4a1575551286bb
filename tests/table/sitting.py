"""A desk in the thread of the test, with a simulated shoe that has no clock: taps, and turns until something is due."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairshoe_table.desk.setup import Setup
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.simulated.desk import open_desk

EXAMPLE = Path(__file__).resolve().parents[2] / "host_tools" / "examples" / "house_three"
TURNS_MAX = 4000
STEPS_MAX = 400
Values = dict[str, Any]


@dataclass
class Sitting:
    desk: Desk
    values: Values = field(default_factory=dict[str, Any])
    said: list[str] = field(default_factory=list[str])

    def tap(self, **told: Any) -> str:
        """The desk's answer. Raises what it objects to."""
        answer = self.desk.tap({**self.shown(), **told})
        self.turn()
        return answer.result(0)

    def turn(self) -> None:
        self.desk.turn()

    def shown(self) -> Values:
        """The rounds that a page names in every tap."""
        return {"round": self.desk.number, "lines_of": self.desk.shown_round()}

    def until(self, due: Callable[[Values], object]) -> Values:
        for _ in range(TURNS_MAX):
            if self.values and due(self.values):
                return self.values
            self.turn()
        raise TimeoutError(f"not due: {self.values.get('now')}, the shoe waits for {self.desk.step}")

    def bets(self) -> Values:
        return self.until(lambda it: it["open"] and it["now"]["say"] == "Place your bets")

    def wager(self, seat: int, **cents: int) -> None:
        for name, amount in cents.items():
            self.tap(do="wager", seat=seat, wager=name.replace("_", " "), cents=amount)

    def close(self) -> None:
        values = self.until(lambda it: it["now"]["action"].get("do") == "close")
        self.said.append(values["now"]["say"])
        self.tap(do="close")

    def next(self) -> Values:
        """Until a person is asked, a line is due, or a command is offered."""
        return self.until(lambda it: it["ask"] or it["now"]["action"])

    def go_on(self) -> None:
        """Do what is next: the line, the answer from the plant, the command."""
        values = self.next()
        action = {key: value for key, value in values["now"]["action"].items() if key != "label"}
        self.said.append(values["now"]["say"])
        if action.get("do") == "done" or not values["ask"]:
            checked = action.pop("checks", ())
            self.tap(**action, **({"checked": checked, "by": "J. Doe"} if checked else {}))
        else:
            self.tap(do="answer", key=values["ask"]["key"])

    def finish(self) -> int:
        """Play the round to its end, and do its lines; its number."""
        number, steps = self.desk.number, 0

        def due(values: Values) -> object:
            return values["ask"] or values["now"]["action"] or values["round"] != number

        while self.until(due)["round"] == number:
            self.go_on()
            steps += 1
            if steps > STEPS_MAX:
                raise TimeoutError(f"the round does not go on: {self.values['now']}")
        while self.desk.open_lines():
            self.go_on()
        return number


@contextmanager
def sitting(folder: Path, game: str, seed: int = 3, **more: Any) -> Generator[Sitting]:
    with open_desk(Setup(game, folder, seed=seed, speed=0, **more)) as desk:
        it = Sitting(desk)
        listen(it)
        desk.begin()
        yield it


def house_three(folder: Path) -> list[str]:
    """The game of another package as pip leaves it, for sys.path: its module, and a folder with its metadata."""
    info = folder / "house_three-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-three\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nhouse-three = house_three:GAME\n")
    return [str(EXAMPLE), str(folder)]


def listen(it: Sitting) -> None:
    it.desk.show = lambda values: it.values.update(values)
