"""The live view of a static site reads a shoe over WebSerial: with an injected port, and a simulated shoe behind it."""

import time
from dataclasses import fields, replace
from typing import Any

import pytest
from web.browser import Bench

from fairshoe.link import framing
from fairshoe.messages import Need, State, Status, What
from fairshoe.sim.port import SimPort
from fairshoe.text.advice import next_step
from fairshoe.web.live_view import LiveView

pytestmark = pytest.mark.slice
WAIT_S = 60
# A port as navigator.serial.requestPort() gives one. Bytes come from `feed`; `written` has what the page wrote.
PORT = """
globalThis.written = [];
const readable = new ReadableStream({ start(control) {
  globalThis.feed = (hex) => control.enqueue(Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16)));
  globalThis.pull = () => control.error(new Error('The device has been lost.'));
} });
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const writable = new WritableStream({ write: (bytes) => { written.push(toHex(bytes)); } });
const port = { open: async ({ baudRate }) => { port.baudRate = baudRate; }, close: async () => {}, readable, writable };
Object.defineProperty(navigator, 'serial', { value: { requestPort: async () => port } });
"""


class Cable:
    """A simulated shoe at the injected port of a page. Python's own view reads the same bytes."""

    def __init__(self, bench: Bench, shoe: SimPort) -> None:
        self.view = LiveView("a serial port")
        self.sent: list[str] = []  # names of what the page wrote
        self._bench, self._shoe = bench, shoe
        self._to_host, self._to_shoe = framing.Decoder(), framing.Decoder()

    def until(self, script: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while not self._bench.ask(script):
            assert time.monotonic() < deadline, (script, self.sent, self._bench.ask("document.body.textContent"))
            self.carry()

    def carry(self) -> None:
        data = self._shoe.poll()
        self.view.take(frame.message for frame in self._to_host.feed(data))
        written = bytes.fromhex(self._bench.ask(f"(feed('{data.hex()}'), written.splice(0).join(''))"))
        self._shoe.write(written)
        self.sent += [frame.message.NAME for frame in self._to_shoe.feed(written)]
        self._bench.tab.wait_for_timeout(20)


def opened(chromium: Any, url: str) -> Bench:
    tab = chromium.new_page(viewport={"width": 1280, "height": 900})
    tab.add_init_script(PORT)
    bench = Bench(tab, f"{url}live.html")
    tab.goto(bench.url)
    bench.until("globalThis.live?.down")
    return bench


def test_a_shoe_on_a_serial_port_is_shown_and_nothing_is_acknowledged(chromium: Any, url: str) -> None:
    bench = opened(chromium, url)
    bench.tab.click("#connect")
    with SimPort.from_url("sim://pico-carousel?speed=20", timeout=0) as shoe:
        cable = Cable(bench, shoe)
        cable.until("live.known.status?.state === 'stack offered' && !live.stale")
        status = cable.view.snapshot()["snapshot"]["status"]
        bench.until(f"live.known.status.stack === {status['stack']}")
        assert {**bench.ask("live.known.status"), "events_waiting": 0} == {**status, "events_waiting": 0}
        # More than the eight events that a device sends ahead: the others are read from the journal.
        cable.until("live.seq >= 12 && live.plots.points.length && live.machine")
    assert set(cable.sent) == {"hello", "journal_get"}
    seqs = bench.ask(
        "[...document.querySelectorAll('#news-list li')].map((line) => Number(line.dataset.seq)).reverse()"
    )
    assert seqs == list(range(1, len(seqs) + 1))
    said = bench.ask("document.getElementById('news-list').textContent")
    assert "empty proved: slots swept 54" in said and "shuffle started: expected 52, report after 23 s" in said
    assert "in clear" in bench.ask("document.getElementById('about').textContent")
    assert bench.ask("document.getElementById('control').hidden")
    bench.ask("pull()")
    bench.until("live.stale && live.down.includes('The device has been lost')")
    assert bench.errors == []
    bench.tab.close()


def test_the_page_advises_as_the_library_does(chromium: Any, url: str) -> None:
    """For each need in each state, with records and positions that are due."""
    bench = opened(chromium, url)
    low = {kind: {it: it.name.lower() for it in kind} for kind in (Need, State)}
    nothing: dict[str, Any] = {field.name: 0 for field in fields(Status)}
    plain = Status(**nothing)
    cases = [replace(plain, need=need, state=state) for need in Need for state in State if need >= 0 and state >= 0]
    due = 1 << What.FINAL_DEAL
    cases += [replace(plain, need=Need.INDUCTION, state=State.WAITING_FOR_DECK, records_due=6, deck_next=2)]
    cases += [replace(plain, need=Need.DECISIONS, state=State.STACK_OFFERED, records_due=due, positions_due=5)]
    given = [
        [
            {"records_due": case.records_due, "positions_due": case.positions_due, "deck_next": case.deck_next},
            {"need": low[Need][case.need], "state": low[State][case.state]},
        ]
        for case in cases
    ]
    found = bench.tab.evaluate(
        """async (given) => {
          const { ShoeView } = await import('./shoe_view.js');
          const view = new ShoeView(await (await fetch('./live_texts.json')).json());
          return given.map(([fields, words]) => view.step(fields, words));
        }""",
        given,
    )
    steps = [next_step(case) for case in cases]
    assert found == [
        {"text": step.text, "who": step.who, "command": step.command.NAME if step.command else ""} for step in steps
    ]
    assert len(cases) > 400
    bench.tab.close()


def test_a_browser_without_webserial_is_told_what_to_run(chromium: Any, url: str) -> None:
    bench = Bench(chromium.new_page(), f"{url}live.html")
    bench.tab.add_init_script("Object.defineProperty(navigator, 'serial', { value: undefined })")
    bench.tab.goto(bench.url)
    bench.until("globalThis.live?.down.includes('fairshoe web PORT')")
    assert bench.tab.locator("#connect").is_hidden() and bench.errors == []
    bench.tab.close()
