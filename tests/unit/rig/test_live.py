"""A machine that is watched: pieces of time leave no trace, and the record of what was done is a scenario."""

import json

from support import refusal

from rig.live import start
from rig.scenario import Scenario


def setup(board, game):
    with open("board_configs/%s.json" % board) as file:
        config = file.read()
    return json.dumps({"title": "live", "board": board, "game": game, "seed": 3}), config


def run(live, ms, piece_ms):
    """Let time pass in pieces, now and then scan by scan."""
    end_ms = live.now_ms() + ms
    count = 0
    while live.now_ms() < end_ms:
        live.run_to(min(end_ms, live.now_ms() + piece_ms))
        count += 1
        if count % 7 == 0:
            live.step_scan()


def act(live, action, **arguments):
    arguments["do"] = action
    assert live.act(json.dumps(arguments)) == ""


def broken_round(live):
    """A deck, a storm, a slow cable, power lost and back: every kind of wait there is."""
    run(live, 2500, 17)
    act(live, "load", cards=12)
    act(live, "fault", fault="storm", line="throat_a", edges_per_s=20000, from_ms=4200, for_ms=300)
    run(live, 300, 1)
    act(live, "link", lose_ppm=2000, delay_ms=40)
    act(live, "press", button="green")
    run(live, 3000, 33)
    act(live, "cut")
    run(live, 700, 29)
    act(live, "boot")
    act(live, "stuck", ms=700)
    run(live, 2500, 31)


def test_a_recorded_machine_replays_as_a_scenario_to_the_same_transcript():
    data, config = setup("pico-carousel", {"deck_cards": 12})
    live = start(data, config)
    broken_round(live)
    saved = json.loads(live.saved())
    lines = live.finish()
    scenario = Scenario(saved, json.loads(config))
    scenario.play()
    assert scenario.lines == lines


def test_a_record_replays_to_the_same_picture():
    data, config = setup("pico-carousel", {"deck_cards": 12})
    live = start(data, config)
    broken_round(live)
    live.run_to(11000)
    again = start(data, config)
    again.replay(json.dumps(live.steps))
    again.run_to(11000)
    first, second = json.loads(live.picture()), json.loads(again.picture())
    assert second["wire"] == first["wire"]
    assert second == first


def planned(piece_ms):
    data, config = setup("pico-carousel", {"deck_cards": 12})
    live = start(data, config)
    load = {"after_ms": 2500, "do": "load", "cards": 12}
    live.plan(json.dumps([load, {"after_ms": 401, "do": "press", "button": "green"}, {"after_ms": 3000, "do": "cut"}]))
    while live.now_ms() < 7000:
        live.run_to(min(7000, live.now_ms() + piece_ms))
    return live


def test_planned_steps_happen_at_their_times_in_pieces_of_any_size():
    first, second = planned(7), planned(900)
    assert [(step["do"], step["after_ms"]) for step in first.steps] == [("load", 2500), ("press", 401), ("cut", 3000)]
    assert second.saved() == first.saved()


def test_the_dealer_plays_a_round_and_its_moves_are_on_record():
    data, config = setup("pico-shoe", {"deck_cards": 8})
    live = start(data, config)
    live.dealer(True, "round_ended")
    while "round_ended" not in live.stage.names():
        assert live.now_ms() < 60000
        live.run_to(live.now_ms() + 100)
    done = len(live.steps)
    live.run_to(live.now_ms() + 3000)
    assert len(live.steps) == done
    assert [step["do"] for step in live.steps][:2] == ["load", "press"]
    again = start(data, config)
    again.replay(json.dumps(live.steps))
    assert again.stage.names() == live.stage.names()[: len(again.stage.names())]


def test_what_cannot_be_done_is_refused_in_words_and_not_on_record():
    live = start(*setup("pico-shoe", "house"))
    assert "no action" in live.act('{"do": "dance"}')
    assert "needs" in live.act('{"do": "fault", "fault": "jam"}')
    assert live.steps == []


def warned(live, to_ms):
    """The warnings until then, each with what it comes from."""
    live.run_to(to_ms)
    return [item for item in json.loads(live.picture())["news"] if "warning" in item]


def test_a_warning_names_its_step_and_the_time_since_it_struck():
    data, config = setup("pico-shoe", {"deck_cards": 8})
    live = start(data, config)
    live.run_to(2000)
    act(live, "load", cards=8)
    act(live, "fault", fault="jam", place="throat", card=2, at_um=60000)
    act(live, "press", button="green")
    live.dealer(True)
    (told,) = warned(live, 12000)
    assert told["warning"] == "jam_throat"
    cause = told["cause"]
    assert (cause["number"], cause["step"]["fault"], cause["acted"], cause["again"]) == (2, "jam", 2000000, False)
    assert 0 < told["at"] - cause["struck"] < 900000


def test_a_later_warning_is_not_measured_from_an_older_fault():
    """A jam that was noticed and cleared, then a door: the door is noticed after it was opened, not after the jam."""
    data, config = setup("pico-shoe", {"deck_cards": 8})
    live = start(data, config)
    live.run_to(2000)
    act(live, "fault", fault="jam", place="throat", card=2, at_um=60000)
    live.dealer(True)
    assert warned(live, 20000)[0]["warning"] == "jam_throat"
    while not live.stage.rig.plant.outputs[0]:  # the door counts while the machine works
        assert live.now_ms() < 60000
        live.run_to(live.now_ms() + 10)
    live.dealer(False)
    act(live, "open")
    door = [item for item in warned(live, live.now_ms() + 2000) if item["warning"] == "door"][-1]
    assert door["cause"]["step"]["do"] == "open"
    assert 0 <= door["at"] - door["cause"]["struck"] < 100000


def test_a_fault_that_stays_is_named_again_as_one_that_is_still_there():
    data, config = setup("pico-shoe", {"deck_cards": 8})
    live = start(data, config)
    live.run_to(2000)
    act(live, "fault", fault="roller_dead", roller="pick")
    live.dealer(True)
    told = warned(live, 60000)
    assert len(told) >= 2
    assert [item["cause"]["again"] for item in told[:2]] == [False, True]
    assert [item["cause"]["number"] for item in told[:2]] == [1, 1]


def test_a_card_can_be_stopped_where_it_is_and_the_device_calls_it_a_jam():
    for board, way, warning in (("pico-shoe", 0, "jam_throat"), ("pico-carousel", 1, "jam_exit")):
        live = start(*setup(board, {"deck_cards": 12}))
        assert live.act('{"do": "stop_card"}') == "no card moves there"
        live.dealer(True)
        while not [body for body in json.loads(live.picture())["bodies"] if body[0] == way and body[1] > 40000]:
            assert live.now_ms() < 60000
            live.run_to(live.now_ms() + 3)
        act(live, "stop_card", way=way)
        told = warned(live, live.now_ms() + 3000)
        assert told[0]["warning"] == warning
        assert told[0]["cause"]["step"]["do"] == "stop_card"


def test_one_line_can_be_repaired_alone():
    live = start(*setup("pico-shoe", "house"))
    for line in ("throat_a", "throat_b"):
        act(live, "fault", fault="beam_stuck", line=line, level=1)
    act(live, "repair", line="throat_a")
    faults = live.stage.rig.plant.faults.entries
    assert [fault.values["line"] for fault in faults] == ["throat_b"]
    act(live, "repair")
    assert live.stage.rig.plant.faults.entries == []


def test_steps_that_cannot_be_done_are_refused_with_their_place():
    data, config = setup("pico-carousel", {"deck_cards": 12})
    broken = (
        None,
        {},
        {"do": "explode"},
        {"do": "wait", "after_ms": -5},
        {"do": "link", "delay_ms": "x"},
        {"do": "link", "lose_ppm": 1000001},
        {"do": "command", "name": "fly"},
        {"do": "fault", "fault": "nope"},
        {"do": "press", "button": "red"},
        {"do": "load", "cards": 99999},
        {"do": "load", "cards": "x"},
    )
    live = start(data, config)
    for step in broken:
        assert "step[1]: " in refusal(ValueError, live.replay, json.dumps([{"do": "wait"}, step])), step
