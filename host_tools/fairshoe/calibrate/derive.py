"""From measured figures to a board config: what is taken over, what follows from it, and what is refused."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from fairshoe.boards.checks import board_problems
from fairshoe.boards.edge_rates import followed_per_s, honest_rates
from fairshoe.boards.shuffle_time import outfeed_um_per_ms, shuffle_us
from fairshoe.calibrate.carousel import Carousel
from fairshoe.calibrate.draw_shoe import DrawShoe
from fairshoe.calibrate.machine import NotCalibrated
from fairshoe.calibrate.motor_shoe import MotorShoe
from fairshoe.calibrate.shelves import ShelfMachine
from fairshoe.calibrate.throat import Figure

SPREAD_MAX = 0.1  # of times that the machine makes alike each time
EVEN = ("throat_gap_um", "ejector_us", "exit_us", "outfeed_us", "exit_gap_um", "arrival_gap_um", "tray_us", "lift_us")
KINDS = {"carousel": Carousel, "shoe": MotorShoe, "shelves": ShelfMachine, "draw": DrawShoe}
REPORT_MS = 500  # a report time is a multiple of it, and so is the longest draw
OUTFEED_APART = 0.03  # from the transport: nearer it is taken for as fast
SLOWER = 2  # than the technician a dealer may draw


@dataclass(frozen=True)
class Line:
    """One key of the config's mechanism, before and after. An error of 0 is exact; one of None: derived."""

    key: str
    old: int
    new: int
    spread: float
    error: float | None
    count: int
    part: str

    @property
    def spread_text(self) -> str:
        """Nothing for what was searched for once, or derived: of one value there is no spread."""
        return f"{self.spread:.1f}" if self.count > 1 else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def derive(config: dict[str, Any], figures: dict[str, Figure]) -> tuple[dict[str, Any], list[Line]]:
    """The new config and its changed lines. Raises NotCalibrated for a spread that says something is loose, and for a
    machine that cannot work as it is."""
    for figure in (figures[name] for name in EVEN if name in figures):
        if figure.spread > SPREAD_MAX * figure.value:
            raise NotCalibrated(
                f"{figure.name} is {figure.value:.0f} with a spread of {figure.spread:.0f}, over {figure.count} cards.",
                f"Look at the {figure.part}: it does not do the same each time.",
            )
    old = config["mechanism"]
    new = copy.deepcopy(config)
    lines = taken_over(old, figures)
    new["mechanism"] |= {line.key: line.new for line in lines}
    lines += _follow(new, old, figures)
    problems = list(board_problems(new))
    if problems:
        raise NotCalibrated(f"a machine with these figures cannot work: {problems[0]}.", "See docs/BOARDS.md.")
    return new, lines


def taken_over(old: dict[str, Any], figures: dict[str, Figure]) -> list[Line]:
    """The keys of the config's mechanism that these figures give."""
    return [
        Line(key, _was(old, key), value, figures[name].spread, error, figures[name].count, figures[name].part)
        for key, (value, name, error) in _values(figures, old).items()
    ]


def _was(old: dict[str, Any], key: str) -> int:
    was: int = old[key] if key in old else outfeed_um_per_ms(old)  # the only key that a config need not have
    return was


def _values(figures: dict[str, Figure], old: dict[str, Any]) -> dict[str, tuple[int, str, float]]:
    """By key of the config: value, the figure it comes from, and its stated error."""

    def error(*names: str) -> float:
        return math.hypot(*(figures[name].error for name in names))

    value = {name: figure.value for name, figure in figures.items()}
    if old["kind"] == "draw":
        b_um = old["throat_a_um"] + round(value["throat_gap_um"])
        bounce = (round(value["bounce_us"]), "bounce_us", error("bounce_us"))
        return {"throat_b_um": (b_um, "throat_gap_um", error("throat_gap_um")), "bounce_us": bounce}
    speed = round(value["transport_um_per_ms"])
    a_um = round(value["throat_a_um"])
    b_um = a_um + round(value["throat_gap_um"])
    plain = ("brake_um", "roller_start_us", "pick_latency_us_min", "pick_latency_us_max", "bounce_us")
    some = ("ejector_us", "lift_us", "slot_count", "slot_steps", "slot_beam_slots")
    return {
        "transport_um_per_ms": (speed, "transport_um_per_ms", error("transport_um_per_ms")),
        "throat_a_um": (a_um, "throat_a_um", error("throat_a_um")),
        "throat_b_um": (b_um, "throat_gap_um", error("throat_a_um", "throat_gap_um")),
        "nip_um": (b_um + max(round(value["nip_gap_um"]), 100), "nip_gap_um", error("throat_a_um", "nip_gap_um")),
        "slip_percent_max": (math.ceil(value["slip_percent_max"] - 0.3), "slip_percent_max", 1.0),
        **_way_out(figures, old, speed, b_um, error),
        **{name: (round(value[name]), name, error(name)) for name in (*plain, *some) if name in value},
    }


def _way_out(
    figures: dict[str, Figure], old: dict[str, Any], speed: int, b_um: int, error: Callable[..., float]
) -> dict[str, tuple[int, str, float]]:
    """The last beam and the tray, as the machine has them."""
    value = {name: figure.value for name, figure in figures.items()}
    made: dict[str, tuple[int, str, float]] = {}
    if "exit_us" in value:
        outfeed = outfeed_um_per_ms(old | {"transport_um_per_ms": speed})
        seen = old["card_um"] * 1000 / value["outfeed_us"]
        if abs(seen / outfeed - 1) > OUTFEED_APART:
            outfeed = round(seen)
            made["outfeed_um_per_ms"] = (outfeed, "outfeed_us", seen * error("outfeed_us") / value["outfeed_us"])
        speed = outfeed
        exit_um = (value["exit_us"] - value["ejector_us"] / 2) * speed / 1000
        made["exit_um"] = (round(exit_um), "exit_us", error("exit_us", "ejector_us") * speed / 1000)
    for key in ("exit", "arrival"):
        gap = f"{key}_gap_um"
        if gap in value:
            made[f"{key}_um"] = (b_um + round(value[gap]), gap, error("throat_a_um", "throat_gap_um", gap))
    if "tray_us" in value:
        # The config check wants the tray within the brake's reach. Where the two agree within their errors, they are
        # equal.
        tray_um, tray_error = value["tray_us"] * speed / 1000, error("tray_us") * speed / 1000
        brake_um = value["brake_um"]
        if brake_um < tray_um <= brake_um + tray_error + error("brake_um"):
            tray_um = brake_um
        made["tray_um"] = (math.floor(tray_um), "tray_us", math.hypot(tray_error, error("brake_um")))
    return made


def report_ms(mech: dict[str, Any]) -> int:
    """The instant at which a shuffle is reported: the configured one, or later if this machine can take longer."""
    return max(math.ceil(shuffle_us(mech) / 1000 / REPORT_MS) * REPORT_MS, mech["shuffle_report_ms"])


def _follow(config: dict[str, Any], old: dict[str, Any], figures: dict[str, Figure]) -> list[Line]:
    """What the config states and these figures decide."""
    mech = config["mechanism"]
    keys = ["edges_per_s_max"]
    if mech["kind"] == "carousel":
        keys += ["axis_mrev_per_s", "axis_mrev_per_s2"]
        _follow_axis(mech, old)
    if mech["kind"] == "draw":
        keys.append("draw_ms_max")
        least_ms = SLOWER * figures["draw_ms"].value
        mech["draw_ms_max"] = max(math.ceil(least_ms / REPORT_MS) * REPORT_MS, old["draw_ms_max"])
    if "shuffle_report_ms" in mech:
        keys.append("shuffle_report_ms")
        mech["shuffle_report_ms"] = report_ms(mech)
    fastest = max(rate.edges_per_s for rate in honest_rates(config).values())
    mech["edges_per_s_max"] = min(max(old["edges_per_s_max"], fastest), followed_per_s(config))
    return [Line(key, old[key], mech[key], 0.0, None, 0, "derived") for key in keys]


def _follow_axis(mech: dict[str, Any], old: dict[str, Any]) -> None:
    turn = {id(each): each["slot_count"] * each["slot_steps"] for each in (mech, old)}
    # No faster than the motor was ordered to step before: what it can follow was not measured.
    for key in ("axis_mrev_per_s", "axis_mrev_per_s2"):
        mech[key] = min(old[key], old[key] * turn[id(old)] // turn[id(mech)])
