"""The recorder makes events durable and maintains the journal: seals, keys, room, the reason of a halt.

The app calls it only while no card moves.
"""

from micropython import const

from firmware.fault import FAULT_JOURNAL, FAULT_NONE, FAULT_POWER, FAULT_RESET
from firmware.games.flow import WAITING_FOR_DECK
from firmware.games.procedure import procedure_resume
from firmware.games.table_facts import OPEN, TAIL, TAIL_DECK
from firmware.journal.cells import CELL_SIZE
from firmware.journal.halts import halt_forget, halt_load
from firmware.journal.store import BODY_AT, DECK_AT
from firmware.journal.table_cells import LATE_EVENTS, facts_open
from firmware.protocol import ids
from firmware.version import VERSION_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.flow import Flow
    from firmware.image import Outputs
    from firmware.journal.outbox import Entry
    from firmware.journal.seals import Sealer
    from firmware.journal.seeds import Seeds
    from firmware.journal.store import Journal
    from firmware.link.commands import CommandRunner
    from firmware.link.service import Service
    from hal.api import Config, Hal

CAUSE_WATCHDOG = const(1)
READY_MAX = const(128)  # cells that storage can be made ready for: it would never be done with more
_ROUND_MARKS = (ids.EV_ROUND_STARTED, ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED, ids.EV_REMAINDER_TAKEN)
_ORDERING = (ids.EV_RECORDED, ids.EV_CARDS_ODD)  # events that carry what a rule orders for the round
FILLING_PART = const(3)  # of the journal left: time to look for the host, before rounds are refused


def make_signer(hal: "Hal", config: "Config", flow: "Flow", journal: "Journal", sealer: "Sealer") -> "Any":
    """None on a board that is shipped without it: fairshoe/ship/build.py."""
    try:
        from firmware.signing.signer import Signer
    except ImportError:
        return None
    return Signer(hal, config, flow, journal, sealer)


class Recorder:
    """Moves events from the outbox into the journal, and notifies seeds, seals, facts and commands."""

    def __init__(
        self,
        hal: "Hal",
        flow: "Flow",
        journal: "Journal",
        seeds: "Seeds | None",
        service: "Service",
        runner: "CommandRunner",
        boot: int,
    ) -> None:
        self.hal = hal
        self.flow = flow
        self.journal = journal
        self.seeds = seeds
        self.service = service
        self.sealer = service.sealer
        self.runner = runner
        self.outbox = flow.outbox
        self.book_store = facts_open(hal, journal, flow.facts)
        self.prefix = [0, boot, 0, 0, 0, 0, 0]
        self.utc_offset_s = 0  # UTC minus uptime; 0: not set
        self.utc_offset_next = 0  # takes effect with the record of the change
        self.halted = False  # storage still says why the firmware stopped last time
        self.filling_reported = False
        self.ready_seq = 0  # the last record when storage was made ready for a round
        self.readying = False  # that takes more steps

    def announce(self, out: "Outputs", board_crc: int, now_ms: int) -> None:
        """After a boot: post what comes first, and end what was going on before."""
        flow = self.flow
        journal = self.journal
        flow.set_round(journal.round_last, False)
        # A round that a rule voids may be that of the other deck, or of a shoe that goes on: it ends no intent.
        interrupted = journal.last_of(ids.INTENTS, ids.OUTCOMES, ids.EV_ROUND_VOIDED)
        if interrupted not in ids.INTENTS:
            interrupted = 0
        deck = journal.buf[DECK_AT] if interrupted else 0
        round_mark = journal.last_of((ids.EV_ROUND_STARTED,), (ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED))
        round_open = round_mark == ids.EV_ROUND_STARTED and not flow.facts.row[TAIL]
        self.outbox.round = flow.round_last if round_open else 0
        self.outbox.deck = flow.facts.row[TAIL_DECK] if round_open else deck
        cause = self.hal.reset_cause()
        halted_boot, halted = halt_load(self.hal)
        self.halted = halted_boot != 0
        text = VERSION_TEXT + bytes(8 - len(VERSION_TEXT)) + halted
        self.outbox.post(ids.EV_BOOTED, cause, board_crc, halted_boot, text=text)
        if journal.broken:
            self.outbox.post(ids.EV_JOURNAL_BROKEN, journal.broken, journal.broken_seq)
        self.runner.recover()
        if journal.last_of((ids.EV_DECK_REMOVED,), (ids.EV_COMMAND_ACCEPTED,)) == ids.EV_DECK_REMOVED:
            # The count is on record, and power may have been lost before it was added to a command in doubt.
            self.runner.found(journal.u16(BODY_AT))
        lost = FAULT_RESET if self.halted or cause == CAUSE_WATCHDOG else FAULT_POWER
        warning = journal.warning or (FAULT_NONE if lost == FAULT_POWER else lost)
        voiding = self._voiding()
        procedure_resume(flow, out, interrupted, round_open, warning, lost, now_ms, journal.sensor, voiding)
        known = journal.last_of((ids.EV_SEALED,), (ids.EV_KEY_CHANGED,))
        generation = self.sealer.keys.generation()
        if journal.seq_last and generation != (journal.u16(BODY_AT) if known else 0):
            # Power was lost between the change of a key and its record.
            self.outbox.post(ids.EV_KEY_CHANGED, generation, ids.KEY_RECOVERED)
        if journal.missed:
            raise OSError("no storage")  # what a start does not find it takes for never recorded

    def _voiding(self) -> int:
        """The rule by which the last record voids the open round, if power was lost before that void was recorded; -1
        if none does. Both are posted at once, so nothing of the round can lie between them."""
        journal = self.journal
        row = self.flow.facts.row
        message = journal.last_of(_ORDERING, _ROUND_MARKS)
        if message not in _ORDERING or not (row[OPEN] or row[TAIL]):
            return -1
        buf = journal.buf
        at = BODY_AT + (5 if message == ids.EV_RECORDED else 2)  # the clause; what it orders follows
        order = buf[at + 8]
        if not ids.ALL_VOID_RESHUFFLE <= order <= ids.ALL_VOID:
            return -1
        return self.flow.profile.rule_like(bytes(buf[at : at + 8]).rstrip(b"\0"), order)

    def utc_s(self) -> int:
        return self.utc_offset_s + self.outbox.uptime_s if self.utc_offset_s else 0

    def record_all(self) -> bool:
        """Record all posted events. True if there were any."""
        busy = False
        while self.outbox.count:  # bounded by the outbox
            if not self._record():
                break
            busy = True
        # While an event cannot be stored there is room for no round: the hold stays until it is.
        room = self.journal.room()
        self.flow.room = room if not self.outbox.count else -1 if room else 0
        return busy

    def _record(self) -> bool:
        """Make the oldest posted event durable. On failure it stays posted: nothing can start until it is recorded."""
        entry = self.outbox.head()
        prefix = self.prefix
        prefix[2] = entry.uptime_s
        prefix[3] = entry.uptime_ms
        if entry.message == ids.EV_CLOCK_SET:
            self.utc_offset_s = self.utc_offset_next
        prefix[4] = self.utc_offset_s + entry.uptime_s if self.utc_offset_s else 0
        prefix[5] = entry.round
        prefix[6] = entry.deck
        journal = self.journal
        full = journal.room() <= 0
        if full and journal.boot_last < prefix[1]:
            journal.keep_boot(prefix[1])
        if full or not journal.append(entry.message, prefix, entry.values, entry.text):
            self.flow.set_hold(FAULT_JOURNAL)
            return False
        self.outbox.drop_head()
        self._tell(entry)
        return True

    def _tell(self, entry: "Entry") -> None:
        """Notify seeds, seals, facts and commands of a recorded event."""
        message = entry.message
        # The end of a round concerns the deck it was played with, which need not be the one inside.
        if self.seeds and (message != ids.EV_ROUND_ENDED or entry.deck == self.outbox.deck):
            self.seeds.note(message)
        self.sealer.note(message)
        self.flow.facts.note(message, entry.values, entry.deck, entry.round)
        if message == ids.EV_RECORDED or message == ids.EV_STACK_TAKEN:
            self.flow.redraw()  # the need may have changed
        elif message == ids.EV_DECK_REMOVED:
            self.runner.found(entry.values[0])

    def keep_house(self) -> bool:
        """Maintain the journal once all events are in it. True if that posted more."""
        if self.halted:
            self.halted = not halt_forget(self.hal)
        self.sealer.keys.settle()
        self.service.tell()
        journal = self.journal
        room = journal.room()
        low = room < journal.capacity // FILLING_PART
        if low and not self.filling_reported:
            self.outbox.post(ids.EV_JOURNAL_FILLING, journal.seq_last - journal.seq_acked, room)
        self.filling_reported = low
        if room > 1 and (self.sealer.due() or (self.service.waits() and self.sealer.open())):
            self.outbox.post(ids.EV_SEALED, self.sealer.keys.generation())
        elif self.outbox.count == 0:
            self.service.change()
        facts = self.flow.facts
        if facts.dirty and (self.flow.meters.dirty or journal.seq_last - self.book_store.seq >= LATE_EVENTS):
            # Between jobs, and long before the journal recycles what is newer than the stored row.
            facts.dirty = not self.book_store.save(facts.row, journal.seq_last)
        if self.flow.state == WAITING_FOR_DECK and self.ready_seq != journal.seq_last:
            # Between rounds storage may take its time, a step at a call: in the next one every write is quick.
            self.readying = not self.hal.nv_erase(0, min(self.flow.profile.round_events, READY_MAX) * CELL_SIZE)
            if not self.readying:
                self.ready_seq = journal.seq_last
        else:
            self.readying = False
        return self.outbox.count != 0 or self.refuse()

    def refuse(self) -> bool:
        """Store the number of a refused command in the mark of its lane. True if that was done."""
        runner = self.runner
        role = runner.refused
        if role and self.journal.refuse(role, runner.lanes.by_role[role]):
            runner.refused = 0
            return True
        return False
