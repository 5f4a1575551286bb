"""The audit of a shuffle: an implementation of its own agrees with NIST and with the device, and every lie is found."""

import json
import random
from array import array
from math import exp, factorial
from pathlib import Path

import pytest
from in_process import output, refusal
from rig_port import KEY, RigPort

from fairshoe import keys
from fairshoe.cli import command_line
from fairshoe.client.share_judge import SHIFT_SHUFFLES
from fairshoe.client.shoe import Shoe
from fairshoe.client.table_share import LOST_MAX
from fairshoe.errors import Exit, NoAnswer, UsageError
from fairshoe.journal import seed_audit
from fairshoe.messages import Role, Share, ShuffleCommitted
from fairshoe.text.describe import describe_event
from firmware.deck.drbg import Drbg
from firmware.deck.permutation import permutation_fill
from firmware.deck.shuffler import Shuffler
from firmware.link.admission import ALIVE_MS

VECTORS = json.loads((Path(__file__).parents[2] / "unit" / "kit" / "drbg_vectors.json").read_text())["vectors"]
SEED = bytes(range(32))


def test_the_audit_s_own_drbg_gives_what_nist_says() -> None:
    plain = [vector for vector in VECTORS if vector[0] == "no_reseed" and not vector[8][0]]
    assert len(plain) == 4
    for vector in plain:
        drbg = seed_audit.HmacDrbg(bytes.fromhex(vector[2] + vector[3] + vector[4]))
        drbg.generate(128)
        assert drbg.generate(128).hex() == vector[9]


def test_the_audit_and_the_device_draw_the_same_order_from_any_seed() -> None:
    number = random.randrange(1 << 32)
    print(f"replay with random.Random({number})")
    noise = random.Random(number)
    for cards in (1, 2, 3, 52, 54, 288, 384, *(noise.randrange(4, 400) for _ in range(20))):
        seed = noise.randbytes(32)
        order = array("H", [0] * cards)
        permutation_fill(order, cards, Drbg(seed, b"", b"fairshoe shuffle 1"))
        assert seed_audit.places_of(seed, cards) == tuple(order)


def test_the_audit_agrees_with_the_commitment_of_the_device() -> None:
    port = RigPort()
    shuffler = Shuffler(port.rig.hal, port.rig.config, 1)
    for _ in range(5):
        order = array("H", [0] * 52)
        while not shuffler.entropy.gather():
            pass
        assert shuffler.draw(order, 52)
        verdict = seed_audit.examine(bytes(shuffler.seed), seed_audit.Committed(shuffler.commitment), 52)
        assert verdict.agrees
        assert verdict.places == tuple(order)
        assert [verdict.places[card] for card in verdict.dealt] == list(range(52))


def test_a_worked_example_stays_what_it_is() -> None:
    """The numbers of docs/SHUFFLE.md: other implementations of an audit compare theirs with them."""
    page = (Path(__file__).parents[3] / "docs" / "SHUFFLE.md").read_text()
    assert seed_audit.commitment_of(SEED).hex() in page
    assert " ".join(map(str, seed_audit.places_of(SEED, 10))) in page
    assert " ".join(map(str, seed_audit.examine(SEED, seed_audit.Committed(b""), 10).dealt)) in page
    record = seed_audit.Committed(b"", Share.GIVEN, bytes(range(32, 64)))
    shared = seed_audit.examine(SEED, record, 10, 0x12345678, 1207)
    assert " ".join(map(str, shared.places)) in page and " ".join(map(str, shared.dealt)) in page


def test_the_page_has_the_chance_that_an_honest_device_is_accused() -> None:
    page = (Path(__file__).parents[3] / "docs" / "SHUFFLE.md").read_text()
    for one_in, told in ((1000, "0.00005"), (100, "0.34"), (50, "3.4")):
        mean = SHIFT_SHUFFLES / one_in
        within = sum(exp(-mean) * mean**lost / factorial(lost) for lost in range(LOST_MAX + 1))
        digits = len(told.split(".")[1])
        assert f"{100 * (1 - within):.{digits}f}" == told
        (row,) = [line for line in page.splitlines() if line.startswith(f"| 1 in {one_in:,} ")]
        assert f"| {told} %" in row


def test_a_commitment_is_shown_as_a_person_would_copy_it() -> None:
    event = ShuffleCommitted(1, 1, 0, 0, 0, 0, 1, seed_audit.commitment_of(SEED), 0)
    assert describe_event(event) == f"shuffle committed: commitment {seed_audit.commitment_of(SEED).hex()}"
    waiting = ShuffleCommitted(1, 1, 0, 0, 0, 0, 1, seed_audit.commitment_of(SEED), 30)
    assert describe_event(waiting) == describe_event(event) + ", waits up to 3 s for the table's nonce"


def test_one_wrong_bit_in_either_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    good = seed_audit.commitment_of(SEED)
    words = ["proof", "audit", "shuffle", "--cards", "52", "--json"]
    assert json.loads(output(*words, "--seed", SEED.hex(), "--commitment", good.hex()))["agrees"] is True
    for bit in (0, 100, 255):
        wrong = bytes(byte ^ (1 << bit % 8 if i == bit // 8 else 0) for i, byte in enumerate(SEED))
        assert command_line.main([*words, "--seed", wrong.hex(), "--commitment", good.hex()]) == 6
        out = capsys.readouterr()
        assert json.loads(out.out)["agrees"] is False
        assert "take the device out of service" in out.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "--seed, --commitment and --cards, or a port"),
        (["--seed", "00" * 32, "--cards", "52"], 2, "what is to be audited"),
        (["--seed", "00" * 31, "--commitment", "00" * 32, "--cards", "52"], 2, "--seed is not 32 bytes"),
        (["--seed", "zz" * 32, "--commitment", "00" * 32, "--cards", "52"], 2, "--seed is not 32 bytes"),
        (["--seed", "00" * 32, "--commitment", "00" * 33, "--cards", "52"], 2, "--commitment is not 32 bytes"),
        (["--seed", "00" * 32, "--commitment", "00" * 32, "--cards", "0"], 2, "a deck of 0 cards"),
        (["--seed", "00" * 32, "--commitment", "00" * 32, "--cards", "52", "--events", "f"], 2, "need a port"),
        (["/dev/none"], 2, "--key-file and --events"),
        (["/dev/none", "--key-file", "k", "--events", "f", "--cards", "52"], 2, "brings its own seed"),
        (["/dev/none", "--key-file", "k", "--events", "f"], 3, "cannot read the key"),
    ],
)
def test_words_that_do_not_fit_are_refused_with_advice(words: list[str], code: int, says: str) -> None:
    error = refusal(code, "proof", "audit", "shuffle", *words)
    assert says in error
    assert len(error.strip().splitlines()) == 2


# --- from a device -----------------------------------------------------------------------------


class Watched(RigPort):
    """Ends the reader, as Ctrl-C would, at a set time."""

    until_us = 1 << 60

    def read(self, size: int) -> bytes:
        if self.rig.plant.now_us >= self.until_us:
            raise KeyboardInterrupt
        return super().read(size)


@pytest.fixture
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """On every port there is; the library's clock is its clock."""
    port = Watched(KEY, "table", False, seeds=request.param)
    monkeypatch.setattr("fairshoe.client.shoe.time.monotonic", lambda: port.rig.plant.now_us / 1e6)
    monkeypatch.setattr("fairshoe.transport.urls.serial.serial_for_url", lambda *_words, **_options: port)  # pyright: ignore
    return port


def key_file(folder: Path, role: Role) -> str:
    path = folder / f"{role.name.lower()}.key"
    keys.write_key(path, role.name.lower(), keys.role_key(KEY, role).secret)
    return str(path)


def monitor(port: Watched, folder: Path, ms: int, capsys: pytest.CaptureFixture[str]) -> Path:
    """What `fairshoe monitor --json` prints within that time, in a file."""
    port.until_us = port.rig.plant.now_us + ms * 1000
    key = folder / "recorder.key"
    words = ["monitor", "rig", "--host", "--json", "--key-file"]
    assert (
        command_line.main([*words, str(key) if key.exists() else key_file(folder, Role.RECORDER)]) == Exit.INTERRUPTED
    )
    port.until_us = 1 << 60
    port.run(ALIVE_MS)  # a reader waits so long until the recorder has left the line
    path = folder / "events.jsonl"
    with path.open("a") as file:
        file.write(capsys.readouterr().out)
    return path


def shuffle(port: Watched, cards: int) -> None:
    port.hand("load", str(cards))
    port.run(500)
    port.hand("press", "green")


@pytest.mark.parametrize("device", ["disclose"], indirect=True)
def test_a_disclosed_seed_is_fetched_and_checked_against_the_stored_events(
    device: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device.run(8000)
    auditor = key_file(tmp_path, Role.AUDITOR)
    events = monitor(device, tmp_path, 1000, capsys)
    words = ["proof", "audit", "shuffle", "rig", "--key-file", auditor, "--events", str(events), "--json"]
    assert "no seed to disclose" in refusal(7, *words)
    shuffle(device, 51)
    monitor(device, tmp_path, 4000, capsys)
    order = tuple(device.rig.app.order)[:52]
    assert sorted(order) == list(range(52))
    assert command_line.main(words) == 7  # in play
    capsys.readouterr()
    monitor(device, tmp_path, 30000, capsys)
    answer = json.loads(output(*words))
    assert answer["agrees"] is True
    assert tuple(answer["places"]) == order
    # Another shuffle's commitment does not get in the way.
    other = {"message": "shuffle_committed", "seq": answer["seq"] - 1, "commitment": "11" * 32}
    events.write_text(json.dumps(other) + "\n" + events.read_text())
    assert command_line.main(words) == 0
    # A file in which the commitment was altered, and one that has none.
    seed, commitment = answer["seed"], answer["commitment"]
    assert seed_audit.commitment_of(bytes.fromhex(seed)).hex() == commitment
    text = events.read_text()
    events.write_text(text.replace(commitment, "00" * 32))
    assert command_line.main(words) == 6
    events.write_text("\n".join(line for line in text.splitlines() if "shuffle_committed" not in line))
    assert command_line.main(words) == 7
    events.write_text("{torn\n" + text)
    assert "line 1: not JSON" in refusal(2, *words)


@pytest.mark.parametrize("device", ["erase"], indirect=True)
def test_a_device_that_erases_says_so(device: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    device.run(8000)
    shuffle(device, 51)
    events = monitor(device, tmp_path, 40000, capsys)
    words = [
        "proof",
        "audit",
        "shuffle",
        "rig",
        "--key-file",
        key_file(tmp_path, Role.AUDITOR),
        "--events",
        str(events),
    ]
    assert '"disclose"' in refusal(7, *words)


@pytest.mark.parametrize("device", ["disclose"], indirect=True)
def test_the_library_asks_only_as_an_auditor_and_acknowledges_nothing(device: Watched) -> None:
    device.run(8000)
    with (
        Shoe.open("rig", keys.role_key(KEY, Role.TABLE)) as shoe,
        pytest.raises(UsageError, match="disclosed only to the auditor"),
    ):
        shoe.seed()
    device.run(ALIVE_MS)  # an auditor waits until the table system has been silent for so long
    with Shoe.open("rig", keys.role_key(KEY, Role.AUDITOR)) as shoe:
        assert shoe.seed().seq == 0
        device.rig.cut_power()
        with pytest.raises(NoAnswer, match="did not answer about its seed"):
            shoe.seed()
    assert device.rig.app.journal.seq_acked == 0
