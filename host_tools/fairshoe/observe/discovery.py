"""List ports and find the shoes behind them: all are asked at once, with a hello in clear."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from serial.tools import list_ports

from fairshoe.errors import FairshoeError, PortBusy, UsageError
from fairshoe.messages import Welcome
from fairshoe.observe.observer import Mode, Watch
from fairshoe.sim import running_shoes

ASK_S = 2.0
# A shoe sends its status twice a second, whatever it does: a port that has given no byte for longer has none behind it.
SILENT_S = 0.6
THREADS = 32
NO_ANSWER = "nothing answered; check power, cable, and that it is the table port"

SHOE, IN_USE, HALTED, SILENT, OTHER, BUSY, UNREACHABLE, SIMULATED, NOT_ASKED = (
    "shoe",
    "shoe in use",
    "shoe that could not start",
    "silent",
    "not a shoe",
    "busy",
    "cannot be opened",
    "simulated shoe",
    "not asked",
)


@dataclass(frozen=True)
class FoundPort:
    """One port and what is behind it; `about` is for people."""

    port: str
    kind: str
    about: str
    device: str | None = None
    firmware: str | None = None
    game: str | None = None
    mode: str | None = None
    has_key: bool | None = None


@dataclass(frozen=True)
class Candidate:
    port: str
    about: str


def serial_ports() -> list[Candidate]:
    """Serial devices of this machine, by name."""
    entries: list[Any] = sorted(list_ports.comports(), key=lambda entry: str(entry.device))
    return [Candidate(entry.device, _about(entry)) for entry in entries]


def _about(entry: Any) -> str:
    text = entry.description if entry.description and entry.description != "n/a" else ""
    return f"{text} {entry.serial_number or ''}".strip()


def find(urls: Iterable[str] = (), ask: bool = True, seconds: float = ASK_S) -> list[FoundPort]:
    """Simulators that run here, serial devices, and the URLs given. Serial devices are not opened unless asked for."""
    simulated = [found for entry in running_shoes.running() for found in _simulated(entry)]
    known = {found.port for found in simulated}
    candidates = [*serial_ports(), *(Candidate(url, "") for url in urls if url not in known)]
    if not ask:
        return [*simulated, *(FoundPort(each.port, NOT_ASKED, each.about) for each in candidates)]
    return [*simulated, *_asked(candidates, seconds)]


def find_serial() -> list[FoundPort]:
    """All serial devices of this machine that send anything, each asked who it is."""
    return _asked(serial_ports(), ASK_S, SILENT_S)


def ask(urls: Iterable[str], seconds: float = ASK_S) -> list[FoundPort]:
    """These ports, each asked who it is; also simulated shoes, which `find` only lists."""
    return _asked([Candidate(url, "") for url in urls], seconds)


def attached(service: bool = False) -> list[str]:
    """The ports of all shoes on this machine, simulated ones first; of those the service port if that is wanted."""
    simulated = [
        str(entry.get("service") if service else entry.get("port") or entry.get("tcp") or "")
        for entry in running_shoes.running()
    ]
    found = [each.port for each in find_serial() if each.kind in (SHOE, IN_USE, HALTED)]
    return [port for port in simulated if port] + found


def _asked(candidates: list[Candidate], seconds: float, silent_s: float = ASK_S) -> list[FoundPort]:
    if not candidates:
        return []
    with ThreadPoolExecutor(min(THREADS, len(candidates))) as pool:
        asked = [pool.submit(probe, each.port, each.about, seconds, silent_s) for each in candidates]
        return [each.result() for each in asked]


def _simulated(entry: dict[str, Any]) -> list[FoundPort]:
    """Simulators register themselves: querying their port would take bytes from its user."""
    about = f"{entry.get('board')}, seed {entry.get('seed')}, process {entry.get('pid')}, tap {entry.get('tap')}"
    urls = [url for url in (entry.get("port"), entry.get("tcp")) if url]
    has_key = bool(entry.get("has_key"))
    who = {"device": entry.get("device"), "firmware": entry.get("firmware"), "game": entry.get("game")}
    return [FoundPort(url, SIMULATED, about, has_key=has_key, **who) for url in urls]


def probe(url: str, about: str = "", seconds: float = ASK_S, silent_s: float = ASK_S) -> FoundPort:
    """What answers there within so many seconds, `silent_s` of them if nothing comes at all."""
    try:
        with Watch(url) as watch:
            watch.open()
            began = time.monotonic()
            while watch.mode is not Mode.LIVE and not (watch.problem or watch.halted):
                heard = watch.link.frames or watch.link.drops.total()
                if time.monotonic() - began >= (seconds if heard else min(seconds, silent_s)):
                    break
                watch.step()
            return _judge(url, about, watch)
    except PortBusy as error:
        return FoundPort(url, BUSY, error.what)
    except UsageError as error:
        return FoundPort(url, UNREACHABLE, f"{error.what} {error.advice}")
    except FairshoeError as error:
        return FoundPort(url, UNREACHABLE, error.what)


def _judge(url: str, about: str, watch: Watch) -> FoundPort:
    welcome = watch.known.welcome
    if isinstance(watch.problem, PortBusy):
        return FoundPort(url, BUSY, watch.problem.what)
    if watch.problem is not None:
        return FoundPort(url, UNREACHABLE, watch.problem.what)
    if watch.halted is not None:
        return FoundPort(url, HALTED, watch.halted.what)
    if welcome is not None:
        return _shoe(url, about, welcome, SHOE if watch.mode is Mode.LIVE else IN_USE)
    if watch.link.frames:
        return FoundPort(url, IN_USE, about or "in use by a host; it answers only with its key")
    if watch.link.drops.total():
        return FoundPort(url, OTHER, about or "something talks there, and not as a shoe does")
    return FoundPort(url, SILENT, f"{about}: {NO_ANSWER}" if about else NO_ANSWER)


def _shoe(url: str, about: str, welcome: Welcome, kind: str) -> FoundPort:
    return FoundPort(
        url,
        kind,
        about,
        f"{welcome.device:08x}",
        welcome.firmware,
        welcome.game,
        welcome.mode.name.lower(),
        bool(welcome.has_key),
    )
