"""Steps that move: axis, ejector, pick and transport, then single cards. Only in a bench image, and by shots that the
device ends itself, with the door shut (decision 0101).

A motor that turns the wrong way differs from one that does not turn: the other direction is tried. What follows is then
tried in that direction, so that a second fault is found in the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairshoe.bringup.checks import MEND, Bringup, Check, failed, passed, turned, untested
from fairshoe.bringup.inputs import dark
from fairshoe.calibrate.carousel import EJECT, Carousel
from fairshoe.calibrate.draw_shoe import drawn
from fairshoe.calibrate.machine import EJECTOR, OUTFEED, PICK, REVERSE, TRANSPORT, Machine, NotCalibrated, Shot, Step
from fairshoe.calibrate.shelves import HOMINGS, LIFT, ShelfMachine

TURNS = 20
CARDS = 10
THROAT = ("throat_a", "throat_b")


def axis(bringup: Bringup) -> Iterator[Check]:
    return _carousel(bringup) if bringup.mech["kind"] == "carousel" else _elevator(bringup)


def axis_of(bringup: Bringup) -> Carousel | ShelfMachine:
    return (Carousel if bringup.mech["kind"] == "carousel" else ShelfMachine)(bringup.machine, bringup.mech)


def _carousel(bringup: Bringup) -> Iterator[Check]:
    mech = bringup.mech
    carousel = Carousel(bringup.machine, mech)
    try:
        carousel.find_home(TURNS)
    except NotCalibrated as error:
        yield failed("lost home", error.what, error.advice)
        return
    yield passed("home", f"{TURNS} turns of {carousel.turn} steps each, from edge to edge")
    hands = bringup.machine.hands
    hands.place()
    try:
        on, off = carousel.find_shade()
    except NotCalibrated as error:
        yield failed("dead slot", error.what, error.advice)
        return
    finally:
        hands.clear()
    # From the mouth a slot comes to the beam after so much of a turn; after the rest of it, if the axis runs back.
    ahead = 1 - (mech["slot_beam_slots"] + 0.5) / mech["slot_count"]
    seen = (on + off) / 2 / carousel.turn % 1
    if abs(seen - ahead) > abs(seen - (1 - ahead)):
        yield turned("axis")
    else:
        yield passed("direction", f"a card at the mouth is at the slot beam after {seen:.2f} of a turn")


def _elevator(bringup: Bringup) -> Iterator[Check]:
    """The home mark is at the lowest shelf."""
    try:
        right = ShelfMachine(bringup.machine, bringup.mech).find_home()
    except NotCalibrated as error:
        yield failed("lost home", error.what, error.advice)
        return
    if not right:
        yield turned("axis")
        return
    yield passed("direction", "the home mark is seen on the way down")
    yield passed("home", f"{HOMINGS} homings from {LIFT} shelves above find it at the same step")


def ejector(bringup: Bringup) -> Iterator[Check]:
    """Out and back, without a card."""
    stroke_ms = bringup.mech["ejector_us"] // 1000
    shot = bringup.machine.shoot(Step(EJECTOR, 2 * stroke_ms), Step(0, 4 * stroke_ms, "ejector", 0), Step(0, 20))
    out, back = shot.at("ejector", 1), shot.at("ejector", 0)
    if out is None:
        cure = "Check motor or magnet, and outputs.ejector."
        yield failed("dead ejector", "the ejector does not leave its home switch.", cure)
    elif not shot.done or back is None:
        yield failed("stuck ejector", "the ejector does not come back.", "Look at its spring and its way.")
    else:
        yield passed("ejector", f"leaves its switch, and is back {(back - shot.switches[1][1]) / 1000:.0f} ms after it")


def find_faults(bringup: Bringup, prepare: Callable[[], None]) -> Check | None:
    """The first fault that can be found without touching the inputs; None if the wiring is right. `prepare` brings a
    slot to the mouth, where there are slots."""
    for check in dark(bringup):
        if check.key:
            return check
    prepare()
    moved = _drawn(bringup, 1) if bringup.mech["kind"] == "draw" else feed(bringup)
    return next((check for check in moved if check.key), None)


def feed(bringup: Bringup) -> Iterator[Check]:
    """Direction of pick and transport, from the order in which a card covers and clears the throat beams."""
    machine, hands = bringup.machine, bringup.machine.hands
    hands.load(3)
    way = 0
    order = _covered(machine, PICK)
    if not order:
        way = REVERSE
        order = _covered(machine, PICK | REVERSE)
    hands.clear()
    if not order:
        yield failed("dead pick", "no card comes when the pick roller runs.", "Check the motor and outputs.pick.")
        return
    if order[0] == "throat_b":
        yield _swapped()
        return
    yield turned("pick") if way else passed("pick", "a card reaches throat A, then B")
    hands.load(1)
    machine.shoot(Step(PICK | way, 250, "throat_b", 1), Step(PICK | way, 9), Step(0, 40))  # past the nip
    found = _transport(machine)
    if found.key == "no slot" and "axis" in bringup.open:
        found = untested("transport", "no slot is at the mouth", MEND)
    yield found
    hands.clear()


def _swapped() -> Check:
    what, cure = "throat A and B are swapped: a card reaches B first.", "Swap them in the config, or the plugs."
    return failed("swapped throat_a throat_b", what, cure, THROAT)


def _covered(machine: Machine, outputs: int) -> list[str]:
    return _seen(machine.shoot(Step(outputs, 300), Step(0, 50)))


def _seen(shot: Shot) -> list[str]:
    return [change.line for change in shot.changes if change.level and change.line in THROAT]


def _transport(machine: Machine) -> Check:
    shot = machine.shoot(Step(TRANSPORT, 200), Step(0, 30))
    clears = [change.line for change in shot.changes if not change.level and change.line in THROAT]
    if clears:
        return turned("transport") if clears[0] == "throat_b" else passed("transport", "a card leaves A, then B")
    shot = machine.shoot(Step(TRANSPORT | REVERSE, 200), Step(0, 30))
    if shot.at("throat_b", 0) is not None:
        return failed(
            "no slot",
            "the transport turns, but no slot is at the mouth where the home mark says.",
            "Turn the mark until a slot is there; if the axis turns the wrong way, swap the wires of one coil.",
        )
    return failed("dead transport", "the transport moves no card.", "Check the motor and outputs.transport.")


# -- cards -------------------------------------------------------------------------------------------------------------

IN = (Step(PICK | TRANSPORT, 300, "throat_b", 1), Step(PICK | TRANSPORT, 13), Step(TRANSPORT, 300, "throat_b", 0))


def card(bringup: Bringup) -> Iterator[Check]:
    """One card all the way."""
    yield from _cards(bringup, 1)


def cards(bringup: Bringup) -> Iterator[Check]:
    yield from _cards(bringup, CARDS)


def _cards(bringup: Bringup, count: int) -> Iterator[Check]:
    kind = bringup.mech["kind"]
    machine, hands = bringup.machine, bringup.machine.hands
    if kind == "draw":
        yield from _drawn(bringup, count)
        return
    hands.load(count)
    for number in range(1, count + 1):
        found = _WAYS[kind](bringup)
        if found is not None:
            hands.clear()
            yield found
            return
        if machine.level("hopper") and number == count:
            hands.clear()
            what = f"{count} cards were fed, and the hopper is not empty."
            yield failed("count", what, "Count the cards; look at pick roller and separation.")
            return
    hands.take()
    yield passed(
        f"{count} card{'s' if count > 1 else ''}", "from the hopper to the tray, seen by every beam on the way"
    )


def _in(machine: Machine, *more: Step) -> Check | None:
    shot = machine.shoot(*IN, *more, Step(0, 30))
    if not shot.done:
        cure = "Look at pick roller, throat, transport and mouth."
        return failed("feed", f"a card is not fed: the motion ended at step {shot.step + 1}.", cure)
    if shot.at("opacity", 1) is not None:
        cure = "Look at the separation; then at the opacity sensor, which must let one card pass."
        return failed("double opacity", "more than one card came, as the opacity sensor says.", cure)
    return None


def _through_carousel(bringup: Bringup) -> Check | None:
    found = _in(bringup.machine)
    if found is None and not bringup.machine.shoot(*EJECT).done:
        what = "the ejector pushes a card out, and the outfeed does not take it to the exit."
        found = failed("backwards outfeed", what, "Swap the two wires of the motor outfeed, or see whether it turns.")
    return found or _in_tray(bringup)


def _through_shelves(bringup: Bringup) -> Check | None:
    """Onto a shelf, and by the pusher into the tray. The lift that carries it back is the outfeed."""
    machine, mech = bringup.machine, bringup.mech
    found = _in(machine, Step(TRANSPORT, 300, "arrival", 0))
    if found is None:
        stroke_ms = mech["ejector_us"] // 1000
        machine.shoot(Step(EJECTOR, 2 * stroke_ms), Step(0, 4 * stroke_ms, "ejector", 0))
        found = _in_tray(bringup)
    return found


def _through_shoe(bringup: Bringup) -> Check | None:
    return _in(bringup.machine, Step(TRANSPORT, 300, "exit", 0)) or _in_tray(bringup)


def _in_tray(bringup: Bringup) -> Check | None:
    if bringup.machine.shoot(Step(0, 500)).level("tray"):
        return None
    return failed("dead tray", "a card is out, and the tray does not see it.", "Look at the tray's sensor.")


_WAYS = {"carousel": _through_carousel, "shelves": _through_shelves, "shoe": _through_shoe}


def _drawn(bringup: Bringup, count: int) -> Iterator[Check]:
    """A draw shoe has no motor: a hand draws the cards."""
    bringup.machine.hands.load(count)
    for _ in range(count):
        seen = _seen(drawn(bringup.machine))
        if seen[:2] != list(THROAT):
            what = f"a drawn card covered {seen or 'no beam'}."
            swapped = sorted(seen[:2]) == list(THROAT)
            yield _swapped() if swapped else failed("drawn", what, "It must cover throat A, then B.")
            return
    yield passed(f"{count} card{'s' if count > 1 else ''}", "drawn by hand, past throat A, then B")


def lift(bringup: Bringup) -> Iterator[Check]:
    """The lift of a shelf machine carries what lies in the tray back into the hopper."""
    machine, hands = bringup.machine, bringup.machine.hands
    hands.load(1)
    found = _through_shelves(bringup)
    if found is None:
        shot = machine.shoot(Step(OUTFEED, min(2 * bringup.mech["lift_us"] // 1000, 4900), "hopper", 1), Step(0, 20))
        if not shot.done:
            cure = "Swap the two wires of its motor, or see whether it turns."
            found = failed("backwards outfeed", "the lift does not bring the tray's cards to the hopper.", cure)
    hands.clear()
    yield found or passed("outfeed", "the lift brings the tray's cards to the hopper")
