"""The captures of docs/captures/, as data: which commands are run, in a terminal of which size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capture:
    """Commands as typed, with all that they write: to their end, or to the line that holds `until`. With `rows` the
    last ones alone. A view that is drawn again and again is `live`. `before`: for a shell, not shown."""

    title: str
    shown: tuple[str, ...]
    before: tuple[str, ...] = ()
    columns: int = 110
    rows: int = 0  # 0: everything that was written
    until: str = ""
    live: bool = False


JAM = "sim://pico-carousel?speed=0&faults=jam:throat:10"
# A simulated shoe at ./shoe, which verifies a deck.
A_SHOE = (
    "(sleep 1; echo load 52; echo press green; sleep 20) | fairshoe sim --hands --json --speed 10 > ports.json &",
    """sleep 5; ln -s $(sed 's/.*"port": "\\([^"]*\\)".*/\\1/; q' ports.json) shoe""",
)
KEYED = "sim://pico-carousel?dealer=hands&mode=table&key=keys/device.key&speed=0"
KEYS = "fairshoe keys new keys"
SEED_KNOWN = bytes(range(32)).hex()
COMMITMENT = "028a0cb8a63542af23857bbe9a618ae121f7bc89967715d023265a621be6b61e"
# A machine whose throat beams are swapped, and one that is wired rightly. Simulated hands do a technician's work.
WIRED = "sim://pico-carousel?service=on&dealer=none&key=keys/device.key"
A_MACHINE = (KEYS, """echo '{"swapped": ["throat_a", "throat_b"]}' > swapped.json""")
STORED = "sim://pico-carousel?speed=0&storage=shoe.nv"
VERIFY = "fairshoe journal verify shift.journal --public-key keys/signing.pub"
OF_RELEASE = "fairshoe firmware verify --release release --key signing.key.pub --folder copied"

CAPTURES = {
    "help": Capture("fairshoe --help", ("fairshoe --help",), columns=100),
    "demo": Capture(
        "The demonstration: a deck is shuffled, verified and dealt",
        ("fairshoe demo --speed 50",),
        columns=100,
        until="Act 2",
    ),
    "demo-faults": Capture(
        "The demonstration: a short deck and a jam", ("fairshoe demo --speed 50",), columns=100, rows=36, until="Act 4"
    ),
    "sim": Capture(
        "A simulated shoe, and what its dealer's display says",
        ("fairshoe sim --display --speed 20 --dealer auto",),
        until="lock-out: LOCK",
    ),
    "monitor": Capture(
        "A jam, in the live view of the monitor",
        ("fairshoe monitor 'sim://pico-carousel?speed=10&faults=jam:throat:10'",),
        columns=100,
        rows=24,
        until="shuffle failed",
        live=True,
    ),
    "ports": Capture(
        "Which ports there are, and which of them is a shoe",
        ("fairshoe ports",),
        A_SHOE,
        columns=120,
    ),
    "jam": Capture(
        "A jam, and what brings the machine back to work",
        (f"fairshoe monitor '{JAM}' --plain",),
        until="warning cleared",
    ),
    "status": Capture("One look at a shoe, with the next step", ("fairshoe status ./shoe",), A_SHOE, columns=120),
    "selftest": Capture("Whether a shoe is fit for work, without moving a card", ("fairshoe selftest ./shoe",), A_SHOE),
    "round": Capture(
        "A round under commands, step by step",
        (f"fairshoe round '{KEYED}' 1 --yes --key-file keys/table.key",),
        before=(KEYS,),
    ),
    "flash": Capture("What a board ships", ("fairshoe firmware flash --board pico2-carousel",)),
    "bench": Capture(
        "A test plan, unattended on a simulated shoe",
        ("fairshoe bench 'sim://pico-carousel?seed=3' sensors --out reports",),
        rows=30,
    ),
    "decode": Capture(
        "A recording of the line with noise and damage in it",
        ("fairshoe decode line.bin",),
        before=("cp $ROOT/docs/protocol/golden.bin line.bin",),
        rows=24,
    ),
    "config-check": Capture(
        "A board config that can work, and one that cannot",
        ("fairshoe config check pico-carousel", "fairshoe config check my-board.json"),
        before=(
            "cp $ROOT/board_configs/pico-carousel.json my-board.json",
            """sed -i 's/"throat_b_um": 45000/"throat_b_um": 41000/' my-board.json""",
        ),
    ),
    "bringup-fault": Capture(
        "Bring-up of a machine with two wires swapped",
        (f"fairshoe bringup --board pico-carousel --out rewired.json '{WIRED}&truth=swapped.json'",),
        before=A_MACHINE,
    ),
    "bringup": Capture(
        "The same machine, mended: bring-up goes on where it ended",
        (f"fairshoe bringup --board pico-carousel '{WIRED}'",),
        before=(*A_MACHINE, f"fairshoe bringup --board pico-carousel --json '{WIRED}&truth=swapped.json' || true"),
    ),
    "calibrate": Capture(
        "A machine that differs from its config, measured",
        (f"fairshoe calibrate --board pico-carousel --out my-board.json '{WIRED}&truth=truth.json'",),
        before=(KEYS, """echo '{"brake_um": 3600, "slot_count": 56, "exit_um": 33000}' > truth.json"""),
    ),
    "journal": Capture(
        "A journal that is proved, and the same with one line deleted",
        (VERIFY, "sed -i 12d shift.journal", VERIFY),
        before=(
            f"fairshoe provision '{STORED}&service=on&dealer=none' --out keys",
            f"fairshoe round '{STORED}&dealer=hands&mode=table' 1 --yes --key-file keys/table.key",
            f"fairshoe journal pull '{STORED}' -o shift.journal --key-file keys/observer.key 2>&1",
        ),
    ),
    "verify": Capture(
        "Files of a device against a signed release, and the same with another game",
        (OF_RELEASE, "sed -i s/52/53/ copied/game.json", OF_RELEASE),
        before=(
            "fairshoe firmware release build --board pico2-shoe -o release",
            "fairshoe firmware release keygen signing.key",
            "fairshoe firmware release sign release --key signing.key",
            "cp -r release/pico2-shoe copied",
        ),
    ),
    "audit": Capture(
        "The seed of a shuffle, held against its commitment",
        (f"fairshoe proof audit shuffle --cards 52 --seed {SEED_KNOWN} --commitment {COMMITMENT}",),
    ),
    "shuffle-test": Capture(
        "The shuffle beside shufflers that fail",
        ("fairshoe proof shuffle-test --shuffles 1000 --full 20 --seed 1",),
        rows=30,
    ),
    "scenario": Capture(
        "A fault played from a file",
        ("fairshoe scenario run carousel-card-under-the-rail.json --transcript -",),
        ("cp $ROOT/tests/scenarios/carousel-card-under-the-rail.json .",),
    ),
}
