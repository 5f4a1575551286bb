"""`fairshoe web PORT --control` in a process, its page in Chromium: clicks are commands, a killed server goes on."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tcp_shoe import TcpShoe
from web.browser import ROOT, Bench

from fairshoe.client.store import Store
from fairshoe.keys import role_key, write_key
from fairshoe.messages import CommandAccepted, Role

DEVICE_KEY = bytes(range(32))
SEQS = "[...document.querySelectorAll('#news-list li')].map((line) => Number(line.dataset.seq)).reverse()"


@contextmanager
def live_page(chromium: Any, url: str, folder: Path) -> Generator[tuple[Bench, subprocess.Popen[str]]]:
    """The command in a process, and its page in a tab."""
    command = [sys.executable, "-m", "fairshoe", "web", url, "--control", "--no-open", "--board", "pico-carousel"]
    command += ["--key-file", str(folder / "table.key")]
    environment = os.environ | {"FAIRSHOE_STORE": str(folder / "store.db"), "PYTHONPATH": f"{ROOT}:{ROOT}/host_tools"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"on (http://\S+) ", process.stdout.readline())
    assert found, process.poll()
    bench = Bench(chromium.new_page(viewport={"width": 1280, "height": 900}), found[1])
    bench.tab.goto(bench.url)
    bench.until("globalThis.live?.known.status && !live.stale")
    try:
        yield bench, process
    finally:
        bench.tab.close()
        process.kill()
        process.wait()


def click(bench: Bench, command: str, answer: str) -> None:
    bench.tab.click(f"#command-{command}")
    bench.until(f"document.getElementById('answer').textContent.startsWith({answer!r})")


def test_clicks_are_commands_and_a_killed_server_goes_on_where_it_was(chromium: Any, tmp_path: Path) -> None:
    write_key(tmp_path / "device.key", "device", DEVICE_KEY)
    write_key(tmp_path / "table.key", "table", role_key(DEVICE_KEY, Role.TABLE).secret)
    with TcpShoe(f"&dealer=hands&key={tmp_path / 'device.key'}") as shoe:
        with live_page(chromium, shoe.url, tmp_path) as (bench, process):
            bench.until("live.known.status.command === 'shuffle'")
            assert bench.tab.locator("#command-shuffle.due").count() == 1
            click(bench, "shuffle", "shuffle: done")
            click(bench, "confirm_lockout", "confirm lockout: rejected")
            bench.tab.fill("#positions", "2")
            click(bench, "set_positions", "set positions: done")
            bench.until("live.known.status.command === 'close_betting'")
            before = bench.ask(SEQS)
            assert bench.errors == []
            process.kill()
            bench.until("live.stale && live.down.includes('does not answer')")
            assert bench.ask("getComputedStyle(document.getElementById('control')).display") == "none"
        with live_page(chromium, shoe.url, tmp_path) as (bench, process):
            click(bench, "close_betting", "close betting: done")
            bench.until("live.known.status.positions === 2")
            assert bench.errors == []
    with Store(tmp_path / "store.db") as store:
        seqs = [stored.seq for stored in store.events()]
        assert seqs == list(range(1, len(seqs) + 1)) and seqs[-1] > before[-1]
        given = [stored.event.op for stored in store.events() if isinstance(stored.event, CommandAccepted)]
        assert given == [1, 3, 4]  # the rejected one had its number, too
