"""The figures of the evidence: what each is, the command that makes it, and what it depends on.

A figure has a run, a section of the documentation, or both. A run is kept as a file with the commit it was made on
(`build/results`), so that hours of work are done once, on any machine. A section was written on some commit. Either is
stale when what it depends on has changed since.
"""

from __future__ import annotations

from dataclasses import dataclass

DEVICE = ("firmware", "hal", "board_configs", "game_profiles")
MACHINE = (*DEVICE, "rig")
IMAGES = (
    "rm -rf build/image1 build/image2; for n in 1 2; do"
    ' fairshoe image --board pico-carousel --micropython "$MICROPYTHON" -o build/image$n || exit; done;'
    " sha256sum build/image?/*.uf2; cmp build/image1/*.uf2 build/image2/*.uf2 && echo equal"
)


@dataclass(frozen=True)
class Figure:
    """`command` runs in a shell at the top of the repository. `cheap`: done by RUN=1. `needs`: a variable that must be
    set. `text`: "FILE#heading" of docs."""

    key: str
    title: str
    command: str = ""
    inputs: tuple[str, ...] = ()
    text: str = ""
    cheap: bool = False
    needs: str = ""
    lines: int = 30  # of what it printed, the last


FIGURES = (
    Figure("version", "Version", "fairshoe version", ("host_tools/fairshoe", "firmware"), cheap=True),
    Figure(
        "hashes",
        "Hashes of the sources (git trees)",
        "for d in firmware hal rig board_configs game_profiles rules host_tools; do"
        ' echo "$d $(git rev-parse HEAD:$d)"; done',
        (*MACHINE, "rules", "host_tools"),
        cheap=True,
    ),
    Figure("image", "Image built twice, compared", IMAGES, DEVICE, "IMAGE.md#The same bytes", needs="MICROPYTHON"),
    Figure(
        "trace",
        "Clauses by game and dealing mode: proved by a test, of those that bind",
        "make trace",
        (*MACHINE, "rules", "tests", "tools/rules"),
        cheap=True,
        lines=7,
    ),
    Figure("matrix", "Records by stage, game and mode, by playing", "make matrix", (*MACHINE, "tools/rules")),
    Figure(
        "faults",
        "Faults, and how fast they are noticed",
        "for b in carousel shelves shoe draw; do echo pico-$b; make detection BOARD=pico-$b || exit; done",
        (*MACHINE, "tests/scenarios", "tools/detection.py"),
        "FAULTS.md#Faults, and how",
        lines=200,
    ),
    Figure(
        "powerloss",
        "Power cuts",
        "make powerloss MINUTES=2 JOBS=1 SEED=1",
        (*MACHINE, "tools/powerloss"),
        "POWERLOSS.md#Figures",
    ),
    Figure(
        "mutants",
        "Mutants: as many of the sample as two minutes of processor time allow, and the whole run of the documentation",
        "make mutants MINUTES=2 SEED=1",
        ("firmware", "tests/unit", "tools/mutants"),
        "MUTANTS.md#Results",
    ),
    Figure(
        "model",
        "Model of the promises",
        "make model",
        ("firmware", "host_tools", "tools/model"),
        "PROOF.md#What is checked",
    ),
    Figure("attacks", "Known attacks, and the tests against them", "", MACHINE, "SECURITY.md#Known attacks"),
    Figure(
        "shuffle",
        "Shuffle statistics",
        "fairshoe shuffle-test --shuffles 1000000 --full 1000 --seed 1",
        ("firmware/deck", "host_tools/fairshoe/shuffle"),
        "SHUFFLE.md#A run of a million",
        lines=60,
    ),
    Figure(
        "shuffle-short",
        "Shuffle statistics, short run",
        "fairshoe shuffle-test --shuffles 5000 --full 20 --seed 1",
        ("firmware/deck", "host_tools/fairshoe/shuffle"),
        cheap=True,
    ),
    Figure(
        "noise",
        "Entropy: the estimators tell simulated sources apart",
        "make noise SEED=1 SAMPLES=5000 RESTARTS=75",
        ("host_tools/fairshoe/noise", "hal/sim/port.py", "tools/noise.py"),
        "BOARDS.md#Noise",
        cheap=True,
    ),
    Figure("size", "Device: files of a board against their budget", "make size", DEVICE, cheap=True),
    Figure("budgets", "Device: budgets measured on the emulated Pico", "", DEVICE, "BUDGETS.md#Device: measured"),
    Figure("not-run", "What was not run on the emulated Pico", "", DEVICE, "BUDGETS.md#What was not run"),
    Figure("not-cut", "Power: what is not covered", "", (), "POWERLOSS.md#What is not covered"),
    Figure("not-defended", "What is not defended", "", (), "SECURITY.md#What is not defended"),
    Figure("limits", "Limits", "", (), "LIMITS.md#"),
)
