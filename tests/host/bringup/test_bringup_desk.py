"""Bring-up as a page has it, without a browser: what the terminal finds, and an end to everything that goes wrong."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from test_bringup import BOARDS, Found, Truth, bring, fault
from web.bringup import KEY, Wired

from fairshoe.boards.configs import check_board, load_board
from fairshoe.bringup.checks import FAILED
from fairshoe.bringup.guide import STEPS
from fairshoe.errors import UsageError
from fairshoe.sim.port import SimPort
from fairshoe.web import bringup_desk
from fairshoe.web.live_view import LiveView
from firmware.image import MACHINE_COUNT

WAIT_S = 120.0
Values = dict[str, Any]
Deed = Callable[[SimPort], object]


class Page:
    """A tab that has a bring-up. `here`: it answers, as a page that lives does."""

    def __init__(self, wired: Wired, here: bool = True) -> None:
        self.desk = wired.desk(LiveView("shoe"))
        self.here = here
        self.follow: Callable[[], Awaitable[object]] = lambda: asyncio.Event().wait()

    @property
    def values(self) -> Values:
        return self.desk.values

    async def until(self, true: Callable[[Values], bool]) -> None:
        for _ in range(int(WAIT_S / 0.02)):
            if self.here:
                await self.desk.hear({"bringup": "here"}, self)
            if true(self.values):
                return
            await asyncio.sleep(0.02)
        raise TimeoutError(self.values)

    async def lead(self, during: Callable[["Page"], Any] | None = None, first: object = "") -> Values:
        running = asyncio.create_task(self.desk.run(self.follow))
        await asyncio.sleep(0.02)
        await self.desk.hear({"bringup": "lead", "tab": "mine", "from": first}, self)
        if during is not None:
            await during(self)
        await self.until(lambda values: not values["doing"])
        await asyncio.sleep(0.1)
        running.cancel()
        await asyncio.wait([running])
        return self.values


def led(wired: Wired, during: Callable[[Page], Any] | None = None, here: bool = True, first: object = "") -> Values:
    async def play() -> Values:
        return await Page(wired, here).lead(during, first)

    return asyncio.run(play())


def states(values: Values) -> dict[str, str]:
    return {step["name"]: step["state"] for step in values["steps"]}


def keys(values: Values) -> set[str]:
    return {check["key"] for step in values["steps"] for check in step["checks"] if check["result"] == FAILED}


def plain(found: Found) -> dict[str, list[Values]]:
    return {step: [check.to_json() for check in checks] for step, checks in found.items()}


TRUTHS: dict[str, Truth] = {
    "right": {},
    "swapped": {"swapped": ["hopper", "throat_b"]},
    "inverted": {"inverted": ["throat_a"]},
    "dead": fault("beam_stuck", line="throat_b", level=1),
    "key": {"inverted": ["key_switch"]},
    "backwards": {"backwards": ["pick"]},
}


@pytest.mark.parametrize(
    ("board", "name"),
    [(board, name) for board in BOARDS for name in TRUTHS if (board, name) != ("pico-draw", "backwards")],
)
def test_a_page_finds_what_the_terminal_finds(board: str, name: str, tmp_path: Path) -> None:
    values = led(Wired(tmp_path, board, TRUTHS[name]))
    page = {step["name"]: step["checks"] for step in values["steps"] if step["checks"]}
    assert page == plain(bring(tmp_path, board, TRUTHS[name])) and values["problem"] == ""


def test_a_cure_is_written_beside_the_config_when_it_is_asked_for(tmp_path: Path) -> None:
    written = tmp_path / "pico-carousel.rewired.json"

    async def play() -> None:
        page = Page(Wired(tmp_path, "pico-carousel", {"swapped": ["throat_a", "throat_b"]}))
        with pytest.raises(UsageError, match="nothing to put right"):
            await page.desk.hear({"bringup": "write"}, page)
        values = await page.lead()
        assert values["cure"] == written.name and not written.exists()
        assert await page.desk.hear({"bringup": "write"}, page) == f"written: {written}"
        assert str(written) in page.values["next"] and not page.values["cure"]

    asyncio.run(play())
    new, old = json.loads(written.read_text()), load_board("pico-carousel")[0]
    assert check_board(new) == [] and new["inputs"]["throat_a"] == old["inputs"]["throat_b"]


def pull_cable(port: SimPort) -> None:
    port.unplug()


def turn_key(port: SimPort) -> None:
    port.act("key", "off")


def open_door(port: SimPort) -> None:
    port.act("open")


def load_deck(port: SimPort) -> None:
    port.act("load", "52")
    port.act("press", "green")
    port.sleep(8)


@pytest.mark.parametrize(("deed", "said"), [(pull_cable, "cable"), (turn_key, "key switch on")])
def test_a_line_that_is_lost_in_mid_step_ends_it_and_what_passed_is_kept(deed: Deed, said: str, tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-shoe")
    wired.meddle = {"throat B": deed}
    values = led(wired)
    assert said in values["problem"] and states(values)["inputs"] == "open", values["problem"]
    values = led(wired)
    assert not values["problem"] and states(values)["noise"] == "passed before"
    assert set(states(values).values()) == {"passed", "passed before"}


@pytest.mark.parametrize("deed", [pull_cable, turn_key, open_door])
def test_a_host_that_would_keep_the_mode_alive_waits_until_it_has_ended(
    deed: Deed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bringup_desk, "LEAVE_S", WAIT_S)
    wired = Wired(tmp_path, "pico-shoe")
    wired.meddle = {"throat B": deed}
    followed: list[bool] = []

    async def play() -> None:
        page = Page(wired)

        async def follow() -> None:
            followed.append(page.desk.busy)
            await asyncio.Event().wait()

        page.follow = follow
        await page.lead()

    asyncio.run(play())
    assert len(followed) == (2 if deed is open_door else 1)


@pytest.mark.parametrize(
    ("at", "deed", "key"), [("into the empty hopper", open_door, "step feed"), ("", load_deck, "step noise")]
)
def test_a_door_that_opens_and_a_deck_inside_are_findings(at: str, deed: Deed, key: str, tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-carousel")
    wired.meddle = {at: deed}
    values = led(wired)
    assert key in keys(values) and not values["problem"], values
    assert wired.port.rig.plant.crashes == 0
    assert not any(wired.port.rig.app.out.level[:MACHINE_COUNT])


def test_a_wrong_key_is_said_before_hands_are_asked_for_anything(tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-shoe")
    wired.key = bytes(32)
    values = led(wired)
    assert values["problem"] == "simulated answers with another key. Use the key file of this device."
    assert wired.asked == [] and set(states(values).values()) == {"open"}
    wired.key = KEY
    assert led(wired)["problem"] == "" and len(wired.asked) > 20


def test_stop_is_obeyed_in_mid_step_and_the_mode_is_left(tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-carousel")
    wired.wait_at = "throat B"

    async def stop(page: Page) -> None:
        await page.until(lambda values: "throat B" in values["now"])
        await page.desk.hear({"bringup": "stop"}, "another browser")

    values = led(wired, stop)
    assert "stopped: the page asked for it" in values["problem"] and states(values)["inputs"] == "open"
    mode: Any = wired.port.rig.app.queries.diagnosis
    assert not wired.port.is_open and mode.leaving


@pytest.mark.parametrize("how", ["closed", "hangs"])
def test_a_page_that_is_closed_or_hangs_ends_its_bring_up(how: str, tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-shoe")
    wired.wait_at = "throat B"
    if how == "hangs":
        wired.here_s = 0.3

    async def leave(page: Page) -> None:
        if how == "closed":
            await page.until(lambda values: "throat B" in values["now"])
            page.desk.left("another browser")
            await asyncio.sleep(0.1)
            assert page.desk.busy
            page.desk.left(page)

    values = led(wired, leave, here=how == "closed")
    assert ("closed" if how == "closed" else "does not answer") in values["problem"]
    wired.wait_at, wired.here_s = "", 600.0
    assert set(states(led(wired)).values()) == {"passed", "passed before"}


def test_a_second_page_cannot_begin_and_nonsense_does_nothing(tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-shoe")
    wired.wait_at = "throat B"

    async def second(page: Page) -> None:
        await page.until(lambda values: "throat B" in values["now"])
        for doing in ("lead", "watch"):
            with pytest.raises(UsageError, match="under way already"):
                await page.desk.hear({"bringup": doing, "tab": "other"}, "other")
        for nonsense in ("motor", None, "lead", ["lead"]):  # without a tab
            with pytest.raises(UsageError, match="no step of a bring-up"):
                await page.desk.hear({"bringup": nonsense}, "other")
        await page.desk.hear({"bringup": "here"}, "other")
        wired.wait_at = ""

    values = led(wired, second)
    assert wired.opened == 1 and values["problem"] == ""
    for first in ("nowhere", ["inputs"], 3):
        with pytest.raises(UsageError, match="no step"):
            led(wired, first=first)
    values = led(wired, first="dark")
    assert [step for step, state in states(values).items() if state == "passed"] == [
        step for step in states(values) if [*STEPS].index(step) >= [*STEPS].index("dark")
    ]


def test_inputs_are_watched_until_it_is_stopped(tmp_path: Path) -> None:
    wired = Wired(tmp_path, "pico-shoe", fault("storm", line="tray", edges_per_s=20000))

    async def play() -> None:
        page = Page(wired)
        running = asyncio.create_task(page.desk.run(asyncio.Event().wait))
        await asyncio.sleep(0)
        await page.desk.hear({"bringup": "watch", "tab": "mine"}, page)
        await page.until(lambda values: "tray is noisy" in values["now"])
        await page.desk.hear({"bringup": "stop"}, page)
        await page.until(lambda values: not values["doing"])
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(play())
