"""The door of the machine: whether it is open, what was posted about it, and what an opening makes due."""

from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.outbox import Outbox


class Door:
    """Sole writer of its fields."""

    def __init__(self) -> None:
        self.is_open = False
        self.was_open = False  # open now, or since its last closing was posted
        self.opening_posted = False  # the opening was posted, the closing was not
        self.due = False  # must be opened before an acknowledgement counts
        self.prove_due = False  # opened since the machine was proved empty: something may lie inside

    def ask(self, due: bool) -> None:
        """A warning is latched: ask for the door to be opened, unless it is open."""
        self.due = due and not self.is_open

    def proved(self) -> None:
        """The machine is empty. An open door makes the next proof due at once."""
        self.prove_due = self.is_open

    def doubt(self) -> None:
        """Something may lie inside, though the door was not opened."""
        self.prove_due = True

    def watch(self, is_open: bool, outbox: "Outbox") -> bool:
        """Take its level and post each opening and closing. True: it was opened or closed just now.

        While the outbox is too full to post, the door may swing: one opening is posted once there is room, and its
        closing after it."""
        changed = is_open != self.is_open
        self.is_open = is_open
        if changed and is_open:
            self.was_open = True
            self.due = False
            self.prove_due = True
        if self.was_open and not self.opening_posted and outbox.roomy():
            self.opening_posted = True
            outbox.post(ids.EV_DOOR_OPENED)
        if self.opening_posted and not is_open and outbox.roomy():
            self.opening_posted = False
            self.was_open = False
            outbox.post(ids.EV_DOOR_CLOSED)
        return changed
