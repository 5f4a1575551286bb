"""What MkDocs calls while it builds the site: navigation from data, links that leave docs/, captures, command help.

The pages are written to be read in the repository. A link to a page that the site has becomes a link of the site; one
to any other file becomes a link to the repository if `repo_url` is set, else its text with the path as a tooltip.
"""

from __future__ import annotations

import argparse
import html
import posixpath
from pathlib import Path
from typing import Any

from docs import nav as docs_nav
from docs import pages as docs_pages
from docs.law_page import law_page
from docs.nav import DOCS, HELP_PAGE, INCLUDED, LAW_PAGES, ROOT, SHOWN
from docs.reference import PAGES

CAPTURES = "docs/captures/"
SOURCE_OF = {site: source for source, site in INCLUDED.items()}


def on_config(config: Any) -> Any:
    config["nav"] = docs_nav.as_mkdocs()
    config["mdx_configs"].setdefault("toc", {})["slugify"] = docs_pages.slug
    return config


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # pyright: ignore

    make: Any = File.generated  # pyright: ignore
    for source, site in INCLUDED.items():
        files.append(make(config, site, abs_src_path=str(ROOT / source)))
    for page, write in {HELP_PAGE: help_page, **PAGES}.items():
        files.append(make(config, page, content=write()))
    for source, page in LAW_PAGES.items():
        files.append(make(config, page, content=law_page(Path(source).stem)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    uri: str = page.file.src_uri
    if uri == "decisions/README.md":
        markdown += decision_list()
    elif uri.startswith("decisions/"):
        page.meta["search"] = {"boost": 0.3}  # after the pages that say what to do
    source = SOURCE_OF.get(uri, f"docs/{uri}")
    repository: str = config["repo_url"] or ""
    pieces: list[str] = []
    done = 0
    for link in docs_pages.links(markdown):
        new = rewrite(link, source, uri, repository)
        if new is not None:
            pieces += [markdown[done : link.start], new]
            done = link.end
    return "".join([*pieces, markdown[done:]])


def rewrite(link: docs_pages.Link, source: str, uri: str, repository: str = "") -> str | None:
    """What stands on the site in place of a link; None: the link itself."""
    if link.is_external or link.target.startswith("#"):
        return None
    path, anchor = docs_pages.resolve(source, link.target)
    if link.is_image and path.startswith(CAPTURES) and path.endswith(".svg"):
        return inline_capture(ROOT / path)
    target = site_path(path)
    if target is None:
        return elsewhere(link, path, repository)
    new = posixpath.relpath(target, posixpath.dirname(uri) or ".") + (f"#{anchor}" if anchor else "")
    return None if new == link.target else f"{'!' * link.is_image}[{link.text}]({new})"


def site_path(path: str) -> str | None:
    """Where the site has a file of the repository; None: nowhere."""
    if path in INCLUDED or path in SHOWN:
        return {**INCLUDED, **SHOWN}[path]
    if path != "docs" and not path.startswith("docs/"):
        return None
    inside = posixpath.relpath(path, "docs")
    for name in ("index.md", "README.md"):
        if (DOCS / inside).is_dir() and (DOCS / inside / name).is_file():
            return posixpath.normpath(posixpath.join(inside, name))
    return inside


def elsewhere(link: docs_pages.Link, path: str, repository: str) -> str:
    if repository:
        return f"[{link.text}]({repository.rstrip('/')}/blob/main/{path})"
    return f'<span class="source" title="{html.escape(path)}">{link.text}</span>'


def inline_capture(path: Path) -> str:
    """In the page itself a capture's text can be selected and found; in an image it could not."""
    # One line: an empty one would end the block for the Markdown reader.
    svg = " ".join(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return f'<figure class="terminal">{svg}</figure>'


def decision_list() -> str:
    """Every decision by its title. In the repository the folder is the list."""
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    titles = [page.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ") for page in pages]
    return "\n" + "".join(f"- [{title}]({page.name})\n" for page, title in zip(pages, titles, strict=True))


# --- help --------------------------------------------------------------------------------------


def help_page() -> str:
    """Every command's --help, as the command line itself has it."""
    from fairshoe.cli.command_line import full_parser

    parts = ["# Every command's help", "What `fairshoe COMMAND --help` says, taken from the program itself.", ""]
    for command in commands(full_parser()):
        title = command.prog if command.prog == "fairshoe" else command.prog.removeprefix("fairshoe ")
        parts += [f"## {title}", "", "```text", command.format_help().rstrip(), "```", ""]
    return "\n".join(parts)


def commands(top: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parser and those of all its commands, in the order of their names."""
    found = [top]
    for action in top._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            choices: dict[str, argparse.ArgumentParser] = dict(action.choices)  # pyright: ignore
            for name in sorted(choices):
                found += commands(choices[name])
    return found
