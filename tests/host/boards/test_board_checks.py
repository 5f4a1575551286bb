"""What cannot work is refused: for each rule one config that breaks it, and the message with the numbers."""

import copy
import re
from dataclasses import fields
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from draws import seeded
from other import board_problems

from fairshoe import wear
from fairshoe.arguments import prove
from fairshoe.boards import checks, configs, edge_rates, lines, shuffle_time
from fairshoe.journal import export
from fairshoe.messages import Meters
from firmware import image
from firmware.machines import spec
from hal.sim import beams, plant

ROOT = Path(__file__).resolve().parents[3]
KINDS = ("carousel", "shelves", "shoe", "draw")


def board(kind: str) -> dict[str, Any]:
    return copy.deepcopy(configs.load_board(f"pico-{kind}")[0])


def problems(kind: str, **changes: object) -> list[str]:
    return board_problems(f"pico-{kind}", **changes)


def only(kind: str, **changes: object) -> str:
    found = problems(kind, **changes)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("inputs__exit", 23, "inputs.exit: GPIO 23 is not on the edge of a Raspberry Pi Pico"),
        ("inputs__exit", 3, "GPIO 3 is used twice, for inputs.throat_a and for inputs.exit"),
        ("outputs__dark", 14, "GPIO 14 is used twice, for outputs.outfeed and for outputs.dark"),
        ("axis__home", 2, "GPIO 2 is used twice, for inputs.hopper and for axis.home"),
        (
            "outputs__lamp_red",
            {"expander": 4},
            "expander bit 4 is used twice, for inputs.button_ack and for outputs.lamp_red",
        ),
    ],
)
def test_a_pin_serves_one_purpose(path: str, value: object, message: str) -> None:
    assert only("carousel", **{path: value}) == message


def test_a_pin_can_do_what_its_peripheral_needs() -> None:
    free = {"outputs__reverse": 1, "outputs__dark": 5}
    config = board("shoe")
    # GPIO 22 can be the clock of SPI 0, so moving reverse away makes room for it.
    config["outputs"]["reverse"] = config["nv"]["sck"]
    config["nv"]["sck"] = 22
    assert configs.check_board(config) == []
    assert problems("draw", link__tx=11) == ["link.tx: GPIO 11 cannot be uart0 tx; possible: 0, 12, 16, 28"]
    assert problems("draw", nv__mosi=22) == ["nv.mosi: GPIO 22 cannot be spi0 mosi; possible: 3, 7, 19"]
    assert problems("draw", expander__sda=20) == [
        "expander.sda: GPIO 20 cannot be i2c1 sda; possible: 2, 6, 10, 14, 18, 22, 26"
    ]
    assert len(problems("carousel", **free)) == 2


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "entropy__millibits_per_byte",
            501,
            "entropy.millibits_per_byte 501: a byte of rp2040_rosc may be taken to be worth at most 500",
        ),
        (
            "entropy__source",
            "rp2350_trng",
            "entropy.source: a Raspberry Pi Pico has no rp2350_trng; it has rp2040_rosc",
        ),
        ("entropy__source", "simulated", "entropy.source: a Raspberry Pi Pico has no simulated; it has rp2040_rosc"),
    ],
)
def test_noise_is_not_taken_to_be_worth_more_than_its_source_may_be(path: str, value: object, message: str) -> None:
    assert only("carousel", **{path: value}) == message


def test_seeds_are_disclosed_only_where_the_machine_knows_the_end_of_a_round() -> None:
    assert problems("carousel", audit={"seeds": "disclose"}) == []
    assert only("shelves", audit={"seeds": "disclose"}) == (
        "audit.seeds disclose: a shelf machine cannot know when the deck is out of play; only erase is possible"
    )


def test_a_table_takes_no_acknowledgement_in_clear() -> None:
    link = {**board("carousel")["link"], "mode": "table"}
    assert "link.clear_ack true with link.mode table" in only("carousel", link=link)
    assert problems("carousel", link={**link, "clear_ack": False}) == []


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (32, "display.address 32 is that of the expander on the same bus"),
        (40, "display.address 40: a PCA8574 has 32 to 39 and 56 to 63"),
        (55, "display.address 55: a PCA8574 has 32 to 39 and 56 to 63"),
    ],
)
def test_a_display_has_an_address_of_its_own_that_its_chip_can_have(address: int, message: str) -> None:
    assert only("shoe", display__address=address) == message
    for good in (33, 39, 56, 63):
        assert problems("carousel", display={"kind": "lcd2004", "address": good}) == []


def test_a_display_is_on_the_bus_of_an_expander() -> None:
    found = problems("shoe", expander=None)
    assert "section display is there, and no section expander, whose bus it is on" in found


def test_the_panel_is_on_an_expander_that_exists() -> None:
    message = only("draw", expander=None, display=None)
    assert message.startswith("inputs.key_switch, inputs.button_close, ")
    assert message.endswith("outputs.lamp_red sit on an expander, and there is no section expander")
    config = board("draw")
    names = [("inputs", name) for name in config["inputs"] if name.startswith(("button", "key"))]
    names += [("outputs", name) for name in config["outputs"] if name.startswith("lamp")]
    for (group, name), pin in zip(names, (7, 8, 9, 11, 12, 13, 14, 15, 20), strict=True):
        config[group][name] = pin
    assert configs.check_board(config) == ["section expander is there, and nothing uses it"]
    del config["expander"], config["display"]
    assert configs.check_board(config) == []


# --- which lines -------------------------------------------------------------------------------

NAMES = {"carousel": "a carousel", "shelves": "a shelf machine", "shoe": "a motor shoe", "draw": "a draw shoe"}
LINES = [(kind, group, line) for group in lines.GROUPS for kind in KINDS for line in lines.needed(group, kind)]


@pytest.mark.parametrize(("kind", "group", "line"), LINES)
def test_a_mechanism_has_all_its_lines(kind: str, group: str, line: str) -> None:
    message = only(kind, **{f"{group}__{line}": None})
    # Those that all four have are already the schema's.
    assert message in (f"{NAMES[kind]} needs {group}.{line}", f"{group}.{line} is missing")


@pytest.mark.parametrize(
    ("kind", "path", "message"),
    [
        ("shoe", "inputs__slot", "a motor shoe has no inputs.slot"),
        ("shoe", "inputs__arrival", "a motor shoe has no inputs.arrival"),
        ("shoe", "outputs__outfeed", "a motor shoe has no outputs.outfeed"),
        ("draw", "inputs__exit", "a draw shoe has no inputs.exit"),
        ("draw", "outputs__pick", "a draw shoe has no outputs.pick: a hand moves its cards"),
        ("draw", "outputs__reverse", "a draw shoe has no outputs.reverse: a hand moves its cards"),
    ],
)
def test_a_mechanism_has_no_lines_of_another(kind: str, path: str, message: str) -> None:
    assert only(kind, **{path: 11 if kind == "draw" else 13}) == message


def test_a_line_of_another_mechanism_is_told_beside_the_missing_one() -> None:
    config = board("carousel")
    config["inputs"]["arrival"] = config["inputs"].pop("exit")
    assert configs.check_board(config) == ["a carousel needs inputs.exit", "a carousel has no inputs.arrival"]


def test_an_axis_is_where_something_turns_or_climbs_and_nowhere_else() -> None:
    axis = {"step": 13, "dir": 14, "home": 20}
    assert only("carousel", axis=None) == "a carousel needs section axis"
    assert only("shelves", axis=None) == "a shelf machine needs section axis"
    assert only("shoe", axis=axis) == "a motor shoe has no axis: leave section axis out"
    assert only("draw", axis=axis) == "a draw shoe has no axis: leave section axis out"


@pytest.mark.parametrize("kind", KINDS)
def test_full_assurance_needs_opacity_and_dark(kind: str) -> None:
    assert only(kind, inputs__opacity=None) == (
        "mechanism.count_assurance full needs inputs.opacity: without it an aligned double feed counts as one card; "
        "fit the sensor or declare basic"
    )
    assert only(kind, outputs__dark=None) == (
        "mechanism.count_assurance full needs outputs.dark: without it a blinded beam goes unnoticed; fit it or "
        "declare basic"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_basic_assurance_does_without_opacity_and_must_not_have_it(kind: str) -> None:
    basic: dict[str, object] = {"mechanism__count_assurance": "basic"}
    assert problems(kind, **basic, inputs__opacity=None) == []
    assert problems(kind, **basic, inputs__opacity=None, outputs__dark=None) == []
    assert only(kind, **basic) == (
        "inputs.opacity is fitted and mechanism.count_assurance is basic: declare full, or leave it out"
    )


def test_optional_sensors_are_optional_and_a_hole_card_reader_is_whole() -> None:
    reader: dict[str, object] = {
        "inputs__hole_card": 8,
        "inputs__hole_match": 9,
        "outputs__read_ace": 13,
        "outputs__read_court": {"expander": 11},
    }
    assert problems("draw", **reader, inputs__back=11, inputs__face=12) == []
    for path in reader:
        message = (
            "inputs.hole_card and hole_match, outputs.read_ace and read_court are one reader: it needs all four or none"
        )
        assert only("draw", **{path: reader[path]}) == message
        assert only("draw", **{other: reader[other] for other in reader if other != path}) == message


# --- mechanics ---------------------------------------------------------------------------------


# Board, setting and value, and what is wrong with it.
CANNOT_WORK = {
    "carousel throat_a_um 45000": "mechanism.throat_a_um 45000 must lie before throat_b_um 45000",
    "draw throat_a_um 30000": "mechanism.throat_a_um 30000 must lie before throat_b_um 27000",
    "draw throat_b_um 103900": "throat A and B are 88900 um apart: a card of 88900 um must cover both at once",
    "carousel nip_um 45000": "mechanism.throat_b_um 45000 must lie before nip_um 45000",
    "carousel nip_um 88900": "mechanism.nip_um 88900: the pick roller has let go of a card at card_um 88900 before",
    "carousel nip_um 82000": "the pick roller can take the next card along: it needs 7800 um to stop (speed x worst"
    " scan + braking) and has 6900 um from nip_um to card_um",
    "shoe throat_a_um 37201": "a staged card can run into the mouth: it needs 7800 um to stop (speed x worst scan +"
    " braking) and has 7799 um between throat A and B",
    "shelves arrival_um 47000": "mechanism.arrival_um 47000 must lie behind nip_um 47000",
    "shelves arrival_um 133900": "mechanism.arrival_um 133900: a card has left throat B at 133900 um before, and no"
    " beam sees it",
    "shoe exit_um 40000": "mechanism.exit_um 40000 must lie behind nip_um 47000",
    "shoe exit_um 140000": "mechanism.exit_um 140000: a card has left throat B at 133900 um before, and no beam sees"
    " it",
    "carousel exit_um 88900": "mechanism.exit_um 88900: a card has left its slot at card_um 88900, and no beam sees it"
    " yet",
    "carousel tray_um 3001": "mechanism.tray_um 3001: a card that has left the exit beam coasts brake_um 3000, and"
    " would lie between beam and tray, counted and not dealt",
    "carousel pick_latency_us_min 50000": "mechanism.pick_latency_us_min 50000 is above pick_latency_us_max 45000",
    "shoe slip_percent_max 14": "mechanism.slip_percent_max 14: such a card looks 116 % long, and from 115 % on it is a"
    " double feed",
    "draw draw_ms_max 503": "mechanism.draw_ms_max 503: a slow hand (200 um/ms) holds a card in the throat for 504 ms",
    "carousel slot_count 53": "mechanism.slot_count 53: a deck of 52 and 2 slots for surplus cards need 54",
    "carousel slot_beam_slots 54": "mechanism.slot_beam_slots 54 is not on a carousel of 54 slots",
    "shelves shelf_count 19": "mechanism.shelf_count 19: 2 passes tell 361 cards apart, and a deck has 384",
    "shelves shelf_cards_max 19": "mechanism.shelf_cards_max 19: with 20 shelves and 384 cards a shelf gets 20 in the"
    " first pass and 20 in the second",
    "shelves shelf_steps 4": "mechanism.shelf_steps 4: the home mark lies 2 steps before place 0, which must",
    "carousel home_steps 64": "mechanism.slot_steps 64: the home mark lies 64 steps before place 0, which must",
    "carousel outfeed_um_per_ms 599": "mechanism.outfeed_um_per_ms 599 must be half to twice transport_um_per_ms 1200",
    "carousel outfeed_um_per_ms 2401": "mechanism.outfeed_um_per_ms 2401 must be half to twice transport",
    "carousel axis_mrev_per_s2 3000": "the axis needs a ramp table of 10376 bytes (5184 steps/s at 10368 steps/s2):"
    " there is room for 8192",
}


@pytest.mark.parametrize("case", CANNOT_WORK)
def test_a_mechanism_that_cannot_work_is_refused(case: str) -> None:
    kind, key, value = case.split()
    # The report instant depends on everything that moves and has tests of its own.
    changes: dict[str, object] = {f"mechanism__{key}": int(value)}
    if kind in shuffle_time.DECK_CARDS:
        changes["mechanism__shuffle_report_ms"] = 600000
    assert only(kind, **changes).startswith(CANNOT_WORK[case])


def test_throat_b_is_reached_while_the_pick_roller_holds_the_card() -> None:
    found = problems("shoe", mechanism__throat_b_um=88900, mechanism__nip_um=89000)
    assert "mechanism.throat_b_um 88900: the pick roller has let go of a card at card_um 88900 before" in found


def test_a_shelf_holds_what_the_second_pass_puts_there() -> None:
    """By quotient a shelf gets as many cards as there are shelves, whatever the even share is."""
    assert only("shelves", mechanism__shelf_count=25, mechanism__shuffle_report_ms=600000) == (
        "mechanism.shelf_cards_max 24: with 25 shelves and 384 cards a shelf gets 16 in the first pass and 25 in the"
        " second"
    )
    cards, shelves = shuffle_time.DECK_CARDS["shelves"], 25
    second = [rank // shelves for rank in range(cards)]
    assert max(second.count(shelf) for shelf in second) == shelves


def test_the_axis_steps_no_faster_than_the_port_can() -> None:
    # With more acceleration, so that the ramp stays short.
    steep: dict[str, object] = {"mechanism__axis_mrev_per_s2": 30000}
    assert problems("carousel", **steep, mechanism__slot_steps=308) == []
    assert only("carousel", **steep, mechanism__slot_steps=309) == (
        "the axis makes 25029 steps/s (slot_steps 309): the port can make 25000"
    )


def test_an_axis_that_hardly_accelerates_is_refused_and_breaks_nothing() -> None:
    slow: dict[str, object] = {"mechanism__axis_mrev_per_s2": 100, "mechanism__slot_steps": 5}
    assert len(problems("carousel", **slow, mechanism__slot_count=2)) > 1


# --- what the beams can follow -----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_chatter_is_shorter_than_the_settling_time(kind: str) -> None:
    assert problems(kind, mechanism__bounce_us=999) == []
    assert only(kind, mechanism__bounce_us=1000) == (
        "mechanism.bounce_us 1000: a change counts after 1000 us, so chatter would be cards"
    )


def test_a_card_covers_a_beam_long_enough() -> None:
    found = problems("draw", mechanism__card_um=12001, mechanism__scan_ms_max=5)
    assert found == [
        "a card of 12001 um covers a beam for 4000 us at 3000 um/ms: it must last 5000 us (3 settling times, and the"
        " worst scan)"
    ]
    assert problems("draw", mechanism__card_um=12001, mechanism__scan_ms_max=4) == []
    found = problems("shoe", mechanism__transport_um_per_ms=20000, mechanism__scan_ms_max=5)
    assert any("covers a beam for 4445 us at 20000 um/ms" in problem for problem in found)


def test_the_gap_between_two_cards_lasts_long_enough() -> None:
    # Slip takes 60 mm / 1.2 m/s x 5/95 = 2.6 ms of it.
    assert problems("shelves", mechanism__pick_latency_us_min=6631) == []
    assert only("shelves", mechanism__pick_latency_us_min=6630) == (
        "the gap between two cards lasts 3999 us (pick_latency_us_min 6630 less slip): it must last 4000 us (3 settling"
        " times, and the worst scan)"
    )


def test_a_card_of_a_motor_shoe_reaches_throat_a_when_the_last_has_left_throat_b() -> None:
    # 9 mm at 1.2 m/s and two bounces; slip up to throat B takes 2 ms.
    assert problems("shoe", mechanism__pick_latency_us_min=10073) == []
    assert only("shoe", mechanism__pick_latency_us_min=10072) == (
        "mechanism.pick_latency_us_min 10072: the pick roller runs on, so the next card follows 8099 us behind the last"
        " (less slip); it may reach throat A only when the last has left throat B, 8100 us after it left A"
    )


def test_a_sweep_leaves_the_slot_beam_time() -> None:
    message = only(
        "carousel",
        mechanism__axis_mrev_per_s=6000,
        mechanism__axis_mrev_per_s2=90000,
        mechanism__bounce_us=300,
        mechanism__edges_per_s_max=6000,
    )
    assert message == (
        "a sweep at axis_mrev_per_s 6000 passes a slot in 3086 us and leaves 1234 us between two cards: the slot beam"
        " needs more than 1300 us (settling + bounce)"
    )


# --- the rate of edges -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_fastest_honest_line_of_a_reference_board_leaves_room_below_the_limit(kind: str) -> None:
    rates = edge_rates.honest_rates(board(kind))
    assert max(rate.edges_per_s for rate in rates.values()) == 1750
    polled = [name for name in board(kind)["inputs"] if name not in rates]
    assert polled and all(name.startswith(("button_", "key_")) for name in polled)


def test_a_limit_below_what_a_line_can_honestly_have_is_refused_with_both_numbers() -> None:
    assert problems("carousel", mechanism__edges_per_s_max=1750) == []
    message = only("carousel", mechanism__edges_per_s_max=1749)
    assert message.startswith("mechanism.edges_per_s_max 1749: inputs.")
    assert message.endswith("and would be taken for noise; state at least 1750, or slow the machine")


def test_a_faster_sweep_needs_a_higher_limit() -> None:
    """82 us less and a third change fits into 8 ms."""
    fast = {"mechanism__axis_mrev_per_s": 2500, "mechanism__axis_mrev_per_s2": 90000}
    message = only("carousel", **fast, mechanism__edges_per_s_max=2600)
    assert message.startswith(
        "mechanism.edges_per_s_max 2600: inputs.slot can honestly have 2625 edges a second (cards: 3 changes in 8 ms,"
        " 7 edges each with bounces)"
    )
    assert problems("carousel", **fast, mechanism__edges_per_s_max=2625) == []
    assert problems("carousel", **fast, mechanism__edges_per_s_max=1750, mechanism__bounce_us=0) == []


@pytest.mark.parametrize(("name", "followed"), [("pico-shoe", 8000)])
def test_a_limit_above_what_the_port_follows_is_refused(name: str, followed: int) -> None:
    config = copy.deepcopy(configs.load_board(name)[0])
    config["mechanism"]["edges_per_s_max"] = followed
    assert configs.check_board(config) == []
    config["mechanism"]["edges_per_s_max"] = followed + 1
    port = config["mcu"]["port"]
    assert configs.check_board(config) == [
        f"mechanism.edges_per_s_max {followed + 1}: port {port} follows {followed} edges a second on a line; state at"
        f" most {followed}"
    ]


def test_config_check_tells_the_rate_of_every_line_to_programs() -> None:
    found = configs.inspect_board("pico-shoe").edges_per_s
    assert ("door", 1625, "a switch: 1 change in 8 ms, 13 edges each with bounces") in found


# --- times and storage -------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "least_ms"), [("carousel", 22453), ("shelves", 243207)])
def test_a_shuffle_is_over_when_it_is_reported(kind: str, least_ms: int) -> None:
    assert problems(kind, mechanism__shuffle_report_ms=least_ms) == []
    cards = shuffle_time.DECK_CARDS[kind]
    assert only(kind, mechanism__shuffle_report_ms=least_ms - 1) == (
        f"mechanism.shuffle_report_ms {least_ms - 1}: a shuffle of {cards} cards can take {least_ms} ms on this"
        " machine, and when it is reported must not tell its order"
    )


def test_384_cards_on_20_shelves_are_reported_within_260_s() -> None:
    assert board("shelves")["mechanism"]["shuffle_report_ms"] <= 260000


def played_us(mech: dict[str, Any], order: list[int], last_beam_um: int, circle: int) -> float:
    """The cards of one order, one after the other, by the same rules as the estimate but without its statistics."""
    slow = 100 / (100 - mech["slip_percent_max"]) * 1000 / mech["transport_um_per_ms"]
    notice = shuffle_time.notice_us(mech)
    staged = mech["pick_latency_us_max"] + mech["throat_a_um"] * slow + notice
    way = last_beam_um - mech["throat_a_um"] + mech["card_um"]
    at, time = 0, 0.0
    for place in order:
        distance = abs(place - at)
        if circle:
            distance = min(distance, circle - distance)
            speed, accel = (mech[f"axis_mrev_per_s{n}"] * circle / 1000 for n in ("", "2"))
        else:
            speed, accel = (mech[f"axis_mshelf_per_s{n}"] / 1000 for n in ("", "2"))
        ramp = speed * speed / accel
        turn = distance / speed + speed / accel if distance >= ramp else 2 * sqrt(distance / accel)
        time += max(staged, turn * 1e6) + mech["roller_start_us"] + way * slow + notice
        at = place
    return time


def late(times: list[float], limit: float) -> int:
    return sum(time > limit for time in times)


def test_the_estimate_covers_orders_drawn_at_random_and_is_not_far_off() -> None:
    """One order in 30,000 may take longer: three in 200 would be chance once in ten million runs."""
    draw = seeded()
    mech = board("carousel")["mechanism"]
    times = [played_us(mech, draw.sample(range(52), 52), mech["throat_b_um"], 54) for _ in range(200)]
    sweep = (1 / 1.5 + 0.1) * 1e6 + shuffle_time.notice_us(mech)
    assert late(times, shuffle_time.shuffle_us(mech) - sweep) < 3
    assert sum(times) / len(times) + sweep > shuffle_time.shuffle_us(mech) * 0.8
    mech = board("shelves")["mechanism"]
    times.clear()
    for _ in range(20):
        first, second = (draw.sample(range(384), 384) for _ in range(2))
        order = [rank % 20 for rank in first] + [rank // 20 for rank in second]
        times.append(played_us(mech, order, mech["arrival_um"], 0))
    cards_us = shuffle_time.shuffle_us({**mech, "ejector_us": 0, "lift_us": 0, "tray_settle_ms": 0})
    assert late(times, cards_us) < 3
    assert sum(times) / len(times) > cards_us * 0.8


def test_the_journal_holds_two_rounds() -> None:
    assert problems("carousel", nv__bytes=10368) == []
    assert only("carousel", nv__bytes=10304) == (
        "nv.bytes 10304 holds 95 events: 96 are needed for a round while the last one is not acknowledged"
    )
    assert only("draw", nv__bytes=64).startswith("nv.bytes 64 holds 0 events")


FLASH: dict[str, Any] = {"kind": "flash", "start": 1 << 20, "blocks": 58, "bytes": 32736}


def test_flash_needs_no_pins_but_room_behind_the_files() -> None:
    assert problems("carousel", nv=FLASH) == []
    assert problems("carousel", nv=FLASH, outputs__dark=16) == []  # where the FRAM's data came in
    for changes, message in (
        ({"start": 4096}, "nv.start 4096: the file system before it needs 262144 bytes"),
        (
            {"blocks": 97},
            "nv.start 1048576 and 97 blocks end at 1445888; Raspberry Pi Pico has 1441792 bytes",
        ),
        ({"blocks": 57}, "nv.blocks 57: 32736 bytes of cells need 58 blocks or more"),
        ({"start": 1000}, "nv.start must be multiple of 4096, not 1000"),
        ({"cs": 17}, "nv.cs is not known; possible: kind, start, blocks, bytes"),
        ({"kind": "eeprom"}, 'nv.kind must be one of fram, flash, not "eeprom"'),
    ):
        assert only("carousel", nv={**FLASH, **changes}) == message
    assert problems("carousel", nv={**FLASH, "blocks": 96}) == []


def test_what_flash_needs_is_what_its_driver_asks_for() -> None:
    from hal import flash

    assert checks.CELL_BYTES == flash.CELL
    for cells in (1, 7, 8, 341, 682):
        assert checks.blocks_min(cells * flash.CELL) == flash.blocks_min(cells)


# --- what these rules take over from elsewhere -------------------------------------------------


def constant(path: str, name: str) -> int:
    found = re.search(rf"^{name} = (?:const\()?(\d+)", (ROOT / path).read_text(), re.MULTILINE)
    assert found, f"{path}: {name}"
    return int(found[1])


def test_numbers_of_the_firmware_are_those_of_the_firmware() -> None:
    for path, name, taken_over in (
        ("firmware/image.py", "SETTLE_US", shuffle_time.SETTLE_US),
        ("firmware/image.py", "EDGES_MAX", edge_rates.EDGES_PER_SCAN),
        ("hal/rp2/fold.py", "WINDOW_US", edge_rates.WINDOW_US),
        ("hal/sim/rate.py", "WINDOW_US", edge_rates.WINDOW_US),
        ("firmware/machines/beam_test.py", "DARK_MS", edge_rates.DARK_US // 1000),
        ("hal/rp2/axis.py", "HOME_STEPS", checks.HOME_STEPS),
        ("firmware/journal/cells.py", "CELL_SIZE", checks.CELL_BYTES),
        ("firmware/journal/cells.py", "RECORD_CELL", checks.RECORD_CELL),
        ("firmware/journal/store.py", "LOG_SIZE", export.LOG_SIZE),
        ("firmware/journal/store.py", "LOG_SIZE", prove.LOG_SIZE),
        ("firmware/games/profile.py", "ROUND_EVENTS_MAX", checks.ROUND_EVENTS),
    ):
        assert constant(path, name) == taken_over, (path, name)
    measured = spec.Spec(board("carousel"))
    assert measured.length_us_max == measured.length_us * checks.LENGTH_PERCENT_MAX // 100
    # At the fastest step there must be a pause left that is not the zero that ends a move, and be it exact to 1 in 40.
    period_us = 1000000 // checks.STEP_HZ_MAX
    assert period_us - constant("hal/rp2/step_pio.py", "STEP_CYCLES") > 0
    assert period_us >= 40


def test_beams_and_driven_outputs_are_the_same_ones_on_the_device_in_the_simulator_and_on_the_host() -> None:
    glitches = tuple(field.name for field in fields(Meters))[-len(wear.BEAMS) :]
    assert spec._LIT == beams.LIGHT == wear.BEAMS == glitches  # pyright: ignore[reportPrivateUsage]
    assert list(plant.OUTPUTS) == list(image.OUTPUTS)[: len(plant.OUTPUTS)]
