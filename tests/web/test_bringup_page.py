"""Bring-up on the live page in Chromium, with simulated hands: whole courses, a fault and its cure, reloads, tabs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tcp_shoe import TcpShoe
from web.bringup import KEY, Wired, bringing
from web.browser import ROOT, Bench

from fairshoe.boards.configs import check_board
from fairshoe.keys import role_key, write_key
from fairshoe.messages import Role

STATES = "Object.fromEntries(live.known.bringup.steps.map(({ name, state }) => [name, state]))"
ENDED = "!live.known.bringup.doing && !document.getElementById('bringup-lead').disabled"


def text(bench: Bench, name: str) -> str:
    return bench.ask(f"document.getElementById({name!r}).textContent")


def lead(bench: Bench, until: str = ENDED) -> None:
    """Press Begin, or Go on, and wait."""
    bench.until("!document.getElementById('bringup-lead').disabled")
    before = bench.ask("live.known.bringup.run")
    bench.tab.click("#bringup-lead")
    bench.until(f"live.known.bringup.run > {before}")
    bench.until(until)


def asked(words: str) -> str:
    return f"document.getElementById('bringup-now').textContent.includes({words!r})"


@pytest.mark.parametrize(
    "board",
    [
        pytest.param("pico-carousel", marks=pytest.mark.slice),
        "pico-shoe",
        "pico-shelves",
        "pico-draw",
    ],
)
def test_a_machine_is_brought_up_in_the_browser(
    board: str, chromium: Any, tmp_path: Path, readable: Callable[[Any, int], None]
) -> None:
    with bringing(chromium, Wired(tmp_path, board)) as (bench, _serving):
        assert text(bench, "bringup-lead") == "Begin" and set(bench.ask(STATES).values()) == {"open"}
        lead(bench)
        assert set(bench.ask(STATES).values()) == {"passed"}
        assert text(bench, "bringup-summary").startswith("passed: ") and "calibrate" in text(bench, "bringup-next")
        row = "document.querySelector('[data-line=throat_a]')"
        assert "none: " in bench.ask(f"{row}.textContent")
        assert bench.ask(f"[...{row}.querySelectorAll('rect')].some((bar) => bar.getAttribute('height') > 0)")
        bench.ask("document.querySelectorAll('#bringup details').forEach((fold) => (fold.open = true))")
        for scheme, width in (("light", 390), ("dark", 1280)):
            bench.tab.emulate_media(color_scheme=scheme)
            bench.tab.set_viewport_size({"width": width, "height": 900})
            readable(bench.tab, 60)


@pytest.mark.slice
def test_a_swapped_wire_is_named_cured_in_the_config_and_mended(
    chromium: Any, tmp_path: Path, readable: Callable[[Any, int], None]
) -> None:
    wired = Wired(tmp_path, "pico-shoe", {"swapped": ["throat_a", "throat_b"]})
    with bringing(chromium, wired) as (bench, _serving):
        lead(bench)
        found = "document.querySelector('[data-step=inputs] .problem').textContent"
        assert "throat_a and throat_b are swapped" in bench.ask(found) and "Cure: Swap" in bench.ask(found)
        states = bench.ask(STATES)
        assert states["inputs"] == "failed" and states["feed"] == "not tested"
        readable(bench.tab, 40)
        bench.tab.click("#bringup-write")
        bench.until("document.getElementById('answer').textContent.startsWith('written: ')")
        bench.until("document.getElementById('bringup-write').hidden && live.known.bringup.next.includes('rewired')")
        assert check_board(json.loads((tmp_path / "pico-shoe.rewired.json").read_text())) == []
        wired.truth = {}  # the plugs were changed
        assert text(bench, "bringup-lead") == "Go on"
        lead(bench)
        states = bench.ask(STATES)
        assert set(states.values()) == {"passed", "passed before"} and states["inputs"] == "passed"


def test_a_reload_in_mid_step_stops_it_and_the_page_goes_on_there(chromium: Any, tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-carousel")
    wired.wait_at = "cover throat B"
    with bringing(chromium, wired) as (bench, _serving):
        lead(bench, asked("Cover throat B"))
        assert bench.ask("document.querySelector('[aria-current=step]').dataset.step") == "inputs"
        bench.tab.reload()
        bench.until("globalThis.live?.known.bringup")
        bench.until(ENDED)
        bench.until("live.known.bringup.problem.includes('loaded again')")
        states = bench.ask(STATES)
        assert states["noise"] == "passed" and states["inputs"] == "open" and not wired.port.is_open
        wired.wait_at = ""
        lead(bench)
        states = bench.ask(STATES)
        assert states["noise"] == "passed before" and states["inputs"] == "passed" and wired.opened == 2
        assert "failed" not in states.values()


def test_two_tabs_show_one_bring_up_and_either_stops_it(chromium: Any, tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-carousel")
    wired.wait_at = "cover throat B"
    with bringing(chromium, wired) as (bench, _serving):
        lead(bench, asked("Cover throat B"))
        other = Bench(chromium.new_page(), bench.url)
        other.tab.goto(other.url)
        other.until(f"globalThis.live && {asked('Cover throat B')}")
        assert "Another tab" in text(other, "bringup-state") and other.ask(
            "document.getElementById('bringup-lead').disabled"
        )
        other.ask("live.source.send({ bringup: 'lead', tab: 'other' })")
        other.until("document.getElementById('answer').textContent.includes('under way already')")
        other.tab.reload()  # it is not the one that began
        other.until(f"globalThis.live && {asked('Cover throat B')}")
        assert wired.opened == 1 and bench.ask("live.known.bringup.doing") == "lead"
        other.tab.focus("#bringup-stop")
        other.tab.keyboard.press("Enter")
        for each in (bench, other):
            each.until(f"{ENDED} && live.known.bringup.problem.includes('stopped')")
        assert other.errors == []
        other.tab.close()


def test_the_command_serves_it_with_the_service_key_alone(chromium: Any, tmp_path: Path) -> None:
    """`fairshoe web PORT --control`: a shoe on a line, first as its host, then in bring-up, then as its host again."""
    tmp_path.chmod(0o700)
    write_key(tmp_path / "device.key", "device", KEY)
    for role in (Role.SERVICE, Role.TABLE):
        write_key(tmp_path / f"{role.name.lower()}.key", role.name.lower(), role_key(KEY, role).secret)
    with TcpShoe(f"&service=on&dealer=none&key={tmp_path / 'device.key'}") as shoe:
        for role, control in (("service", ["--control"]), ("service", []), ("table", [])):
            command = [sys.executable, "-m", "fairshoe", "web", shoe.url, *control, "--no-open"]
            command += ["--board", "pico-carousel", "--key-file", str(tmp_path / f"{role}.key")]
            paths = {"FAIRSHOE_STORE": str(tmp_path / "store.db"), "PYTHONPATH": f"{ROOT}:{ROOT}/host_tools"}
            process = subprocess.Popen(command, cwd=tmp_path, env=os.environ | paths, stdout=subprocess.PIPE, text=True)
            try:
                assert process.stdout is not None
                found = re.search(r"on (http://\S+) ", process.stdout.readline())
                assert found, process.poll()
                bench = Bench(chromium.new_page(), found[1])
                bench.tab.goto(bench.url)
                bench.until("globalThis.live?.known.link")
                assert bench.ask("document.getElementById('bringup').hidden") is not bool(control)
                if control:
                    bring_up_and_go_back(bench)
                assert bench.errors == []
                bench.tab.close()
            finally:
                process.kill()
                process.wait(10)


def bring_up_and_go_back(bench: Bench) -> None:
    bench.until("live.known.status && !live.stale")
    lead(bench, asked("Turn the key switch"))
    bench.ask("live.source.send({ command: 'shuffle' })")
    bench.until("document.getElementById('answer').textContent.includes('bring-up is under way')")
    bench.tab.click("#bringup-stop")
    bench.until(f"{ENDED} && live.known.bringup.problem.includes('stopped')")
    bench.until("live.known.link.mode === 'in session' && !live.stale")
