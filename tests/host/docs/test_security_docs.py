"""docs/SECURITY.md: every weakness must have an answer."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "SECURITY.md").read_text(encoding="utf-8")


def test_every_weakness_is_shown_by_a_test_or_said_to_be_open() -> None:
    rows = [line for line in PAGE[PAGE.index("| seen | here") :].splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 16
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 3, row
        assert cells[2].startswith("`") or cells[2] == "not answered", row
        if cells[2] == "not answered":
            limits = re.findall(r"\*\*([^*]+)\*\*", cells[1])
            assert limits, f"names no limit: {row}"
            assert all(f"- **{limit}" in PAGE for limit in limits), row
