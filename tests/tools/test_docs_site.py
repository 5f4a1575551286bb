"""Pages written for the repository read well on the site, and the site fetches nothing from elsewhere."""

from pathlib import Path

import pytest
from docs.dead_links import dead_links

from docs import hooks, pages, reference
from docs import site as docs_site


def on_site(markdown: str, uri: str = "RULES.md", repository: str = "") -> str | None:
    (link,) = pages.links(markdown)
    return hooks.rewrite(link, hooks.SOURCE_OF.get(uri, f"docs/{uri}"), uri, repository)


@pytest.mark.parametrize("same", ["[a](FAULTS.md)", "[a](#warnings)", "[a](FAULTS.md#warnings)", "![a](shuffle/x.svg)"])
def test_a_link_inside_docs_stays_as_it_is(same: str) -> None:
    assert on_site(same) is None


@pytest.mark.parametrize(
    ("uri", "here", "there"),
    [
        ("RULES.md", "[a](../README.md#limits)", "[a](project/overview.md#limits)"),
        ("RULES.md", "[the `data`](../rules/README.md)", "[the `data`](project/rules-data.md)"),
        ("project/overview.md", "[a](docs/FAULTS.md)", "[a](../FAULTS.md)"),
        ("project/overview.md", "[a](docs/decisions)", "[a](../decisions/README.md)"),
        ("project/overview.md", "[a](CHANGELOG.md)", "[a](changelog.md)"),
        ("project/rules-data.md", "[a](../docs/RULES.md#cs-9a)", "[a](../RULES.md#cs-9a)"),
        ("protocol/README.md", "[a](../../README.md)", "[a](../project/overview.md)"),
    ],
)
def test_a_link_to_a_page_that_the_site_shows_elsewhere_leads_there(uri: str, here: str, there: str) -> None:
    assert on_site(here, uri) == there


def test_a_link_to_a_file_that_the_site_has_not_becomes_its_text_or_a_link_to_the_repository() -> None:
    link = "[test_round.py](../tests/unit/games/test_round.py)"
    assert on_site(link) == '<span class="source" title="tests/unit/games/test_round.py">test_round.py</span>'
    assert on_site(link, repository="https://host/us/fairshoe/") == (
        "[test_round.py](https://host/us/fairshoe/blob/main/tests/unit/games/test_round.py)"
    )


def test_links_in_code_are_no_links() -> None:
    text = "`[a](b.md)`\n\n    [a](b.md)\n\n```\n[a](b.md)\n```\n<!-- [a](b.md) -->\n[a](c.md)"
    assert [(link.line, link.target) for link in pages.links(text)] == [(9, "c.md")]


def test_the_place_of_a_link_is_all_of_it() -> None:
    text = "see ![x [y] `z]`](a.svg) and [b](c.md#d)."
    assert [text[link.start : link.end] for link in pages.links(text)] == ["![x [y] `z]`](a.svg)", "[b](c.md#d)"]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("7. Commands", "7-commands"), ("A shoe's `key`", "a-shoes-key"), ("R & D / T", "r--d--t"), ("p_x-y", "p_x-y")],
)
def test_anchors_are_those_that_github_makes(heading: str, anchor: str) -> None:
    assert pages.anchors(f"text\n\n## {heading}\n") == {anchor}


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="http://example/x.png">',
        '<pre class="mermaid">graph</pre>',
        "<style>@import 'https://example/x.css';</style>",
        '<p style="background: url(https://example/x.png)">',
    ],
)
def test_what_a_browser_would_fetch_from_elsewhere_is_found(page: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<html><body>{page}</body></html>")
    assert len(list(docs_site.fetched_from_elsewhere(tmp_path))) == 1


def test_plain_links_and_our_own_files_are_not_reported(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="https://example">x</a><link rel="canonical" href="https://us"><img src="x.svg"><script src="a.js">'
    )
    (tmp_path / "x.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><style>a { fill: url(#b) }</style></svg>')
    (tmp_path / "x.css").write_text("a { background: url(x.svg) }")
    assert list(docs_site.fetched_from_elsewhere(tmp_path)) == []


def test_a_style_sheet_that_fetches_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text('@font-face { src: url("https://fonts.example/a.woff2") }')
    assert list(docs_site.fetched_from_elsewhere(tmp_path)) == ['x.css: url("https://fonts.example/a.woff2']


def test_the_help_page_has_every_command() -> None:
    page = hooks.help_page()
    for name in ("fairshoe", "journal verify", "config check", "demo"):
        assert f"\n## {name}\n" in page
    assert "usage: fairshoe journal verify" in page


def test_a_link_to_a_file_or_a_place_that_is_not_there_is_dead(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text(
        '<h2 id="here">x</h2><a href="../a.html#top">up</a><a href="..">site</a>'
    )
    links = ("sub/", "sub/index.html#here", "#top", "https://away", "sub/#gone", "b.html", "x.svg")
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    (tmp_path / "a.html").write_text(f'<h1 id="top">x</h1>{anchors}')
    assert list(dead_links(tmp_path)) == [
        "a.html: sub/#gone: no such place in it",
        "a.html: b.html: no such file",
        "a.html: x.svg: no such file",
        "sub/index.html: ..: no such file",
    ]


def test_the_reference_has_what_the_code_has() -> None:
    library, config, game, api, metrics = (write() for write in reference.PAGES.values())
    assert "### Shoe\n" in library and "`command(kind" in library and "(self" not in library
    assert "| `link.baud` |" in config and "| `nv.kind` |" in config
    assert "| `deck_cards` |" in game and "| `fairshoe_gateway_commit_seconds` | histogram | one commit" in metrics
    assert "| `fairshoe_publisher_events_total` | counter |" in metrics and "| `fairshoe_floor_writes` |" in metrics
    assert "## GET /api/v1/shoes/{device}/events" in api and "| `after` | integer |" in api
