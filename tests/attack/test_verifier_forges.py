"""With the seal key in hand, alter an export and renew every hash, seal and attestation: only signatures notice.

The forger here is who verifies: a house that holds seal.key. Each forgery is shown to pass for those who check seals
alone, which docs/SECURITY.md says, and to fail for those who check the signature.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from journals import KEY, NEW_KEY, as_file, opener, play_round, pulled, small_stage

from fairshoe.cli.command_line import main
from fairshoe.journal.export import Attestation, Export, Record
from fairshoe.journal.signatures import SIGNED_TEXT, PublicKey
from fairshoe.journal.verify import attestation_mac, seal_mac
from fairshoe.keys import seal_key, write_key
from fairshoe.messages import DeckVerified, GreenPressed, Sealed, ShuffleStarted, SigningKey
from fairshoe.operate.provisioning import KeyFolder, note_signing_key, rotate

PROVED = 0
ALTERED = 6
UNPROVED = 7
PARTIAL = 10
SEAL = seal_key(KEY)
BODY_AT = 25
SEALED_END = 43


@pytest.fixture(scope="module")
def pulls() -> tuple[Export, Export]:
    """An export pulled twice, signed: after the start of the device, and after a round."""
    stage = small_stage()
    old = pulled(stage.rig, sign=True)
    play_round(stage)
    return old, pulled(stage.rig, known=old, sign=True)


def verify(folder: Path, export: Export, *words: str) -> int:
    file = folder / "attack.journal"
    file.write_bytes(as_file(export))
    return main(["journal", "verify", str(file), *words])


def by_seals(folder: Path, export: Export, *words: str) -> int:
    key = folder / "seal.key"
    if not key.exists():
        write_key(key, "seal", SEAL)
    return verify(folder, export, "--key-file", str(key), *words)


def by_signature(folder: Path, export: Export, public: bytes, *words: str) -> int:
    return verify(folder, export, "--public-key", public.hex(), *words)


def public_of(export: Export) -> bytes:
    return export.attested[-1].public


def resealed(export: Export, records: list[Record]) -> Export:
    """What the holder of the seal key can make of an export: whole in every respect but the signature."""
    made: list[Record] = []
    for at, record in enumerate(records):
        data = bytearray(record.data[:60] + (made[-1].digest if made else record.previous))
        data[4:8] = (at + 1).to_bytes(4, "little")
        if record.message == Sealed.ID:
            data[SEALED_END - 16 : SEALED_END] = seal_mac(SEAL, export.log, Record(at + 1, bytes(data)))
        made.append(Record(at + 1, bytes(data), at + 2))
    told = replace(export.attested[-1], last=len(made), head=made[-1].digest)
    told = replace(told, mac=attestation_mac(SEAL, export, told))
    return replace(export, records=made, attested=[told])


def with_count(export: Export, kind: type[DeckVerified] | type[ShuffleStarted], cards: int) -> Export:
    """The number of cards in the first record of that kind, in both counts of a verified deck."""
    at = next(i for i, record in enumerate(export.records) if record.message == kind.ID)
    data = bytearray(export.records[at].data)
    counts = 2 if kind is DeckVerified else 1
    data[BODY_AT : BODY_AT + 2 * counts] = cards.to_bytes(2, "little") * counts
    return replace(export, records=[*export.records[:at], Record(at + 1, bytes(data)), *export.records[at + 1 :]])


def test_an_export_is_proved_by_its_signature_without_any_seal_key(
    tmp_path: Path, pulls: tuple[Export, Export], capsys: pytest.CaptureFixture[str]
) -> None:
    for export in pulls:
        assert by_signature(tmp_path, export, public_of(export)) == PROVED
    told = capsys.readouterr().out
    assert f"signed by device key {public_of(pulls[0]).hex()}" in told and "cannot forge it" in told
    assert by_seals(tmp_path, pulls[1]) == PROVED
    assert "holders of the seal key can alter a journal and seal it again" in capsys.readouterr().out
    assert by_seals(tmp_path, pulls[1], "--public-key", public_of(pulls[1]).hex()) == PROVED


def test_a_deck_with_a_card_less_passes_for_seals_and_not_for_the_signature(
    tmp_path: Path, pulls: tuple[Export, Export]
) -> None:
    _, new = pulls
    short = with_count(new, DeckVerified, 7)
    assert by_seals(tmp_path, resealed(new, short.records)) == ALTERED  # it makes no sense: 8 were expected
    forged = resealed(new, with_count(short, ShuffleStarted, 7).records)
    assert by_seals(tmp_path, forged) == PROVED
    assert by_signature(tmp_path, forged, public_of(new)) == ALTERED
    assert by_seals(tmp_path, forged, "--public-key", public_of(new).hex()) == ALTERED


def test_an_event_cut_out_passes_for_seals_and_not_for_the_signature(
    tmp_path: Path, pulls: tuple[Export, Export]
) -> None:
    _, new = pulls
    forged = resealed(new, [record for record in new.records if record.message != GreenPressed.ID])
    assert len(forged.records) < len(new.records)
    assert by_seals(tmp_path, forged) == PROVED
    assert by_signature(tmp_path, forged, public_of(new)) == ALTERED
    # Without any signature the file may be of a device that cannot sign: not proved by any seal.
    bare = replace(forged.attested[0], public=b"", signature=b"")
    assert by_signature(tmp_path, replace(forged, attested=[bare]), public_of(new)) == UNPROVED


def signed_by_forger(export: Export) -> Attestation:
    key = Ed25519PrivateKey.generate()
    told = export.attested[-1]
    signature = key.sign(SIGNED_TEXT + told.signed(export.device, export.log))
    return replace(told, public=key.public_key().public_bytes_raw(), signature=signature)


def test_a_signature_of_another_key_or_device_is_refused(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    _, new = pulls
    own = replace(new, attested=[signed_by_forger(new)])
    assert by_signature(tmp_path, own, public_of(new)) == ALTERED
    # The journal has the device's key on record. A forger replaces that too; the verifier's own copy still tells.
    assert by_signature(tmp_path, own, public_of(own)) == ALTERED
    records = [replace(record, data=_key_replaced(record, public_of(own))) for record in new.records]
    forged = resealed(own, records)
    forged = replace(forged, attested=[signed_by_forger(forged)])
    assert by_signature(tmp_path, forged, public_of(new)) == ALTERED
    other = small_stage(seed=8)
    foreign = pulled(other.rig, sign=True)
    assert public_of(foreign) != public_of(new)
    for export in (foreign, replace(foreign, device=new.device), replace(new, attested=foreign.attested)):
        assert by_signature(tmp_path, export, public_of(new)) == ALTERED


def _key_replaced(record: Record, public: bytes) -> bytes:
    if record.message != SigningKey.ID:
        return record.data
    return record.data[: BODY_AT + 2] + public + record.data[BODY_AT + 2 + len(public) :]


def test_an_old_signature_does_not_vouch_for_a_newer_or_hide_a_cut_end(
    tmp_path: Path, pulls: tuple[Export, Export]
) -> None:
    old, new = pulls
    cut = replace(new, records=new.records[: old.last], attested=new.attested[:1])
    assert by_signature(tmp_path, cut, public_of(new)) == PROVED  # it was the whole journal on its day
    assert by_signature(tmp_path, cut, public_of(new), "--last", str(new.last)) == PARTIAL
    assert by_signature(tmp_path, replace(new, attested=new.attested[:1]), public_of(new)) == ALTERED
    pasted = replace(new.attested[1], signature=old.attested[0].signature)
    assert by_signature(tmp_path, replace(new, attested=[pasted]), public_of(new)) == ALTERED


def test_a_rotated_key_needs_the_new_public_key(tmp_path: Path) -> None:
    stage = small_stage()
    old = pulled(stage.rig, sign=True)
    stage.act("key", {"to": "on"})
    stage.run(300)
    folder = KeyFolder(tmp_path / "new")
    rotate(opener(stage.rig), folder, KEY)
    public = note_signing_key(opener(stage.rig), folder)
    assert public is not None and (public.device, public.generation) == (old.device, 2)
    key = stage.rig.app.service.keys.key
    assert key not in (KEY, NEW_KEY)
    new = pulled(stage.rig, key, known=old, sign=True)
    keys = [event.public for record in new.records if isinstance(event := record.event(), SigningKey)]
    assert keys == [public_of(old), public.key]
    assert by_signature(tmp_path, new, public_of(old)) == UNPROVED
    assert by_signature(tmp_path, new, public.key) == PROVED
    # An inventory: a line for each key of each device. The key of another generation does not count.
    inventory = tmp_path / "inventory"
    inventory.write_text(PublicKey(public_of(old), old.device, 1).line() + (tmp_path / "new/signing.pub").read_text())
    assert verify(tmp_path, new, "--public-key", str(inventory)) == PROVED
    inventory.write_text(PublicKey(public.key, new.device, 1).line())
    assert verify(tmp_path, new, "--public-key", str(inventory)) == ALTERED
    inventory.write_text(PublicKey(public.key, new.device + 1, 2).line())
    assert verify(tmp_path, new, "--public-key", str(inventory)) == ALTERED


def test_a_file_that_is_no_inventory_is_refused(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    wrong = tmp_path / "wrong"
    for text in ("", "release-public " + "ab" * 32, PublicKey(bytes(32), 1, 1).line() + "seal " + "ab" * 32):
        wrong.write_text(text)
        assert verify(tmp_path, pulls[1], "--public-key", str(wrong)) not in (PROVED, ALTERED, UNPROVED, PARTIAL)
