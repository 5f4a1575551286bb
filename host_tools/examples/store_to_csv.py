"""What a store has of one device, as CSV: python store_to_csv.py STORE [DEVICE [SINCE-SEQ]] > events.csv

DEVICE is the number in hex as `fairshoe` prints it. Run it while the store is being written to, as often as you like.
"""

import csv
import datetime
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from fairshoe import Event, FairshoeError, Store
from fairshoe.errors import UsageError

PREFIX = ("seq", "boot", "uptime_s", "uptime_ms", "utc_s", "round", "deck")


def export(store: Store, out: TextIO, device: int | None = None, since_seq: int = 0) -> int:
    """Returns how many events were written."""
    writer = csv.writer(out)
    writer.writerow(["device", "log", "seq", "received", "round", "event", "fields"])
    count = 0
    for stored in store.events(device, since_seq):
        event = stored.event
        own = {name: value for name, value in asdict(event).items() if name not in PREFIX}
        words = " ".join(f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in own.items())
        when = datetime.datetime.fromtimestamp(stored.received, datetime.timezone.utc).isoformat()
        number = event.round if isinstance(event, Event) else ""
        writer.writerow([f"{stored.device:08x}", stored.log.hex(), stored.seq, when, number, stored.name, words])
        count += 1
    return count


def main(arguments: list[str]) -> int:
    try:
        device = int(arguments[1], 16) if len(arguments) > 1 else None
        since_seq = int(arguments[2]) if len(arguments) > 2 else 0
        if not Path(arguments[0]).exists():
            raise UsageError(f"{arguments[0]} does not exist.", "Name a store that a program has made.")
        with Store(arguments[0]) as store:
            count = export(store, sys.stdout, device, since_seq)
        print(f"{count} events", file=sys.stderr)
    except (ValueError, IndexError):
        print("usage: store_to_csv.py STORE [DEVICE [SINCE-SEQ]]", file=sys.stderr)
        return 2
    except FairshoeError as error:
        print(f"{error.what}\n{error.advice}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
