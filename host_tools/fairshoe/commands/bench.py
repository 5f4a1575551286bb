"""`fairshoe bench`: run a test plan on a device, list the plans, or show what one does."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fairshoe.bench.deck_runner import Play
from fairshoe.bench.device import Device, Line, PortLine
from fairshoe.bench.hands import Hands, SimHands, Technician
from fairshoe.bench.plan import Plan, limit_words, load_plan, plan_names
from fairshoe.bench.report_file import PASSED, report_text, write_text
from fairshoe.bench.run import Facts, Log, Run
from fairshoe.bench.run_screen import BenchScreen
from fairshoe.bench.steps import Bench, Board
from fairshoe.boards import configs
from fairshoe.cli.connection import Connection
from fairshoe.errors import Exit, FairshoeError, UsageError
from fairshoe.games import profiles
from fairshoe.journal.export import Record
from fairshoe.keys import read_key
from fairshoe.messages import Booted, Role
from fairshoe.printable import printable, say
from fairshoe.ship.signing import REPORT, read_signing_key, sign_file, signature_path

if TYPE_CHECKING:
    from fairshoe.bench.simulated_line import SimLine

_LOOK_BACK = 400  # records of the journal in which the last start is looked for


def run(options: argparse.Namespace) -> int:
    words = [word for word in (options.port, options.plan) if word is not None]
    if words == ["list"]:
        return _list(options.json)
    if words[:1] == ["show"]:
        if len(words) == 1:
            raise UsageError("which plan?", f"One of {', '.join(plan_names())}, or the path of a .json file.")
        return _show(load_plan(words[1]))
    if not words:
        raise UsageError("which plan?", f"One of {', '.join(plan_names())}; `fairshoe bench list` says more.")
    options.port, options.plan = (None, words[0]) if len(words) == 1 else (words[0], words[1])
    if options.port in plan_names():
        raise UsageError(
            "the port comes before the plan.", f"Try: fairshoe bench {shlex.quote(options.plan)} {options.port}"
        )
    plan = load_plan(options.plan)
    connection = Connection(options)
    options.port = connection.port
    if not options.port.startswith("sim://"):  # whose key is in its URL
        options.key_file = connection.settings["key_file"]
    if options.decks:
        plan = with_decks(plan, options.decks)
    return _bench(options, plan)


def with_decks(plan: Plan, decks: int) -> Plan:
    steps = tuple(
        replace(step, arguments={**step.arguments, "decks": decks}) if step.kind == "decks" else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _list(as_json: bool) -> int:
    plans = [load_plan(name) for name in plan_names()]
    if as_json:
        found = [{"name": p.name, "title": p.title, "about": p.about, "steps": len(p.steps)} for p in plans]
        say(json.dumps(found, indent=1))
        return 0
    for plan in plans:
        say(f"{plan.name:16s} {len(plan.steps):2d} steps  {plan.about}")
    say("\n`fairshoe bench show NAME` says what a plan does; docs/BENCH.md how to write one.")
    return 0


def _show(plan: Plan) -> int:
    say(f"{printable(plan.title)} ({printable(plan.name)}, sha256 {plan.sha256[:16]})")
    say(f"{printable(plan.about)}\n\nNeeds:")
    for need in plan.needs:
        say(f"  - {printable(need)}")
    for number, step in enumerate(plan.steps, 1):
        say(f"\n{number}. {printable(step.title)}  [{printable(step.id)}]")
        for text in step.does:
            _say("do", text)
        _say("measured", step.measures)
        for limit in step.limits:
            _say("limit", limit_words(limit))
        for mechanism, reason in step.otherwise.items():
            _say("not for", f"{mechanism}: {reason}")
    say("\nA step passes when it came to its end and every limit of its mechanism holds.")
    return 0


def _say(word: str, text: str) -> None:
    say(textwrap.fill(printable(text), 110, initial_indent=f"   {word:10s}", subsequent_indent=" " * 13))


def _bench(options: argparse.Namespace, plan: Plan) -> int:
    simulated = options.port.startswith("sim://")
    screen = BenchScreen(sys.stderr if options.json else sys.stdout, simulated)
    if not simulated and not options.operator:
        raise UsageError("who tests?", "Give --operator NAME: the receipt has to say so.")
    if not simulated and not sys.stdin.isatty():
        raise UsageError("standard input is not a terminal.", "Run the bench in a terminal: it asks a technician.")
    key = read_key(Path(options.key_file), Role[options.role.upper()]) if options.key_file else None
    secret = read_signing_key(Path(options.sign)) if options.sign else b""
    line, sim = _line(options.port)
    started = datetime.now().astimezone()
    log = Log(Path(options.out), f"bench-{plan.name}-{started:%Y%m%d-%H%M%S}")
    try:
        device = Device(line, key, log.write, screen.watch)
        board = sim.board() if sim else _board(options, device)
        _may_acknowledge(device, board)
    except BaseException:
        log.discard()
        raise
    hands: Hands = SimHands(device, sim) if sim else Technician(device, screen.prompt, answered=screen.answered)
    bench = Bench(device, hands, Play(device, hands, board.kind), board, screen.part)
    facts = Facts(
        operator=options.operator or "simulated hands",
        serial=options.serial,
        port=options.port,
        simulated=simulated,
        options={"decks": options.decks} if options.decks else {},
    )
    screen.heading(f"{plan.title}: {board.name} ({board.kind}), device {device.welcome.device:08x}")
    if not simulated:
        for need in plan.needs:
            screen.line(f"  needed: {need}")
    work = Run(bench, plan, facts, screen)
    work.play()
    try:
        return _finish(work, log, screen, options.json, secret)
    finally:
        device.close()


def _finish(work: Run, log: Log, screen: BenchScreen, as_json: bool, secret: bytes) -> int:
    from fairshoe.bench.report_page import page

    screen.finish()
    verdict, reason = work.verdict
    if work.interrupted:
        screen.line(work.aftermath())
    report = work.report(log)
    stem = log.path.name.removesuffix(".events.jsonl")
    target = log.path.with_name(f"{stem}.json")
    text = report_text(report)
    write_text(target, text)
    if secret:
        sign_file(target, text.encode(), secret, REPORT)
    write_text(target.with_suffix(".html"), page(report))
    screen.verdict(verdict, reason)
    files = {"report": target, "page": target.with_suffix(".html"), "events": log.path}
    if secret:
        files["signed"] = signature_path(target)
    for word, path in files.items():
        screen.line(f"{word:6s} {path}")
    if as_json:
        steps = {result.id: result.status for result in work.results}
        named = {word: str(path) for word, path in files.items()}
        say(json.dumps({"verdict": verdict, "reason": reason, "steps": steps, **named}))
    if work.interrupted:
        return Exit.INTERRUPTED
    if work.error is not None:
        screen.line(work.error.advice)
        return work.error.exit_code
    return 0 if verdict == PASSED else Exit.FAILED


def _may_acknowledge(device: Device, board: Board) -> None:
    """A device that takes no acknowledgement in clear would send its first eight events again and again."""
    if not device.keyed and (device.welcome.has_key or not board.clear_ack):
        device.close()
        raise UsageError(
            f"{board.name} takes acknowledgements from keyed hosts only.", "Give --key-file: the key of a role."
        )


def _line(url: str) -> tuple[Line, SimLine | None]:
    if not url.startswith("sim://"):
        return PortLine(url), None
    from fairshoe.bench.simulated_line import SimLine

    line = SimLine(url)
    return line, line


def _board(options: argparse.Namespace, device: Device) -> Board:
    """The board: as given, or by the CRC of its board config."""
    stated = _board_crc(device)
    name = options.board or _board_by_crc(stated)
    config, crc = configs.load_board(name)
    if stated in configs.device_crcs(config, profiles.game_names()):
        crc = stated
    mech = config["mechanism"]
    return Board(
        name=config["name"],
        kind=mech["kind"],
        crc=crc,
        deck_cards=options.cards or _deck_cards(config, device.welcome.game),
        places=mech.get("slot_count") or mech.get("shelf_count") or 0,
        count_assurance=mech["count_assurance"],
        clear_ack=bool(config["link"].get("clear_ack")),
    )


def _board_crc(device: Device) -> int | None:
    """From the last start that the device told, or has on record."""
    device.rest(1.0)
    boots = [event for event in device.events if isinstance(event, Booted)]
    if boots:
        return boots[-1].board_crc
    try:
        last = device.shoe.journal_is().last
        for seq in range(last, max(last - _LOOK_BACK, 0), -1):
            event = Record(seq, device.shoe.journal_record(seq)).event()
            if isinstance(event, Booted):
                return event.board_crc
    except FairshoeError:
        return None  # a device with a key shows its journal in keyed sessions only
    return None


def _board_by_crc(crc: int | None) -> str:
    for name in configs.board_names():
        if crc in configs.device_crcs(configs.load_board(name)[0], profiles.game_names()):
            return name
    known = f"no board here has the CRC that it states, {crc:08x}" if crc is not None else "the device has not said"
    raise UsageError(f"which board is it? {known}.", "Give --board: a name, or the .json file it was built with.")


def _deck_cards(config: configs.Config, code: str) -> int:
    own: object = config.get("game", "house")
    if isinstance(own, dict) and "deck_cards" in own:
        return int(own["deck_cards"])  # pyright: ignore[reportUnknownArgumentType]
    for name in profiles.game_names():
        if name != "house":
            game = profiles.load_game(name)
            if game["code"] == code:
                return int(game["deck_cards"])
    return 52
