"""Logs of the floor's programs, all in one form: plain lines on a terminal, else one JSON object a line, for journald
and log collectors."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone

from fairshoe.printable import LogLines, printable


class JsonLines(logging.Formatter):
    """{"at": "...", "level": "warning", "logger": "fairshoe.fleet", "text": "..."}"""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": printable(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = "\n".join(map(printable, self.formatException(record.exc_info).split("\n")))
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(verbose: bool = False) -> None:
    """Of this process, to standard error."""
    handler = logging.StreamHandler()
    plain = LogLines("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")
    handler.setFormatter(plain if sys.stderr.isatty() else JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("fairshoe").setLevel(logging.INFO if verbose or not sys.stderr.isatty() else logging.WARNING)
    logging.getLogger("fairshoe_floor").setLevel(logging.INFO)
