"""With the seal key in hand, alter an export and renew every hash, seal and attestation: only signatures notice.

The forger here is who verifies: a house that holds seal.key. Each forgery is shown to pass for those who check seals
alone, which docs/SECURITY.md says, and to fail for those who check the signature.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from journals import KEY, NEW_KEY, SEALED_END, as_file, chained, opener, play_round, pulled, small_stage
from support import act

from fairshoe.cli.command_line import main
from fairshoe.client.shoe import Shoe
from fairshoe.errors import KeyFileError
from fairshoe.journal.export import Attestation, Export, Record, signed_attestation
from fairshoe.journal.signatures import SIGNED_TEXT, PublicKey, read_public_keys
from fairshoe.journal.verify import attestation_mac, seal_mac
from fairshoe.keys import seal_key, write_key
from fairshoe.messages import DeckVerified, GreenPressed, KeyChanged, Sealed, ShuffleStarted, SigningKey
from fairshoe.operate.provisioning import KeyFolder, KeyRefused, note_signing_key, rotate
from rig.story import Stage

PROVED = 0
ALTERED = 6
UNPROVED = 7
PARTIAL = 10
SEAL = seal_key(KEY)
BODY_AT = 25


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
    return chained(export, records, SEAL)


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
    act(stage, 300, "key", to="on")
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


def rotated(stage: Stage, folder: Path, old: Path | None = None) -> PublicKey:
    """The device gets another key."""
    act(stage, 300, "key", to="on")
    keys = KeyFolder(folder)
    rotate(opener(stage.rig), keys, stage.rig.app.service.keys.key)
    public = note_signing_key(opener(stage.rig), keys, old=old)
    assert public is not None
    return public


def test_a_retired_key_proves_nothing_after_its_rotation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The forger has the old seal key, and the old signing key."""
    stage = small_stage()
    act(stage, 300, "key", to="on")
    start = KeyFolder(tmp_path / "first")
    start.path.mkdir()
    write_key(start.path / "device.key", "device", KEY)
    before = note_signing_key(opener(stage.rig), start)
    assert before is not None
    after = rotated(stage, tmp_path / "second", start.path / "signing.pub")
    changed = after.first
    assert changed is not None
    inventory = tmp_path / "second" / "signing.pub"
    assert [(it.generation, it.last) for it in read_public_keys(str(inventory))] == [(1, changed - 1), (2, None)]
    key = stage.rig.app.service.keys.key
    honest = pulled(stage.rig, key, sign=True)
    assert verify(tmp_path, honest, "--public-key", str(inventory)) == PROVED
    # Over the records as they are, the rotation among them; and over a history in which it never was.
    told = replace(honest.attested[-1], key=1, public=before.key, signature=b"")
    told = replace(told, mac=attestation_mac(SEAL, honest, told))
    seeds = Ed25519PrivateKey.generate()
    trusted = replace(before, key=seeds.public_key().public_bytes_raw(), last=None)
    told = replace(told, public=trusted.key)
    told = replace(told, signature=seeds.sign(SIGNED_TEXT + told.signed(honest.device, honest.log)))
    forged = replace(honest, attested=[told])
    assert by_seals(tmp_path, forged) == ALTERED
    assert "replaced at record" in capsys.readouterr().out
    stolen = tmp_path / "stolen.pub"
    stolen.write_text(trusted.line())
    assert verify(tmp_path, forged, "--public-key", str(stolen)) == ALTERED
    kept = [it for it in honest.records if it.message not in (KeyChanged.ID, SigningKey.ID)]
    hidden = resealed(honest, [it for it in kept if it.message != Sealed.ID])
    told = replace(hidden.attested[0], key=1, public=trusted.key)
    told = replace(told, signature=seeds.sign(SIGNED_TEXT + told.signed(hidden.device, hidden.log)))
    hidden = replace(hidden, attested=[told])
    assert verify(tmp_path, hidden, "--public-key", str(stolen)) == PROVED
    stolen.write_text(replace(trusted, last=hidden.last - 1).line())
    assert verify(tmp_path, hidden, "--public-key", str(stolen)) == ALTERED
    assert "by the inventory key 1 was not in force" in capsys.readouterr().out


def test_a_seal_of_a_retired_key_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = small_stage()
    rotated(stage, tmp_path / "second")
    honest = pulled(stage.rig, stage.rig.app.service.keys.key)
    assert by_seals(tmp_path, honest, "--key-file", str(tmp_path / "second/seal.key")) == PROVED
    at = max(i for i, record in enumerate(honest.records) if record.message == Sealed.ID)
    data = bytearray(honest.records[at].data)
    data[BODY_AT] = 1
    data[SEALED_END - 16 : SEALED_END] = seal_mac(SEAL, honest.log, Record(at + 1, bytes(data)))
    cut = replace(honest, records=[*honest.records[:at], Record(at + 1, bytes(data), at + 2)])
    told = replace(honest.attested[-1], last=at + 1, head=cut.records[-1].digest, key=1)
    cut = replace(cut, attested=[replace(told, mac=attestation_mac(SEAL, cut, told))])
    assert by_seals(tmp_path, cut) == ALTERED
    assert f"record {at + 1}" in capsys.readouterr().out


def test_a_public_key_that_signed_nothing_is_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = small_stage()
    folder = KeyFolder(tmp_path / "keys")
    folder.path.mkdir()
    write_key(folder.path / "device.key", "device", KEY)

    def other_key(shoe: Shoe, last: int) -> Attestation | None:
        signed = signed_attestation(shoe, last)
        return signed and replace(signed, public=Ed25519PrivateKey.generate().public_key().public_bytes_raw())

    monkeypatch.setattr("fairshoe.operate.provisioning.signed_attestation", other_key)
    with pytest.raises(KeyRefused, match="another key"):
        note_signing_key(opener(stage.rig, service=False), folder)
    assert not (folder.path / "signing.pub").exists()


@pytest.mark.parametrize("sign", [0, 0x80])
@pytest.mark.parametrize("offset", [0, 2**255 - 19])
def test_a_public_key_of_small_order_is_refused(sign: int, offset: int) -> None:
    """Under it any signature verifies for some messages; the torsion points are computed here, not copied."""
    small = _torsion()
    assert len(small) == 5  # of eight points, by y
    for y in small:
        if y + offset >= 2**255:
            continue
        key = bytearray((y + offset).to_bytes(32, "little"))
        key[31] |= sign
        with pytest.raises(KeyFileError, match="forged"):
            PublicKey(bytes(key))


def _torsion() -> set[int]:
    """The y of every point P of Edwards 25519 with 8 P = 0, found by multiplying points with the group's order."""
    p, order = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
    d = -121665 * pow(121666, -1, p) % p

    def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        t = d * a[0] * b[0] * a[1] * b[1] % p
        x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + t, -1, p)
        return x % p, (a[1] * b[1] + a[0] * b[0]) * pow(1 - t, -1, p) % p

    found: set[int] = set()
    for y in range(2, 40):
        x2 = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
        x = pow(x2, (p + 3) // 8, p)
        if x * x % p != x2:
            x = x * pow(2, (p - 1) // 4, p) % p
        if x * x % p != x2:
            continue
        total, point = (0, 1), (x, y)
        for bit in range(order.bit_length()):
            if order >> bit & 1:
                total = add(total, point)
            point = add(point, point)
        found.add(total[1])
    return found


def test_a_file_that_is_no_inventory_is_refused(tmp_path: Path, pulls: tuple[Export, Export]) -> None:
    wrong = tmp_path / "wrong"
    for text in ("", "release-public " + "ab" * 32, PublicKey(bytes([7] * 32), 1, 1).line() + "seal " + "ab" * 32):
        wrong.write_text(text)
        assert verify(tmp_path, pulls[1], "--public-key", str(wrong)) not in (PROVED, ALTERED, UNPROVED, PARTIAL)
