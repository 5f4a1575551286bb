"""The documentation holds: links lead somewhere, commands exist, and both readers of a page see the same."""

from __future__ import annotations

import argparse
import re
import shlex
from functools import cache
from pathlib import Path

from docs.hooks import commands
from test_style import report, repository_files

from docs import nav as docs_nav
from docs import pages as docs_pages
from fairshoe.cli.command_line import full_parser

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = tuple(docs_nav.INCLUDED)
# Words that stand for what a reader puts in.
PLACEHOLDER = re.compile(r"[A-Z][A-Z_-]*|\.\.\.|…")
MAKE = re.compile(r"(?:^|[\s`;&(])make ((?:[a-z][a-z0-9-]*|[A-Z]+=\S*)(?: (?:[a-z][a-z0-9-]*|[A-Z]+=\S*))*)")
# At the beginning of a line or span. A word and a number are a tag of the protocol ("fairshoe seed 1"), a word and a
# colon what a device says ("fairshoe halted: ...").
TOOL = re.compile(r"(?:^|\$ |&& |; |\| )(?:\.venv/bin/)?fairshoe (?![a-z]+ \d$|[a-z]+:)([a-z-][^`#|>\n;]*)")
# A file with its ending; folders and patterns are prose.
PATH = re.compile(
    r"(?<![\w./-])((?:firmware|hal|rig|host_tools|board_configs|game_profiles|rules|tests|tools|docs)/[\w./-]*"
    r"\.(?:py|json|md|mjs|lua|bin|txt|html))\b(?:::(test_\w+))?"
)
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"(?:[-*]|\d+\.) |\|")


def pages() -> dict[str, str]:
    return {
        path: text
        for path, text in repository_files().items()
        if path in OUTSIDE or (path.startswith("docs/") and path.endswith(".md"))
    }


def code_of(text: str) -> list[tuple[int, str]]:
    """Lines of code blocks, and code spans, with their line numbers."""
    bare = docs_pages.without_blocks(text).split("\n")
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not bare[number - 1].strip():
            found.append((number, line.strip()))
        else:
            found += [(number, span) for span in CODE_SPAN.findall(line)]
    return found


# -- links ---------------------------------------------------------------------------------------


@cache
def anchors_of(text: str) -> set[str]:
    return docs_pages.anchors(text)


def broken_links(page: str, text: str) -> list[str]:
    findings: list[str] = []
    for link in docs_pages.links(text):
        if link.is_external:
            continue
        path, anchor = docs_pages.resolve(page, link.target)
        where = f"{page}:{link.line}: {link.target}"
        if path != page and not (path and (ROOT / path).exists()):
            findings.append(f"{where}: there is no such file")
        elif anchor and not path.endswith(".md"):
            findings.append(f"{where}: only pages have anchors")
        elif anchor and anchor not in anchors_of(text if path == page else (ROOT / path).read_text("utf-8")):
            findings.append(f"{where}: {path} has no such anchor")
    return findings


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    assert sum(1 for text in pages().values() for _ in docs_pages.links(text)) > 300
    report([finding for page, text in pages().items() for finding in broken_links(page, text)])


# -- commands ------------------------------------------------------------------------------------


def make_targets() -> set[str]:
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    rules = [match.group(1) for line in lines if (match := re.match(r"([a-z][a-z0-9 -]*):(?!=)", line))]
    return {target for rule in rules for target in rule.split()}


def wrong_targets(page: str, text: str) -> list[str]:
    known = make_targets()
    return [
        f"{page}:{number}: make has no target {word}"
        for number, code in code_of(text)
        for match in MAKE.finditer(code)
        for word in match.group(1).split()
        if "=" not in word and word not in known
    ]


@cache
def known_commands() -> dict[tuple[str, ...], argparse.ArgumentParser]:
    return {tuple(command.prog.split()[1:]): command for command in commands(full_parser())}


def wrong_tools(page: str, text: str) -> list[str]:
    return [
        f"{page}:{number}: {finding}: {code}"
        for number, code in code_of(text)
        for match in TOOL.finditer(code)
        for finding in _wrong(match.group(1), known_commands())
    ]


def _wrong(line: str, known: dict[tuple[str, ...], argparse.ArgumentParser]) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    path: tuple[str, ...] = ()
    while words and (*path, words[0]) in known:
        path += (words.pop(0),)
    if not path:
        return [] if words[0].startswith("-") and words[0] in _options(known[()]) else ["no such command"]
    if any(other[: len(path)] == path for other in known if len(other) > len(path)):
        # A group of commands: what follows must be one of them, or nothing.
        return ["no such command"] if words and not PLACEHOLDER.fullmatch(words[0]) and words[0] != "--help" else []
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    return [f"no option {word}" for word in given if word not in _options(known[path])]


def _options(command: argparse.ArgumentParser) -> set[str]:
    return {text for action in command._actions for text in action.option_strings}  # pyright: ignore[reportPrivateUsage]


def test_every_make_target_that_is_named_exists() -> None:
    named = [match for text in pages().values() for _, code in code_of(text) for match in MAKE.finditer(code)]
    assert len(named) > 30
    report([finding for page, text in pages().items() for finding in wrong_targets(page, text)])


def test_every_command_and_option_that_is_named_exists() -> None:
    named = [match for text in pages().values() for _, code in code_of(text) for match in TOOL.finditer(code)]
    assert len(named) > 30
    report([finding for page, text in pages().items() for finding in wrong_tools(page, text)])


# -- files and tests -----------------------------------------------------------------------------


def wrong_paths(page: str, text: str) -> list[str]:
    """Files and tests of the repository that code on a page names, and that are not there."""
    findings: list[str] = []
    for number, code in code_of(text):
        for path, name in PATH.findall(code):
            full = ROOT / path
            if "NAME" in path:
                continue  # what a reader puts in
            if not full.exists():
                findings.append(f"{page}:{number}: there is no {path}")
            elif name and f"def {name}(" not in full.read_text("utf-8"):
                findings.append(f"{page}:{number}: {path} has no {name}")
    return findings


def test_every_file_and_test_that_is_named_exists() -> None:
    named = [found for text in pages().values() for _, code in code_of(text) for found in PATH.findall(code)]
    assert len(named) > 60
    report([finding for page, text in pages().items() for finding in wrong_paths(page, text)])


# -- one page, two readers -----------------------------------------------------------------------


def run_together(page: str, text: str) -> list[str]:
    """Lists and tables that follow a line of text at once: GitHub shows them, the site's reader takes them for text."""
    findings: list[str] = []
    before = ""
    for number, line in enumerate(docs_pages.without_code(text).split("\n"), 1):
        follows = before.strip() and not before.startswith((" ", "#")) and not BLOCK.match(before)
        if BLOCK.match(line) and follows:
            findings.append(f"{page}:{number}: needs an empty line before it: {line[:60]}")
        before = line
    return findings


def test_lists_and_tables_read_the_same_everywhere() -> None:
    report([finding for page, text in pages().items() for finding in run_together(page, text)])


# -- the navigation of the site ------------------------------------------------------------------


def test_every_page_has_one_place_in_the_navigation() -> None:
    there = {path.relative_to(docs_nav.DOCS).as_posix() for path in docs_nav.DOCS.rglob("*.md")}
    listed = [docs_nav.HOME, *(page for section in docs_nav.listed().values() for page in section)]
    assert sorted(listed) == sorted({*there, *docs_nav.INCLUDED.values(), *docs_nav.GENERATED})


def test_the_map_names_every_package_of_the_library() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    packages = sorted(path.parent.name for path in (ROOT / "host_tools" / "fairshoe").glob("[a-z]*/__init__.py"))
    assert [name for name in packages if f"`{name}`" not in text] == []


def test_every_decision_names_the_test_that_holds_it() -> None:
    """A decision whose breach no test sees is advice, and has no number."""
    decisions = {path: text for path, text in pages().items() if path.startswith("docs/decisions/0")}
    held = re.compile(r"\*\*Held by\*\*[^*]*?`(?:tests/|make )")
    removals = "docs/decisions/0125-what-is-no-longer-carried.md"
    assert len(decisions) > 60
    assert [path for path, text in decisions.items() if path != removals and not held.search(text)] == []


def test_every_decision_has_a_number_of_its_own() -> None:
    """Others refer to it by that number."""
    names = [path.name for path in sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))]
    numbers = [name[:4] for name in names]
    assert [name for name in names if numbers.count(name[:4]) > 1] == []
