"""`fairshoe replay`: a link that opens the bench page at a stop that a device has journaled."""

from __future__ import annotations

import argparse
import contextlib
import json
import webbrowser
from pathlib import Path

from fairshoe.cli.connection import Connection
from fairshoe.errors import Exit
from fairshoe.observe.recorded import events_in
from fairshoe.printable import printable, say
from fairshoe.sim.replay import Replay, replay
from fairshoe.sim.replay_course import course_of
from fairshoe.web.assets import page_files
from fairshoe.web.server import PageServer


def run(options: argparse.Namespace) -> int:
    connection = Connection(options)
    events, number = events_in(options.source, Path(connection.settings["store"]), connection.key())
    course = course_of(events, options.number or number, options.board, options.game)
    found = replay(course, options.seed)
    server = PageServer(page_files()) if options.serve else None
    link = (server.url if server else options.page) + found.fragment()
    if options.json:
        say(json.dumps(_object(found, link)))
    else:
        _print(found, link, options.page, server is not None)
    if server is not None:
        webbrowser.open(link)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return Exit.DONE if found.same else Exit.FAILED


def _object(found: Replay, link: str) -> dict[str, object]:
    stop = found.course.stop
    said = {"event": stop.seq, "warning": stop.warning.name.lower(), "same": found.same, "at_ms": found.at_ms}
    return {"link": link, **said, "reconstructed": found.known, "guessed": found.guessed}


def _print(found: Replay, link: str, page: str, serving: bool) -> None:
    stop = found.course.stop
    round_text = f", round {stop.round}" if stop.round else ""
    same = "stops in the same way" if found.same else "does NOT stop in the same way"
    say(f"event {stop.seq}{round_text}: {stop.warning.name.lower()}; the simulated shoe {same}")
    for title, lines in (("reconstructed", found.known), ("guessed", found.guessed)):
        for line in lines:
            say(f"  {title:14s}{printable(line)}")
            title = ""
    say("")
    say(link)
    say("")
    if serving:
        say("This process serves the page, on this machine only (Ctrl-C ends).", flush=True)
    else:
        say(f"`fairshoe web --no-open` serves {page} on this machine; --serve serves and opens it at once.")
