"""Queries of the device's journal, seeds and dictionary, as steps that Shoe and AsyncShoe follow."""

from __future__ import annotations

from fairshoe import messages
from fairshoe.client.exchange import Core, Step, Steps
from fairshoe.errors import NoAnswer, UsageError
from fairshoe.link.dictionary import Dictionary, own_dictionary
from fairshoe.printable import device_text

LINE_S = 0.3
LINE_TRIES = 20
SIGNED_S = 60.0  # a device that shuffles signs when it is done


def journal(core: Core, timeout_s: float) -> Steps[messages.JournalIs]:
    return core.asking("its journal", messages.JournalGet(0), messages.JournalIs, lambda _answer: True, timeout_s)


def signed_journal(core: Core, last: int, timeout_s: float) -> Steps[messages.JournalSigned]:
    return core.asking(
        "a signature", messages.JournalSign(), messages.JournalSigned, lambda answer: answer.last >= last, timeout_s
    )


def journal_record(core: Core, seq: int, timeout_s: float) -> Steps[bytes]:
    about = f"record {seq} of its journal"
    asking = core.asking(
        about, messages.JournalGet(seq), messages.JournalRecord, lambda answer: answer.seq == seq, timeout_s
    )
    return (yield from asking).record


def seed(core: Core, timeout_s: float) -> Steps[messages.SeedIs]:
    if core.welcome is None or core.keyed().role != messages.Role.AUDITOR:
        raise UsageError("seeds are disclosed only to the auditor.", "Open the shoe with the auditor's key.")
    return core.asking("its seed", messages.SeedGet(), messages.SeedIs, lambda _answer: True, timeout_s)


def dictionary(core: Core) -> Steps[Dictionary]:
    """Ours if the hashes agree, else line by line, and checked."""
    welcome = core.welcome
    ours = own_dictionary()
    if welcome is None or core.session is None or welcome.dictionary == ours.hash:
        return ours
    lines = core.session.lines
    wanted = 0
    while 0 not in lines or wanted < lines[0].lines:
        for _ in range(LINE_TRIES):
            if wanted in lines:
                break
            core.session.ask_dictionary(wanted)
            line = wanted
            yield Step(lambda line=line: line in lines, LINE_S)
        if wanted not in lines:
            raise NoAnswer(f"{core.name} did not send line {wanted} of its dictionary.", "Check the cable.")
        wanted += 1
    found = Dictionary([device_text(lines[i].text) for i in range(lines[0].lines)])
    if found.hash != welcome.dictionary:
        raise NoAnswer(f"{core.name} sent a dictionary that is not the one it named.", "Do not trust this device.")
    return found
