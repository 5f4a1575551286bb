"""`python -m captures [NAME...]`: takes captures. One that differs in numbers alone stays as it is."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from captures import pages, terminal
from captures.catalogue import CAPTURES

# Places, times, counters, keys: other in every run.
NUMBERS = re.compile(r"<text [^>]*>|<svg [^>]*>|<rect [^>]*>|\b[0-9a-f]{12,}\b|\d+(?:[.:]\d+)*| +")


def main() -> int:
    names = sys.argv[1:] or [*CAPTURES, *pages.PAGES]
    for name in (name for name in names if name in CAPTURES):
        with tempfile.TemporaryDirectory(prefix="fairshoe-") as folder:
            new = terminal.picture(CAPTURES[name], Path(folder))
        path = pages.FOLDER / f"{name}.svg"
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        same = NUMBERS.sub("", old) == NUMBERS.sub("", new)
        if not same:
            path.write_text(new, encoding="utf-8")
        print(f"captures: {name} {'is the same' if same else 'is another'}", flush=True)
    pages.take([name for name in names if name in pages.PAGES])
    return 0


if __name__ == "__main__":
    sys.exit(main())
