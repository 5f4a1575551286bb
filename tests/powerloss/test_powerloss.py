"""Power cut at every storage write of a round, a sample of everywhere else on every board: no promise is broken."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from draws import amount, seeded
from powerloss import jobs
from powerloss.run import Planner, Tally

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = jobs.Job("pico-carousel", "caribbean-stud")
TABLE = replace(DEFAULT, role="table")
SLICE = amount(5, 12)
GAME_CUTS = amount(2, 4)
LONG = ("pico-shelves", "double-attack-blackjack")  # 384 cards: a second for each round, left to `make powerloss`


def check(job: jobs.Job) -> None:
    outcome = jobs.play(job)
    replay = f"replay: PYTHONPATH=tools .venv/bin/python -m powerloss {job.options()}"
    assert not outcome.problems, f"{outcome.problems[0]}; {replay}"
    assert outcome.struck, f"the cut did not come; {replay}"


def every_write(places: jobs.Places) -> Iterator[jobs.Cut]:
    """Each one torn, at a length that differs from write to write, or cut after it, which is before the next one: by
    turns, and which begins is left to chance. `make powerloss` has seven cuts of each."""
    torn = random.randrange(2)
    print(f"{'the first' if torn else 'the second'} write is torn")
    yield jobs.Cut("write", 0, 0)
    for at, size in enumerate(places.writes):
        yield jobs.Cut("write", at, 1 + at * 37 % (size - 1) if at % 2 != torn else size)


def test_power_cut_at_every_write_of_a_round_breaks_no_promise() -> None:
    places = jobs.survey(DEFAULT)
    assert not places.problems and len(places.writes) > 40
    for cut in every_write(places):
        check(replace(DEFAULT, cuts=(cut,)))


def test_power_cut_at_every_write_of_a_key_change_leaves_one_key_and_its_seals() -> None:
    story = replace(TABLE, kind="keys")
    places = jobs.survey(story)
    assert not places.problems and len(places.writes) > 15
    for cut in every_write(places):
        check(replace(story, cuts=(cut,)))


def test_power_cut_at_operations_of_a_flash_chip_breaks_no_promise() -> None:
    """Every fourth one, before, in the middle or after in turn."""
    story = replace(DEFAULT, flash=True)
    places = jobs.survey(story)
    assert not places.problems and len(places.writes) > len(jobs.survey(DEFAULT).writes)
    first = random.randrange(4)
    print(f"from operation {first} on")
    for at in range(first, len(places.writes), 4):
        check(replace(story, cuts=(jobs.Cut("write", at, (0, 50, 96)[at % 3]),)))


@pytest.mark.parametrize("cuts", ["write:26:63 time:750000", "write:38:63 time:750000", "write:53:63 time:656823"])
def test_what_a_boot_found_and_the_next_one_does_not_was_told_to_nobody(cuts: str) -> None:
    """The last page before the first cut reads well after it, and no more after the second."""
    story = jobs.Job("pico-carousel", "double-cross-poker", flash=True)
    check(replace(story, cuts=tuple(jobs.parse_cut(word) for word in cuts.split())))


def test_what_two_boots_in_a_row_find_belongs_to_the_press_before_the_first() -> None:
    """Power fails in the record of GREEN, and again before the next boot has recorded anything: both boots find it."""
    story = jobs.Job("pico-shelves", "boston-5-stud", 7, seats=2, flash=True)
    check(replace(story, cuts=(jobs.parse_cut("write:21:40"), jobs.parse_cut("write:2:83"))))


@pytest.mark.drawn
def test_power_cut_in_a_round_of_every_game_breaks_no_promise() -> None:
    """A sample of writes from the first to the last, on the machine that deals the game."""
    draw = seeded()
    stories = {story.game: story for story in reversed(jobs.round_jobs()) if story.role and not story.kind}
    stories = {game: replace(story, audit=False, flash=False) for game, story in stories.items()}
    assert len(stories) == 6  # the house's own among them
    for story in stories.values():
        places = jobs.survey(story)
        assert not places.problems, f"{story}: {places.problems[0]}"
        for part in range(GAME_CUTS):
            at = (part * len(places.writes) + draw.randrange(len(places.writes))) // GAME_CUTS
            check(replace(story, cuts=(jobs.Cut("write", at, draw.choice((0, draw.randrange(1, 96), 96))),)))


@pytest.mark.drawn
def test_power_cut_anywhere_else_breaks_no_promise() -> None:
    """A sample: every board, by buttons and by commands, with and without a host that listens; halts, hangs, flash,
    records, a full journal; twice in a row too."""
    draw = seeded()
    rounds = [story for story in jobs.round_jobs() if (story.board, story.game) != LONG]
    assert {job.board for job in rounds} == set(jobs.BOARDS)
    for _ in range(SLICE):
        story = draw.choice(rounds)
        places = jobs.survey(story)
        assert not places.problems, f"{story}: {places.problems[0]}"
        check(replace(story, cuts=(jobs.some_cut(draw, places),)))
        check(replace(story, cuts=(jobs.some_cut(draw, places), jobs.second_cut(draw))))


@pytest.mark.drawn
def test_power_cut_in_scenarios_breaks_no_promise() -> None:
    draw = seeded()
    struck = 0
    for name in draw.sample(jobs.scenario_names(), SLICE):
        story = jobs.scenario_job(name)
        places = jobs.survey(story)
        assert not places.problems, f"{name}: {places.problems[0]}"
        job = replace(story, cuts=(jobs.some_cut(draw, places),))
        outcome = jobs.play(job)
        assert not outcome.problems, f"{outcome.problems[0]}; replay: -m powerloss {job.options()}"
        struck += outcome.struck
    # Not all: a story that is repaired in its course, or has a cut of its own, calls off one that was ordered before.
    assert struck >= SLICE * 3 // 4


def test_a_round_dealt_from_a_manual_shoe_outlives_a_power_cut() -> None:
    """No rule voids it; the journal says that it was not cut short, and makes sense."""
    check(replace(jobs.scenario_job("b5-drawn-dealer-card-seen"), cuts=(jobs.parse_cut("frame:27:0"),)))
    twice = (jobs.parse_cut("time:12395430"), jobs.parse_cut("write:9:46"))
    check(jobs.Job("pico-draw", "boston-5-stud", seed=7, seats=2, role="table", kind="nag", cuts=twice))


@pytest.mark.parametrize("name", ["dab-a-ten-in-the-shoe", "dab-two-tens-in-the-shoe"])
def test_a_card_that_was_drawn_and_taken_out_of_the_game_is_in_the_books(name: str) -> None:
    assert jobs.survey(jobs.scenario_job(name)).problems == []


@pytest.mark.full
def test_power_cut_at_every_write_of_the_boot_that_follows_a_cut_breaks_no_promise() -> None:
    """A round is open and a command under way: that boot has the most to say."""
    story = TABLE
    places = jobs.survey(story)
    first = jobs.instant_cut(random.Random(1), places, "exit")
    struck = 0
    for second in jobs.boot_cuts((0, 40)):
        outcome = jobs.play(replace(story, cuts=(first, second)))
        assert not outcome.problems, f"{outcome.problems[0]}; {outcome.job.options()}"
        struck += outcome.struck == 2
    assert struck > 14


def test_a_cut_replays_from_its_words() -> None:
    for cut in (
        jobs.Cut("write", 33, 12),
        jobs.Cut("frame", 4, 0),
        jobs.Cut("time", 1234567),
        jobs.Cut("stuck", 8),
        jobs.Cut("crash", 9),
    ):
        assert replace(jobs.parse_cut(str(cut)), kind="") == cut
    for text in ("write:1", "time:1:2", "when:3", "write:a:b", "crash:1:2"):
        with pytest.raises(ValueError):
            jobs.parse_cut(text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("powerloss --minutes 0.05 --jobs 1 --seed 1 --board pico-draw --game house --only writes", "nothing found"),
        ("powerloss --board pico-draw --game house --cut write:9:20 --cut time:900000", "2 of 2 cuts struck"),
        ("soak.kill --seed 1 --rounds 1", "nothing lost, nothing twice"),
        ("soak.kill_tcp --seed 1 --kills 1 --game caribbean-stud", "nothing lost, nothing twice"),
    ],
)
@pytest.mark.full
def test_the_tools_run_and_say_how_it_went(words: str, said: str) -> None:
    tool, *arguments = words.split()
    command = [sys.executable, "-m", tool, *arguments]
    environment = os.environ | {"PYTHONPATH": "tools"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_every_write_is_cut_before_after_and_within() -> None:
    cuts = list(jobs.write_cuts(jobs.Places([64, 8], [], {}, [])))
    assert [cut.size for cut in cuts if cut.at == 0] == [0, 1, 16, 32, 60, 63, 64]
    assert [cut.size for cut in cuts if cut.at == 1] == [0, 1, 2, 4, 7, 8]


def test_a_short_run_cuts_every_write_of_one_round_first() -> None:
    planner = Planner(3, "pico-carousel", "caribbean-stud")
    planned = planner.jobs()
    first = next(planned)
    story = replace(first, cuts=())
    total = planner.writes[story]
    places = [first.cuts[0].at, *(next(planned).cuts[0].at for _ in range(total - 1))]
    assert places == list(range(total)) and total > 20
    tally = Tally()
    for job in planner.first:
        tally.take(jobs.Outcome(job, 1, [], None, 0))
    assert len(tally.writes[story]) == total
    again = [job for job in islice(planned, 200) if job in planner.first]
    assert again == []
