"""A bench run on a simulated device, in process and as fast as it can be computed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fairshoe.bench.deck_runner import Play
from fairshoe.bench.device import Device
from fairshoe.bench.hands import Hands, SimHands, Task
from fairshoe.bench.plan import Data, Plan, Step
from fairshoe.bench.report_file import FAILED, StepResult
from fairshoe.bench.run import Facts, Log, Run, Watcher
from fairshoe.bench.simulated_line import SimLine
from fairshoe.bench.steps import Bench
from fairshoe.keys import RoleKey
from fairshoe.messages import Event

Does = Callable[[Task], None]


def nothing(_task: Task) -> None: ...


class Case:
    """One device, its hands, and the log of its events."""

    def __init__(self, url: str, folder: Path, key: RoleKey | None = None) -> None:
        self.line = SimLine(url)
        self.log = Log(folder, "run")
        self.on_event: Callable[[Event], None] | None = None
        self.device = Device(self.line, key, self._note)
        self.hands: Hands = SimHands(self.device, self.line)
        self.said: list[str] = []

    def run(self, plan: Plan, operator: str = "A. Moreau", serial: str = "FS-0012") -> Run:
        board = self.line.board()
        play = Play(self.device, self.hands, board.kind)
        bench = Bench(self.device, self.hands, play, board, self.said.append)
        facts = Facts(operator, serial, self.line.name, simulated=True)
        run = Run(bench, plan, facts, Watcher())
        run.play()
        return run

    def failed(self, plan: Plan) -> StepResult:
        """The first step of a plan, which fails."""
        result = self.run(plan).results[0]
        assert result.status == FAILED, result
        return result

    def meddle(self, does: Callable[[Task], Task | None] = lambda task: task, after: Does = nothing) -> None:
        """From now on the hands do what `does` makes of a task, or nothing, and then what `after` does."""
        self.hands = Meddler(self.hands, does, after)

    def report(self, run: Run) -> Data:
        return run.report(self.log)

    def _note(self, event: Event) -> None:
        self.log.write(event)
        if self.on_event is not None:
            self.on_event(event)


class Meddler:
    """Hands that are stopped, or that do something else."""

    unattended = True

    def __init__(
        self, hands: Hands, does: Callable[[Task], Task | None] = lambda task: task, after: Does = nothing
    ) -> None:
        self._hands = hands
        self._does = does
        self._after = after
        self.patience_s = hands.patience_s

    def do(self, task: Task) -> None:
        done = self._does(task)
        if done is not None:
            self._hands.do(done)
        self._after(task)

    def again(self, task: Task) -> None:
        self._hands.again(task)


def only(plan: Plan, *ids: str, **arguments: object) -> Plan:
    """The plan with these steps alone, and other arguments where they take them."""
    steps: list[Step] = []
    known = {step.id: step for step in plan.steps}
    for step in (known[name] for name in ids):
        own = {name: value for name, value in arguments.items() if name in step.arguments}
        steps.append(replace(step, arguments={**step.arguments, **own}))
    return replace(plan, steps=tuple(steps))


def figures(result: StepResult) -> dict[str, float | None]:
    return {figure["name"]: figure["value"] for figure in result.figures}
