"""Check that a board config of the right shape can work: one message for each rule that is broken, with the numbers.

docs/BOARDS.md gives the reason for each rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairshoe.boards import lines
from fairshoe.boards.edge_rates import HAND_UM_PER_MS as HAND_UM_PER_MS_MAX
from fairshoe.boards.edge_rates import SHADE_PERCENT, rate_problems
from fairshoe.boards.pins import MCUS, NOISE_WORTH_MAX, pin_problems
from fairshoe.boards.shuffle_time import (
    DECK_CARDS,
    LAST_BEAM,
    SETTLE_US,
    SHELF_PASSES,
    gap_us,
    outfeed_um_per_ms,
    shuffle_us,
    throat_us,
)

Config = dict[str, Any]

_NAMES = {"carousel": "a carousel", "shelves": "a shelf machine", "shoe": "a motor shoe", "draw": "a draw shoe"}
READER = ("hole_card", "hole_match", "read_ace", "read_court")

SLOTS_SPARE = 2  # surplus cards are counted there
STEP_HZ_MAX = 25000  # hal/rp2/axis.py: pauses are whole microseconds, here still exact to 1 in 40
RAMP_BYTES_MAX = 8192  # its table lies in the heap
HOME_STEPS = 2  # hal/rp2/axis.py: the home mark's edge lies so far before place 0
LENGTH_PERCENT_MAX = 115  # firmware/machines/spec.py: longer is a double feed
SETTLES_MIN = 3
HAND_UM_PER_MS = (200, HAND_UM_PER_MS_MAX)  # assumed: the slowest and the fastest hand that draws a card
CELL_BYTES = 96  # firmware/journal/cells.py, as the next; hal/flash.py has it too
RECORD_CELL = 12
BLOCK_BYTES = 4096
FILES_BYTES = 256 * 1024  # what a file system keeps for itself: the firmware twice, and littlefs around it
# What rp2.Flash reaches, by board: all of it is the file system's unless the boot script says otherwise.
FLASH_BYTES = {"Raspberry Pi Pico": 1408 * 1024, "Raspberry Pi Pico 2": 3072 * 1024}
DISPLAY_ADDRESSES = (range(0x20, 0x28), range(0x38, 0x40))  # PCA8574 and PCA8574A, by their address pins
ROUND_EVENTS = 48  # firmware/games/profile.py: a round does not begin without room for so many


def board_problems(config: Config) -> Iterator[str]:
    """Every rule, for a config that fits the schema."""
    mech = config["mechanism"]
    kind = mech["kind"]
    yield from pin_problems(config)
    yield from _link_problems(config["link"])
    yield from _display_problems(config)
    yield from _entropy_problems(config)
    yield from _line_problems(config, kind, mech["count_assurance"])
    yield from _throat_problems(mech)
    yield from _beam_time_problems(mech)
    yield from rate_problems(config)
    if kind == "draw":
        yield from _draw_problems(mech)
    else:
        yield from _roller_problems(mech)
    if kind == "carousel":
        yield from _carousel_problems(mech)
    elif kind == "shelves":
        yield from _shelf_problems(mech)
    if kind in DECK_CARDS:
        yield from _axis_problems(mech)
        yield from _report_problems(mech)
    yield from _nv_problems(config["nv"]["bytes"])
    if config["nv"]["kind"] == "flash":
        yield from _flash_problems(config["nv"], config["mcu"]["board"])


# --- link ----------------------------------------------------------------------------------


def _link_problems(link: Config) -> Iterator[str]:
    if link["mode"] == "table" and link["clear_ack"]:
        yield "link.clear_ack true with link.mode table: a table's host has a key and acknowledges under it; say false"


# --- display -----------------------------------------------------------------------------------


def _display_problems(config: Config) -> Iterator[str]:
    display = config.get("display")
    if display is None:
        return
    address: int = display["address"]
    if not any(address in chip for chip in DISPLAY_ADDRESSES):
        ranges = " and ".join(f"{chip[0]} to {chip[-1]}" for chip in DISPLAY_ADDRESSES)
        yield f"display.address {address}: a PCA8574 has {ranges}"
    if "expander" not in config:
        yield "section display is there, and no section expander, whose bus it is on"
    elif address == config["expander"]["address"]:
        yield f"display.address {address} is that of the expander on the same bus"


# --- noise -------------------------------------------------------------------------------------


def _entropy_problems(config: Config) -> Iterator[str]:
    source, worth = config["entropy"]["source"], config["entropy"]["millibits_per_byte"]
    worth_max = NOISE_WORTH_MAX[source]
    mcu = MCUS.get(config["mcu"]["board"])
    if mcu is not None and source != mcu.noise:
        yield f"entropy.source: a {config['mcu']['board']} has no {source}; it has {mcu.noise}"
    kind = config["mechanism"]["kind"]
    if kind != "carousel" and config.get("audit", {}).get("seeds") == "disclose":
        yield f"audit.seeds disclose: {_NAMES[kind]} cannot know when the deck is out of play; only erase is possible"
    if worth > worth_max:
        yield f"entropy.millibits_per_byte {worth}: a byte of {source} may be taken to be worth at most {worth_max}"


# --- which lines -------------------------------------------------------------------------------


def _line_problems(config: Config, kind: str, assurance: str) -> Iterator[str]:
    name = _NAMES[kind]
    inputs, outputs = config["inputs"], config["outputs"]
    for group, given in (("inputs", inputs), ("outputs", outputs)):
        needed = lines.needed(group, kind)
        known = {*needed, *lines.optional(group), *lines.panel(group)}
        yield from (f"{name} needs {group}.{line}" for line in needed if line not in given)
        for line in given:
            if line not in known:
                why = ": a hand moves its cards" if kind == "draw" and group == "outputs" else ""
                yield f"{name} has no {group}.{line}{why}"
    if (kind in DECK_CARDS) != ("axis" in config):
        yield f"{name} needs section axis" if kind in DECK_CARDS else f"{name} has no axis: leave section axis out"
    if len({line in inputs or line in outputs for line in READER}) > 1:
        yield (
            "inputs.hole_card and hole_match, outputs.read_ace and read_court are one reader: it needs all four or none"
        )
    if assurance == "basic":
        if "opacity" in inputs:
            yield "inputs.opacity is fitted and mechanism.count_assurance is basic: declare full, or leave it out"
        return
    if "opacity" not in inputs:
        yield (
            "mechanism.count_assurance full needs inputs.opacity: without it an aligned double feed counts as one card;"
            " fit the sensor or declare basic"
        )
    if "dark" not in outputs:
        yield (
            "mechanism.count_assurance full needs outputs.dark: without it a blinded beam goes unnoticed; fit it or"
            " declare basic"
        )


# --- where the beams are -----------------------------------------------------------------------


def _throat_problems(mech: Config) -> Iterator[str]:
    a_um, b_um, card_um = mech["throat_a_um"], mech["throat_b_um"], mech["card_um"]
    if a_um >= b_um:
        yield f"mechanism.throat_a_um {a_um} must lie before throat_b_um {b_um}"
    elif b_um - a_um >= card_um:
        yield f"throat A and B are {b_um - a_um} um apart: a card of {card_um} um must cover both at once"


def _draw_problems(mech: Config) -> Iterator[str]:
    slow = HAND_UM_PER_MS[0]
    draw_ms = (mech["throat_b_um"] - mech["throat_a_um"] + mech["card_um"]) // slow
    if mech["draw_ms_max"] < draw_ms:
        yield (
            f"mechanism.draw_ms_max {mech['draw_ms_max']}: a slow hand ({slow} um/ms) holds a card in the throat for"
            f" {draw_ms} ms"
        )


def _roller_problems(mech: Config) -> Iterator[str]:
    b_um, nip_um, card_um, brake_um = mech["throat_b_um"], mech["nip_um"], mech["card_um"], mech["brake_um"]
    if b_um >= nip_um:
        yield f"mechanism.throat_b_um {b_um} must lie before nip_um {nip_um}"
    if b_um >= card_um:
        yield f"mechanism.throat_b_um {b_um}: the pick roller has let go of a card at card_um {card_um} before"
    if nip_um >= card_um:
        yield f"mechanism.nip_um {nip_um}: the pick roller has let go of a card at card_um {card_um} before"
    yield from _stop_problems(mech)
    if mech["pick_latency_us_min"] > mech["pick_latency_us_max"]:
        yield (
            f"mechanism.pick_latency_us_min {mech['pick_latency_us_min']} is above"
            f" pick_latency_us_max {mech['pick_latency_us_max']}"
        )
    slip = mech["slip_percent_max"]
    if LENGTH_PERCENT_MAX * (100 - slip) < 100 * 100:
        yield (
            f"mechanism.slip_percent_max {slip}: such a card looks {10000 // (100 - slip)} % long, and from"
            f" {LENGTH_PERCENT_MAX} % on it is a double feed"
        )
    yield from _last_beam_problems(mech)
    if mech.get("tray_um", 0) > brake_um:
        yield (
            f"mechanism.tray_um {mech['tray_um']}: a card that has left the exit beam coasts brake_um {brake_um}, and"
            " would lie between beam and tray, counted and not dealt"
        )


def _stop_problems(mech: Config) -> Iterator[str]:
    stop_um = mech["transport_um_per_ms"] * mech["scan_ms_max"] + mech["brake_um"]
    margin_um = mech["throat_b_um"] - mech["throat_a_um"]
    if 0 < margin_um < stop_um:
        yield (
            f"a staged card can run into the mouth: it needs {stop_um} um to stop (speed x worst scan + braking)"
            f" and has {margin_um} um between throat A and B"
        )
    margin_um = mech["card_um"] - mech["nip_um"]
    if 0 < margin_um < stop_um:
        yield (
            f"the pick roller can take the next card along: it needs {stop_um} um to stop (speed x worst scan +"
            f" braking) and has {margin_um} um from nip_um to card_um"
        )


def _last_beam_problems(mech: Config) -> Iterator[str]:
    """The beam behind which a card is where it was to go. A card on its way to it must be driven, and be seen."""
    card_um = mech["card_um"]
    if mech["kind"] == "carousel":
        if mech["exit_um"] >= card_um:
            yield (
                f"mechanism.exit_um {mech['exit_um']}: a card has left its slot at card_um {card_um}, and no beam"
                " sees it yet"
            )
        speed, outfeed = mech["transport_um_per_ms"], outfeed_um_per_ms(mech)
        if not speed <= 2 * outfeed <= 4 * speed:
            yield f"mechanism.outfeed_um_per_ms {outfeed} must be half to twice transport_um_per_ms {speed}"
        return
    key = LAST_BEAM[mech["kind"]]
    if mech[key] <= mech["nip_um"]:
        yield f"mechanism.{key} {mech[key]} must lie behind nip_um {mech['nip_um']}"
    left_um = mech["throat_b_um"] + card_um
    if mech[key] >= left_um:
        yield f"mechanism.{key} {mech[key]}: a card has left throat B at {left_um} um before, and no beam sees it"


# --- what the beams can follow -----------------------------------------------------------------


def _beam_time_problems(mech: Config) -> Iterator[str]:
    bounce_us = mech["bounce_us"]
    if bounce_us >= SETTLE_US:
        yield f"mechanism.bounce_us {bounce_us}: a change counts after {SETTLE_US} us, so chatter would be cards"
    least_us = max(SETTLES_MIN * SETTLE_US, mech["scan_ms_max"] * 1000)
    why = f"it must last {least_us} us ({SETTLES_MIN} settling times, and the worst scan)"
    speed = HAND_UM_PER_MS[1] if mech["kind"] == "draw" else max(mech["transport_um_per_ms"], outfeed_um_per_ms(mech))
    passage_us = mech["card_um"] * 1000 // speed
    if passage_us < least_us:
        yield f"a card of {mech['card_um']} um covers a beam for {passage_us} us at {speed} um/ms: {why}"
    if mech["kind"] != "draw":
        clear_us = gap_us(mech)
        if clear_us < least_us:
            yield (
                f"the gap between two cards lasts {clear_us} us (pick_latency_us_min {mech['pick_latency_us_min']} less"
                f" slip): {why}"
            )
    if mech["kind"] == "shoe":
        clear_us, beams_us = gap_us(mech, "throat_b_um"), throat_us(mech)
        if clear_us < beams_us:
            yield (
                f"mechanism.pick_latency_us_min {mech['pick_latency_us_min']}: the pick roller runs on, so the next"
                f" card follows {clear_us} us behind the last (less slip); it may reach throat A only when the last has"
                f" left throat B, {beams_us} us after it left A"
            )


# --- the store ---------------------------------------------------------------------------------


def _carousel_problems(mech: Config) -> Iterator[str]:
    slots, cards = mech["slot_count"], DECK_CARDS["carousel"]
    if slots < cards + SLOTS_SPARE:
        yield (
            f"mechanism.slot_count {slots}: a deck of {cards} and {SLOTS_SPARE} slots for surplus cards need"
            f" {cards + SLOTS_SPARE}"
        )
    if mech["slot_beam_slots"] >= slots:
        yield f"mechanism.slot_beam_slots {mech['slot_beam_slots']} is not on a carousel of {slots} slots"
    pitch_us = 10**9 // (slots * mech["axis_mrev_per_s"])
    part_us = pitch_us * min(SHADE_PERCENT, 100 - SHADE_PERCENT) // 100
    least_us = SETTLE_US + mech["bounce_us"]
    if part_us <= least_us:
        yield (
            f"a sweep at axis_mrev_per_s {mech['axis_mrev_per_s']} passes a slot in {pitch_us} us and leaves"
            f" {part_us} us between two cards: the slot beam needs more than {least_us} us (settling + bounce)"
        )


def _shelf_problems(mech: Config) -> Iterator[str]:
    shelves, cards = mech["shelf_count"], DECK_CARDS["shelves"]
    if shelves**SHELF_PASSES < cards:
        yield (
            f"mechanism.shelf_count {shelves}: {SHELF_PASSES} passes tell {shelves**SHELF_PASSES} cards apart, and a"
            f" deck has {cards}"
        )
    # First pass by remainder: an even share. Second pass by quotient: as many cards as there are shelves.
    share = -(-(cards + SLOTS_SPARE) // shelves)
    if mech["shelf_cards_max"] < max(share, shelves):
        yield (
            f"mechanism.shelf_cards_max {mech['shelf_cards_max']}: with {shelves} shelves and {cards} cards a shelf"
            f" gets {share} in the first pass and {shelves} in the second"
        )


def _axis_problems(mech: Config) -> Iterator[str]:
    if mech["kind"] == "carousel":
        steps_key, places = "slot_steps", mech["slot_count"]
        speed, accel = mech["axis_mrev_per_s"] * places, mech["axis_mrev_per_s2"] * places
    else:
        steps_key = "shelf_steps"
        speed, accel = mech["axis_mshelf_per_s"], mech["axis_mshelf_per_s2"]
    steps = mech[steps_key]
    step_hz, step_hz2 = speed * steps // 1000, max(1, accel * steps // 1000)
    if step_hz > STEP_HZ_MAX:
        yield f"the axis makes {step_hz} steps/s ({steps_key} {steps}): the port can make {STEP_HZ_MAX}"
    table_bytes = 4 * (2 * (step_hz * step_hz // (2 * step_hz2)) + 2)
    if table_bytes > RAMP_BYTES_MAX:
        yield (
            f"the axis needs a ramp table of {table_bytes} bytes ({step_hz} steps/s at {step_hz2} steps/s2): there is"
            f" room for {RAMP_BYTES_MAX}"
        )
    home = mech.get("home_steps", HOME_STEPS)
    if steps <= max(home, 2 * HOME_STEPS):
        yield (
            f"mechanism.{steps_key} {steps}: the home mark lies {home} steps before place 0, which must be less than"
            f" a place, and less than half of one where it is {HOME_STEPS}"
        )


def _report_problems(mech: Config) -> Iterator[str]:
    least_ms = -(-shuffle_us(mech) // 1000)
    if mech["shuffle_report_ms"] < least_ms:
        yield (
            f"mechanism.shuffle_report_ms {mech['shuffle_report_ms']}: a shuffle of {DECK_CARDS[mech['kind']]} cards"
            f" can take {least_ms} ms on this machine, and when it is reported must not tell its order"
        )


def _nv_problems(size: int) -> Iterator[str]:
    events = size // CELL_BYTES - RECORD_CELL
    if events < 2 * ROUND_EVENTS:
        yield (
            f"nv.bytes {size} holds {max(events, 0)} events: {2 * ROUND_EVENTS} are needed for a round while the last"
            " one is not acknowledged"
        )


def blocks_min(size: int) -> int:
    """Blocks of flash for so many bytes of cells: twice their pages, and sixteen for what is under way."""
    return size // CELL_BYTES // 8 + 16


def _flash_problems(nv: Config, board: str) -> Iterator[str]:
    start, blocks = nv["start"], nv["blocks"]
    if start < FILES_BYTES:
        yield f"nv.start {start}: the file system before it needs {FILES_BYTES} bytes"
    reach = FLASH_BYTES.get(board)
    if reach is not None and start + blocks * BLOCK_BYTES > reach:
        yield f"nv.start {start} and {blocks} blocks end at {start + blocks * BLOCK_BYTES}; {board} has {reach} bytes"
    if blocks < blocks_min(nv["bytes"]):
        yield f"nv.blocks {blocks}: {nv['bytes']} bytes of cells need {blocks_min(nv['bytes'])} blocks or more"
