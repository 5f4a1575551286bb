"""What must hold across power cuts, judged by what the firmware did and not by how it stores it.

An event counts as recorded when it leaves the outbox. From there on it exists once, for ever, and with the contents it
had; what was going on when power failed is void, is said to be so, and nothing of it continues before a press or a
command. One that was being written when power failed is there or not, and on flash that may differ from boot to boot
until one has recorded something: before that it must not be reported. A broken invariant raises Finding, as those of
rig/invariants.py do.
"""

from firmware.fault import FAULT_POWER, FAULT_RESET
from firmware.games.profile import EXTRA_FIRST_CLOSES
from firmware.games.table_facts import TAIL
from firmware.machines.machine import JOB_RUNNING
from firmware.protocol import ids, table
from rig.answers import Answers
from rig.card_locations import Finding
from rig.storage_invariants import StorageInvariants
from rig.void_due import clause_of, held, voiding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from firmware.app import App
    from firmware.journal.lanes import Lane
    from rig.story import Stage

    Known = tuple[tuple[int, bool, int, int, int, int], bytes, bytes]
    State = tuple[Known, list[tuple[int, list[int]]], Any, bytearray]
    Record = tuple[int, int, list[int], bytes, int]  # message, round, values, text, deck

ROLLERS = 4  # the first outputs: pick, transport, ejector, outfeed
# Whether storage says why the firmware halted: it must, or it may, because that was reported already.
HALT_NONE, HALT_UNTOLD, HALT_TOLD = range(3)
TOTALS = 7  # meters that only ever grow: the first ones
# Each of these follows a press of a button, or a command in its place: once for every press.
_ASKED_BY = {
    ids.EV_SHUFFLE_STARTED: "green",
    ids.EV_DECK_LOADED: "green",
    ids.EV_ROUND_STARTED: "close",
    ids.EV_LOCKOUT_CONFIRMED: "lock",
    ids.EV_GREEN_PRESSED: "green",
    ids.EV_ROUND_ENDED: "green",
    ids.EV_REMOVAL_STARTED: "ack",
}
_NAMES = {message: spec.split()[0] for message, _kind, spec in table.MESSAGES}


class PowercutInvariants:
    """Watches one stage through all its boots. `scan` after every scan, `hand` before whatever a person does."""

    def __init__(self, stage: "Stage") -> None:
        self.rig = stage.rig
        self.peer = stage.peer  # the host that keeps events; others only pass by
        self.recorded: "dict[int, Record]" = {}
        self.seq_last = 0
        self.storage = StorageInvariants(self.rig)
        self.perhaps: "list[Record]" = []  # were about to be recorded when power failed
        self.seq_sure = 0  # if the next boot finds them
        self.before: "State | None" = None  # what held there, if this boot found more
        self.made = True  # something was recorded since the last boot: from there on what it found is sure
        self.heard = 0  # events of the host that were looked at
        self.intent = 0  # an open one
        self.round_open = False
        self.stacks = 0  # of the open round, reported as taken
        self.voiding = b""  # the clause by which the last record voids a round whose void is not on record yet
        self.warning = 0
        self.sensor = 0  # that it names
        self.owed: "list[tuple[int, list[int]]]" = []  # what the records must say next, since the last boot
        self.clause = b""  # of the void among them
        self.guard = False  # something was cut short or latched: nothing may turn until it is acknowledged
        self.acted = False  # a person or a host has acted since the last boot
        self.asked: "dict[str, int]" = {}  # presses since the last boot that nothing has come of
        self.asked_sure: "dict[str, int]" = {}  # and those before it, for what a boot finds that recorded nothing
        self.answers = Answers(self.peer)
        self.meters = [0] * TOTALS  # as they were before the last job
        self.meters_idle = self.meters
        self.meters_top = [0] * TOTALS
        self.meters_sure = [0] * TOTALS  # before what a boot found that recorded nothing
        self.meters_failed = False  # storage did not take them
        self.job = 0
        self.seed = b""  # of the deck in play
        self.seeds: "list[bytes]" = []  # every one that was ever drawn
        self.halt = HALT_NONE
        self.reboot = self.rig.boot
        self.rig.boot = self._boot
        self._hook(self.rig.app)

    # -- asked by the invariants -----------------------------------------------------------------------------------

    def scan(self) -> None:
        rig = self.rig
        self._check_delivered()
        self.answers.check()
        if not rig.powered:
            return
        plant = rig.plant
        if plant.axis.moving or any(plant.outputs):
            self._check_turning()
        flow = rig.app.flow
        if flow.machine.state != JOB_RUNNING:
            self.meters_idle = flow.meters.values[:TOTALS]
        elif self.job != JOB_RUNNING:
            self.meters = self.meters_idle  # not those of now: a job may count with its first step
        self.job = flow.machine.state

    def hand(self, action: str, arguments: "dict[str, Any]") -> None:
        if action == "press":
            self.acted = True
            self._ask(str(arguments["button"]))
        elif action == "draw":
            self._ask(action)
        elif action == "command":
            self.acted = True

    def seed_told(self, seed: bytes) -> None:
        """The device gave an auditor this seed, or zeros."""
        if not any(seed):
            return
        if seed == self.seed:
            raise Finding("seed: of the deck in play was disclosed")
        if seed not in self.seeds:
            raise Finding("seed: told, and never drawn")

    def finish(self) -> None:
        """With a host that has heard everything."""
        self._check_delivered()
        if self.owed:
            raise Finding("void: no %s after a boot" % _NAMES[self.owed[0][0]])
        if self.heard != self.seq_last:
            raise Finding("delivery: %d events of %d arrived" % (self.heard, self.seq_last))
        self.answers.finish()

    # -- boots -----------------------------------------------------------------------------------------------------

    def _boot(self, cause: int = 0) -> None:
        """Power comes back, or a reset: what is there now must be what was there before."""
        old = self.rig.app
        top = old.flow.meters.values[:TOTALS]
        if self.made:
            self.perhaps = []
            self.meters_top = top
            self.meters_sure = self.meters
            self.asked_sure = {}
        else:
            self.meters_top = [max(self.meters_top[i], top[i]) for i in range(TOTALS)]
            self.meters = self.meters_sure
            if self.before is not None:
                self._unmake(self.before)
        for button, count in self.asked_sure.items():
            self.asked[button] = self.asked.get(button, 0) + count
        self.asked_sure = dict(self.asked)
        if old.outbox.count:
            self.perhaps.append(_copy(old.outbox.head()))
        self.storage.boot(self.made)
        self.made = False
        self.before = None
        if self.rig.halted:
            self.halt = HALT_UNTOLD
        elif self.rig.crash_name:
            self.halt = HALT_TOLD  # power was lost over its last word
        self.reboot(cause)
        if not self.rig.powered:
            return  # cut again, by a write of the boot itself
        app = self.rig.app
        self._check_records(app)
        self._check_meters(app)
        self.storage.check(app)
        self.asked = {}
        self.acted = False
        self.guard = self.intent != 0 or self.round_open or self.warning != 0 or cause != 0 or self.halt == HALT_UNTOLD
        self.job = 0
        self._hook(app)

    def _check_records(self, app: "App") -> None:
        found = app.journal.seq_last
        if found < self.seq_last:
            raise Finding("lost: event %d was recorded, the boot knows of %d" % (self.seq_last, found))
        self.seq_sure = self.seq_last
        if found > self.seq_last:
            self.before = self._state()
        for seq in range(self.seq_last + 1, found + 1):
            message = app.journal.load(seq)
            records = [record for record in self.perhaps if record[0] == message]
            if not records:
                raise Finding("sequence: the boot knows of event %d, recorded were %d" % (found, self.seq_last))
            self._note(seq, records[-1])
        for role in range(1, ids.LANE_COUNT):
            lane = app.journal.lanes.by_role[role]
            self.answers.found(role, lane.op, [lane.outcome, lane.reason, lane.detail])

    def _state(self) -> "State":
        """What a record changes, as it is now."""
        numbers = (self.intent, self.round_open, self.stacks, self.warning, self.sensor, self.halt)
        known = (numbers, self.seed, self.voiding)
        return known, list(self.owed), self.answers.state(), self.storage.facts.row[:]

    def _unmake(self, state: "State") -> None:
        """What a boot had found that recorded nothing: the next one may find less."""
        for seq in range(self.seq_sure + 1, self.seq_last + 1):
            del self.recorded[seq]
        self.seq_last = self.seq_sure
        known, self.owed, answers, row = state
        numbers, self.seed, self.voiding = known
        self.intent, self.round_open, self.stacks, self.warning, self.sensor, self.halt = numbers
        self.answers.restore(answers)
        self.storage.facts.row[:] = row

    def _check_meters(self, app: "App") -> None:
        values = app.flow.meters.values
        for i in range(TOTALS):
            if values[i] > self.meters_top[i]:
                raise Finding("meters: number %d was %d, after a boot %d" % (i, self.meters_top[i], values[i]))
            if values[i] < self.meters[i] and not self.meters_failed:
                raise Finding("meters: number %d was %d before the last job, %d now" % (i, self.meters[i], values[i]))
        self.meters = self.meters_idle = values[:TOTALS]
        self.meters_failed = False

    def _hook(self, app: "App") -> None:
        """Note every record made, every seed drawn, and meters that could not be stored."""
        outbox = app.outbox
        drop_head = outbox.drop_head
        save = app.meter_store.save

        def dropped() -> None:
            record = _copy(outbox.head())
            drop_head()
            self.made = True
            self._note(app.journal.seq_last, record)

        def saved(values: "list[int]") -> bool:
            done = save(values)
            self.meters_failed = not done
            return done

        refuse = app.journal.refuse

        def refused(role: int, lane: "Lane") -> bool:
            done = refuse(role, lane)
            if done:
                self.answers.refuse(role, lane.op, [lane.outcome, lane.reason, lane.detail])
            return done

        app.journal.refuse = refused
        outbox.drop_head = dropped
        app.meter_store.save = saved
        if app.shuffler is not None:
            self._hook_shuffler(app)

    def _hook_shuffler(self, app: "App") -> None:
        draw = app.shuffler.draw

        def drawn(order: "array[int]", count: int) -> bool:
            done = draw(order, count)
            if done:
                self.seed = bytes(app.shuffler.seed)
                self.seeds.append(self.seed)
            return done

        app.shuffler.draw = drawn

    # -- records ---------------------------------------------------------------------------------------------------

    def _note(self, seq: int, record: "Record") -> None:
        """An event was recorded, as this number."""
        message, round_number, values, text, deck = record
        if seq != self.seq_last + 1:
            raise Finding("sequence: %s recorded as %d after %d" % (_NAMES[message], seq, self.seq_last))
        self.seq_last = seq
        self.recorded[seq] = record
        self.storage.note(message, values, deck, round_number)
        if message in (ids.EV_COMMAND_ACCEPTED, ids.EV_COMMAND_ENDED):
            self._ask(self.answers.note(message, values))
            return
        if message == ids.EV_BOOTED:
            self._owe(values)
        elif self.owed:
            self._pay(record)
        if message in _ASKED_BY:
            self._check_asked(message)
        if message in ids.DECK_OUT:
            self.seed = b""
        if message in ids.INTENTS:
            self.intent = message
        elif message in ids.OUTCOMES and (message != ids.EV_ROUND_VOIDED or values[0]):  # by a rule: not of the machine
            self.intent = 0
        self.voiding = voiding(self.voiding, self.rig.app.flow, message, values, text)
        if message == ids.EV_ROUND_STARTED:
            self.round_open = not self.rig.app.flow.profile.mode  # dealt by hand, it outlives the cut
            self.stacks = 0
        elif message == ids.EV_STACK_TAKEN:
            self.stacks = max(self.stacks, values[0])
        elif message in (ids.EV_REMAINDER_TAKEN, ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED):
            self.round_open = False  # once every card is out there is nothing left that could be cut short
        elif message == ids.EV_HELD_BACK and values[0] == ids.NEED_HOUSE_DECISION:
            self.round_open = False  # the house decides about it, and no power cut
        elif message == ids.EV_DECK_REMOVED and values[0] != ids.UNKNOWN_U16:
            self.answers.count(values[0])
        elif message == ids.EV_WARNING_LATCHED:
            self.warning = values[0]
            self.sensor = values[2]
        elif message == ids.EV_WARNING_CLEARED:
            self.warning = self.sensor = 0

    def drawn(self) -> bool:
        """Whether the cards of an open round are in a shoe that is drawn by hand."""
        flow = self.rig.app.flow
        return flow.machine.draws and flow.facts.row[TAIL] != 0

    def _owe(self, booted: "list[int]") -> None:
        """The events that a boot must record for what it found."""
        lost = self._lost(booted[0], booted[2])
        self.owed = []
        self.clause = self.voiding or clause_of(self.rig.app.flow.profile, self.warning, self.stacks)
        if self.intent or self.round_open:
            self.owed.append((ids.EV_WARNING_LATCHED, [lost]))
            self.owed.append((ids.EV_POWER_LOST, [self.intent, 1 if self.round_open or self.drawn() else 0]))
        elif self.warning or lost == FAULT_RESET:
            self.owed.append((ids.EV_WARNING_LATCHED, [self.warning or lost, 0, self.sensor]))
        if self.voiding:
            self.owed.append((ids.EV_ROUND_VOIDED, [0]))
        elif self.round_open and held(self.rig.app.flow.profile, self.warning):
            self.owed.append((ids.EV_HELD_BACK, [ids.NEED_HOUSE_DECISION]))
        elif self.round_open:
            voided = [self.warning or lost, self.stacks, ids.UNKNOWN_U16, ids.UNKNOWN_U16]
            self.owed.append((ids.EV_ROUND_VOIDED, voided))
        self.answers.doubt()

    def _lost(self, cause: int, halted: int) -> int:
        """What ended the last boot; a halt is reported until that is on record, and perhaps once more."""
        if self.halt != HALT_TOLD and (halted != 0) != (self.halt == HALT_UNTOLD):
            raise Finding("halt: of the firmware, %s" % ("and none was" if halted else "and it was not reported"))
        self.halt = HALT_TOLD if halted else HALT_NONE
        if halted:
            self.guard = True
        return FAULT_RESET if cause or halted else FAULT_POWER

    def _pay(self, record: "Record") -> None:
        message, values = self.owed.pop(0)
        if record[0] != message:
            raise Finding("void: a boot said %s instead of %s" % (_NAMES[record[0]], _NAMES[message]))
        if record[2][: len(values)] != values:
            raise Finding("void: %s says %s, not %s" % (_NAMES[message], record[2], values))
        if message == ids.EV_ROUND_VOIDED and record[3] != self.clause:
            raise Finding("void: by clause %s, not %s" % (record[3], self.clause))

    def _ask(self, button: str) -> None:
        """Note a press, or a command in its place; with no argument, that no person acted."""
        if button:
            self.asked[button] = self.asked.get(button, 0) + 1
        if button == "ack":
            self.guard = False

    def _check_asked(self, message: int) -> None:
        button = _ASKED_BY[message]
        extras = self.rig.app.flow.profile.extras
        if message == ids.EV_ROUND_STARTED and extras & EXTRA_FIRST_CLOSES and not self.asked.get(button, 0):
            button = "draw"  # in such a game the first card begins the round
        left = self.asked.get(button, 0)
        if not left:
            raise Finding("resume: %s, without a press of %s" % (_NAMES[message], button))
        self.asked[button] = left - 1

    # -- what is reported, and what moves ------------------------------------------------------------------------------

    def _check_delivered(self) -> None:
        events = self.peer.events
        while self.heard < len(events):
            event = events[self.heard]
            self.heard += 1
            if event.seq != self.heard:
                raise Finding("delivery: event %d arrived in the place of %d" % (event.seq, self.heard))
            if event.seq > (self.seq_last if self.made else self.seq_sure):
                raise Finding("early: event %d, %s, was reported and not recorded" % (event.seq, event.name))
            message, round_number, values, _text, _deck = self.recorded[event.seq]
            if event.name != _NAMES[message] or event.round != round_number:
                raise Finding("content: event %d was %s, now %s" % (event.seq, _NAMES[message], event.name))
            if event.fields != values[: len(event.fields)]:
                raise Finding("content: %s was %s, now %s" % (event.name, values, event.fields))

    def _check_turning(self) -> None:
        """Nothing turns before a warning is acknowledged, and no roller without an intent on record."""
        if self.guard:
            raise Finding("resume: something turns before the warning is acknowledged")
        if not self.intent and any(self.rig.plant.outputs[:ROLLERS]):
            raise Finding("intent: a roller turns and no record says why")


def _copy(entry: "Any") -> "Record":
    return entry.message, entry.round, list(entry.values), entry.text, entry.deck
