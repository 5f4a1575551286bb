"""Storms: input lines that toggle faster than any card can make them, at power-on, at rest and while cards move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hil.faults import BY_HAND, DARK_MS, mid_card
from hil.player import Player, expect
from hil.rounds import put_in

KHZ = (8, 20, 100)
SLOW_KHZ = 1  # below the limit of the port; but no level of the line lasts, and the firmware stops
SLOW_EDGES = 48  # until it does: firmware/image.py
MOMENTS = ("boot", "rest", "moving")
ALL = "all"
STEP_US = 100
STOP_US = 5000  # motors off within, from the moment that a line is faster than its config allows
WINDOW_MS = 8  # over which the port counts edges
STORM_MS = 300
CALM_MS = 300  # a line counts again after 50 ms of quiet
SWEEP_MS = 200
HOME = "home"  # the mark of an axis: no input of the firmware; the port watches it while the axis moves
HOME_EDGES_MAX = 32  # in one move: hal/rp2/axis.py
STILL_US = 2000  # an axis counts as moving for so long after its last step: hal/sim/stepper.py


def lines_of(config: dict[str, Any]) -> tuple[str, ...]:
    """The inputs on pins of their own: beams, switches of the machine, and the door."""
    return tuple(name for name, where in config["inputs"].items() if isinstance(where, int))


def storm_names(config: dict[str, Any]) -> list[str]:
    """Every storm of a board: storm-LINE-KHZ-MOMENT."""
    lines = (*lines_of(config), ALL)
    rest = [f"storm-{HOME}-{khz}k-moving" for khz in KHZ if "axis" in config]
    rest += [f"storm-{line}-{SLOW_KHZ}k-{moment}" for moment in MOMENTS for line in lines_of(config)]
    return [f"storm-{line}-{khz}k-{moment}" for moment in MOMENTS for line in lines for khz in KHZ] + rest


def storms_by_default(config: dict[str, Any]) -> list[str]:
    """Every line while cards move, and all lines together at every rate and moment: the rest is on request. Of the slow
    ones the door, which nothing else would notice."""
    each = [f"storm-{line}-20k-moving" for line in (*lines_of(config), *([HOME] if "axis" in config else []))]
    each += [f"storm-{ALL}-{khz}k-{moment}" for moment in MOMENTS for khz in KHZ]
    return [*each, f"storm-door-{SLOW_KHZ}k-moving"]


def storm(name: str) -> Callable[[Player], None]:
    """The story of that name."""
    _, line, khz, moment = name.split("-")
    hz = int(khz.rstrip("k")) * 1000

    def play(player: Player) -> None:
        lines = lines_of(player.board.config) if line == ALL else (line,)
        {"boot": _at_boot, "rest": _at_rest, "moving": _moving}[moment](player, lines, hz)

    return play


def _at_rest(player: Player, lines: tuple[str, ...], hz: int) -> None:
    player.board.storm(lines, hz)
    _stopped(player, lines, hz)
    _recover(player, lines)


def _moving(player: Player, lines: tuple[str, ...], hz: int) -> None:
    if lines == (HOME,):
        _turning(player, hz)
        return
    if lines == ("slot",):
        _sweeping(player)
    else:
        mid_card(player)
    player.board.storm(lines, hz)
    _stopped(player, lines, hz)
    _recover(player, lines)


def _turning(player: Player, hz: int) -> None:
    """The home mark of an axis that moves between two cards. It stops, does not know its place, and says so."""
    plant = player.board.plant
    player.play(put_in(player.deck))
    player.until_true("three cards have passed", lambda: plant.throat.passed >= 3, step_us=1000)
    player.until_true("the axis moves", lambda: plant.axis.moving, step_us=500)
    player.board.storm((HOME,), hz)
    off_in_time(player, (HOME_EDGES_MAX + 1) * 1_000_000 // (2 * hz), f"{HOME_EDGES_MAX} edges of the home mark")
    player.board.run_us(STILL_US)
    expect(not plant.axis.moving, "the axis moves on in a storm on its home mark")
    event: Any = player.until("warning_latched", 10.0)
    expect(event.warning.name == "AXIS", f"the warning is {event.warning.name}, not AXIS")
    _cleared(player)


def _sweeping(player: Player) -> None:
    """The slot beam is watched when the carousel turns under it for the second count, and not before."""
    plant = player.board.plant
    player.play(put_in(player.deck))
    player.until_true("every card is in its slot", lambda: sum(map(len, plant.slots)) == player.deck)
    player.run(SWEEP_MS)


def _at_boot(player: Player, lines: tuple[str, ...], hz: int) -> None:
    """Noise before the power comes: the device starts, warns and moves nothing."""
    player.note("  power off, storm, power on")
    player.board.power_off(DARK_MS)
    player.board.storm(lines, hz)
    player.board.power_on()
    player.until("booted")
    expect(not any(player.motors()), f"motors run in a storm: {player.motors()}")
    _recover(player, lines)


def _stopped(player: Player, lines: tuple[str, ...], hz: int) -> None:
    """Motors off in time. The rate counts over a window: a storm exceeds it when that has too many edges."""
    limit = int(player.board.config["mechanism"]["edges_per_s_max"])
    edges = limit * WINDOW_MS // 1000 if 2 * hz > limit else SLOW_EDGES
    off_in_time(player, (edges + 1) * 1_000_000 // (2 * hz), f"{limit} edges/s on {', '.join(lines)}")


def off_in_time(player: Player, exceeded_us: int, limit: str) -> None:
    """So long after its begin the storm exceeds its limit."""
    player.board.run_us(exceeded_us)
    late_us = 0
    while any(player.motors()):
        expect(late_us < STOP_US, f"motors {player.motors()} {STOP_US} us after {limit} were exceeded")
        player.board.run_us(STEP_US)
        late_us += STEP_US
    player.note(f"  motors are off {late_us} us after the limit was exceeded, at {exceeded_us} us")


def _recover(player: Player, lines: tuple[str, ...]) -> None:
    """The warning names a line of the storm. An operator clears it when that is over; the machine is proved empty."""
    event: Any = player.until("warning_latched", 10.0)
    expect(event.warning.name == "NOISE", f"the warning is {event.warning.name}, not NOISE")
    named = event.sensor.name.lower()
    expect(named in lines, f"the warning names {named}, and the storm is on {', '.join(lines)}")
    _cleared(player)


def _cleared(player: Player) -> None:
    """Motors stay off as long as the storm lasts. Then an operator clears the warning."""
    player.run(STORM_MS)
    expect(not any(player.motors()), f"motors run in a storm: {player.motors()}")
    player.board.calm()
    player.run(CALM_MS)
    player.play(BY_HAND)
