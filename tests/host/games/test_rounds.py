"""A round as a value: a pure fold over events, whose result does not depend on when a program looked or restarted."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest
from round_checks import check_rounds, folded, recorded_events

from fairshoe import AsyncShoe, NoAnswer, RoundView, Shoe, Store, messages
from fairshoe.client.store import Arrived
from fairshoe.games.profiles import game_names, load_game
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.games.rounds import COMMUNITY_GAMES, Due, StackState, Stage, fold
from fairshoe.link import framing
from fairshoe.sim.scenario_cases import name_of, places
from fairshoe.sim.scenario_files import load
from firmware.protocol.frame import HEADER_SIZE
from rig.scenario import Scenario

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
# One of each game and way of dealing; tests/host/sim/test_scenarios.py does the same with every scenario.
STORIES = (
    "dds-three-players",
    "b5-face-up-once",
    "cs-two-decks",
    "cs-jam-in-the-deal",
    "dcp-count-is-right",
    "dcp-manual-two-decks-in-turn",
    "dab-burn-for-each-dealer",
)


@pytest.fixture(scope="module")
def stories() -> dict[str, list[messages.Event]]:
    found = {name_of(path): path for path in places([FOLDER])}
    played: dict[str, list[messages.Event]] = {}
    for name in STORIES:
        scenario = Scenario(*load(found[name]))
        scenario.play()
        played[name] = recorded_events(scenario.stage.rig.app.journal)
    return played


def test_what_was_folded_agrees_with_what_the_device_says_at_the_end(stories: dict[str, list[messages.Event]]) -> None:
    assert sum(check_rounds(events) for events in stories.values()) >= 9


def test_a_part_and_then_the_rest_give_the_same_view_as_all(stories: dict[str, list[messages.Event]]) -> None:
    for events in stories.values():
        whole = folded(events)
        for cut in range(len(events) + 1):
            first = folded(events[:cut])
            assert folded(events[cut:], first) == whole
            assert folded(events[:cut], first) == first, "an event that is folded again changes nothing"


def test_the_events_that_a_store_picks_give_the_same_view_as_all_of_them(
    stories: dict[str, list[messages.Event]], tmp_path: Path
) -> None:
    """A host that starts again in the middle of a round has its round."""
    with Store(tmp_path / "store.db") as store:
        for device, events in enumerate(stories.values(), 1):
            log = store.resume(device, bytes([device] * 16), events[-1].seq, events[-1].boot)
            store.add(log.id, [Arrived(it.seq, it, body_of(it)) for it in events])
            for cut in random.Random(5).sample(range(len(events)), 12):
                view = RoundView()
                for event in store.round_events(log.id, events[cut].seq):
                    view = fold(view, event)
                assert view == folded(events[: cut + 1]), (device, cut)


def test_a_restart_in_the_middle_of_a_round_finds_the_round(tmp_path: Path) -> None:
    url = f"sim://pico-carousel?seed=3&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, store=store) as shoe:
            shoe.run(until=lambda message: isinstance(message, messages.StackTaken) and message.stack == 2)
            before = shoe.current_round
            assert before.open and shoe.open_round == 1 and len(before.taken) == 2
        with Shoe.open(url, store=store) as shoe:
            after = shoe.current_round
            assert (after.number, after.stacks[: len(before.stacks)]) == (before.number, before.stacks)
            view = shoe.round(timeout_s=60)  # power was lost with the program: the device voids the round
            assert view.number == 1 and view.void is not None and view.void.cards_out is None


def test_a_program_waits_for_rounds_and_gets_them_as_values() -> None:
    with Shoe.open("sim://pico-carousel?seed=3") as shoe:
        first, second = shoe.round(), shoe.round()
        with pytest.raises(NoAnswer, match="did not come within 1 s"):
            shoe.round(timeout_s=1)
    assert (first.number, second.number) == (1, 2)
    assert first.stage is Stage.ENDED and first.end is not None and first.cards.dealt == first.end.dealt
    assert first.game == "CS" and len(first.taken) == first.end.stacks

    async def play() -> RoundView:
        async with AsyncShoe.open("sim://pico-carousel?seed=3") as shoe:
            return await shoe.round()

    assert asyncio.run(play()) == first


def test_events_that_a_program_was_not_done_with_give_their_round_after_a_restart(tmp_path: Path) -> None:
    url = f"sim://pico-carousel?seed=3&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, store=store) as shoe:
            shoe.run(until=messages.RoundStarted)
            while not shoe.current_round.end:
                shoe._pump()  # pyright: ignore[reportPrivateUsage]
            ended = shoe.current_round
        with Shoe.open(url, store=store) as shoe:
            assert shoe.current_round.number == 1
            assert shoe.round(timeout_s=60) == ended


def body_of(event: messages.Event) -> bytes:
    (frame,) = framing.decode_all(framing.encode(event))
    return frame.signed[HEADER_SIZE:]


def started(positions: int = 2, game: str = "CS") -> RoundView:
    return folded([messages.RoundStarted(5, 1, 1, 0, 0, 7, 1, game, positions)])


def stack(view: RoundView, number: int, cards: int, taken: bool = True) -> RoundView:
    view = fold(view, messages.StackOffered(view.seq + 1, 1, 1, 0, 0, 7, 1, number, cards, 0, 0))
    return fold(view, messages.StackTaken(view.seq + 1, 1, 1, 0, 0, 7, 1, number, cards)) if taken else view


def test_positions_are_mapped_to_stacks() -> None:
    view = stack(stack(started(2), 1, 5), 2, 5, taken=False)
    assert [view.position_of(number) for number in (0, 1, 2, 3, 4)] == [None, 1, 2, DEALER, None]
    mine = view.stack_of(2)
    assert mine is not None and mine.state is StackState.OFFERED and view.stack_of(DEALER) is None
    assert stack(view, 3, 5).stack_of(DEALER) is not None
    community = stack(stack(started(1, "DDS"), 1, 1), 2, 4)
    assert community.position_of(2) == COMMUNITY and community.stack_of(DEALER) is None


def test_without_positions_the_last_stack_is_the_dealers_only_once_the_deal_is_out() -> None:
    view = stack(stack(stack(started(0), 1, 5), 2, 5), 3, 5)
    assert [view.position_of(number) for number in (1, 2, 3)] == [1, 2, None]
    view = replace(view, stage=Stage.SETTLING)
    assert [view.position_of(number) for number in (1, 2, 3)] == [1, 2, DEALER]


def test_the_games_whose_last_stack_is_the_communitys_are_those_of_the_profiles() -> None:
    profiles = [load_game(name) for name in game_names() if name != "house"]
    assert sorted(COMMUNITY_GAMES) == sorted(it["code"] for it in profiles if "community" in it.get("extras", []))


def test_what_is_due_carries_its_clause_until_it_is_given() -> None:
    view = fold(started(), messages.StubDue(6, 1, 1, 0, 0, 7, 1, 5, "CS-7f"))
    view = fold(view, messages.HeldBack(7, 1, 1, 0, 0, 7, 1, messages.Need.PROGRESSIVE, "CS-8b"))
    assert view.due == (Due(messages.Need.STUB_COUNT, "CS-7f"), Due(messages.Need.PROGRESSIVE, "CS-8b"))
    assert stack(view, 1, 5).due == (Due(messages.Need.STUB_COUNT, "CS-7f"),)


def test_a_round_whose_beginning_was_not_seen_says_so_and_counts_nothing() -> None:
    view = folded([messages.StackTaken(90, 2, 1, 0, 0, 12, 1, 3, 5)])
    assert (view.number, view.whole, view.open, view.cards.dealt) == (12, False, True, None)


def test_messages_that_are_no_events_and_events_of_rounds_before_change_nothing() -> None:
    view = started()
    assert fold(view, messages.Shuffle(6)) is view
    late = messages.StackTaken(9, 1, 1, 0, 0, 6, 1, 1, 5)
    assert fold(view, late) == replace(view, seq=9)


def test_a_view_cannot_be_changed(stories: dict[str, list[messages.Event]]) -> None:
    events = stories["cs-jam-in-the-deal"]
    until_void = events[: [type(it) for it in events].index(messages.RoundVoided) + 1]
    view = folded(until_void)
    with pytest.raises(AttributeError):
        view.number = 3  # type: ignore[misc]
    assert view.void is not None and hash(view) == hash(folded(until_void))
    assert (view.void.warning, view.void.consequence) == (
        messages.Fault.JAM_EXIT,
        messages.Consequence.ALL_VOID_RESHUFFLE_WITH_DEALT,
    )
