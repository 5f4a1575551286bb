"""The captures of docs/captures/, as data: which commands are played, in a terminal of which size."""

from __future__ import annotations

from captures.player import Capture, Cue, Edit, Hands, Quiet, Show, Sim

# A device that was given a key, dealt a round and was pulled from. Slow enough that every word of its display is seen.
A_SHIFT = (
    Sim("--speed 10"),
    Hands("Ready for a deck", "key on"),
    Quiet("fairshoe provision {service} --out keys"),
    Hands("", "key off"),
    Quiet("sleep 1"),  # ten seconds there, in which that is recorded and sealed
    Hands("", "load 52"),
    Hands("", "press green"),
    Hands("Deck verified", "press seat"),
    Hands("", "press close"),
    Hands("lock-out", "press lock"),
    Hands("Stack ready", "take"),
    Hands("Stack ready", "take"),
    Hands("All stacks dealt", "press green"),
    Hands("Remainder in tray", "take"),
    Hands("Settle the round", "press green"),
    Hands("Ready for a deck"),
    Quiet("sleep 1"),
    Quiet("fairshoe journal pull {port} -o shift.journal --key-file keys/observer.key"),
)

# What a dealer's display shows before the first scan, for as long as that takes.
EMPTY_DISPLAY = r"\+-+\+\r\n(?:\| +\|\r\n){4}\+-+\+\r\n"
# Printed at intervals of the clock; wrapped at the width of the capture.
METERS = r"\x1b\[2m +meters:[^\n]*\n(?:(?:\x1b\[2m)? +[^#\n]*against new[^\n]*\n)?"
# Serial devices of the computer that takes the capture.
OWN_PORTS = r"/dev/tty[^\n]*\n"
SEED_KNOWN = bytes(range(32)).hex()
COMMITMENT = "028a0cb8a63542af23857bbe9a618ae121f7bc89967715d023265a621be6b61e"

# A machine whose throat beams are swapped, and one that is wired rightly. Simulated hands do a technician's work.
WIRED = "sim://pico-carousel?service=on&dealer=none&key=keys/device.key"
A_MACHINE = (
    Quiet("fairshoe keys new keys"),
    Quiet(r"""sh -c 'echo "{\"swapped\": [\"throat_a\", \"throat_b\"]}" > swapped.json'"""),
)

CAPTURES = (
    Capture("help", "fairshoe --help", (Show("fairshoe --help"),)),
    Capture(
        "demo",
        "The demonstration: a deck is shuffled, verified and dealt",
        (Show("fairshoe demo --speed 50", until="Act 2"),),
    ),
    Capture(
        "demo-faults",
        "The demonstration: a short deck and a jam",
        (Show("fairshoe demo --speed 50", until="Act 4"),),
        rows=36,
    ),
    Capture(
        "sim",
        "A simulated shoe, with a dealer at the keyboard",
        (
            Show(
                "fairshoe sim --display --speed 20",
                cues=(
                    Cue("press GREEN", 2),
                    Cue("sim> ", type="load 52"),  # at the prompt: the terminal would echo an earlier line twice
                    Cue("load 52", 1),
                    Cue("sim> ", type="press green"),
                    Cue("betting is closed", 2),
                    Cue("sim> ", type="press close"),
                ),
                until="lock-out: LOCK",
                more=1,
            ),
        ),
        columns=110,
        drop=EMPTY_DISPLAY,
    ),
    Capture(
        "monitor",
        "A jam, in the live view of the monitor",
        (
            Sim("--speed 10"),
            Hands("Ready for a deck", "jam throat:10:60000"),
            Hands("", "load 52"),
            Show(
                "fairshoe monitor {port}",
                cues=(Cue("empty", hands="press green"),),
                until="shuffle failed",
                settle_s=1.0,
            ),
        ),
        rows=24,
        vary=(r"\d+\+\d+\.\d", r"\d+ frames", r"\d+ sent again", r"longest scan \d+ ms"),
    ),
    Capture(
        "ports",
        "Which ports there are, and which of them is a shoe",
        (Sim("--speed 10"), Hands("Ready for a deck"), Show("fairshoe ports")),
        columns=120,
        drop=OWN_PORTS,
    ),
    Capture(
        "jam",
        "A jam, and what brings the machine back to work",
        (
            Sim("--speed 10"),
            Hands("Ready for a deck", "jam throat:10:60000"),
            Hands("", "load 52"),
            Show(
                "fairshoe monitor {port} --plain",
                cues=(
                    Cue("empty proved", hands="press green"),
                    Cue("shuffle failed", hands="open"),
                    Cue("door opened", hands="clear"),
                    Cue("", hands="lift"),
                    Cue("", hands="close"),
                    Cue("door closed", hands="press ack"),
                ),
                until="warning cleared",
            ),
        ),
        columns=110,
        drop=METERS,
    ),
    Capture(
        "status",
        "One look at a shoe, with the next step",
        (
            Sim("--speed 10"),
            Hands("Ready for a deck", "load 52"),
            Hands("", "press green"),
            Hands("Deck verified"),
            Show("fairshoe status {port}"),
        ),
        columns=120,
        vary=(r"\d+ frames?", r"\d+ sent again", r"longest scan \d+ ms"),
    ),
    Capture(
        "selftest",
        "Whether a shoe is fit for work, without moving a card",
        (Sim("--speed 10"), Hands("Ready for a deck"), Show("fairshoe selftest {port}")),
        columns=110,
        vary=(r"\d+ questions answered, \d+ ms", r"\d+ frames here", r"longest \d+ ms"),
    ),
    Capture(
        "round",
        "A round under commands, step by step",
        (
            Sim("--speed 10 --mode table"),
            Hands("Ready for a deck", "key on"),
            Quiet("fairshoe provision {service} --out keys"),
            Hands("", "key off"),
            Quiet("sleep 1"),
            Hands("", "load 52"),
            Show(
                "fairshoe round {port} 1 --yes --key-file keys/table.key",
                cues=(
                    Cue("take the stack out", hands="take"),
                    Cue("take the stack out", hands="take"),
                    Cue("take the rest out", hands="take"),
                ),
            ),
        ),
        columns=110,
    ),
    Capture(
        "flash",
        "What a board ships",
        (Show("fairshoe flash --board pico2-carousel"),),
        columns=110,
        vary=(r"\d+ files, \d+ bytes",),
    ),
    Capture(
        "bench",
        "A test plan, unattended on a simulated shoe",
        (Show('fairshoe bench "sim://pico-carousel?seed=3" sensors --out reports'),),
        columns=110,
        rows=30,
        vary=(r"\d+ s\b",),
    ),
    Capture(
        "decode",
        "A recording of the line with noise and damage in it",
        (Show("fairshoe decode line.bin"),),
        columns=110,
        rows=24,
        files={"line.bin": "docs/protocol/golden.bin"},
    ),
    Capture(
        "config-check",
        "A board config that can work, and one that cannot",
        (Show("fairshoe config check pico-carousel"), Show("fairshoe config check my-board.json", status=3)),
        columns=110,
        files={"my-board.json": "board_configs/pico-carousel.json"},
        edits=(Edit("my-board.json", '"throat_b_um": 45000', '"throat_b_um": 41000'),),
    ),
    Capture(
        "bringup-fault",
        "Bring-up of a machine with two wires swapped",
        (
            *A_MACHINE,
            Show(f'fairshoe bringup --board pico-carousel --out rewired.json "{WIRED}&truth=swapped.json"', status=1),
        ),
        columns=110,
    ),
    Capture(
        "bringup",
        "The same machine, mended: bring-up goes on where it ended",
        (
            *A_MACHINE,
            Quiet(f"sh -c 'fairshoe bringup --board pico-carousel --json \"{WIRED}&truth=swapped.json\" || true'"),
            Show(f'fairshoe bringup --board pico-carousel "{WIRED}"'),
        ),
        columns=110,
    ),
    Capture(
        "calibrate",
        "A machine that differs from its config, measured",
        (
            *A_MACHINE,
            Quiet(r"""sh -c 'echo "{\"brake_um\": 3600, \"slot_count\": 56, \"exit_um\": 33000}" > truth.json'"""),
            Show(f'fairshoe calibrate --board pico-carousel --out my-board.json "{WIRED}&truth=truth.json"'),
        ),
        columns=110,
    ),
    Capture(
        "journal",
        "A journal that is proved, and the same with one line deleted",
        (
            *A_SHIFT,
            Show("fairshoe journal verify shift.journal --public-key keys/signing.pub"),
            Show("sed -i 12d shift.journal"),
            Show("fairshoe journal verify shift.journal --public-key keys/signing.pub", status=6),
        ),
        columns=110,
    ),
    Capture(
        "verify",
        "Files of a device against a signed release, and the same with another game",
        (
            Quiet("fairshoe release build --board pico2-shoe -o release-0.2.0"),
            Quiet("fairshoe release keygen signing.key"),
            Quiet("fairshoe release sign release-0.2.0 --key signing.key"),
            Quiet("cp -r release-0.2.0/pico2-shoe copied"),
            Show("fairshoe verify --release release-0.2.0 --key signing.key.pub --folder copied"),
            Show("sed -i s/52/53/ copied/game.json"),
            Show("fairshoe verify --release release-0.2.0 --key signing.key.pub --folder copied", status=6),
        ),
        columns=110,
        vary=(r"\d+ of \d+ files",),
    ),
    Capture(
        "audit",
        "The seed of a shuffle, held against its commitment",
        (Show(f"fairshoe audit shuffle --cards 52 --seed {SEED_KNOWN} --commitment {COMMITMENT}"),),
        columns=110,
    ),
    Capture(
        "shuffle-test",
        "The shuffle beside shufflers that fail",
        (Show("fairshoe shuffle-test --shuffles 1000 --full 20 --seed 1"),),
        columns=110,
        rows=30,
    ),
    Capture(
        "scenario",
        "A fault played from a file",
        (Show("fairshoe scenario run carousel-card-under-the-rail.json --transcript -"),),
        columns=110,
        files={"carousel-card-under-the-rail.json": "tests/scenarios/carousel-card-under-the-rail.json"},
    ),
)
