"""What a warning has measured: the length of a card that was none, or a figure that is not as configured."""

from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.outbox import Outbox
    from firmware.machines.spec import Spec


def add_length(spec: "Spec", outbox: "Outbox") -> None:
    """To the warning that was posted last."""
    if spec.odd_um:
        outbox.add(spec.odd_um, spec.card_um)
        spec.odd_um = 0


def post_figure(spec: "Spec", outbox: "Outbox") -> None:
    """After the end of job and round: those follow from the warning, and nothing may come between."""
    if spec.figure:
        outbox.post(ids.EV_NOT_AS_CONFIGURED, spec.figure, spec.measured, spec.configured)
        spec.figure = 0
