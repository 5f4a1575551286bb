"""Pages of the reference that are written when the site is built, each from the code that it describes."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docs.nav import API_PAGE, CONFIG_PAGE, DOCS, GAME_PAGE, LIBRARY_PAGE, METRICS_PAGE, RECORDS_PAGE, ROOT
from rules import matrix


def library_page() -> str:
    """The public modules, with signatures and what each name is for."""
    rows = re.findall(r"^\| `(fairshoe[\w.]*)` \| (.*) \|$", (DOCS / "INTEGRATE.md").read_text("utf-8"), re.MULTILINE)
    parts = ["# The library", "Public names, from the code. [Integrate](../INTEGRATE.md) shows how they are used."]
    for module, about in rows:
        loaded = importlib.import_module(module)
        # A link of the row leads from docs/, not from here.
        parts += [f"## {module}", re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", about)]
        for name in getattr(loaded, "__all__", sorted(vars(loaded))):
            it = getattr(loaded, name)
            ours = module == "fairshoe" or getattr(it, "__module__", "") == module
            if name[0] != "_" and ours and (inspect.isclass(it) or inspect.isfunction(it)):
                parts += _described(name, it)
    return "\n\n".join(parts) + "\n"


def _described(name: str, it: Any) -> list[str]:
    parts = [f"### {name}", f"```python\n{name}{_signature(it)}\n```", _first(it)]
    if inspect.isclass(it):
        own = [(word, member) for word, member in vars(it).items() if word[0] != "_" and inspect.isfunction(member)]
        lines = [f"- `{word}{_signature(member)}`  \n  {_first(member)}" for word, member in own]
        parts += ["\n".join(lines)] if lines else []
    return [part for part in parts if part]


def _signature(it: Any) -> str:
    try:
        text = str(inspect.signature(it))
    except (TypeError, ValueError):
        return ""
    return re.sub(r"\b(?:fairshoe|firmware)[\w.]*\.(?=\w)|<(\w+)[^>]*>|\(self(?:, )?(?=[,)\w*])", _short, text)


def _short(found: re.Match[str]) -> str:
    return "(" if found[0].startswith("(") else found[1] or ""


def _first(it: Any) -> str:
    """The first paragraph of its own docstring; dataclasses and enumerations have one that only repeats the code."""
    text = inspect.cleandoc(it.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return "" if text.startswith(f"{getattr(it, '__name__', '')}(") else text.replace("<", "&lt;")


def keys_page(what: str, folder: str, page: str) -> str:
    """Every key of a file that people write."""
    schema = json.loads((ROOT / folder / "schema.json").read_text("utf-8"))
    rows = [f"`{path}` | {kind} | {about}" for path, kind, about in _keys(schema, schema, "")]
    head = [f"# Keys of a {what}", f"From `{folder}/schema.json`. [{page.capitalize()}](../{page}.md) explains them."]
    return "\n\n".join([*head, _table("key | value | meaning", rows)]) + "\n"


def _table(head: str, rows: list[str]) -> str:
    return "\n".join(f"| {row} |" for row in (head, " | ".join(["---"] * (head.count("|") + 1)), *rows))


def _keys(node: dict[str, Any], top: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    needed = node.get("required", [])
    for name, inner in node.get("properties", {}).items():
        kinds = [_resolved(each, top) for each in inner.get("oneOf", [inner])]
        here = f"{path}.{name}".lstrip(".")
        words = " or ".join(dict.fromkeys(_kind(kind) for kind in kinds))
        about = inner.get("description") or next((it["description"] for it in kinds if "description" in it), "")
        yield here, words + (", required" if name in needed else ""), about.replace("|", "\\|")
        for kind in kinds:
            yield from _keys(kind, top, here)


def _resolved(node: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    return top["definitions"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node


def _kind(node: dict[str, Any]) -> str:
    if "enum" in node:
        return " ".join(f"`{value}`" for value in node["enum"])
    if "const" in node:
        return f"`{node['const']}`"
    low, high = node.get("minimum"), node.get("maximum")
    return str(node.get("type", "value")) + (f", {low} to {high}" if None not in (low, high) else "")


def api_page() -> str:
    """The routes of the floor's read API."""
    from fairshoe_floor.api.route_table import ACKNOWLEDGE, LIVE, ROUTES

    parts = [
        "# The API of the floor",
        "From the route table that the gateway serves. [Floor](../FLOOR.md) shows how to ask; `/api/v1/openapi.json` "
        f"of a running gateway has the schemas of the answers. The WebSocket `{LIVE}` sends what is new.",
    ]
    for method, it in [*(("GET", it) for it in ROUTES), ("POST", ACKNOWLEDGE)]:
        scope = " or ".join(f"`{word}`" for word in it.scope) or "none"
        parts += [f"## {method} {it.path}", f"{it.text}. Scope of the token: {scope}. Answer: `{it.schema}`."]
        rows = [f"`{each.name}` | {each.kind} | {each.text}" for each in it.parameters]
        parts += [_table("parameter | type | meaning", rows)] if rows else []
    return "\n\n".join(parts) + "\n"


def metric_tables() -> tuple[tuple[str, str, str, Mapping[str, str]], ...]:
    """Each program with the prefix of its metrics, a word about them, and its table."""
    from fairshoe_floor import running
    from fairshoe_floor.gateway import metrics as gateway
    from fairshoe_floor.history import serve
    from fairshoe_floor.stream import publisher

    return (
        ("fairshoe floor gateway: each shoe", "shoe", "Labels: `device`, `table` and `pit`.", gateway.OF_SHOES),
        ("fairshoe floor gateway", "gateway", "All shoes of the gateway together.", gateway.METRICS),
        ("fairshoe floor publish", "publisher", "On the port of `--metrics-port`.", publisher.METRICS),
        ("fairshoe floor run", "floor", "On the port of `--metrics-port`.", running.METRICS),
        ("fairshoe floor serve", "serve", "`device` and `gateway` are labels of the age.", serve.METRICS),
    )


def metrics_page() -> str:
    """What the programs of the floor measure, from their tables."""
    parts = [
        "# Metrics",
        "Prometheus text at `/metrics`. A gateway and `floor serve` ask for a token with the scope `metrics` "
        "([Floor](../FLOOR.md#who-may-see-what)). Each program also has the `process_*` metrics of its process, where "
        "the system has `/proc`. A dashboard for Grafana comes with `fairshoe floor kit`.",
    ]
    for title, prefix, about, texts in metric_tables():
        rows = [f"`fairshoe_{prefix}_{name}` | {metric_kind(name)} | {text}" for name, text in texts.items()]
        parts += [f"## {title}", about, _table("metric | kind | meaning", rows)]
    return "\n\n".join(parts) + "\n"


def metric_kind(name: str) -> str:
    from fairshoe_floor.gateway.metrics import HISTOGRAMS

    return "histogram" if name in HISTOGRAMS else "counter" if name.endswith("_total") else "gauge"


PAGES: dict[str, Callable[[], str]] = {
    LIBRARY_PAGE: library_page,
    CONFIG_PAGE: lambda: keys_page("board config", "board_configs", "BOARDS"),
    GAME_PAGE: lambda: keys_page("game file", "game_profiles", "GAMES"),
    API_PAGE: api_page,
    METRICS_PAGE: metrics_page,
    RECORDS_PAGE: matrix.page,
}
