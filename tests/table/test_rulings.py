"""Every ruling that code names is in the file, and every one has a clause and a decision."""

import re
from pathlib import Path

from oracles import rulings_page

from fairshoe_table.rulings import RULINGS

PACKAGE = Path(__file__).resolve().parents[2] / "host_tools" / "fairshoe_table"


def test_every_ruling_that_code_names_exists() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    spans = re.findall(r"rulings? ((?:`[\w-]+`(?:, )?)+)", text)
    named = {name for span in spans for name in re.findall(r"`([\w-]+)`", span)}
    assert len(named) > 15
    assert named - set(RULINGS) == set()


def test_every_ruling_decides_something() -> None:
    assert len(RULINGS) > 50
    for ruling in RULINGS.values():
        assert ruling.clause and ruling.question.endswith((".", "?")) and ruling.decision.endswith(".")


def test_the_page_has_every_ruling() -> None:
    text = rulings_page.PAGE.read_text(encoding="utf-8")
    assert text == rulings_page.page(text), "run: PYTHONPATH=tools .venv/bin/python -m oracles.rulings_page"
