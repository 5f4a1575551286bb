"""The arguments of `fairshoe floor`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.arguments.floor_gateway import add_gateway
from fairshoe.arguments.floor_inventory import add_inventory
from fairshoe.arguments.floor_publish import add_publish
from fairshoe.cli.options import add_broker, add_database, add_metrics, add_server
from fairshoe.cli.registry import describe

ACTIONS = {
    "gateway": "record many shoes and show them on a page",
    "inventory": "list the shoes and the readers of a gateway",
    "publish": "carry a gateway's events to NATS JetStream",
    "run": "keep the central record: events from NATS JetStream into PostgreSQL, and alarms; until stopped",
    "serve": "serve the read API and the floor page from PostgreSQL",
    "migrate": "bring the tables to this version",
    "history": "print events on file",
    "report": "print what happened at each table in a shift",
    "assignments": "list which shoe was at which table, and when",
    "assign": "correct at which table a shoe was",
    "retention": "show or set how long events and samples are kept",
    "size": "say what the record takes, and what a year of it will",
    "versions": "list the firmware that each shoe reports",
    "keys": "list when each shoe's key was installed or changed",
    "journals": "list pulled journals and what is wrong with them",
    "alarms": "list alarms, or try rules on history",
    "acknowledge": "note that a person has seen an alarm",
    "dead-letters": "list, show, take again or close what could not be taken",
    "gaps": "list or close ranges of events that were lost",
    "forget": "drop a gateway and its publisher from the parts that must move",
    "kit": "write units, configurations, roles and a runbook for the inventories",
    "accounts": "write the accounts of the broker, from the inventories",
    "broker": "say whether the broker is well, and whether a restart is due",
    "fill": "add events that a gateway's store lacks, from a pulled journal",
}
KIT_OPTIONS: tuple[tuple[str, str, str | int, str], ...] = (
    ("--broker", "HOST", "floor", "the central host, as gateways reach it"),
    ("--database-host", "HOST", "127.0.0.1", "of PostgreSQL"),
    ("--disk-gb", "N", 20, "size of the broker's own disk"),
    ("--mail-to", "ADDRESS", "", "who gets alarms"),
    ("--smtp", "HOST:PORT", "127.0.0.1:25", "by which server"),
    ("--etc", "FOLDER", "/etc/fairshoe", "where configuration will be"),
    ("--state", "FOLDER", "/var/lib/fairshoe", "where stores will be"),
    ("--program", "FILE", "/opt/fairshoe/bin/fairshoe", "where this program will be"),
    ("--nats-server", "FILE", "/usr/local/bin/nats-server", "where the broker's program will be"),
)
WITHOUT_DATABASE = ("gateway", "inventory", "publish", "fill", "accounts", "broker", "kit")


def add_floor(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {
        name: actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        for name, text in ACTIONS.items()
    }
    for name, one in made.items():
        if name not in WITHOUT_DATABASE:
            add_database(one)
    for name, add in (("gateway", add_gateway), ("inventory", add_inventory), ("publish", add_publish)):
        describe(made[name], f"floor-{name}")
        add(made[name])
    _add_house(made)
    made["forget"].add_argument("name", metavar="NAME", help="of the gateway that was taken out of service")
    made["fill"].add_argument("export", type=Path, metavar="EXPORT", help="a file of `fairshoe journal pull`")
    made["fill"].add_argument("--store", type=Path, required=True, metavar="FILE", help="of the gateway")
    add_broker(made["run"])
    add_metrics(made["run"])
    made["serve"].add_argument(
        "inventory", nargs="+", type=Path, metavar="INVENTORY", help="copies of the inventories of all gateways"
    )
    add_server(made["serve"])
    made["run"].add_argument(
        "inventory",
        nargs="*",
        type=Path,
        metavar="INVENTORY",
        help="of all gateways: a shoe that is never heard is silent",
    )
    for name, where in (("alertmanager", "Prometheus Alertmanager"), ("webhook", "any program, by POST")):
        made["run"].add_argument(
            f"--{name}", action="append", default=[], metavar="URL", help=f"send alarms to {where}; may be repeated"
        )
    for name in ("run", "alarms"):
        made[name].add_argument("--rules", metavar="FILE", help="rules of alarms, JSON (those of this program)")
    _add_times(made)
    for name in ("history", "journals", "assignments"):
        made[name].add_argument("--device", metavar="ID", help="of one device, hexadecimal")
    made["journals"].add_argument(
        "--store", type=Path, metavar="FILE", help="of one gateway: read the file beside it, not the database"
    )
    made["journals"].add_argument("--out", metavar="FOLDER", help="write the exports as files")
    made["history"].add_argument("--kind", metavar="NAME", help="of one kind, for example warning_latched")
    made["history"].add_argument("--limit", type=int, default=1000, metavar="N", help="at most so many (%(default)s)")
    made["versions"].add_argument("--release", metavar="FOLDER", help="the signed release that every shoe should have")
    made["versions"].add_argument(
        "--key", action="append", default=[], metavar="FILE", help="public key of the maker of the release"
    )
    made["alarms"].add_argument("--all", action="store_true", help="also those that are cleared")
    made["alarms"].add_argument("--dry-run", action="store_true", help="judge history; write and send nothing")
    for name, words in (("dead-letters", ("list", "show", "retry", "close")), ("gaps", ("list", "close"))):
        one = made[name]
        one.add_argument("what", nargs="?", default="list", choices=words, help="what to do (%(default)s)")
        one.add_argument("id", nargs="?", metavar="ID", help="of one; `retry all` takes every open one")
        one.add_argument("--all", action="store_true", help="also those that are closed")
        one.add_argument("--json", action="store_true", help="one JSON object a line")
        one.add_argument("--note", default="", metavar="TEXT", help="why it is closed")
    made["acknowledge"].add_argument("id", type=int, metavar="ID", help="of the alarm")
    made["acknowledge"].add_argument("--by", required=True, metavar="NAME", help="who has seen it")
    made["acknowledge"].add_argument("--note", default="", metavar="TEXT", help="what was done")


def _add_times(made: dict[str, argparse.ArgumentParser]) -> None:
    """Which time, and at which table; and how long things are kept."""
    for name in ("history", "alarms", "journals", "report", "assignments"):
        made[name].add_argument("--days", type=float, default=1.0, metavar="N", help="how far back (%(default)s)")
    for name in ("history", "report", "assignments", "assign"):
        one = made[name]
        one.add_argument(
            "--zone", metavar="NAME", help="time zone of the house, as Europe/Berlin (FAIRSHOE_ZONE, or UTC)"
        )
        one.add_argument("--from", dest="begin", metavar="TIME", required=name == "assign", help="as 2026-11-03 14:05")
        one.add_argument("--to", dest="end", metavar="TIME", help="(now)")
        if name != "assign":
            one.add_argument("--day", metavar="DATE", help="one day of the house, as 2026-11-03")
            one.add_argument(
                "--shift", default="00:00-24:00", metavar="TIMES", help="of that day, as 22:00-06:00 (%(default)s)"
            )
    for name in ("history", "assignments"):
        made[name].add_argument("--table", metavar="NAME", help="of the shoes that were at this table then")
    made["report"].add_argument("--pit", metavar="NAME", help="of one pit")
    made["assign"].add_argument("device", metavar="DEVICE", help="number of the shoe, hexadecimal")
    made["assign"].add_argument("place", metavar="TABLE", help="where it was; - for no table")
    made["assign"].add_argument("--pit", default="", metavar="NAME", help="of that table")
    for name, text in (
        ("events", "months of events older than that; 0: for ever"),
        ("samples", "samples older than that"),
    ):
        made["retention"].add_argument(f"--{name}-days", type=float, metavar="N", help=f"drop {text}")
    made["retention"].add_argument("--by", metavar="NAME", help="who sets it")
    made["size"].add_argument(
        "--shoes", type=int, metavar="N", help="of so many shoes by the model, not by what is on file"
    )
    for name in ("report", "size"):
        made[name].add_argument("--json", action="store_true", help="one JSON object a line")


def _add_house(made: dict[str, argparse.ArgumentParser]) -> None:
    """What a house sets up beside our programs."""
    for name in ("run", "serve"):
        made[name].add_argument(
            "--desk-database", metavar="URL", help="by the role of alarms (FAIRSHOE_DESK_DATABASE; else --database)"
        )
    kit, accounts, broker = made["kit"], made["accounts"], made["broker"]
    kit.add_argument("folder", type=Path, metavar="DIR", help="is made; keys and passwords in it stay as they are")
    for one in (kit, accounts):
        one.add_argument("inventory", nargs="+", type=Path, metavar="INVENTORY", help="of all gateways")
    accounts.add_argument("--stream", default="fairshoe", metavar="NAME", help="name of the stream (%(default)s)")
    accounts.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="accounts.conf and keys")
    for name, word, default, text in KIT_OPTIONS:
        kit.add_argument(name, metavar=word, default=default, type=type(default), help=f"{text} (%(default)s)")
    kit.add_argument(
        "--host", action="append", default=[], metavar="NAME=HOST", help="of a gateway (its name is its host)"
    )
    add_broker(broker)
    broker.add_argument("--purge", metavar="SUBJECT", help="delete the messages of a subject, with the account admin")
    broker.add_argument(
        "--health", default="http://127.0.0.1:8222", metavar="URL", help="its monitoring port (%(default)s)"
    )
    broker.add_argument(
        "--restart-due", type=Path, metavar="FOLDER", help="succeed only if its disk was full and FOLDER has room again"
    )
