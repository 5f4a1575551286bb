"""docs/HARDWARE.md: its figures are those of the configs, and what it computes is computed from them."""

import copy
import re
from math import log
from pathlib import Path

import pytest

from fairshoe.boards import configs

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "HARDWARE.md").read_text()
KINDS = ("carousel", "shelves", "shoe", "draw")


def table(heading: str) -> list[list[str]]:
    """Cells of the first table under a heading, or after a line that begins so."""
    lines = TEXT.partition(f"\n{heading}")[2].splitlines()[1:]
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    rows: list[list[str]] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[2:]


def stated(heading: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for _part, _choose, keys, values, _differs in table(heading):
        for key, value in zip(re.findall("`([^`]+)`", keys), values.split(", "), strict=True):
            found[key if "." in key else f"mechanism.{key}"] = value
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_of_a_part_is_that_of_the_config(kind: str) -> None:
    config = configs.load_board(f"pico-{kind}")[0]
    told = stated("### All mechanisms") | stated(f"### {kind}")
    assert len(told) >= 10
    for name, value in told.items():
        section, _, key = name.partition(".")
        assert value == f"{config[section][key]:,}", name


def test_the_delays_of_the_beam_filter_are_those_of_its_parts() -> None:
    supply, low, below, above = 3.3, 0.2, 0.8, 2.0
    rows = table("A blocked edge charges C")
    assert len(rows) == 4
    for cells in rows:
        up_us, down_us = 5.7 * float(cells[0].split()[0]), float(cells[0].split()[0])
        blocked = [up_us * log((supply - low) / (supply - level)) for level in (below, above)]
        clear = [down_us * log((supply - low) / (level - low)) for level in (above, below)]
        again_us = up_us * log((supply - below) / (supply - above)) + down_us * log((above - low) / (below - low))
        assert cells[1] == "{:.0f} to {:.0f} us".format(*blocked)
        assert cells[2] == "{:.0f} to {:.0f} us".format(*clear)
        assert cells[3:5] == [f"{blocked[1] * speed / 1000:.2f} mm" for speed in (1.2, 3.0)]
        assert int(cells[5].replace(",", "")) == float(f"{2e6 / again_us:.2g}")


def test_gears_and_microsteps_are_accepted_or_refused_as_the_page_says() -> None:
    rows = table("**Microsteps** must match")
    assert len(rows) == 5
    for kind, microsteps, gear, key, steps, step_hz, note in rows:
        config = copy.deepcopy(configs.load_board(f"pico-{kind}")[0])
        mech = config["mechanism"]
        places = mech["slot_count"] if kind == "carousel" else 8  # of 10 mm in a turn of 80 mm
        ratio = float(gear.split()[0]) if kind == "carousel" else 1
        assert round(200 * int(microsteps[2:]) * ratio / places, 6) == int(steps)
        speed = mech["axis_mrev_per_s"] * places if kind == "carousel" else mech["axis_mshelf_per_s"]
        assert f"{speed * int(steps) // 1000:,}" == step_hz
        assert (note != "as shipped") or mech[key.strip("`")] == int(steps)
        mech[key.strip("`")] = int(steps)
        assert bool(configs.check_board(config)) == (note == "refused"), note


def test_the_heartbeat_comes_as_often_as_the_port_polls_at_least() -> None:
    """`_unpolled` counts samples; the poll is in the one after _UNPOLLED_MAX."""
    port = (Path(__file__).resolve().parents[3] / "hal" / "board" / "port.py").read_text()
    (most,) = re.findall(r"^_UNPOLLED_MAX = const\((\d+)\)", port, re.MULTILINE)
    assert "if self._unpolled > _UNPOLLED_MAX:" in port
    ordinals = {8: "eighth", 9: "ninth", 10: "tenth"}
    scans = int(most) + 1
    scan_ms = configs.load_board("pico-carousel")[0]["mechanism"]["scan_ms_max"]
    assert f"least at every {ordinals[scans]} scan, which is {scans * scan_ms} ms" in " ".join(TEXT.split())
