"""The arguments and examples of the commands that look at a shoe: start, ports, status, monitor, selftest, decode."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port, number_between

START_EXAMPLES = """\
examples:
  fairshoe                         the same, in a terminal
  fairshoe start
"""


def add_start(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Lists the ports of this machine without opening one, and offers what to do next. It asks before it sends "
        "anything, and shows each command before it runs it."
    )
    command.epilog = START_EXAMPLES


PORTS_EXAMPLES = """\
examples:
  fairshoe ports
      serial devices, and simulated shoes that run on this machine
  fairshoe ports tcp://10.0.0.7:4001
      a serial server as well
  fairshoe ports --no-ask
      only list: nothing is opened and nothing is sent
  fairshoe ports --json | jq -r '.[] | select(.kind == "shoe") | .port'
      the ports of all shoes, for a script

exit status: 0 a shoe was found, 1 none was
"""


def add_ports(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Asks every serial device that no other program has open, and shows which of them answer as a shoe. It "
        "sends a hello message and nothing else. Simulated shoes that run on this machine are listed too."
    )
    command.epilog = PORTS_EXAMPLES
    command.add_argument("url", nargs="*", metavar="URL", help="another port to ask: tcp://HOST:PORT or a device")
    command.add_argument("--no-ask", action="store_true", help="only list serial devices; open nothing, send nothing")
    wait = number_between(0.1, 60)
    command.add_argument("--seconds", type=wait, default=2.0, metavar="S", help="to wait for an answer (%(default)s)")
    command.add_argument("--json", action="store_true", help="as a JSON array")


STATUS_EXAMPLES = """\
examples:
  fairshoe status                  the only shoe attached, or the port set
  fairshoe status /dev/ttyACM0
  fairshoe status --json | jq .next
      the next step, for a script

status acknowledges no event: the table system still receives all of them.
"""


def add_status(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Shows the identity of a shoe, its state and next step, where the cards are, warnings with what to do, "
        "meters, how full the journal is, and a command of yours whose outcome is not known."
    )
    command.epilog = STATUS_EXAMPLES
    add_port(command)
    add_key(command)
    command.add_argument("--json", action="store_true", help="as one JSON object")


MONITOR_EXAMPLES = """\
examples:
  fairshoe monitor                 the only shoe attached, or the port set
  fairshoe monitor /dev/ttyACM0    a live view; ? lists its keys, q quits
  fairshoe monitor /dev/pts/7      beside another program: the tap of a sim
  fairshoe monitor --key-file observer.key
      all events of a shoe that has a key
  fairshoe monitor --log shift.log
      the live view, and every event in a file
  fairshoe monitor --json > events.jsonl
      one JSON object a line, for a program

The monitor starts a session if no other host has one; otherwise it listens.
It acknowledges nothing, so the table system still receives every event; --host
acknowledges what was shown, for a bench without a table system.
If the port disappears, the monitor says so and retries every second.
"""


def add_monitor(monitor: argparse.ArgumentParser) -> None:
    monitor.description = (
        "Shows the identity of a shoe, its state and next step, where the cards are, warnings with what to do, "
        "meters, the quality of the link, and the last events."
    )
    monitor.epilog = MONITOR_EXAMPLES
    add_port(monitor)
    add_key(monitor)
    monitor.add_argument("--host", action="store_true", help="acknowledge events after showing them")
    monitor.add_argument("--listen", action="store_true", help="send nothing")
    monitor.add_argument("--plain", action="store_true", help="print lines instead of the live view")
    monitor.add_argument("--json", action="store_true", help="one JSON object a line")
    monitor.add_argument("--log", metavar="FILE", help="append every event to a file too, with date and time")
    monitor.add_argument("--once", action="store_true", help="end when the port is lost, with status 4")
    monitor.add_argument("--quiet-s", type=float, default=None, metavar="S", help="end after S seconds of silence")


SELFTEST_EXAMPLES = """\
examples:
  fairshoe selftest /dev/ttyACM0
  fairshoe selftest --key-file observer.key
      the journal too, if the shoe has a key
  fairshoe selftest --run --key-file table.key
      the shoe tests itself first: the axis turns, no card moves
  fairshoe selftest --json | jq '.[] | select(.verdict != "good")'
      what is not good, for a script
  fairshoe selftest --run --key-file table.key --report t.json --sign b.key
      a signed report; fairshoe report t.json --verify b.key.pub checks it

A shoe tests its beams, axis and home position at power-up, before every job
and after every warning. This command reads the last result from the journal.
With --run it starts that test first. The shoe takes it while it waits for a
deck, with the door closed, the tray empty and no round open.
exit status: 0 nothing is bad, 1 something is
"""


def add_selftest(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Tests the link, reads the last result of the shoe's own self-test, checks its journal, scan times, "
        "meters and beams, and says what to do about anything that is not good. No card moves."
    )
    command.epilog = SELFTEST_EXAMPLES
    add_port(command)
    add_key(command)
    command.add_argument("--run", action="store_true", help="start the shoe's own test first; needs a table key")
    command.add_argument("--report", metavar="F", help="write the result there too, as JSON, with device and time")
    command.add_argument("--sign", metavar="KEY", help="sign that report with this key of `fairshoe release keygen`")
    command.add_argument("--json", action="store_true", help="a JSON array of checks")


DECODE_EXAMPLES = """\
examples:
  fairshoe decode capture.bin
      every frame, and where bytes were damaged
  fairshoe decode --follow /dev/ttyACM0
      a live port, until Ctrl-C
  fairshoe decode --json capture.bin | jq 'select(.message == "round_ended")'
      one kind of message, for a script
"""


def add_decode(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Prints every frame as one line, and where and why bytes were dropped. A summary goes to standard error. "
        "Nothing is sent."
    )
    command.epilog = DECODE_EXAMPLES
    command.add_argument("source", metavar="FILE|-|PORT", help="a capture, binary or hex text; with --follow a port")
    command.add_argument("--hex", action="store_true", help="the file is hex text, even if it does not look like it")
    command.add_argument("--follow", action="store_true", help="read a live port or pyserial URL until interrupted")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    command.add_argument("--key-file", metavar="F", help="check MACs of sessions whose welcome is in the capture")
