"""`make hil PORT=`: what a bare Pico prints becomes figures and one file."""

import json
from pathlib import Path

import pytest
from hil import port

from fairshoe.errors import PortError
from fairshoe.ship.mpy_compile import compile_mpy

PRINTED = """\
@ identity fairshoe-image 1 board=pico-carousel game=caribbean-stud version=0.2.0 rollback=0 kind=bench content=00
@ version 0.2.0 3.4.0; MicroPython v1.28.0
@ clock 125000000
@ miss 39
@ interrupt 16 17 38
@ scans 300 653 15409 115392 20000
@ noise ff00ff00
"""


def test_a_script_for_the_device_is_taken_by_its_compiler() -> None:
    assert compile_mpy(port.SCRIPT.read_text(), "bare.py", "-march=armv6m")


def test_one_command_makes_one_file_with_every_figure_and_all_that_was_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(_port: str) -> str:
        return PRINTED

    monkeypatch.setattr(port, "printed", said)
    assert port.measure("/dev/none", tmp_path) == 0
    sent = json.loads((tmp_path / "pico-carousel.json").read_text())
    assert sent["figures"]["a miss of the cache of flash"]["value"] == 39
    assert sent["figures"]["from an edge to its handler, worst"]["value"] == 38
    assert sent["figures"]["ones in the raw noise"]["value"] == 50
    assert sent["printed"]["noise"] == ["ff00ff00"] and not sent["kept"]
    assert f"budgets missed: heap free\nSend {tmp_path}" in capsys.readouterr().out


def test_a_port_that_is_not_there_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(_port: str) -> str:
        raise PortError("cannot open it.", "Check the cable.")

    monkeypatch.setattr(port, "printed", gone)
    assert port.measure("/dev/none", tmp_path) == 1 and not list(tmp_path.iterdir())
    assert "Put a bench image on it" in capsys.readouterr().err
