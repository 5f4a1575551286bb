"""Lamps, one at a time. A person says by a button which one is lit, and does not know which one should be.

The order is another one each time, and once no lamp is lit: who does not look is right once in 24 times.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from fairshoe.bringup.checks import MEND, UNSEEN, Bringup, Check, failed, passed, untested
from fairshoe.bringup.inputs import look, moved_lines
from fairshoe.calibrate.hands import LAMP_BUTTONS, LAMPS, MORE
from fairshoe.calibrate.machine import Step


def lamps(bringup: Bringup) -> Iterator[Check]:
    """What is seen when each lamp is switched on alone, and when none is."""
    wired = [name for name in LAMPS if f"lamp_{name}" in bringup.config["outputs"]]
    if "inputs" in bringup.open:
        yield untested("lamps", "a button says which lamp is lit", MEND)
    elif not wired or len(bringup.wired(*LAMP_BUTTONS.values())) < len(LAMP_BUTTONS):
        yield untested("lamps", f"{', '.join(wired) or 'none'}: there are no buttons to answer with", UNSEEN)
    else:
        bringup.enter()
        yield from judge({name: _seen(bringup, name) for name in random.sample(["", *wired], len(wired) + 1)})


def _seen(bringup: Bringup, lamp: str) -> str | None:
    """The lamp that a person sees lit; "": none, MORE: several. None: no answer."""
    machine, hands = bringup.machine, bringup.machine.hands
    bits = 1 << LAMPS.index(lamp) if lamp else 0
    machine.shoot(Step(bits, 0, "lamps"), Step(0, 1))
    rest = look(machine)
    hands.say_lamp()
    moved = moved_lines(bringup, rest)
    said = next((name for name, button in LAMP_BUTTONS.items() if moved.get(button)), None)
    if said is not None:
        hands.cover(LAMP_BUTTONS[said], False)
        moved_lines(bringup, rest, back=True)
    return said


def judge(seen: dict[str, str | None]) -> Iterator[Check]:
    """`seen`: for each lamp that was switched on, and for none, what was lit."""
    always = seen.get("")
    if always:
        lit = "more than one lamp" if always == MORE else f"lamp_{always}"
        yield failed(
            f"stuck {lit.split()[0]}", f"{lit} is lit although none is switched on.", "Look for a short there."
        )
        return
    for lamp in filter(seen.__contains__, LAMPS):
        lit = seen[lamp]
        if lit == lamp:
            yield passed(f"lamp_{lamp}", "lit alone, as a button says")
        elif lit and seen.get(lit) == lamp:
            yield _swapped(lamp, lit)
        elif lit in LAMPS:
            cure = f"Bring the wire of that lamp to the pin of outputs.lamp_{lit}."
            yield failed(f"moved lamp_{lamp}", f"outputs.lamp_{lamp} lights the {lit} lamp.", cure)
        elif lit == MORE:
            yield failed(
                f"joined lamp_{lamp}", f"lamp_{lamp} lights another lamp too.", "Look for a short between them."
            )
        else:
            cure = f"Check the lamp, its supply and the wire of outputs.lamp_{lamp}."
            what = "no button was held" if lit is None else "none is lit"
            yield failed(f"dead lamp_{lamp}", f"lamp_{lamp} is switched on, and {what}.", cure)


def _swapped(*names: str) -> Check:
    one, other = (f"lamp_{name}" for name in sorted(names, key=LAMPS.index))
    what, cure = (
        f"{one} and {other} are swapped.",
        f"Swap outputs.{one} and outputs.{other} in the config, or the plugs.",
    )
    return failed(f"swapped {one} {other}", what, cure, (one, other))
