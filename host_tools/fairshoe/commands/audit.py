"""`fairshoe proof audit`: check a disclosed seed and draw the order again; count shuffles without the table's share."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairshoe.client.share_judge import LostShare
from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.client.table_share import ALLOWED, ENDED_MAX, LOST_MAX, recall
from fairshoe.errors import AuditFailed, UsageError
from fairshoe.journal import seed_audit
from fairshoe.keys import read_key
from fairshoe.messages import CloseBetting, Role, Share, Shuffle
from fairshoe.printable import printable, say


def run(options: argparse.Namespace) -> int:
    if options.action == "shares":
        return _shares(options)
    verdict = _fetched(options) if options.port else _given(options)
    _print(verdict, options.json)
    if not verdict.agrees:
        raise AuditFailed(
            "the seed is not the one that was committed to.",
            "Check that seed and commitment are of the same shuffle; if they are, take the device out of service.",
        )
    return 0


def _shares(options: argparse.Namespace) -> int:
    path = Path(options.store)
    if not path.exists():
        raise UsageError(f"there is no {path}.", "Name the store of the table system.")
    with Store(path) as store:
        share, log = recall(store, options.device)
        if options.accept:
            share.accept(options.by)
        names, ended = store.accepted_decks(log.id), share.judge.ended
        lost = share.judge.recent(time.time())
        if options.json:
            rows = [_row(it, names, ended) for it in lost]
            allowed = {"allowed": LOST_MAX, "allowed_ended": ENDED_MAX}
            say(json.dumps({"device": f"{log.device:08x}", **allowed, "lost": rows}))
        else:
            _say_lost(log.device, lost, names, ended)
        share.check(Shuffle if share.judge.used_up else CloseBetting)
    return 0


def _row(it: LostShare, names: Mapping[int, str], ended: Mapping[int, tuple[str, str]]) -> dict[str, Any]:
    answers = dict(zip(("by", "cause"), ended[it.seq], strict=True)) if it.seq in ended else None
    return {"event": it.seq, "deck": it.deck, "why": it.why, "accepted": names.get(it.seq), "ended": answers}


def _say_lost(
    device: int, lost: Sequence[LostShare], names: Mapping[int, str], ended: Mapping[int, tuple[str, str]]
) -> None:
    for by_person in (False, True):
        column = [it for it in lost if (it.seq in ended) is by_person]
        whose = "for which a person answers" if by_person else "by its own word"
        say(f"device {device:08x}: {len(column)} of {ALLOWED[by_person]} shuffles without the table's share, {whose}")
        for it in column:
            accepted = f"; accepted by {printable(names[it.seq])}" if it.seq in names else ""
            person = "; ".join(map(printable, ended[it.seq])) if by_person else ""
            say(f"  {it.text}{accepted}{person and f'; ended by {person}'}")


def _given(options: argparse.Namespace) -> seed_audit.Verdict:
    if None in (options.seed, options.commitment, options.cards):
        raise UsageError("what is to be audited?", "Give --seed, --commitment and --cards, or a port.")
    if options.key_file or options.events:
        raise UsageError("--key-file and --events need a port.", "Name the port, or leave them out.")
    if not 1 <= options.cards <= seed_audit.CARDS_MAX:
        raise UsageError(f"a deck of {options.cards} cards?", f"Give --cards from 1 to {seed_audit.CARDS_MAX}.")
    seed, commitment = (
        seed_audit.read_hex(options.seed, "--seed"),
        seed_audit.read_hex(options.commitment, "--commitment"),
    )
    if options.nonce is None:
        return seed_audit.examine(seed, seed_audit.Committed(commitment), options.cards)
    if options.device is None or options.event is None:
        raise UsageError("--nonce needs --device and --event.", "The order depends on both; the events have them.")
    record = seed_audit.Committed(commitment, Share.GIVEN, seed_audit.read_hex(options.nonce, "--nonce"))
    return seed_audit.examine(seed, record, options.cards, options.device, options.event)


def _fetched(options: argparse.Namespace) -> seed_audit.Verdict:
    if not options.key_file or not options.events:
        raise UsageError("a port needs --key-file and --events.", "See fairshoe proof audit shuffle --help.")
    if options.seed or options.commitment or options.cards or options.nonce:
        raise UsageError("a port brings its own seed.", "Leave out --seed, --commitment, --nonce and --cards.")
    with Shoe.open(options.port, read_key(Path(options.key_file), Role.AUDITOR), reconnect=False, clock=False) as shoe:
        answer = shoe.seed()
        device = shoe.welcome.device if shoe.welcome else 0
    if not answer.kept:
        raise seed_audit.NothingDisclosed(
            f"{options.port} erases its seeds.", 'Its board config must say "audit": {"seeds": "disclose"} beforehand.'
        )
    if not answer.seq:
        raise seed_audit.NothingDisclosed(
            f"{options.port} has no seed to disclose.", "Ask again when a round with a shuffled deck has ended."
        )
    record = seed_audit.find_commitment(Path(options.events), answer.seq)
    return seed_audit.examine(answer.seed, record, answer.cards, device, answer.seq)


def _print(verdict: seed_audit.Verdict, as_json: bool) -> None:
    if as_json:
        answer = {
            "seed": verdict.seed.hex(),
            "commitment": verdict.commitment.hex(),
            "agrees": verdict.agrees,
            "seq": verdict.seq or None,
            "share": verdict.share.name.lower() if verdict.share else None,
            "nonce": verdict.nonce.hex() if verdict.share == Share.GIVEN else None,
            "cards": len(verdict.places),
            "places": verdict.places,
            "dealt": verdict.dealt,
        }
        say(json.dumps(answer))
        return
    of_event = f"of event {verdict.seq}, " if verdict.seq else ""
    say(f"seed        {verdict.seed.hex()}")
    say(f"commitment  {verdict.commitment.hex()}  ({of_event}{'agrees' if verdict.agrees else 'DOES NOT AGREE'})")
    if verdict.share is not None:
        given = verdict.nonce.hex() if verdict.share == Share.GIVEN else verdict.share.name.lower()
        say(f"nonce       {given}")
        if verdict.share in (Share.LATE, Share.DECLINED):
            say("            The order comes from the seed alone, and the device may have chosen that.")
    if not verdict.places:
        say("            The shuffle ended before its order was drawn.")
        return
    say(f"places      {' '.join(map(str, verdict.places))}\n            of the cards in the order they were taken in")
    say(f"dealt       {' '.join(map(str, verdict.dealt))}\n            numbers of the cards as they come out, from 0")
