"""Whatever is done to an export is found, and where: every bit, every record, every place it can be cut at."""

import random
from collections.abc import Callable
from dataclasses import replace

import journals
import pytest
from draws import seeded

from fairshoe.boards.configs import load_board
from fairshoe.journal.expectation import Expected, contradictions
from fairshoe.journal.export import RECORD_SIZE, Attestation, Export, Record, parse_export
from fairshoe.journal.plausibility import Story, check_sense
from fairshoe.journal.signatures import PublicKey
from fairshoe.journal.verify import Verdict, verify
from fairshoe.keys import seal_key
from fairshoe.messages import DeckVerified, Event, Share, ShuffleCommitted, ShuffleNonce
from fairshoe.sim.scenario_cases import places as scenario_places
from fairshoe.sim.scenario_cases import read_place
from rig.scenario import Scenario

SEAL = seal_key(journals.KEY)


@pytest.fixture(scope="module")
def good() -> Export:
    """One round and a power cut: three seals in two dozen records."""
    stage = journals.small_stage()
    journals.play_round(stage)
    stage.act("cut", {})
    stage.act("boot", {})
    stage.until("empty_proved", 20000, then_ms=1000)
    return journals.pulled(stage.rig)


@pytest.fixture(scope="module")
def small() -> Export:
    """Two seals in seven records: small enough to try everything with it."""
    stage = journals.small_stage()
    stage.play([("", 500, "key", "on"), ("", 500, "key", "off"), ("", 1000, "open", 0), ("", 200, "wait", 0)])
    export = journals.pulled(stage.rig)
    assert len(export.records) <= 8
    return export


def places(verdict: Verdict) -> set[int]:
    return {problem.seq for problem in verdict.problems}


def found_at(export: Export, seq: int, near: int = 0) -> None:
    """Something is wrong, record seq is named, and nothing further off than `near` records."""
    verdict = verify(export, [SEAL])
    assert seq in places(verdict), (seq, [problem.text() for problem in verdict.problems])
    assert all(abs(place - seq) <= near for place in places(verdict)), [p.text() for p in verdict.problems]
    assert not verdict.whole


def test_a_good_export_is_proved_from_its_first_record_to_its_last(good: Export) -> None:
    verdict = verify(good, [SEAL])
    assert verdict.whole
    assert verdict.problems == []
    assert verdict.seals_good == verdict.seals
    assert len(verdict.seals) == 3
    assert verdict.proved == set(range(1, good.last + 1))
    assert parse_export(journals.as_file(good)) == good


def test_without_a_key_the_chain_is_checked_and_nothing_is_proved(good: Export) -> None:
    verdict = verify(good)
    assert verdict.problems == []
    assert not verdict.whole
    assert verdict.proved == set()
    assert verdict.unproved == [(1, good.last)]


def test_a_key_that_fits_nothing_is_said_to_be_wrong_or_the_file_forged(good: Export) -> None:
    verdict = verify(good, [seal_key(journals.NEW_KEY)])
    assert "wrong key, or all of it is forged" in verdict.problems[0].what


def test_every_flipped_bit_of_the_file_is_noticed(good: Export) -> None:
    """As a disk or a careless editor would; the line is named unless the line's end itself is gone."""
    data = journals.as_file(replace(good, records=good.records[:3]))
    lines = data.split(b"\n")
    line = 1
    for at in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            damage = parse_export(bytes(flipped)).damage
            assert damage, (at, bit)
            assert damage[-1][0] in (len(lines) - 2, len(lines) - 1, len(lines)) or damage[0][0] == line
        line += data[at : at + 1] == b"\n"


def flipped(export: Export, index: int, bit: int) -> Export:
    record = export.records[index]
    data = bytearray(record.data)
    data[bit >> 3] ^= 1 << (bit & 7)
    return replace(export, records=_with(export, index, replace(record, data=bytes(data))))


def test_every_flipped_bit_of_every_record_is_found_in_that_record(small: Export) -> None:
    """By a forger who renews the file's last line, which is no secret."""
    for index, record in enumerate(small.records):
        for bit in range(RECORD_SIZE * 8):
            found_at(flipped(small, index, bit), record.seq)


def test_a_flipped_bit_of_a_round_is_found_in_its_record(good: Export) -> None:
    dice = seeded()
    for index, record in enumerate(good.records):
        for bit in dice.sample(range(RECORD_SIZE * 8), 40):
            found_at(flipped(good, index, bit), record.seq)


def test_every_flipped_bit_of_the_log_and_of_the_attestation_is_found(good: Export) -> None:
    """The device's number alone is not under any seal: docs/JOURNAL.md says so."""
    for bit in range(16 * 8):
        log = (int.from_bytes(good.log, "big") ^ 1 << bit).to_bytes(16, "big")
        assert verify(replace(good, log=log), [SEAL]).problems
    told = good.attested[0]
    for bit in range(32 * 8):
        head = (int.from_bytes(told.head, "big") ^ 1 << bit).to_bytes(32, "big")
        assert verify(replace(good, attested=[replace(told, head=head)]), [SEAL]).problems
    for bit in range(16 * 8):
        mac = (int.from_bytes(told.mac, "big") ^ 1 << bit).to_bytes(16, "big")
        verdict = verify(replace(good, attested=[replace(told, mac=mac)]), [SEAL])
        assert [problem.line for problem in verdict.problems] == [1]
    for bit in range(32):
        for name in ("first", "last", "utc_s"):
            other = replace(told, **{name: getattr(told, name) ^ 1 << bit})
            assert verify(replace(good, attested=[other]), [SEAL]).problems
    for bit in range(16):
        assert not verify(replace(good, attested=[replace(told, key=told.key ^ 1 << bit)]), [SEAL]).whole


def test_every_record_that_is_left_out_is_missed(good: Export) -> None:
    for index in range(1, len(good.records) - 1):
        seq = good.records[index].seq
        export = journals.rewritten(good, good.records[:index] + good.records[index + 1 :])
        found_at(export, seq + 1)
        assert f"record {seq} is missing" in verify(export, [SEAL]).problems[0].what
    verdict = verify(journals.rewritten(good, good.records[1:]), [SEAL])
    assert "the beginning is missing" in verdict.problems[0].what
    assert places(verdict) == {2}


def test_every_place_the_end_is_cut_at_is_noticed(good: Export) -> None:
    for count in range(1, len(good.records)):
        export = journals.rewritten(good, good.records[:count])
        found_at(export, good.records[count - 1].seq)
        assert f"up to {good.last}, were attested" in verify(export, [SEAL]).problems[0].what
        assert verify(export).problems, "without a key as well"
    assert "there are no records" in verify(journals.rewritten(good, []), [SEAL]).problems[0].what


def test_every_two_neighbours_that_change_places_are_found(good: Export) -> None:
    for index in range(len(good.records) - 1):
        records = list(good.records)
        records[index], records[index + 1] = records[index + 1], records[index]
        found_at(journals.rewritten(good, records), records[index].seq, near=2)


def test_every_record_that_stands_there_twice_is_found(good: Export) -> None:
    for index, record in enumerate(good.records):
        records = [*good.records[: index + 1], record, *good.records[index + 1 :]]
        verdict = verify(journals.rewritten(good, records), [SEAL])
        problem = next(problem for problem in verdict.problems if problem.seq == record.seq)
        assert (problem.line, "twice" in problem.what) == (index + 3, True)
        assert places(verdict) == {record.seq}


def test_every_place_where_a_record_of_another_device_is_put_in_is_found(good: Export) -> None:
    other = journals.pulled(journals.small_stage(seed=9).rig)
    for index in range(1, len(good.records)):
        foreign = Record(good.records[index].seq, other.records[2].data)
        verdict = verify(journals.rewritten(good, [*good.records[:index], foreign, *good.records[index:]]), [SEAL])
        assert foreign.seq in places(verdict)
        replaced = journals.rewritten(good, [*good.records[:index], foreign, *good.records[index + 1 :]])
        found_at(replaced, foreign.seq)


def alterations(good: Export) -> list[tuple[str, int, list[Record]]]:
    """What a forger who renews the chain would like: (name, first record it is about, records)."""
    found: list[tuple[str, int, list[Record]]] = []
    for index in range(len(good.records) - 1):
        record = good.records[index]
        data = bytearray(record.data)
        data[12] ^= 1  # uptime, low byte: the least that could be changed
        found.append(("altered", record.seq, _with(good, index, replace(record, data=bytes(data)))))
        if index:
            found.append(("left out", record.seq, good.records[:index] + good.records[index + 1 :]))
            found.append(("put in", record.seq + 1, [*good.records[: index + 1], *good.records[index:]]))
    return found


def _with(export: Export, index: int, record: Record) -> list[Record]:
    return [*export.records[:index], record, *export.records[index + 1 :]]


def test_a_chain_that_is_made_anew_is_caught_by_the_next_seal(good: Export) -> None:
    """Whatever is altered, the chain is whole again, and still the first seal after it does not verify."""
    unnoticed = 0
    for name, seq, records in alterations(good):
        forged = journals.chained(good, records)
        verdict = verify(forged, [SEAL])
        unnoticed += not verify(forged).problems
        assert verdict.problems, (name, seq)
        broken = [problem.seq for problem in verdict.problems if "seal does not verify" in problem.what]
        later = [seal for seal in verdict.seals if seal >= seq]
        forged_all = "all of it is forged" in verdict.problems[0].what
        assert broken == later or (forged_all and later == verdict.seals), (name, seq)
        assert all(seal < seq for seal in verdict.seals_good)
        assert max(verdict.proved, default=0) < seq
    assert unnoticed > len(alterations(good)) / 2, "without a key most alterations pass"


def test_a_forger_with_another_key_is_caught(good: Export) -> None:
    """Chain, seals and attestation made again under a key of the forger's own."""
    key = seal_key(journals.NEW_KEY)
    made = journals.chained(good, good.records, key)
    assert verify(made, [key]).whole
    assert verify(made).problems == []
    verdict = verify(made, [SEAL])
    assert verdict.problems and not verdict.proved


def test_without_any_attestation_the_end_is_said_to_be_unknown(good: Export) -> None:
    verdict = verify(replace(good, attested=[]), [SEAL])
    assert "where the journal ends is not known" in verdict.problems[0].what
    assert max(verdict.proved) == max(verdict.seals_good)


def test_a_problem_says_between_which_seals_it_lies(good: Export) -> None:
    seals = verify(good, [SEAL]).seals
    seq = seals[1] - 3
    data = bytearray(good.records[seq - 1].data)
    data[30] ^= 4
    verdict = verify(replace(good, records=_with(good, seq - 1, Record(seq, bytes(data), seq + 1))), [SEAL])
    problem = verdict.problems[0]
    assert (problem.seq, problem.line) == (seq, seq + 1)
    assert (problem.after_seal, problem.before_seal) == (seals[0], seals[1])
    assert f"[after the seal {seals[0]}, before the seal {seals[1]}]" in problem.text()
    # What stands between the broken place and the seal before it hangs in the air.
    assert verdict.unproved == [(seals[0] + 1, seq)]


def test_a_rotated_key_is_checked_with_both_keys_and_the_newer_one_proves_the_older_part() -> None:
    stage = journals.small_stage()
    journals.play_round(stage)
    rotate(stage, journals.NEW_KEY)
    export = journals.pulled(stage.rig, journals.NEW_KEY)
    both = verify(export, [SEAL, seal_key(journals.NEW_KEY)])
    assert both.whole and both.seals_good == both.seals
    assert both.generations == {1, 2}
    newer = verify(export, [seal_key(journals.NEW_KEY)])
    assert newer.whole
    assert "seals of key 1 were not checked themselves" in newer.notes[0]
    older = verify(export, [SEAL])
    assert not older.whole
    assert older.proved and older.unproved[-1][1] == export.last


def rotate(stage: journals.Stage, key: bytes) -> None:
    """Between rounds, without the wire: who may do so is shown elsewhere."""
    service = stage.rig.app.service
    service.key[:] = key
    service.how = 1
    stage.run(1000)
    stage.peer.key = key
    stage.run(3000)


def test_a_device_without_a_key_has_nothing_to_prove_its_journal_with() -> None:
    export = journals.pulled(journals.small_stage(b"").rig, b"")
    for keys in ([], [SEAL]):
        verdict = verify(export, keys)
        assert verdict.problems == []
        assert not verdict.whole and not verdict.proved and not verdict.seals


def test_a_ring_that_went_round_is_proved_as_far_as_it_reaches() -> None:
    stage = journals.small_stage(cells=60)
    for _ in range(4):
        journals.play_round(stage)
    export = journals.pulled(stage.rig)
    assert export.first > 1
    verdict = verify(export, [SEAL])
    assert verdict.sound and not verdict.whole, [problem.text() for problem in verdict.problems]
    assert verdict.partial == [f"it begins with record {export.first}, and should begin with 1"]
    assert f"before {export.first}" in verdict.notes[0]
    assert verify(export, [SEAL], Expected(first=export.first)).whole
    assert "the beginning is missing" in verify(journals.rewritten(export, export.records[1:]), [SEAL]).problems[0].what


def _cut_in_a_shuffle() -> journals.Stage:
    """A device that lost power in a shuffle, was cleared, and played a round."""
    stage = journals.small_stage()
    stage.play([("", 300, "load", 8), ("", 300, "press", "green"), ("", 1500, "cut", 0)])
    stage.act("boot", {})
    stage.until("warning_latched", 5000)
    journals.clear_by_hand(stage)
    journals.play_round(stage)
    return stage


def test_power_cuts_and_voids_make_sense() -> None:
    assert verify(journals.pulled(_cut_in_a_shuffle().rig), [SEAL]).whole


def test_wherever_the_ring_begins_what_is_left_of_a_round_that_power_cut_makes_sense() -> None:
    stage = journals.small_stage()
    steps = [("", 300, "load", 8), ("", 300, "press", "green"), ("deck_verified", 500, "press", "seat")]
    stage.play([*steps, ("", 500, "press", "close"), ("stack_offered", 500, "take", 0), ("", 150, "cut", 0)])
    stage.act("boot", {})
    stage.until("round_voided", 5000)
    export = journals.pulled(stage.rig)
    names = [event.NAME if (event := record.event()) else "" for record in export.records]
    assert names.index("round_started") < names.index("stack_started") < names.index("power_lost")
    for first in range(1, export.last + 1):
        ring = [replace(told, first=first) for told in export.attested]
        rest = replace(export, records=export.records[first - 1 :], attested=ring)
        assert list(check_sense(rest, set())) == [], f"from record {first} on"


WAITS = ShuffleCommitted(5, 1, 9, 0, 0, 0, 1, bytes(32), 30)
WAITS_NOT = ShuffleCommitted(5, 1, 9, 0, 0, 0, 1, bytes(32), 0)
VERIFIED = DeckVerified(7, 1, 9, 0, 0, 0, 1, 52, 52, 0, 0)


def given(share: Share) -> ShuffleNonce:
    return ShuffleNonce(6, 1, 9, 0, 0, 0, 1, share, 0, bytes(32))


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([WAITS, VERIFIED], "the commitment 5 waited for a nonce, and no shuffle_nonce says what became of it"),
        ([WAITS, WAITS], "the commitment 5 waited for a nonce, and no shuffle_nonce says what became of it"),
        ([WAITS, given(Share.GIVEN), VERIFIED], ""),
        ([WAITS, given(Share.LATE), VERIFIED], ""),
        ([WAITS, given(Share.ABORTED), WAITS_NOT, VERIFIED], ""),
        ([WAITS_NOT, VERIFIED], ""),
        ([given(Share.GIVEN)], "it tells of a nonce, and no commitment waited for one"),
    ],
)
def test_a_commitment_that_waits_for_a_nonce_is_followed_by_what_became_of_it(events: list[Event], said: str) -> None:
    story = Story(100, whole=True)
    story.uptime, story.boot = (9, 0), 1
    assert [what for event in events for what in story.note(event)] == ([said] if said else [])
    assert list(Story(100).note(given(Share.GIVEN))) == [], "the file begins in the middle"


def senseless(export: Export, seq: int, change: Callable[[bytearray], None]) -> str:
    """What is said of a journal whose device wrote nonsense and sealed it; the chain and the seals hold."""
    data = bytearray(export.records[seq - 1].data)
    change(data)
    records = _with(export, seq - 1, Record(seq, bytes(data), seq + 1))
    verdict = verify(journals.chained(export, records, SEAL), [SEAL])
    assert [problem.seq for problem in verdict.problems][:1] == [seq] or not verdict.problems
    return verdict.problems[0].what if verdict.problems else ""


def put(at: int, *values: int) -> Callable[[bytearray], None]:
    def change(data: bytearray) -> None:
        data[at : at + len(values)] = bytes(values)

    return change


def test_what_a_device_could_not_have_told_is_found_though_it_is_sealed(good: Export) -> None:
    names = [event.NAME if (event := record.event()) else "" for record in good.records]
    boots = [at + 1 for at, name in enumerate(names) if name == "booted"]
    round_started = names.index("round_started") + 1
    assert senseless(good, 3, put(60)) == ""
    assert "boot 9 comes after boot 1" in senseless(good, boots[1], put(8, 9, 0))
    assert "boot 1 had not ended" in senseless(good, boots[0] + 3, put(8, 2, 0))
    assert "uptime" in senseless(good, boots[0] + 4, put(10, 0, 0, 0, 0))
    assert "was not set" in senseless(good, round_started, put(16, 9, 9, 9, 9))
    assert "no power_lost says so" in _cut_in_a_shuffle_untold()
    verified = names.index("deck_verified") + 1
    assert "verifies 7 cards" in senseless(good, verified, put(25, 7, 0, 7, 0))
    assert "verifies 8 cards, 7 of them swept" in senseless(good, verified, put(27, 7, 0))
    stud = put(25, *b"CS\0\0\0\0\0\0")
    assert "8 verified cards, and the game has 52" in senseless(good, round_started, stud)


def _cut_in_a_shuffle_untold() -> str:
    """A device that forgets what was going on: its power_lost is taken for something else."""
    export = journals.pulled(_cut_in_a_shuffle().rig)
    names = [event.NAME if (event := record.event()) else "" for record in export.records]
    seq = names.index("power_lost") + 1

    def forget(data: bytearray) -> None:
        data[1] = 21
        data[2:4] = (261).to_bytes(2, "little")  # door_opened
        data[25:60] = bytes(35)

    data = bytearray(export.records[seq - 1].data)
    forget(data)
    records = _with(export, seq - 1, Record(seq, bytes(data), seq + 1))
    verdict = verify(journals.chained(export, records))
    return verdict.problems[0].what


def test_random_damage_is_always_found(good: Export) -> None:
    dice = seeded()
    for _ in range(300):
        records = list(good.records)
        for _ in range(dice.randrange(1, 4)):
            kind = dice.choice(("drop", "swap", "copy", "bits"))
            at = dice.randrange(len(records))
            if kind == "drop" and len(records) > 1:
                del records[at]
            elif kind == "swap":
                other = dice.randrange(len(records))
                records[at], records[other] = records[other], records[at]
            elif kind == "copy":
                records.insert(dice.randrange(len(records) + 1), records[at])
            else:
                noise = dice.randbytes(RECORD_SIZE)
                mask = [byte if dice.random() < 0.02 else 0 for byte in noise]
                data = bytes(a ^ b for a, b in zip(records[at].data, mask, strict=True))
                records[at] = replace(records[at], data=data)
        changed = [(record.seq, record.data) for record in records] != [(r.seq, r.data) for r in good.records]
        for export in (journals.rewritten(good, records), journals.chained(good, records)):
            verdict = verify(export, [SEAL])
            same = [(record.seq, record.data) for record in export.records] == [(r.seq, r.data) for r in good.records]
            assert verdict.whole == same or not changed, [problem.text() for problem in verdict.problems]


def test_what_real_devices_write_is_always_good() -> None:
    """Journals of scenarios, faults and power cuts and all: none makes the verifier cry wolf."""
    seed = random.randrange(1 << 32)
    print(f"replay with random.Random({seed})")
    paths = scenario_places([journals.ROOT / "tests" / "scenarios"])
    words = ("firmware-", "power-while", "table-host", "journal-is-full")
    always = [path for path in paths if any(word in str(path) for word in words)]
    for path in [*always, *random.Random(seed).sample(paths, 20)]:
        data = read_place(path)
        played = Scenario(data, load_board(data["board"])[0])
        played.play()
        rig = played.stage.rig
        if not rig.powered:
            rig.boot()
        rig.plant.repair()
        played.stage.to_host = played.stage.to_device = None
        played.stage.run(300)
        verdict = verify(
            journals.pulled(rig, journals.KEY if data.get("role") else b""), [SEAL] if data.get("role") else []
        )
        assert verdict.problems == [], (path.name, [problem.text() for problem in verdict.problems])
        # A full journal has lost its first records: an export of it is proved as far as it goes, and is not whole.
        assert verdict.whole == (bool(data.get("role")) and verdict.first == 1), path.name


def test_a_stored_event_of_another_kind_or_content_contradicts_the_export(good: Export) -> None:
    record = good.records[3]
    stored = record.event()
    assert stored is not None
    for message, payload, agrees in (
        (record.message, record.payload, True),
        (record.message, record.payload[:-1] + bytes([record.payload[-1] ^ 1]), False),
        (0xFFF0, record.payload, False),  # of a kind that this version does not know
    ):
        made = Record.of_event(record.seq, message, payload, record.previous)
        found = contradictions(replace(good, records=[made]), Expected(events={record.seq: stored}))
        assert (list(found) == []) is agrees, message


OTHER = bytes(range(1, 33))
KNOWN = PublicKey(bytes(range(32)), 7, 2, 10, 20)


@pytest.mark.parametrize(
    ("device", "generation", "seq", "retired"),
    [
        (7, 2, 9, True), (7, 2, 10, False), (7, 2, 20, False), (7, 2, 21, True),
        (7, 1, 21, False), (7, 3, 9, False), (8, 2, 21, False),
    ],
)  # fmt: skip
def test_a_signing_key_proves_its_own_device_generation_and_records(
    device: int, generation: int, seq: int, retired: bool
) -> None:
    export = Export(device, bytes(16), 0, [], [])
    attestation = Attestation(1, seq, 0, generation, bytes(32), bytes(16))
    assert KNOWN.retired(export, generation, seq) is retired
    assert KNOWN.fits(export, attestation) is (device == 7 and generation == 2)
    assert not replace(KNOWN, last=None).retired(export, generation, max(seq, 10)), "in force"
    assert PublicKey(OTHER).fits(export, attestation), "a key without a device is for every one"
