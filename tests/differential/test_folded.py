"""Folded firmware on the MicroPython VM gives the bytes that the plain sources give on CPython."""

import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairshoe.ship import fold
from fairshoe.ship.build import folded_sources
from fairshoe.ship.import_closure import module_at

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv" / "bin" / "node"
SCRIPT = Path("tests/differential/four_kinds.py")
LOADER = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(ROOT / SCRIPT)!r})"


def output(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def plain(seed: int) -> str:
    return output([sys.executable, "-c", LOADER, SCRIPT.name, str(seed)])


def folded(folder: Path, seed: int) -> str:
    paths = {module_at(path, ROOT): path for top in ("firmware", "hal", "rig") for path in (ROOT / top).rglob("*.py")}
    sources = folded_sources(list(paths), ROOT, (ROOT / SCRIPT).read_text(encoding="utf-8"))
    paths["main"] = ROOT / SCRIPT
    for name, source in sources.items():
        place = folder / paths[name].relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(source, encoding="utf-8")
    for data in ("board_configs", "game_profiles"):
        shutil.copytree(ROOT / data, folder / data)
    return output(
        [str(NODE), "tools/mpy/exec.mjs", "--limit-s", "240", "--root", str(folder), str(folder / SCRIPT), str(seed)]
    )


def test_folded_firmware_gives_the_same_bytes(tmp_path: Path) -> None:
    seed = random.randrange(1 << 16)
    print(f"seed {seed}")
    expected = plain(seed)
    assert expected.count("bytes ") == 8
    for left, right in zip(folded(tmp_path, seed).splitlines(), expected.splitlines(), strict=True):
        assert left == right


@pytest.mark.full
def test_one_use_that_is_folded_wrong_gives_other_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants: Any = fold._Constants  # pyright: ignore[reportPrivateUsage]
    right = constants._value

    def wrong(self: Any, module: str, name: str) -> int | None:
        value = right(self, module, name)
        return value + 1 if (module, name) == ("firmware.link.status", "SHUFFLING") else value

    monkeypatch.setattr(constants, "_value", wrong)
    assert folded(tmp_path, 7) != plain(7)
