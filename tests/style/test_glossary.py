"""Words that docs/GLOSSARY.md bans stay out of pages, help, error texts, comments and docstrings, of tests too."""

from __future__ import annotations

import re
from bisect import bisect_right

from test_style import report, repository_files

GLOSSARY = "docs/GLOSSARY.md"
# Files and folders that the ban covers.
HELD = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "Makefile",
    "board_configs/",
    "docs/",
    "game_profiles/",
    "rules/",
    "firmware/",
    "hal/",
    "rig/",
    "tools/",
    "host_tools/",
    "tests/",
)
# Files that name a banned word as data: the user account nobody; the examples of this test.
EXEMPT = (GLOSSARY, "tools/dissector/tshark.py", "tests/style/test_glossary.py")
ENDINGS = (".md", ".py", ".mjs", ".js", ".ts", ".json", ".lua", ".ini", ".sql", ".txt", "Makefile")
# Between two words of a phrase: a blank, or a line break with the comment sign of the next line.
GAP = r"\s+(?:(?:#|//|\*|--)\s*)?"


def banned_words(glossary: str) -> dict[str, str]:
    """Each banned word or phrase, with what to write in its place."""
    words: dict[str, str] = {}
    for line in glossary.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else [""]
        for word in re.findall(r"`([^`]+)`", cells[-1]):
            words[word] = cells[0]
    return words


def findings_in(path: str, text: str, words: dict[str, str]) -> list[str]:
    lower = text.lower()
    here = [word for word in words if max(word.split(), key=len) in lower]  # most files have few of them: much faster
    if not here:
        return []
    pattern = "|".join(GAP.join(map(re.escape, word.split())) for word in here)
    found = list(re.finditer(rf"\b(?:{pattern})\b", lower))
    starts = [match.start() for match in re.finditer("^", lower, re.MULTILINE)] if found else []
    findings: list[str] = []
    for match in found:
        word = re.sub(GAP, " ", match.group())
        line = bisect_right(starts, match.start())
        findings.append(f'{path}:{line}: "{word}": write {words[word]} ({GLOSSARY})')
    return findings


def test_no_banned_word_comes_back() -> None:
    files = repository_files()
    words = banned_words(files[GLOSSARY])
    held = [path for path in files if path.startswith(HELD) and path.endswith(ENDINGS) and path not in EXEMPT]
    report([finding for path in held for finding in findings_in(path, files[path], words)])


def test_the_glossary_bans_words_in_both_tables() -> None:
    words = banned_words(repository_files()[GLOSSARY])
    assert words["table host"] == "table system"
    assert len(words) > 20
