"""What runs while cards move has frames that fit on the stack: how long it takes to find room on the heap varies."""

import pytest
from frames import WORDS_MAX, frames_of, frames_of_board
from size import ROOT

from fairshoe.ship.mpy_compile import compile_mpy

BOARDS = ("pico-carousel", "pico-shelves", "pico-shoe", "pico-draw")
SCANNED = (
    "firmware/app.py",
    "firmware/image.py",
    "firmware/ticks.py",
    "firmware/digest.py",
    "firmware/games/",
    "firmware/machines/",
    "firmware/link/admission.py",
    "firmware/link/dispatch.py",
    "firmware/link/queries.py",
    "firmware/link/report.py",
    "firmware/link/status.py",
    "firmware/protocol/cobs.py",
    "firmware/protocol/codec.py",
    "firmware/protocol/frame.py",
    "firmware/protocol/session.py",
    "hal/rp2/axis.py",
    "hal/rp2/beams.py",
    "hal/rp2/fold.py",
    "hal/rp2/port.py",
    "hal/board/bus.py",
    "hal/board/edges.py",
    "hal/board/expander.py",
    "hal/board/lcd.py",
    "hal/board/port.py",
    "hal/board/stop.py",
)
COLD = {
    # at boot
    "firmware/app.py: App._connect",
    "firmware/games/procedure.py: _open_steps",
    "firmware/games/profile.py: Profile._deal_by",
    "firmware/games/profile.py: Profile._refuse",
    "firmware/games/procedure.py: procedure_resume",
    "firmware/machines/kinds.py: make_machine",
    "hal/rp2/axis.py: Axis._chain",
    "hal/rp2/axis.py: ramp_table",
    "hal/board/port.py: BoardHal._bind_inputs",
    "hal/board/port.py: BoardHal._bind_outputs",
    "hal/board/port.py: BoardHal._i2c",
    "hal/board/port.py: BoardHal._spi",
    "hal/board/port.py: BoardHal._uart",
    "hal/board/port.py: _expander_bits",
    "hal/rp2/beams.py: PioBeams._state",
    "hal/rp2/port.py: Rp2Hal._make_beams",
    # after a storm
    "hal/rp2/beams.py: PioBeams._start",
    # after a halt
    "hal/rp2/axis.py: Axis._prepare",
    "firmware/games/profile.py: Profile._rules",
    "firmware/games/profile.py: _pages",
    # when an event is recorded, or a person puts something on record
    "firmware/games/table_facts.py: TableFacts._deck_event",
    "firmware/games/hands.py: _decision_objection",
    "firmware/games/hands.py: _misdeal_objection",
    "firmware/games/table_facts.py: TableFacts._idle",
    "firmware/games/table_facts.py: TableFacts._of_the_round",
    "firmware/games/table_facts.py: TableFacts._recorded",
    "firmware/games/table_facts.py: TableFacts._round_over",
    "firmware/games/table_facts.py: TableFacts._taken_out",
    "firmware/games/table_facts.py: TableFacts.note",
    "firmware/games/drawn/misdeliveries.py: _let_out",
    "firmware/games/drawn/round.py: Play._follow_record",
    "firmware/games/drawn/round.py: Play._take_out",
    "firmware/games/drawn/round.py: Play.recorded",
    "firmware/games/records.py: _odd_one",
    "firmware/games/records.py: _rule_of",
    "firmware/games/records.py: record_do",
    "firmware/games/records.py: record_objection",
    # while every card is out
    "firmware/games/settling.py: tail_end",
    "firmware/games/settling.py: tail_scan",
    # of a shoe drawn by hand: when a card that is out is reported, or the rack goes in
    "firmware/games/drawn/steps.py: _burned",
    "firmware/games/drawn/steps.py: _call",
    "firmware/games/drawn/steps.py: _post_end",
    "firmware/games/drawn/steps.py: _refill",
    "firmware/games/drawn/steps.py: _tell_cut",
    "firmware/games/drawn/hole_card.py: _off",
    "firmware/games/drawn/hole_card.py: _tell",
    # once in a job
    "firmware/games/procedure.py: _warn_of_signals",
    "firmware/games/round_steps.py: locked_out",
    "firmware/games/shuffle_steps.py: _verify",
    "firmware/games/flow.py: flow_refuse",
    "firmware/games/flow.py: flow_void",
    "firmware/games/round_steps.py: _post_stack",
    "firmware/games/round_steps.py: tell_odd",
    "firmware/machines/radix.py: Radix._fullest",
    "firmware/machines/shelves.py: Shelves.reorder",
    "firmware/machines/shelves.py: _start_pass",
    # when a host says something, or an event is new
    "firmware/games/drawn/round.py: Play.objection",
    "firmware/link/dispatch.py: _handle",
    "firmware/link/admission.py: _authentic",
    "firmware/link/admission.py: link_open",
    "firmware/link/admission.py: link_send_text",
    "firmware/link/queries.py: Queries._tell_key",
    "firmware/link/queries.py: Queries._tell_record",
    "firmware/protocol/session.py: session_hmac",
    "firmware/protocol/codec.py: pack",
    "firmware/protocol/codec.py: unpack",
    # at a press of a button
    "firmware/games/by_hand.py: HandRounds.close_betting",
    "hal/board/port.py: BoardHal._press",
    # in an interrupt, where the heap is locked and every frame is on the stack
    "hal/board/stop.py: Stop.blocked",
}


def large_frames(board: str) -> set[str]:
    frames = [frame for frame in frames_of_board(board) if frame.module.startswith(SCANNED)]
    assert len(frames) > 200
    return {
        f"{frame.module}: {frame.name}"
        for frame in frames
        if frame.words > WORDS_MAX and frame.name.rpartition(".")[2] not in ("<module>", "__init__")
    }


def test_the_program_that_times_scans_takes_no_heap_for_them() -> None:
    """A frame on the heap would send every search for room during the scan back to where the frame lies."""
    source = (ROOT / "tools" / "emulator" / "probe.py").read_text(encoding="utf-8")
    frames = frames_of(compile_mpy(source, "main.py", "-O2", "-march=armv6m"), "main.py")
    words = {frame.name: frame.words for frame in frames if frame.name.startswith("Timed.")}
    assert {"Timed.scan", "Timed.scanned", "Timed.in_throat", "Timed.changed"} <= set(words)
    assert max(words.values()) <= WORDS_MAX, words


def test_frames_of_scans_fit_on_the_stack() -> None:
    large = set[str]().union(*(large_frames(board) for board in BOARDS))
    assert large - COLD == set(), f"frames over {WORDS_MAX} words (tools/frames.py lists them): use fewer names at once"
    assert COLD - large == set(), "these fit by now, or are gone: take them off the list"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        # Two arguments and what an addition needs.
        ("def f(a, b):\n    return a + b\n", 4),
        ("def f(a, b):\n    c = d = e = a\n    return c + d\n", 7),
        ("def f(a):\n    g(a)\n", 3),
        # A handler takes three words, and four more for an exception that might come.
        ("def f(a):\n    try:\n        g(a)\n    except OSError:\n        pass\n", 10),
    ],
)
def test_words_are_arguments_names_and_the_deepest_expression(source: str, words: int) -> None:
    frames = {frame.name: frame.words for frame in frames_of(compile_mpy(source, "f.py", "-march=armv6m"), "f.py")}
    assert frames["f"] == words


def test_functions_inside_others_are_found_by_name() -> None:
    source = "class Box:\n    def lid(self):\n        def hinge():\n            pass\n        return hinge\n"
    names = {frame.name for frame in frames_of(compile_mpy(source, "f.py", "-march=armv6m"), "f.py")}
    assert names == {"<module>", "Box", "Box.lid", "Box.lid.hinge"}
