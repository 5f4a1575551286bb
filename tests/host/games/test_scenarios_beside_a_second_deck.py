"""Every round of the scenarios with an irregularity, played again at a table with two decks: while it is settled, the
other deck is shuffled. What is recorded of the first deck and its round is the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairshoe.sim.scenario_cases import read_cases
from rig.event_fields import TEXTS
from rig.scenario import RECORDS, Scenario
from rig.stories import flat

Data = dict[str, Any]
Step = dict[str, Any]
Facts = list[tuple[Any, ...]]

FOLDER = Path("tests/scenarios")
IRREGULAR = ("face_up", "misdeal", "drawn_in_error", "hole_card_seen", "stub_counted", "dispute", "winner_hold")
INDUCTION = ("inspected", "verified", "shown", "washed")
POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")
KEPT = ("title", "board", "changes", "game", "seed", "role", "faults")  # of a scenario; its expectations are not
OVER = ("round_ended", "round_voided")
# Of the link and the journal: they carry the deck that lies in the machine at that instant.
ELSEWHERE = ("command_accepted", "command_ended", "sealed")
DECK_AT, BODY_AT = 22, 2
VOID = "void before it is settled beside the machine"
NOT_ALONE = "needs the rounds before it in the file"
NO_ROUND = "no round is settled"
# The rounds that could be played again and are not, by reason.
LEFT_OUT = {
    VOID: """
        b5-dealer-card-seen:1 b5-face-up-twice:1 cs-count-overdue:5 cs-cover-all-each-round-its-own:2
        cs-face-up-twice:1 cs-jam-of-the-extra-card:1
        cs-misdeal-of-the-dealer:1 dcp-dealer-with-three:1 dcp-misdeal-of-a-player:1 dcp-misdeal-of-the-dealer:1
        dcp-void-stack-left:1 dcp-void-stack-taken:1 dds-face-up-twice:1 dds-five-in-the-middle:1
        dds-hole-card-seen:1 dds-misdeal-in-the-middle:1 dds-misdeal:1
    """,
    NOT_ALONE: """
        b5-dispute:2 b5-hand-idle-dispute-and-removal:2 b5-hand-idle-dispute-and-removal:3
        b5-manual-idle-dispute-and-removal:2 b5-manual-idle-dispute-and-removal:3 cs-count-is-right:5
        cs-count-overdue:6 cs-dispute:2 cs-face-up-in-the-shuffle:2 cs-hand-idle-dispute-and-removal:2
        cs-hand-idle-dispute-and-removal:3 cs-hand-round:2 cs-manual-idle-dispute-and-removal:2
        cs-manual-idle-dispute-and-removal:3 cs-manual-round:2 cs-winner-hold:2 dcp-dispute:2
        dcp-hand-idle-dispute-and-removal:2 dcp-hand-idle-dispute-and-removal:3
        dcp-manual-idle-dispute-and-removal:2 dcp-manual-idle-dispute-and-removal:3
        dcp-manual-shoe-basic-count:5 dds-dispute:2 dds-manual-idle-dispute-and-removal:2
        dds-manual-idle-dispute-and-removal:3
    """,
    NO_ROUND: """
        cs-hand-hole-card-seen:1 cs-hole-card-before-the-bets:1 cs-manual-hole-card-seen:1
    """,
}
# One round of each kind for every run of the tests; the full set plays all.
ALWAYS = """
    b5-face-up-once:1 cs-face-up-once:1 cs-hand-voids:3 dcp-manual-voids:4 dds-manual-voids:4
    b5-manual-voids:5 cs-count-finds-a-misdeal:5 dcp-count-finds-a-misdeal:5
    cs-dealer-four-of-five:1 dcp-hand-voids:1 dds-manual-voids:1 b5-hand-voids:3 dds-manual-voids:5
    dds-drawn-in-error:1 b5-dispute:1 cs-winner-hold:1
"""


def simple(steps: list[Step]) -> Iterator[Step]:
    """Stories and repetitions written out; waiting and acting are steps of their own, displays are left out."""
    for step in flat(steps):
        if step["do"] != "read":
            yield from parts(step)


def parts(step: Step) -> Iterator[Step]:
    if step.get("on"):
        yield {key: step[key] for key in ("on", "within_ms", "after_ms") if key in step} | {"do": "wait"}
        step = {key: value for key, value in step.items() if key not in ("on", "within_ms", "after_ms")}
    yield step


def rounds(script: list[Step]) -> list[list[Step]]:
    """Each round with what comes before the first: a deck that is loaded begins one."""
    steps = list(simple(script))
    starts = [at for at, step in enumerate(steps) if step["do"] == "load"]
    ends = [*starts[1:], len(steps)]
    return [steps[: starts[0]] + steps[start:end] for start, end in zip(starts, ends, strict=True)]


def irregular(step: Step) -> bool:
    return step.get("what") in IRREGULAR and step.get("outcome", "done") == "done"


class Replay:
    """One round; behind the step `at` the other deck is shuffled, or the irregularity recorded again, or both."""

    def __init__(self, data: Data, config: Data, steps: list[Step], at: int = -1, other: bool = False, again: int = -1):
        data = {
            key: data[key] for key in ("title", "board", "changes", "game", "seed", "role", "faults") if key in data
        }
        changes = dict(data.get("changes", {}))
        if other:
            changes |= {"table.decks": 2, "inputs.back": 22}
        self.inducts = changes.get("table.records", False)
        # What does not come within a minute is of the round before.
        steps = [step | {"within_ms": 60000} if step.get("on") else step for step in steps]
        self.scenario = Scenario(data | {"changes": changes, "script": []}, copy.deepcopy(config))
        self.steps, self.at, self.other, self.again = steps, at, other, again
        self.settled: list[int] = []  # the steps behind which the round is being settled beside the machine
        self.problems = self.scenario.play(self.script())

    def script(self) -> Iterator[Step]:
        for at, step in enumerate(self.steps):
            yield step
            if self.is_settled():
                self.settled.append(at)
            if at == self.at:
                if self.other:
                    yield from self.shuffle()
                if self.again >= 0:
                    yield self.steps[self.again]
                    return
            if any(name in OVER for name in self.names()):
                return

    def shuffle(self) -> Iterator[Step]:
        yield {"after_ms": 400, "do": "load", "cards": 52, "deck": 2}
        for what in INDUCTION if self.inducts else ():
            yield {"after_ms": 400, "do": "command", "name": "record", "what": what, "a": 2}
        yield {"after_ms": 600, "do": "press", "button": "green"}
        yield {"on": "deck_verified", "after_ms": 800, "do": "wait"}

    def names(self) -> list[str]:
        return [event.name for event in self.scenario.stage.peer.events]

    def is_settled(self) -> bool:
        names = self.names()
        due = ["remainder_taken", "round_started"]
        if self.scenario.stage.rig.app.flow.profile.lockout:
            due.append("lockout_confirmed")
        return all(name in names for name in due) and not any(name in OVER for name in names)

    def facts(self) -> Facts:
        """What the device says of the first deck: names, rounds, fields and clauses."""
        peer = self.scenario.stage.peer
        found: Facts = []
        for event in peer.events:
            body = bytes(peer.payloads[event.seq])
            of_other = event.name == "recorded" and RECORDS[event.fields[0]] in INDUCTION and event.fields[1] == 2
            if body[DECK_AT] == 1 and event.name not in ELSEWHERE and not of_other:
                texts = [body[BODY_AT + at : BODY_AT + at + 8].rstrip(b"\0") for at in TEXTS[event.name].values()]
                found.append((event.name, event.round, tuple(event.fields), *texts))
        return found


@cache
def cases() -> dict[str, tuple[Data, Data, list[Step]]]:
    """Every round with an irregularity, of scenarios beside which another deck can be shuffled, by NAME:NUMBER."""
    found: dict[str, tuple[Data, Data, list[Step]]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        for name, data in read_cases(file).items() if '"record"' in file.read_text() else ():
            config = json.loads(Path(f"board_configs/{data['board']}.json").read_text())
            for number, steps in enumerate(rounds(data["script"]) if beside(data) else (), 1):
                if any(irregular(step) for step in steps):
                    found[f"{name}:{number}"] = (data, config, steps)
    return found


def beside(data: Data) -> bool:
    """Whether another deck can be shuffled beside a round of this scenario: not at a table that has two, or without a
    shuffler."""
    alone = "table.decks" not in data.get("changes", {})
    return data.get("game") in POKER and data["board"] == "pico-carousel" and alone


def left_out(once: Replay) -> str:
    """Why this round cannot be played again beside another deck; nothing if it can."""
    if once.problems:
        return NOT_ALONE
    if once.settled:
        return ""
    return VOID if "round_voided" in once.names() else NO_ROUND


def differences(case: str, once: Replay) -> list[str]:
    """What is not as at the table with one deck: the other deck is shuffled as soon as the round is being settled, and
    behind each irregularity; then the round goes on, or the irregularity before is recorded once more."""
    data, config, steps = cases()[case]
    told = [at for at, step in enumerate(steps) if irregular(step)]
    found: list[str] = []
    for at in sorted({once.settled[0], *(at for at in told if at in once.settled)}):
        pairs = [("goes on", once, Replay(data, config, steps, at, other=True))]
        before = [place for place in told if place <= at]
        if before:
            again = [Replay(data, config, steps, at, other, before[-1]) for other in (False, True)]
            pairs.append((f"{steps[before[-1]]['what']} again", again[0], again[1]))
        for what, one, two in pairs:
            if (one.problems, one.facts()) != (two.problems, two.facts()):
                found.append(f"{case} behind step {at}, {what}: {one.problems} {two.problems}")
                found += [f"  one deck alone: {fact}" for fact in one.facts() if fact not in two.facts()]
                found += [f"  two decks alone: {fact}" for fact in two.facts() if fact not in one.facts()]
    return found


def listed() -> dict[str, str]:
    return {case: reason for reason, names in LEFT_OUT.items() for case in names.split()}


def reason_of(case: str) -> str:
    data, config, steps = cases()[case]
    return left_out(Replay(data, config, steps))


def test_what_is_left_out_is_listed_with_its_reason() -> None:
    reasons = listed()
    assert sum(len(names.split()) for names in LEFT_OUT.values()) == len(reasons)
    assert {case: reason_of(case) for case in reasons} == reasons


def played_again(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for case in names:
        data, config, steps = cases()[case]
        once = Replay(data, config, steps)
        reason = left_out(once)
        found += [f"{case}: {reason}; list it in LEFT_OUT"] if reason else differences(case, once)
    return found


def test_another_deck_shuffled_beside_it_changes_nothing_of_a_round() -> None:
    assert {step["what"] for case in ALWAYS.split() for step in cases()[case][2] if irregular(step)} == set(IRREGULAR)
    assert played_again(ALWAYS.split()) == []


@pytest.mark.full
@pytest.mark.parametrize("game", POKER)
def test_of_every_scenario_with_an_irregularity(game: str) -> None:
    names = [case for case in cases() if cases()[case][0].get("game") == game and case not in listed()]
    assert len(names) > 10
    assert played_again(names) == []
