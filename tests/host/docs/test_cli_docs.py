"""Tables of docs/CLI.md and docs/BENCH.md are as the code has them; every exit code of every error is in one."""

import re

from docs import tables
from fairshoe.errors import Exit, FairshoeError


def all_errors(kind: type[FairshoeError] = FairshoeError) -> set[type[FairshoeError]]:
    return {kind}.union(*(all_errors(each) for each in kind.__subclasses__()))


def test_the_tables_of_pages_are_as_the_code_has_them() -> None:
    assert tables.late() == [], "run make generate"


def test_every_error_has_its_exit_code_on_the_page() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", (tables.DOCS / "CLI.md").read_text(), re.MULTILINE)}
    for kind in all_errors():
        assert kind.exit_code in listed, kind
        assert kind.__doc__ and kind.exit_code not in (0, Exit.INTERNAL), kind
