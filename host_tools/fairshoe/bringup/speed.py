"""The highest speed that the axis follows, and whether the one of its config keeps clear of it.

A shot may turn the axis at another pace: speed and ramps on another time scale. A pace of 110 percent is a config with
110 percent of the speed and 121 percent of the acceleration. It rises by tenths until the home mark shows that steps
were lost. Then the device leaves the diagnostic mode, homes and turns as it does in play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fairshoe.bringup.checks import FAILED, PASSED, Bringup, Check, cured, failed, passed, untested
from fairshoe.bringup.inputs import records
from fairshoe.bringup.motion import axis_of
from fairshoe.calibrate.carousel import Carousel
from fairshoe.messages import EmptyProved, Fault, Need, NotAsConfigured, State, WarningLatched
from fairshoe.text.advice import WARNINGS, misfit

TENTH = 10
LOWEST, HIGHEST = 50, 200  # percent; a shot may order no more
MARGIN = 125  # what is proposed is followed at so many percent of it
ENOUGH = 120  # and what is followed at so many is left as it is: the search has steps of a tenth
WORTH = 130  # a higher speed is proposed from here on
PROOFS = 2
PROOF_S = 20.0
LOOK_S = 0.2
CALIBRATE = "calibrate first, then bring up the new config from this step"
DRIVER = "look at current and supply of its driver, and at what it turns"


def speed(bringup: Bringup) -> Iterator[Check]:
    mech = bringup.mech
    axis = axis_of(bringup)
    axis.prepare()
    if isinstance(axis, Carousel) and axis.turn != mech["slot_count"] * mech["slot_steps"]:
        steps = mech["slot_count"] * mech["slot_steps"]
        yield untested("speed", f"a turn has {axis.turn} steps, {steps} are configured", CALIBRATE)
        return

    def follows(pace: int) -> bool:
        followed = axis.follows(pace)
        bringup.machine.hands.show(f"{'followed' if followed else 'steps lost'} at {pace} percent of the speed")
        return followed

    found = judge(bringup.config, highest(follows))
    yield found
    for number in range(1, PROOFS + 1 if found.result == PASSED else 1):
        end = _proof(_prove(bringup))
        if end is not None:
            yield end
            return
        bringup.machine.hands.show(f"homed and turned as in play, {number} of {PROOFS}")
    if found.result == PASSED:
        yield passed("speed", f"{PROOFS} times homed and turned as in play, and no step was lost")


def highest(follows: Callable[[int], bool]) -> int:
    """The pace, in percent, up to which every one tried was followed; 0: none."""
    pace = 100
    if not follows(pace):
        return next((lower for lower in range(pace - TENTH, LOWEST - 1, -TENTH) if follows(lower)), 0)
    while pace < HIGHEST and follows(pace + TENTH):
        pace += TENTH
    return pace


def judge(config: dict[str, Any], pace: int) -> Check:
    """What the highest pace means for the config."""
    mech = config["mechanism"]
    key = "axis_mrev_per_s" if mech["kind"] == "carousel" else "axis_mshelf_per_s"
    if not pace:
        return failed("fast axis", f"the axis loses steps even at {LOWEST} percent of {key} {mech[key]}.", f"{DRIVER}.")
    safe = pace * 100 // MARGIN
    change = {key: mech[key] * safe // 100, f"{key}2": mech[f"{key}2"] * safe * safe // 10000}
    words = " and ".join(f"{name} {figure}" for name, figure in change.items())
    lost = "more was not tried" if pace == HIGHEST else f"at {pace + TENTH} it loses steps"
    seen = f"the axis follows {pace} percent of {key} {mech[key]}, and {lost}"
    what = f"{seen}: {words} would leave it a quarter."
    if pace < ENOUGH:
        return Check("fast", FAILED, what, "fast axis", f"Set {words}, or {DRIVER}.", change=change)
    faster = Check("highest speed", PASSED, what, change=change)
    if safe >= WORTH and cured(config, [faster]):
        return faster
    return passed("highest speed", f"{seen}: the configured speed keeps clear of that")


def _proof(end: object) -> Check | None:
    """None: nothing is wrong."""
    match end:
        case EmptyProved():
            return None
        case NotAsConfigured():
            return untested("speed", f"the machine is not as configured: {misfit(end)}", CALIBRATE)
        case WarningLatched():
            said = WARNINGS.get(end.warning, WARNINGS[Fault.UNRECOGNISED])
            return failed(f"warning {end.warning.name.lower()}", f"{said.what}.", said.advice)
        case _:
            cure = "Look at its display: it says what it waits for."
            return failed("proof", f"the machine does not prove itself empty within {PROOF_S:.0f} s.", cure)


def _prove(bringup: Bringup) -> object:
    """Leave the mode, which begins a proof; the event that ended it. A latched warning waits for ACK."""
    machine = bringup.machine
    shoe, hands = machine.shoe, machine.hands
    bringup.enter()
    before = shoe.journal_is().last
    bringup.leave()
    asked = False
    for _ in range(int(PROOF_S / LOOK_S)):
        machine.going()
        hands.pause(LOOK_S)
        last = shoe.journal_is().last
        new = list(records(bringup, last, before))
        for kind in (EmptyProved, NotAsConfigured, WarningLatched):
            found = next((event for event in new if isinstance(event, kind)), None)
            if found is not None:
                return found
        status = shoe.status
        if not asked and status and status.state == State.WARNING and status.need == Need.ACKNOWLEDGE:
            asked = True
            hands.press("ack")
    return None
