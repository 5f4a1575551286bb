"""What the documentation site has, in which order, for whom: its navigation as data.

A page of docs/ that stands nowhere here fails a test, and so does an entry whose page is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

# Pages of the repository that lie outside docs/, and where the site shows them.
INCLUDED = {
    "README.md": "project/overview.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "rules/README.md": "project/rules-data.md",
    "rules/ANSWERS.md": "project/answers.md",
}
# Written when the site is built, from the code: hooks.py has the first, reference.py the others.
HELP_PAGE = "reference/help.md"
LIBRARY_PAGE, CONFIG_PAGE, API_PAGE = "reference/library.md", "reference/config.md", "reference/api.md"
GAME_PAGE, METRICS_PAGE, RECORDS_PAGE = "reference/game.md", "reference/metrics.md", "reference/records.md"
LAW_PAGES = {f"rules/law/{path.stem}.law": f"law/{path.stem}.md" for path in sorted((ROOT / "rules/law").glob("*.law"))}
# Data of the repository that the site shows as one of these.
SHOWN = {"rules/records.txt": RECORDS_PAGE, **LAW_PAGES}
GENERATED = (HELP_PAGE, LIBRARY_PAGE, CONFIG_PAGE, GAME_PAGE, API_PAGE, METRICS_PAGE, *SHOWN.values())


@dataclass(frozen=True)
class Section:
    """A heading of the navigation. A page ending in /* stands for every page of that folder, README.md first."""

    title: str
    pages: tuple[str, ...]


HOME = "index.md"
# What the navigation calls a page whose own heading does not say it there.
TITLES = {
    HOME: "Home",
    "project/overview.md": "Overview",
    "PROTOCOL.md": "The protocol",
    "protocol/README.md": "Vectors and dissector",
    "project/rules-data.md": "The rules as data",
    "REGULATOR.md": "How do you know?",
}
SECTIONS = (
    Section("Start", ("TOUR.md", "QUICKSTART.md", "RELEASE.md", "project/overview.md", "LIMITS.md", "GLOSSARY.md")),
    Section(
        "At the bench",
        ("BENCH.md", "FAULTS.md", "FIRMWARE.md"),
    ),
    Section(
        "Integrate",
        (
            *("INTEGRATE.md", LIBRARY_PAGE, "TABLE.md", "FLOOR.md", API_PAGE, METRICS_PAGE),
            *("PROTOCOL.md", "protocol/README.md", "JOURNAL.md"),
        ),
    ),
    Section("Command line", ("CLI.md", HELP_PAGE)),
    Section(
        "Boards",
        (
            *("BOARDS.md", CONFIG_PAGE, "WIRING.md", "BUILD.md", "HARDWARE.md"),
            *("ERRATA.md", "BUDGETS.md"),
        ),
    ),
    Section(
        "Games",
        (
            *("GAMES.md", GAME_PAGE, "NEW_GAME.md", "RULES.md", *LAW_PAGES.values(), RECORDS_PAGE),
            *("project/answers.md", "project/rules-data.md"),
        ),
    ),
    Section(
        "Evidence",
        ("REGULATOR.md", "SHUFFLE.md", "SECURITY.md", "TESTING.md"),
    ),
    Section(
        "Firmware",
        ("ARCHITECTURE.md", "PROCEDURE.md", "STORAGE.md", "SCENARIOS.md", "project/contributing.md"),
    ),
    Section("Decisions", ("decisions/*",)),
    Section("Changes", ("COMPATIBILITY.md", "DEPENDENCIES.md", "NOTICES.md", "project/changelog.md")),
)


def listed(docs: Path = DOCS) -> dict[str, list[str]]:
    """The pages of each section; MkDocs refuses one that is not there, and one of docs/ that stands nowhere."""
    return {it.title: [page for entry in it.pages for page in _expand(entry, docs)] for it in SECTIONS}


def as_mkdocs() -> list[object]:
    """As MkDocs takes it: a page is a path, or a title with its path.

    Numbered decisions are listed on their own first page, and not beside every other page."""
    shown = {
        title: [_titled(page) for page in pages if not page.startswith("decisions/0")]
        for title, pages in listed().items()
    }
    return [_titled(HOME), *({title: pages} for title, pages in shown.items())]


def _titled(page: str) -> str | dict[str, str]:
    return {TITLES[page]: page} if page in TITLES else page


def _expand(entry: str, docs: Path) -> list[str]:
    found = [path.relative_to(docs).as_posix() for path in docs.glob(entry)] if entry.endswith("/*") else [entry]
    return sorted(found, key=lambda page: (not page.endswith("README.md"), page))
