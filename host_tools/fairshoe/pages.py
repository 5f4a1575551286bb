"""Find the pages of the documentation and the example programs, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairshoe import _device
from fairshoe.errors import UsageError, nearest

KINDS = {"page": "pages", "example": "example programs"}


@dataclass(frozen=True)
class Page:
    """One page or program. `name` is what people type; decisions are named by their number."""

    name: str
    kind: str
    path: Path

    @property
    def title(self) -> str:
        """The heading of a page; the first sentence of a program."""
        with self.path.open(encoding="utf-8") as file:
            first = next((line.strip() for line in file if line.strip(" #\n\"'") and not line.startswith("<!--")), "")
        return first.strip("#\"' ").split(". ")[0].rstrip(".")


def everything() -> list[Page]:
    return list(_found())


def _found() -> Iterator[Page]:
    root = _device.root()
    for path in sorted((root / "docs").glob("*.md")):
        yield Page(path.stem, "page", path)
    for path in sorted((root / "docs" / "decisions").glob("0*.md")):
        yield Page(path.stem[:4], "page", path)
    examples = root / "examples"
    for path in sorted((examples if examples.is_dir() else root / "host_tools" / "examples").glob("*.py")):
        yield Page(path.name, "example", path)


def find(name: str) -> Page:
    """The page that a person means: with or without its ending, in small letters or capitals. UsageError if none."""
    wanted = name.removeprefix("docs/").removesuffix(".md").lower()
    known = {page.name.lower(): page for page in _found()}
    page = known.get(wanted) or known.get(f"{wanted}.py") or known.get(Path(wanted).name[:4])
    if page is not None:
        return page
    near = nearest(wanted, known)
    hint = f"Did you mean {known[near].name}?" if near else "`fairshoe docs` lists all."
    raise UsageError(f"there is no page {name!r}.", hint)
