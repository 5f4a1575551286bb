"""Makes the machine that the board config names. A device carries the modules of its own kind only."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from firmware.deck.ledger import Ledger
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec
    from firmware.machines.tray import Tray


def make_machine(spec: "Spec", ledger: "Ledger", meters: "Meters", tray: "Tray", order: "array[int]") -> "Any":
    if spec.kind == "carousel":
        from firmware.machines.carousel import Carousel as Kind
    elif spec.kind == "shelves":
        from firmware.machines.shelves import Shelves as Kind
    elif spec.kind == "shoe":
        from firmware.machines.motor_shoe import Shoe as Kind
    elif spec.kind == "draw":
        from firmware.machines.hand_shoe import Draw as Kind
    else:
        raise ValueError("no mechanism called " + spec.kind)
    return Kind(spec, ledger, meters, tray, order)
