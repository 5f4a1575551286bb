"""What the machines need to know of the mechanism, worked out once from the board config. Integers only."""

from firmware.fault import (
    FAULT_CARD_LENGTH,
    FAULT_CONFIG,
    FAULT_DOUBLE_FEED,
    FAULT_NONE,
    FIGURE_SLOT_COUNT,
    FIGURE_SLOT_STEPS,
)
from firmware.image import IN_EXIT, INPUTS, OUTPUTS
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs
    from hal.api import Config

# Optical inputs: everything the dark test can check.
_LIT = ("hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut")
# Where only a card under way may be.
_PATH = ("throat_a", "throat_b", "opacity", "exit", "arrival", "cut", "back", "face")


class Spec:
    """Times and windows derived from geometry and speeds; see docs/BOARDS.md for where each number comes from."""

    def __init__(self, config: "Config") -> None:
        mech = config["mechanism"]
        self.kind = mech["kind"]
        self.recognises = bool(config.get("sensors", {}).get("recognition"))
        self.reads_holes = "hole_card" in config["inputs"] and "read_ace" in config["outputs"]
        self.dark_lines = _lines(config, _LIT) if "dark" in config["outputs"] else b""
        self.path_lines = _lines(config, _PATH)
        self.can_reverse = "reverse" in config["outputs"] and "reverse" in OUTPUTS
        self.tray_settle_ms = mech.get("tray_settle_ms", 0)
        self.shuffle_report_ms = mech.get("shuffle_report_ms", 0)
        self.card_um = mech["card_um"]
        self.odd_um = 0  # length of a card that was none, until its warning is posted
        self.figure = self.measured = self.configured = 0  # what the last warning of that kind found wrong
        self.place_count = mech.get("slot_count", 0) or mech.get("shelf_count", 0)
        if self.kind == "draw":
            self.hold_ms_max = mech["draw_ms_max"]
        else:
            self._throat(mech)
        if "exit_um" in mech:
            self._exit(mech)
        if self.kind == "carousel":
            self._carousel(mech)
        elif self.kind == "shelves":
            self._shelves(mech)

    def length_fault(self, inp: "Inputs", line: int) -> int:
        """Whether the last passage of this beam was as long as one card: a fault code, and the length in odd_um."""
        # Bounded: products must stay small integers.
        length_us = min(ticks_diff(inp.leave_us[line], inp.enter_us[line]), self.length_us * 4)
        if line == IN_EXIT:
            length_us = length_us * self.exit_speed // self.speed  # as if the transport had moved it
        if self.length_us_min <= length_us <= self.length_us_max:
            return FAULT_NONE
        if length_us > 0:  # else the next passage has begun, and this one's length is not known
            self.odd_um = length_us * self.speed // 1000
        return FAULT_DOUBLE_FEED if length_us > self.length_us_max else FAULT_CARD_LENGTH

    def misfit(self, figure: int, measured: int, configured: int) -> int:
        """The machine is not as configured: a fault code."""
        self.figure, self.measured, self.configured = figure, measured, configured
        return FAULT_CONFIG

    def turned(self, early_steps: int) -> int:
        """A turn was shorter than configured: there are fewer slots, or fewer steps to each. A fault code."""
        count, steps = self.place_count, self.slot_steps
        turn = count * steps - early_steps
        slots = (turn + steps // 2) // steps
        if abs(turn - slots * steps) * 10 <= steps:
            return self.misfit(FIGURE_SLOT_COUNT, slots, count)
        return self.misfit(FIGURE_SLOT_STEPS, turn // count, steps)

    def _throat(self, mech: "Config") -> None:
        speed = self.speed = mech["transport_um_per_ms"]
        # A card must reach the next beam in the nominal time plus the worst latency, half as long again for slip.
        slack_ms = mech["pick_latency_us_max"] // 1000 + 20
        self.pick_ms_max = (mech["throat_a_um"] // speed + slack_ms) * 3 // 2
        self.pass_ms_max = ((mech["throat_b_um"] - mech["throat_a_um"]) // speed + slack_ms) * 3 // 2
        gap_um = mech["throat_b_um"] - mech["throat_a_um"]
        self.brake_um = mech["brake_um"]
        self.trail_us = max(gap_um, 1) * 1000 // speed  # of an edge from A to B
        # From the roller's start on a card that waits at A to its edge at B.
        self.onward_us = max(gap_um - self.brake_um, 0) * 1000 // speed + mech["roller_start_us"]
        self.length_us = mech["card_um"] * 1000 // speed
        self.length_us_max = self.length_us * 115 // 100
        self.length_us_min = self.length_us * 85 // 100
        # Waiting longer than half as long again would let rollers grind on a stopped card.
        self.enter_ms_max = self.length_us * 3 // 2000 + 1
        self.pick_retry_max = mech["pick_retry_max"]
        self.pick_pause_ms = mech["pick_pause_ms"]
        # After B sees the leading edge the pick roller must push until the transport rollers hold the card.
        self.nip_us = (mech["nip_um"] - mech["throat_b_um"]) * 1000 // speed + 1500
        # Where the roller runs on: from B to out of the hopper, and to where the next card may be at A at the earliest.
        self.free_us = (mech["card_um"] - mech["throat_b_um"]) * 1000 // speed
        near_us = (mech["throat_a_um"] - mech["brake_um"]) * 1000 // speed
        self.run_us = self.free_us + mech["pick_latency_us_min"] + near_us
        # As late after A as leaves the card two thirds of the way to B, its brake included.
        self.stage_us = max(mech["throat_b_um"] - mech["throat_a_um"] - mech["brake_um"], 0) * 2000 // (3 * speed)
        self.jog_max = mech["jog_max"] if self.can_reverse else 0
        # Back by as much as lies between the beams, and a scan; B must be free again in twice a card's passage.
        self.jog_ms = (mech["throat_b_um"] - mech["throat_a_um"]) // speed + mech["scan_ms_max"]
        self.jog_ms_max = self.length_us // 500
        self.rest_ms = mech["brake_um"] * 2 // speed + mech["roller_start_us"] // 1000 + mech["scan_ms_max"]
        # What one misfeed can cost at most: a try and a pause; and one stall: a wait, there and back.
        self.misfeed_ms = self.pick_ms_max + self.pick_pause_ms
        self.stall_ms = self.enter_ms_max + self.pass_ms_max + 2 * self.rest_ms + self.jog_ms_max + self.pick_ms_max
        confirm_um = mech.get("arrival_um", 0) if self.kind == "shelves" else mech.get("exit_um", 0)
        # From the mouth beam clear to the next beam clear.
        self.confirm_ms_max = (max(confirm_um - mech["throat_b_um"], 0) // speed + 20) * 3 // 2 + self.enter_ms_max

    def _carousel(self, mech: "Config") -> None:
        self.beam_slots = mech["slot_beam_slots"]
        self.slot_steps = mech["slot_steps"]
        self.eject_ms_max = (mech["ejector_us"] // 1000 + mech["exit_um"] // self.exit_speed + 20) * 2
        self.ejector_home_ms_max = mech["ejector_us"] // 1000 * 4 + 50
        # One revolution at half speed, and the ramps.
        self.axis_ms_max = 2000000 // mech["axis_mrev_per_s"] + 1000

    def _shelves(self, mech: "Config") -> None:
        self.shelf_cards_max = mech["shelf_cards_max"]
        self.fall_us = -4000  # the first card of a packet may lie in the tray so long before the last leaves its shelf
        # A pulse on the arrival beam's line can end the passage of a card early by as much as lengths may differ.
        self.run_on_us = self.length_us_max - self.length_us_min
        self.top_feed = mech["feed"] == "top"
        self.ejector_home_ms_max = mech["ejector_us"] // 1000 * 4 + 50
        self.lift_ms_max = mech["lift_us"] // 1000 * 2 + 100
        # All the way at a quarter of the speed, as when homing, and the ramps.
        self.axis_ms_max = mech["shelf_count"] * 4000000 // mech["axis_mshelf_per_s"] + 1000

    def _exit(self, mech: "Config") -> None:
        speed = self.exit_speed = mech.get("outfeed_um_per_ms", self.speed)
        self.leave_ms_max = self.enter_ms_max * self.speed // speed
        # At the earliest: by a roller as fast as lengths allow.
        self.fall_us = mech["tray_um"] * 850 // speed
        # From the exit beam to rest in the tray, and a little.
        self.land_ms_max = mech["tray_um"] // speed + 60


def _lines(config: "Config", names: "tuple[str, ...]") -> bytes:
    """Those of the names that are wired."""
    return bytes(i for i in range(len(INPUTS)) if INPUTS[i] in names and INPUTS[i] in config["inputs"])
