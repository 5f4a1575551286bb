"""The arguments of the commands that look at a shoe: start, ports, status, monitor, selftest, decode."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port, number_between


def add_start(command: argparse.ArgumentParser) -> None:
    """It has none."""


def add_ports(command: argparse.ArgumentParser) -> None:
    command.add_argument("url", nargs="*", metavar="URL", help="another port to ask: tcp://HOST:PORT or a device")
    command.add_argument("--no-ask", action="store_true", help="only list serial devices; open nothing, send nothing")
    wait = number_between(0.1, 60)
    command.add_argument("--seconds", type=wait, default=2.0, metavar="S", help="to wait for an answer (%(default)s)")
    command.add_argument("--json", action="store_true", help="as a JSON array")


def add_status(command: argparse.ArgumentParser) -> None:
    add_port(command)
    add_key(command)
    command.add_argument("--json", action="store_true", help="as one JSON object")


def add_monitor(monitor: argparse.ArgumentParser) -> None:
    add_port(monitor)
    add_key(monitor)
    monitor.add_argument("--host", action="store_true", help="acknowledge events after showing them")
    monitor.add_argument("--listen", action="store_true", help="send nothing")
    monitor.add_argument("--plain", action="store_true", help="print lines instead of the live view")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--log", metavar="FILE", help="append every event to a file too, with date and time")
    monitor.add_argument("--once", action="store_true", help="end when the port is lost, with status 4")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")


def add_selftest(command: argparse.ArgumentParser) -> None:
    add_port(command)
    add_key(command)
    command.add_argument("--run", action="store_true", help="start the shoe's own test first; needs a table key")
    command.add_argument("--report", metavar="F", help="write the result there too, as JSON, with device and time")
    command.add_argument(
        "--sign", metavar="KEY", help="sign that report with this key of `fairshoe firmware release keygen`"
    )
    command.add_argument("--json", action="store_true", help="a JSON array of checks")


def add_decode(command: argparse.ArgumentParser) -> None:
    command.add_argument("source", metavar="FILE|-|PORT", help="a capture, binary or hex text; with --follow a port")
    command.add_argument("--hex", action="store_true", help="the file is hex text, even if it does not look like it")
    command.add_argument("--follow", action="store_true", help="read a live port or pyserial URL until interrupted")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    command.add_argument("--key-file", metavar="F", help="check MACs of sessions whose welcome is in the capture")
