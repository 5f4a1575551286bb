"""What storage has to keep besides events: the chain they are in, a table's facts, the device key.

Checked after every boot by rig/powercut_invariants.py. A power cut breaks no chain, wherever it comes; facts are what
the events on record make of them, from the first one on; the key is the old one or the new one, and the old one does
not stay behind."""

from firmware.games.table_facts import TableFacts
from rig.card_locations import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.app import App
    from rig.rig import Rig


class StorageInvariants:
    """`note` for every event on record, `check` after every boot."""

    def __init__(self, rig: "Rig") -> None:
        self.rig = rig
        self.flash = rig.config["nv"].get("kind") == "flash"
        self.facts = _blank(rig.app)
        self.key = rig.app.link.key
        self.key_sure = self.key  # before what a boot found that recorded nothing
        self.key_offered = b""  # the next key of a rotation under way

    def note(self, message: int, values: "list[int]", deck: int, round_number: int) -> None:
        self.facts.note(message, values, deck, round_number)

    def boot(self, made: bool) -> None:
        """Before one: whether the last boot had recorded anything, and thereby made sure of what it found."""
        if made:
            self.key_sure = self.key
        else:
            self.key = self.key_sure

    def check(self, app: "App") -> None:
        journal = app.journal
        if journal.broken:
            raise Finding("chain: broken at record %d of %d" % (journal.broken_seq, journal.seq_last))
        if app.flow.facts.row != self.facts.row:
            rows = (list(app.flow.facts.row), list(self.facts.row))
            raise Finding("facts: after a boot %s, by the records %s" % rows)
        self._check_key(app)

    def _check_key(self, app: "App") -> None:
        if app.link.key not in (self.key, self.key_offered):
            raise Finding("key: neither the old one nor the new one after a boot")
        if app.link.key == self.key:
            return
        old = self.key
        self.key = app.link.key
        # Flash keeps what was overwritten until its block comes round, and docs/STORAGE.md says so.
        if old and not self.flash and bytes(self.rig.nv.data).find(old) >= 0:
            raise Finding("key: the old one stays behind")


def _blank(app: "App") -> TableFacts:
    """TableFacts as a device has them that has recorded nothing."""
    facts = TableFacts(app.flow.profile)
    facts.once = app.flow.facts.once
    return facts
