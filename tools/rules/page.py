"""docs/RULES.md, made from rules/ and from what the tests claim: the clauses for people who read them one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from rules.claims import ROOT, Clause, Trace, summary

# More links than this in one cell hide the row they stand in; `make trace` lists them all.
LINKS_MAX = 6

# As a round runs; whatever is not here follows in the order of the rules.
TOPICS: dict[str, str] = json.loads((ROOT / "rules" / "topics.json").read_text(encoding="utf-8"))


def page(trace: Trace) -> str:
    parts = {"counts": _counts(trace), "differences": _differences(trace), "games": _games(trace)}
    template = Path(__file__).with_name("page.template").read_text(encoding="utf-8")
    return template.format(**{name: "".join(lines) for name, lines in parts.items()})


def _counts(trace: Trace) -> Iterator[str]:
    yield f"{summary(trace)}.\n\n"
    yield "| game | clauses | in every mode | in some | in part | excepted | no test |\n|---|---|---|---|---|---|---|\n"
    for game in trace.games:
        mine = _of(trace, game["code"])
        some = sum(clause in trace.in_some_modes() for clause in mine)
        proved = sum(clause.proved for clause in mine) - some
        part = sum(clause in trace.in_part() for clause in mine)
        excepted = sum(bool(clause.why) for clause in mine)
        rest = len(mine) - proved - some - part - excepted
        link = f"[{game['name']}](#{_anchor(game['code'])})"
        yield f"| {link} | {len(mine)} | {proved} | {some} | {part} | {excepted} | {rest} |\n"


def _differences(trace: Trace) -> Iterator[str]:
    yield "## Where the games differ\n\n"
    codes = [game["code"] for game in trace.games]
    yield "| | " + " | ".join(codes) + " |\n" + "|---" * (len(codes) + 1) + "|\n"
    for row in trace.differences:
        cells = [row["games"][code] for code in codes]
        texts = [" ".join([_linked(trace, cell["text"]), *map(_link, cell["clauses"])]) for cell in cells]
        yield f"| {row['question']} | " + " | ".join(texts) + " |\n"


def _games(trace: Trace) -> Iterator[str]:
    for game in trace.games:
        yield f'\n<a id="{_anchor(game["code"])}"></a>\n\n## {game["name"]}\n'
        mine = _of(trace, game["code"])
        known = list(TOPICS)
        topics = sorted(
            {clause.topic for clause in mine}, key=lambda topic: known.index(topic) if topic in known else len(known)
        )
        for topic in topics:
            yield f"\n### {TOPICS.get(topic, topic)}\n\n| clause | binds in | rule | proved by | remarks |\n"
            yield "|---|---|---|---|---|\n"
            yield from (_row(trace, clause) for clause in mine if clause.topic == topic)


def _row(trace: Trace, clause: Clause) -> str:
    also = f" (also {', '.join(clause.also)})" if clause.also else ""
    cells = [
        f'<a id="{_anchor(clause.id)}"></a>{clause.id}{also}',
        ", ".join(clause.modes),
        _rule(trace, clause),
        _proofs(clause),
        _linked(trace, clause.remark),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _rule(trace: Trace, clause: Clause) -> str:
    """In full: where it says `As DDS-3b`, with what stands there, so that the reader need not turn pages."""
    text = _linked(trace, clause.device)
    found = re.match(r"As ([A-Z0-9]+-\w+)", clause.device)
    while found:
        there = trace.clauses[found[1]].device
        text += f"<br>*{found[1]}: {there}*"
        found = re.match(r"As ([A-Z0-9]+-\w+)", there)
    return text


def _proofs(clause: Clause) -> str:
    if clause.why:
        return f"excepted: {clause.why}"
    if not clause.claims:
        return "**no test yet**"
    excepted = "".join(f"; excepted in {mode}: {why}" for mode, why in clause.excepted.items())
    missing = f"; **not yet in {', '.join(clause.modes_missing)}**" if clause.proved and clause.modes_missing else ""
    # A file once, and whole proofs before those of a part.
    files: dict[str, bool] = {}
    for claim in sorted(clause.claims, key=lambda claim: claim.part):
        files.setdefault(claim.path, claim.part)
    links = [_file(path, part) for path, part in files.items()]
    more = f" and {len(links) - LINKS_MAX} more" if len(links) > LINKS_MAX else ""
    return ", ".join(links[:LINKS_MAX]) + more + excepted + missing


def _file(path: str, part: bool) -> str:
    file, _, case = path.partition(":")
    name = PurePosixPath(file)
    link = f"[{case or (name.stem if name.suffix == '.json' else name.name)}](../{file})"
    return f"({link})" if part else link


def _linked(trace: Trace, text: str) -> str:
    """With every clause that it names as a link."""
    return re.sub(r"\b[A-Z0-9]+-\d+[a-z]?\d*\b", lambda found: _if_known(trace, found[0]), text)


def _if_known(trace: Trace, name: str) -> str:
    return _link(name) if name in trace.clauses else name


def _link(name: str) -> str:
    return f"[{name}](#{_anchor(name)})"


def _anchor(name: str) -> str:
    return name.lower()


def _of(trace: Trace, code: str) -> list[Clause]:
    return [clause for clause in trace.clauses.values() if clause.game == code]
