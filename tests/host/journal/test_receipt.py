"""Receipts: made of what a real device signed, refused in words where there can be none, and proved by JavaScript."""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import receipts
from journals import ROOT, as_file, chained

from fairshoe.cli import command_line
from fairshoe.errors import Exit
from fairshoe.journal import receipt
from fairshoe.journal.export import JournalAltered
from fairshoe.journal.receipt import NoReceipt, make_receipt
from fairshoe.journal.seed_audit import Committed, NothingDisclosed, commitment_of, examine, places_of
from fairshoe.journal.signatures import PublicKey
from fairshoe.journal.verify import verify
from fairshoe.messages import Event, RoundStarted, Share, ShuffleCommitted, ShuffleNonce, ShuffleStarted
from fairshoe.web.receipt_page import receipt_page
from firmware.deck.shuffler import Shuffler
from rig import stories
from rig.story import Stage

NODE = ROOT / ".venv" / "bin" / "node"
CHECK = """
import { readFileSync } from 'node:fs';
import { checkReceipt, readLink } from './host_tools/fairshoe-js/src/receipt.js';
const [, file, link] = process.argv;
const bytes = new Uint8Array(readFileSync(file));
console.log(JSON.stringify(await checkReceipt(bytes, link ? readLink(new URL(link).hash) : null)));
"""


def by_javascript(data: bytes, folder: Path, link: str = "") -> dict[str, Any]:
    (folder / "receipt.json").write_bytes(data)
    command = [NODE, "--input-type=module", "-e", CHECK, str(folder / "receipt.json"), link]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


def test_vectors_are_what_python_makes_of_their_export() -> None:
    found = receipts.vectors()
    for draw in found["draws"]:
        assert places_of(bytes.fromhex(draw["seed"]), draw["cards"], bytes.fromhex(draw["added"])) == tuple(
            draw["places"]
        )
    made = receipts.receipt_of(*receipts.vector_export())
    assert made.data.decode() == found["receipt"]
    assert made.link(receipts.ADDRESS) == found["link"]


@pytest.mark.parametrize("share", ["given", "declined", ""])
def test_javascript_proves_what_the_firmware_of_today_dealt(share: str, tmp_path: Path) -> None:
    export, seed = receipts.played(share)
    notes = verify(export, (), None, receipts.keys_of(export)).notes
    assert [note for note in notes if "1 of 1 shuffles that waited for the table's share have none" in note] == (
        notes if share == "declined" else []
    )
    made = receipts.receipt_of(export, seed)
    answer = by_javascript(made.data, tmp_path, made.link(receipts.ADDRESS))
    assert answer["verdict"] == "proved", answer["steps"]
    events = [record.event() for record in export.records]
    committed = next(event for event in events if isinstance(event, ShuffleCommitted))
    told = next((event for event in events if isinstance(event, ShuffleNonce)), None)
    known = Committed(committed.commitment, told and Share(told.share), told.nonce if told else b"")
    verdict = examine(seed, known, 52, export.device, committed.seq)
    assert (tuple(answer["receipt"]["places"]), tuple(answer["receipt"]["dealt"])) == (verdict.places, verdict.dealt)
    assert answer["receipt"]["share"] == (share or "none")


def test_the_first_signature_after_the_round_is_enough(tmp_path: Path) -> None:
    """A later pull signs later records, which are of other rounds."""
    stage = receipts.table()
    stage.play([*receipts.SEATED, *receipts.DEALT, *receipts.RELEASED])
    first, seed = receipts.exported(stage)
    stage.seen = len(stage.peer.events)
    stage.play([("", 500, "open", 0), ("", 500, "close", 0), ("door_closed", 500, "wait", 0)])
    later, _seed = receipts.exported(stage)
    both = replace(later, attested=[*first.attested, *later.attested])
    assert receipts.receipt_of(both, seed) == receipts.receipt_of(first, seed)
    assert receipts.receipt_of(later, seed).records > receipts.receipt_of(first, seed).records
    assert by_javascript(receipts.receipt_of(later, seed).data, tmp_path)["verdict"] == "proved"


# --- what has no receipt -----------------------------------------------------------------------


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The seeds of all shuffles: those of these devices are never disclosed."""
    found: list[bytes] = []
    commit = Shuffler.commit

    def overheard(shuffler: Shuffler) -> bool:
        done = commit(shuffler)
        found.append(bytes(shuffler.seed))
        return done

    monkeypatch.setattr(Shuffler, "commit", overheard)
    return found


def handed_out(stage: Stage) -> None:
    stage.until("deck_verified", 400000)
    stage.play(
        [("", 500, "press", "green"), ("remainder_released", 900, "take", 0), ("remainder_taken", 900, "wait", 0)]
    )


def verified(stage: Stage) -> None:
    stage.until("deck_verified", 60000)


def dealing(stage: Stage) -> None:
    verified(stage)
    receipts.exported(stage)  # makes the signing key, which is not done in a round
    stage.play([("", 500, "press", "seat"), ("", 500, "press", "close"), ("stack_offered", 500, "take", 0)])
    stage.until("stack_offered", 5000)


@pytest.mark.parametrize(
    ("name", "config", "story", "says"),
    [
        ("pico2-shelves", {}, handed_out, "Shelves hand every deck out, and never disclose"),
        ("pico2-carousel", {"table": {"dealing": "manual"}}, handed_out, "another device dealt it, or hands did"),
        ("pico2-carousel", {}, dealing, "still in play: round 1 has not ended"),
        ("pico2-carousel", {}, verified, "no round was dealt from it yet"),
    ],
    ids=["shelves", "another device", "dealing", "deck ready"],
)
def test_a_deck_without_a_whole_deal_of_this_device_has_no_receipt(
    name: str, config: dict[str, Any], story: Callable[[Stage], None], says: str, seeds: list[bytes]
) -> None:
    stage = receipts.table(name, **config)
    story(stage)
    export, disclosed = receipts.exported(stage)
    assert not any(disclosed)
    with pytest.raises(NoReceipt, match=says):
        receipts.receipt_of(export, seeds[0])


def test_an_unsigned_altered_or_foreign_journal_has_no_receipt() -> None:
    export, seed = receipts.vector_export()
    unsigned = replace(export, attested=[replace(told, public=b"", signature=b"") for told in export.attested])
    with pytest.raises(NoReceipt, match="not signed"):
        make_receipt(unsigned, seed, receipts.keys_of(export))
    with pytest.raises(JournalAltered, match="another device, another key, or all of it is forged"):
        make_receipt(export, seed, [PublicKey(bytes(range(40, 72)))])
    with pytest.raises(JournalAltered):
        make_receipt(chained(export, export.records[:-1]), seed, receipts.keys_of(export))
    with pytest.raises(NothingDisclosed, match="no shuffle in this journal committed to that seed"):
        make_receipt(export, bytes(32), receipts.keys_of(export))
    late = replace(export, records=export.records[6:], start=export.records[6].seq)
    with pytest.raises(NothingDisclosed):
        make_receipt(late, seed, receipts.keys_of(export))


# --- journals with more than one deal ------------------------------------------------------------

INPUTS = json.loads((ROOT / "board_configs" / "pico2-carousel.json").read_text())["inputs"]
TWO_DECKS: dict[str, Any] = {"table": {"decks": 2}, "inputs": {**INPUTS, "back": 22}}
HALF = [*receipts.SEATED, ("", 500, "press", "close"), ("stack_offered", 500, "take", 0)]
AGAIN = [("", 500, "load", 52), ("", 300, "press", "green"), *receipts.SEATED, *receipts.DEALT, *receipts.RELEASED]


def two_decks(stage: Stage) -> None:
    """The second is shuffled while the round of the first is settled."""
    stage.play([*receipts.SEATED, *receipts.DEALT, receipts.RELEASED[0], ("remainder_taken", 900, "wait", 0)])
    stage.act("load", {"cards": 52, "deck": 2})
    stage.play([("", 500, "press", "green"), ("deck_verified", 500, "press", "green"), ("round_ended", 500, "wait", 0)])
    stage.play([receipts.SEATED[1], receipts.SEATED[1], *receipts.DEALT, *receipts.RELEASED])


def void_round(stage: Stage) -> None:
    stage.play([*HALF, ("stack_started", 50, "open", 0), *stories.clear_by_hand(), *AGAIN])


def refused_deck(stage: Stage) -> None:
    """One card is missing; the deck that comes next is whole."""
    del stage.rig.plant.hopper[0]
    stage.play([("warning_latched", 1500, "press", "ack"), ("deck_removed", 900, "take", 0)])
    stage.play([("warning_cleared", 100, "wait", 0), *AGAIN])


def power_cut(stage: Stage) -> None:
    stage.play([*HALF, ("stack_started", 50, "cut", 0), ("", 0, "boot", 0), *stories.clear_by_hand(), *AGAIN])


def two_rounds(stage: Stage) -> None:
    stage.play([*receipts.SEATED, *receipts.DEALT, *receipts.RELEASED, *AGAIN])


@pytest.mark.parametrize(
    ("config", "story", "deals"),
    [
        (TWO_DECKS, two_decks, [(1, "round_ended", 3), (2, "round_ended", 3)]),
        ({}, two_rounds, [(1, "round_ended", 3), (2, "round_ended", 3)]),
        ({}, void_round, [(1, "round_voided", 2), (2, "round_ended", 3)]),
        ({}, refused_deck, ["never came to play", (1, "round_ended", 3)]),
        ({}, power_cut, ["power was lost", (2, "round_ended", 3)]),
    ],
    ids=["two decks", "two rounds", "void round", "refused deck", "power cut"],
)
def test_each_deal_of_a_journal_has_its_receipt_or_a_reason_and_javascript_agrees(
    config: dict[str, Any],
    story: Callable[[Stage], None],
    deals: list[Any],
    seeds: list[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Round, how it ended and its stacks; or why there is no receipt. Then one is forced, and JavaScript refuses it."""
    stage = receipts.table(**config)
    story(stage)
    export, _seed = receipts.exported(stage)
    assert len(seeds) == len(deals)
    for seed, deal in zip(seeds, deals, strict=True):
        if isinstance(deal, str):
            with pytest.raises(NoReceipt, match=deal):
                receipts.receipt_of(export, seed)
            with monkeypatch.context() as forced:
                forced.setattr(receipt, "_deal", whatever_became_of_it)
                answer = by_javascript(receipts.receipt_of(export, seed).data, tmp_path)
            assert (answer["verdict"], answer["steps"]["deal"]["ok"]) == ("refused", False), answer
            assert re.search(deal, answer["steps"]["deal"]["text"], re.IGNORECASE)
        else:
            made = receipts.receipt_of(export, seed)
            answer = by_javascript(made.data, tmp_path, made.link(receipts.ADDRESS))
            assert answer["verdict"] == "proved", answer["steps"]
            found = answer["receipt"]
            assert (made.round, found["end"], len(found["stacks"])) == deal
            assert (found["round"], tuple(found["places"])) == (made.round, places_of(seed, 52))


def whatever_became_of_it(events: Sequence[Event], commitment: bytes) -> tuple[int, int, int]:
    """From the shuffle with this commitment to the end of the journal."""
    at = next(i for i, it in enumerate(events) if isinstance(it, ShuffleCommitted) and it.commitment == commitment)
    started = [it for it in events[:at] if isinstance(it, ShuffleStarted)][-1]
    return started.seq, 1, events[-1].seq


def test_a_round_of_the_other_deck_is_not_taken_for_the_round_of_this_one() -> None:
    """Here it begins and ends between the shuffle and the round of the deck, whichever number the other deck has."""
    export, seed = receipts.vector_export()
    events = [event for record in export.records if (event := record.event()) is not None]
    ours = receipt._deal(events, commitment_of(seed))  # pyright: ignore[reportPrivateUsage]
    first = next(i for i, event in enumerate(events) if isinstance(event, RoundStarted) and event.round == ours[1])
    for deck in (events[first].deck - 1, events[first].deck + 1):
        others = [replace(event, deck=deck, round=99) for event in events[first:] if event.round == ours[1]]
        journal = [*events[:first], *others, *events[first:]]
        assert receipt._deal(journal, commitment_of(seed)) == ours  # pyright: ignore[reportPrivateUsage]


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`fairshoe proof receipt` of the vector's journal, in a house with these settings."""
    export, seed = receipts.vector_export()
    (tmp_path / "shoe.journal").write_bytes(as_file(export))
    for name in ("FAIRSHOE_RECEIPT_URL", "FAIRSHOE_RECEIPT_REF"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, **settings: str) -> int:
        (tmp_path / "config.toml").write_text("".join(f'{name} = "{value}"\n' for name, value in settings.items()))
        key = export.attested[-1].public.hex()
        inputs = [str(tmp_path / "shoe.journal"), "--seed", seed.hex(), "--public-key", key]
        return command_line.main(
            [
                "--config",
                str(tmp_path / "config.toml"),
                "proof",
                "receipt",
                *inputs,
                "-o",
                str(tmp_path / "out"),
                *words,
            ]
        )

    return run


SET = {"receipt_url": receipts.ADDRESS, "receipt_ref": "ref. 2026-114"}


def test_the_command_writes_receipt_page_and_qr_code(
    house: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house("--json", **SET) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["link"] == receipts.vectors()["link"]
    assert Path(answer["receipt"]).read_text() == receipts.vectors()["receipt"]
    assert Path(answer["receipt"]).name == answer["link"].rpartition(".")[2] + ".json"
    assert Path(answer["page"]).read_bytes() == receipt_page()
    assert "approval: ref. 2026-114" in Path(answer["qr"]).read_text()
    assert house(**SET | {"receipt_ref": "<b> & \\u001b[31m"}) == 0
    assert answer["link"] in capsys.readouterr().out
    assert "approval: <b> & ?[31m" in "".join(ElementTree.parse(answer["qr"]).getroot().itertext())


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "receipts are off"),
        ({"receipt_url": receipts.ADDRESS}, "receipts are off"),
        ({"receipt_ref": "ref."}, "receipts are off"),
        (SET | {"receipt_ref": ""}, "must be a text"),
        *[
            (SET | {"receipt_url": url}, "It must be an address as https://")
            for url in (
                *("http://house.example/", "https://house.example", "https://house.example/a#b/", "https://a@b/"),
                *("https://house.example/?q=/", "https:///", "https://house.example/../ /", "ftp://house.example/"),
            )
        ],
    ],
)
def test_receipts_are_off_without_an_https_address_and_an_approval(
    settings: dict[str, str], says: str, house: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert house(**settings) == Exit.USAGE
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_named(
    house: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file")
    assert house(**SET) == Exit.STORAGE
    assert "cannot write into" in capsys.readouterr().err


def test_the_page_is_one_script_that_parses(tmp_path: Path) -> None:
    """Joined modules share one scope; a name that stands twice would leave the page dead."""
    text = receipt_page().decode()
    assert "{" + "style" not in text and "{" + "script" not in text
    (tmp_path / "page.mjs").write_text(text.partition('<script type="module">')[2].partition("</script>")[0])
    assert "import " not in "".join(line[:7] for line in (tmp_path / "page.mjs").read_text().splitlines())
    subprocess.run([NODE, "--check", tmp_path / "page.mjs"], check=True, capture_output=True, timeout=60)
