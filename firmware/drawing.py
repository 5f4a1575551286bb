"""How an order comes about: draw a seed, commit to it, take the table's nonce if it gives one, draw the order.

A table system that asks for it gives a nonce to every shuffle of its session. The commitment is on record and on the
line before the nonce can be known, and the nonce is on record before a card moves: neither side chooses the order
alone. The device waits audit.nonce_ms; then the order comes from the seed alone, and the record says so. What stops a
shuffle between commitment and order is recorded and counted: a side that did so until it likes the result would be
seen.
"""

from struct import pack

from micropython import const

from firmware.answers import Answers
from firmware.deck.shuffler import Shuffler
from firmware.digest import DIGEST_SIZE
from firmware.games.flow import (
    COMMIT_MS_MAX,
    ORDER_FAILED,
    ORDER_NONE,
    ORDER_OFFERED,
    ORDER_READY,
    ORDER_WANTED,
)
from firmware.games.table_facts import ABORTED
from firmware.journal.seeds import Seeds
from firmware.link.admission import link_alive
from firmware.protocol import ids
from firmware.protocol.frame import HEADER_SIZE
from firmware.ticks import ticks_add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.flow import Flow
    from firmware.journal.store import Journal
    from firmware.link.admission import Link
    from hal.api import Config, Hal

NONCE_MS = const(3000)  # for the nonce of a table that asks to give one: two of its frames may be lost
_NONCE_AT = HEADER_SIZE + 5  # behind how and seq


class Drawing:
    """`seq` is the number of the commitment that waits for a nonce; 0: none does."""

    def __init__(self, hal: "Hal", config: "Config", boot: int, flow: "Flow", journal: "Journal") -> None:
        self.shuffler = Shuffler(hal, config, boot)
        self.device = hal.unique_id()
        audit = config.get("audit", {})
        self.nonce_ms = audit.get("nonce_ms", NONCE_MS)
        self.flow = flow
        self.journal = journal
        # A deck that is dealt elsewhere may be in play for hours after it was handed out: its seed stays secret.
        self.seeds = Seeds(hal, flow.machine.deals and audit.get("seeds") == "disclose")
        self.link: "Link"
        self.answers: Answers
        self.open = False  # hosts may command
        self.asked = 0  # the session whose host wants to give nonces
        self.seq = 0
        self.how = 0
        self.nonce = b""

    def attach(self, app: "Any", mode: int) -> None:
        app.reporter.drawing = self
        self.answers = Answers(app)
        self.link = app.link
        self.open = mode == ids.MODE_TABLE

    def halt(self) -> None:
        """The motors were stopped. If a fault did so, no order will be drawn from the seed."""
        if self.flow.order_state == ORDER_NONE:
            self.shuffler.forget()

    def receive(self, values: "list[int]", now_ms: int) -> bool:
        """Take a message `nonce` of a keyed session: the request for all its shuffles, or the answer to one commitment.
        The first answer counts. False: refuse it."""
        link = self.link
        flow = self.flow
        how = values[0]
        if not self.open or not ids.ROLE_TABLE <= link.session.role < ids.LANE_COUNT:
            return False
        if how == ids.NONCE_ASKED:
            self.asked = link.session.number
            return True
        if how > ids.NONCE_DECLINED or values[1] != self.seq or flow.order_state != ORDER_OFFERED or flow.outbox.count:
            return False
        self.how = how
        if how == ids.NONCE_GIVEN:
            self.nonce = bytes(link.reader.buf[_NONCE_AT : _NONCE_AT + DIGEST_SIZE])
        flow.set_entered(now_ms)
        flow.set_order(ORDER_WANTED)
        return True

    def step(self, now_ms: int) -> bool:
        """Do what is due, while nothing moves and everything posted is on record. True if anything was."""
        flow = self.flow
        if flow.order_state == ORDER_WANTED:
            if self.seq:
                self._answered()
            elif self.shuffler.entropy.gather():  # a slice a scan
                self._commit(now_ms)
            return True
        if self.seq and flow.order_state == ORDER_NONE:
            self.abort()
            return True
        if self.seeds.out and not flow.tail and (flow.warning or flow.ledger.inside() == 0):
            self.seeds.end()  # everything about the end is durable, and nothing of the deck can be dealt any more
        return False

    def abort(self) -> None:
        """Record that a shuffle ended between its commitment and its order."""
        self.seq = 0
        count = min(self.flow.facts.word(ABORTED) + 1, ids.UNKNOWN_U16)
        self.flow.outbox.post(ids.EV_SHUFFLE_NONCE, ids.NONCE_ABORTED, count)

    def _commit(self, now_ms: int) -> None:
        flow = self.flow
        shuffler = self.shuffler
        if not shuffler.commit():
            flow.set_order(ORDER_FAILED)
            return
        if flow.tail:
            self.seeds.drop()
        seq = self.journal.seq_last + 1
        if not self.seeds.hold(seq, flow.profile.deck_cards, shuffler.seed):
            shuffler.forget()
            flow.set_order(ORDER_NONE)  # storage failed: the step that waits for it will say so
            return
        waits = self.asked == self.link.session.number != 0 and link_alive(self.link, now_ms)
        wait_ds = self.nonce_ms // 100 if waits else 0
        flow.outbox.post(ids.EV_SHUFFLE_COMMITTED, wait_ds, text=shuffler.commitment)
        if not wait_ds:
            self._fill()
            return
        self.seq = seq
        self.how = ids.NONCE_LATE  # unless an answer comes
        self.nonce = b""
        flow.set_entered(ticks_add(now_ms, self.nonce_ms - COMMIT_MS_MAX))  # flow_await_commit ends the wait
        flow.set_order(ORDER_OFFERED)

    def _answered(self) -> None:
        """The table's answer is there, or the wait is over."""
        if self.nonce:
            self.shuffler.share = self.nonce + pack("<II", self.device, self.seq)
        self.seq = 0
        self.flow.outbox.post(ids.EV_SHUFFLE_NONCE, self.how, self.flow.facts.word(ABORTED), text=self.nonce)
        self._fill()

    def _fill(self) -> None:
        self.shuffler.draw(self.flow.order, self.flow.profile.deck_cards)
        self.shuffler.forget()
        self.flow.set_order(ORDER_READY)
