"""The page: each figure with its command, its commit, and whether it is stale."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from evidence.figures import Figure
from fairshoe.look import report_style

_STYLE = (
    "pre{white-space:pre-wrap;font-size:11px;border:1px solid var(--line);padding:8px}.note{font-size:12px}"
    "table{font-size:11px;width:100%}td,th{vertical-align:top;text-align:left;white-space:normal;overflow-wrap:break-word}"
    "td code{font-size:10px;overflow-wrap:normal}.wide{margin:0 0 12px}.whole{white-space:nowrap}"
    "h2,h3,.note{break-after:avoid}.note{break-inside:avoid}main{max-width:1000px}"
    "@page{size:A4;margin:14mm;font-size:10px;@bottom-left{content:'MARK'}"
    "@bottom-right{content:counter(page) ' of ' counter(pages)}}"
    "@media print{main{max-width:none;padding:0}pre{font-size:9px;box-decoration-break:clone}"
    "tr{break-inside:avoid}.wide{overflow:visible}}"
)
_LONG = 24  # characters of code that stay in one piece


@dataclass(frozen=True)
class Part:
    """What there is for one figure."""

    figure: Figure
    printed: str = ""  # by the run
    run_note: str = ""  # commit and time of the run, or why there is none
    run_good: bool = False
    section: str = ""  # of the documentation, as it stands there
    section_note: str = ""


def page(facts: dict[str, str], parts: Iterable[Part]) -> str:
    signed = "UNSIGNED" if facts.get("signature", "UNSIGNED").startswith("UNSIGNED") else "signed"
    mark = f"fairshoe {facts.get('version', '')}, commit {facts.get('commit', '')[:10]}: {signed}"
    style = report_style() + _STYLE.replace("MARK", re.sub(r"[^\w ,.:]", "", mark))
    listed = "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in facts.items())
    body = "".join(_part(number, part) for number, part in enumerate(parts, 1))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>fairshoe: evidence</title>'
        f"<style>{style}</style></head><body><main><h1>Evidence for a test laboratory</h1>"
        '<p class="soft">Each figure names the command that made it and the commit that it was made on. It is stale if '
        "what it depends on has changed since. What was not run says so.</p>"
        f"<dl>{listed}</dl>{body}</main></body></html>\n"
    )


def _part(number: int, part: Part) -> str:
    figure = part.figure
    out = f"<h2>{number}. {escape(figure.title)}</h2>"
    if figure.command:
        tone = "good" if part.run_good else "poor"
        out += f'<p class="note"><code>{escape(figure.command)}</code><br>'
        out += f'<span class="{tone}">{escape(part.run_note)}</span></p>'
        if part.printed:
            out += f"<pre>{escape(part.printed)}</pre>"
    if part.section:
        tone = "poor" if "STALE" in part.section_note else "soft"  # not good: the run that it reports may be older
        out += f'<p class="note"><span class="{tone}">{escape(part.section_note)}</span></p>'
        out += html_of(part.section)
    return out


def section_of(text: str, heading: str) -> tuple[str, tuple[int, int]]:
    """What stands under the heading that begins so, and its first and last line; "" is the title."""
    lines = text.splitlines()
    begins = [i for i, line in enumerate(lines) if line.startswith("#") and line.lstrip("# ").startswith(heading)]
    if not begins:
        return "", (0, 0)
    begin = begins[0]
    level = len(lines[begin]) - len(lines[begin].lstrip("#"))
    end = begin + 1
    while end < len(lines) and not (lines[end].startswith("#") and len(lines[end].split()[0]) <= level):
        end += 1
    return "\n".join(lines[begin + 1 : end]).strip(), (begin + 2, end)


def without(section: str, heading: str) -> str:
    """Without the part under that heading, which is a figure of its own."""
    _part, (first, last) = section_of(section, heading)
    lines = section.splitlines()
    return "\n".join(lines[: first - 2] + lines[last:]) if last else section


def html_of(markdown: str) -> str:
    """Paragraphs, lists and tables: what the pages of docs use."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL)):
        lines = block.strip("\n").splitlines()
        if not lines or lines[0].startswith("!["):
            continue
        if lines[0].startswith("|"):
            rows = [[_inline(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
            head = "".join(f"<th>{cell}</th>" for cell in rows[0])
            body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[2:])
            out.append(f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')
        elif lines[0].startswith("#"):
            out.append(f"<h3>{_inline(lines[0].lstrip('# '))}</h3>")
        elif re.match(r"[-*] |\d+\. ", lines[0]):
            out.append(_list(block.strip()))
        elif lines[0].startswith(("    ", "```")):
            out.append(f"<pre>{escape(block)}</pre>")
        else:
            out.append(f"<p>{_inline(block)}</p>")
    return "".join(out)


def _list(block: str) -> str:
    """With a list inside an item, if there is one: its lines are indented, and begin as those of a list."""
    kind = "ul" if block[0] in "-*" else "ol"
    out = ""
    for item in re.split(r"\n(?=[-*] |\d+\. )", block):
        text, *inner = re.split(r"\n +(?=[-*] |\d+\. )", re.sub(r"^([-*]|[0-9]+[.]) ", "", item))
        out += f"<li>{_inline(text)}{_list(chr(10).join(inner)) if inner else ''}</li>"
    return f"<{kind}>{out}</{kind}>"


def _inline(text: str) -> str:
    text = escape(re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text.strip()), quote=False)
    text = re.sub(r"`([^`]+)`", lambda found: f"<code>{_breakable(found[1])}</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text).replace("&amp;lt;", "&lt;")
    text = re.sub(r"(?<![*\w])\*([^*\s][^*]*)\*", r"<i>\1</i>", text)
    return re.sub(r"(?:&lt;)?\d[\d.]*e-\d+", r'<span class="whole">\g<0></span>', text)


def _breakable(code: str) -> str:
    """Names of tests are wider than a column: they may be broken behind a stroke or a colon, long words at a bar."""
    return re.sub(r"(/|::|_(?=\w{3}))", r"\1<wbr>", code) if len(code) > _LONG else code
