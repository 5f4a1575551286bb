"""What hosts ask for beside events: seeds, what became of a key, records of the journal, lines of the dictionary.

One of each kind waits at a time, and each costs a frame: a host that asks too fast gets one answer.
"""

from micropython import const

from firmware.digest import DIGEST_SIZE
from firmware.journal.cells import CRC_AT
from firmware.link.admission import link_send_bytes, link_send_text
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from firmware.journal.seeds import Seeds
    from firmware.journal.store import Journal
    from firmware.link.admission import Link
    from firmware.link.service import Service

    class Signer(Protocol):
        """Makes signatures; not on every board."""

        work: object
        answer: bytes

        def ask(self) -> None: ...

        def step(self, utc_s: int) -> bool: ...

    class Diagnosis(Protocol):
        """firmware/diagnosis.py, seen from here."""

        def receive(self, message: int) -> None: ...

        def decide(self, now_ms: int) -> int: ...

        def answer(self, link: "Link") -> bool: ...

    class Words(Protocol):
        """The dictionary, from memory or a file."""

        count: int
        hash: bytes

        def line(self, index: int) -> bytes: ...


_NOTHING = const(-1)
PUBLIC_SIZE = const(32)


class Queries:
    """Questions that wait for an answer."""

    def __init__(self, journal: "Journal", seeds: "Seeds | None", service: "Service", words: "Words") -> None:
        self.journal = journal
        self.words = words
        self.seeds = seeds  # None: the machine does not shuffle
        self.service = service
        self.seed = False
        self.record = _NOTHING  # which one; 0: what there is
        self.line = _NOTHING
        self.values = [0] * 4
        self.signer: "Signer | None" = None  # by the app, on a device that has the code
        self.signing = False  # a host waits for a signature
        self.session = 0  # number of that host's session
        self.diagnosis: "Diagnosis | None" = None  # by the app, in the diagnostic mode

    def answer_private(self, link: "Link") -> bool:
        """Seeds, keys and diagnoses, in the session that asked for them. True if a frame was built."""
        return (
            (self.service.answer_due and self._tell_key(link))
            or (self.seed and self._tell_seed(link))
            or (self.diagnosis is not None and self.diagnosis.answer(link))
        )

    def answer_public(self, link: "Link", utc_s: int) -> bool:
        """The journal and the dictionary. Many may ask, and so it comes last: a flood of questions must not hold up
        anything else. True if a frame was built."""
        if self.record > 0 and self._tell_record(link):
            return True
        if self.record == 0:
            self.record = _NOTHING
            return link_send_bytes(link, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_IS, self._attested(utc_s))
        if self.line >= 0:
            return self.tell_line(link)
        signed = self._signed(utc_s) if self.signing else b""
        if not signed:
            return False
        self.signing = False
        # Another host may have come meanwhile.
        return link.session.number == self.session and link_send_bytes(
            link, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_SIGNED, signed
        )

    def _tell_key(self, link: "Link") -> bool:
        service = self.service
        service.answer_due = False
        # A host without the key must not make the device seal a frame: a question in clear is answered in clear.
        session = link.session if service.keyed or not link.session.hmac else link.lobby
        link_send_text(link, session, ids.CLASS_DIAGNOSTIC, ids.KEY_IS, service.answer, service.check())
        return True

    def _tell_seed(self, link: "Link") -> bool:
        self.seed = False
        if link.session.role != ids.ROLE_AUDITOR:
            return False  # another host has come meanwhile
        values = self.values
        values[0] = values[1] = values[2] = 0
        seed = self.seeds.tell(values) if self.seeds else bytes(DIGEST_SIZE)
        link_send_text(link, link.session, ids.CLASS_DIAGNOSTIC, ids.SEED_IS, values, seed)
        return True

    def _tell_record(self, link: "Link") -> bool:
        """One record as it is stored, all but its CRC. None at all while storage does not answer: an empty one would be
        evidence of damage, and without an answer the host asks again."""
        journal = self.journal
        seq = self.record
        self.record = _NOTHING
        found = journal.load(seq)
        if not journal.given:
            return False
        self.values[0] = seq
        record = bytes(journal.buf[:CRC_AT]) if found else b""
        link_send_text(link, link.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_RECORD, self.values, record)
        return True

    def ask_signature(self, link: "Link") -> None:
        """Start to sign, or go on. A device without the code answers without a signature, as one without a key to sign
        with."""
        self.signing = True
        self.session = link.session.number
        if self.signer is not None:
            self.signer.ask()

    def step(self, utc_s: int) -> bool:
        """Work on the signature. True: there is an answer."""
        return self.signer is None or self.signer.step(utc_s)

    def _signed(self, utc_s: int) -> bytes:
        """The answer to a request for a signature; empty while it is being made."""
        signer = self.signer
        if signer is None:
            return self._attested(utc_s) + bytes(PUBLIC_SIZE)
        return b"" if signer.work is not None else signer.answer

    def _attested(self, utc_s: int) -> bytes:
        return self.journal.attested(self.service.sealer, utc_s)

    def tell_line(self, link: "Link") -> bool:
        """Public, and sent in clear: the welcome names the hash of the whole, under the session's MAC."""
        self.values[0] = self.line
        self.values[1] = self.words.count
        text = self.words.line(self.line) if self.line < self.words.count else b""
        self.line = _NOTHING
        link_send_text(link, link.lobby, ids.CLASS_DICTIONARY, ids.DICTIONARY_LINE, self.values, text)
        return True
