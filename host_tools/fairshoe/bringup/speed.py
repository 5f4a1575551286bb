"""The axis at the speed of its config. In the diagnostic mode it runs at a quarter of that, so this step leaves it: the
device then proves itself empty, homes and turns at full speed, and compares the steps between two home edges.

The highest speed that is safe is not searched for: the device takes its speed from its image, and no shot names another
one. What can be said is whether the configured one is followed, several times in a row; if it is not, a lower one is
proposed, and tried with the next image.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairshoe.bringup.checks import QUARTER, Bringup, Check, failed, passed, untested
from fairshoe.bringup.inputs import records
from fairshoe.calibrate.carousel import Carousel
from fairshoe.messages import EmptyProved, Fault, Need, NotAsConfigured, State, WarningLatched
from fairshoe.text.advice import WARNINGS, misfit

PROOFS = 5
PROOF_S = 20.0
LOOK_S = 0.2
LOWER_PERCENT = 80
CALIBRATE = "calibrate first, then bring up the new config from this step"


def speed(bringup: Bringup) -> Iterator[Check]:
    mech = bringup.mech
    key = "axis_mrev_per_s" if mech["kind"] == "carousel" else "axis_mshelf_per_s"
    about = f"{key} {mech[key]}, {key}2 {mech[f'{key}2']}"
    if mech["kind"] == "carousel":
        carousel = Carousel(bringup.machine, mech)
        carousel.find_home()
        steps = mech["slot_count"] * mech["slot_steps"]
        if carousel.turn != steps:
            yield untested("speed", f"a turn has {carousel.turn} steps, {steps} are configured", CALIBRATE)
            return
    for number in range(1, PROOFS + 1):
        found = _judge(_prove(bringup), key, mech[key])
        if found is not None:
            yield found
            return
        bringup.machine.hands.show(f"homed and turned at full speed, {number} of {PROOFS}")
    yield passed("speed", f"{about}: {PROOFS} times homed and turned, and no step was lost")
    raised = mech[key] * 11 // 10
    how = f"to try more, install a bench image with {key} {raised}, and bring it up from this step"
    yield untested("highest speed", how, QUARTER)


def _judge(end: object, key: str, speed_now: int) -> Check | None:
    """None: nothing is wrong."""
    match end:
        case EmptyProved():
            return None
        case NotAsConfigured():
            return untested("speed", f"the machine is not as configured: {misfit(end)}", CALIBRATE)
        case WarningLatched(warning=Fault.AXIS):
            lower = speed_now * LOWER_PERCENT // 100
            return Check(
                *("fast", "failed", f"the axis loses steps at {key} {speed_now}; at a quarter of it, it does not."),
                *("fast axis", f"Set {key} to {lower} in the config, or look at current and supply of its driver."),
                change=(key, lower),
            )
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
