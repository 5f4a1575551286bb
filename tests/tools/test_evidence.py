"""The evidence: each figure with its command and commit; stale, failed, unsigned or not made, it says so."""

import json
import re
from pathlib import Path

import pytest
from evidence import __main__ as evidence
from evidence.figures import FIGURES, GROUPS, Figure
from evidence.page import html_of, page, section_of, without

from fairshoe.cli import command_line
from fairshoe.ship.signing import make_key, read_signing_key

ONE = Figure("one", "One", "cat src/a; echo done", ("src",), "A.md#Figures")


@pytest.fixture(name="root")
def root_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "tree"
    for name in ("src", "docs"):
        (root / name).mkdir(parents=True)
    (root / "src" / "a").write_text("42 cards\n")
    (root / "docs" / "A.md").write_text(
        "# A\n\n## Figures\n\n| what | n |\n|---|---|\n| cards | 52 |\n\n## More\n\nx\n"
    )
    evidence.git("init", "-q", root=root)
    for key, word in (("user.name", "t"), ("user.email", "t@t")):
        evidence.git("config", key, word, root=root)
    commit(root)
    monkeypatch.setattr(evidence, "print_pdf", lambda _html, _pdf: "no PDF")  # type: ignore[arg-type]
    return root


def commit(root: Path) -> None:
    evidence.git("add", "-A", root=root)
    evidence.git("commit", "-qm", "x", "--allow-empty", root=root)


def test_a_command_does_not_get_the_choice_of_figures(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """make hands its variables down: `make model` made nothing, and passed, when ONLY=model had chosen the figure."""
    (root / "Makefile").write_text("all:\n\t@echo made '$(ONLY)'\n")
    for name, value in (("MAKEFLAGS", " -- ONLY=one"), ("ONLY", "one")):
        monkeypatch.setenv(name, value)
    command = "make; echo 50 % >&2"  # progress is no figure
    assert evidence.run(Figure("one", "One", command), root, root.parent)["printed"] == "made \n"
    assert "50 %" in evidence.run(Figure("one", "One", f"{command}; false"), root, root.parent)["printed"]


def test_a_figure_is_current_until_what_it_depends_on_changes(root: Path) -> None:
    results = root.parent / "results"
    assert evidence.part(ONE, root, results).run_note == "not made here: make evidence ONLY=one"
    made = evidence.run(ONE, root, results)
    head = evidence.git("rev-parse", "HEAD", root=root)
    assert made["commit"] == head and made["printed"] == "42 cards\ndone\n"
    found = evidence.part(ONE, root, results)
    assert found.run_good and head[:10] in found.run_note and found.run_note.endswith("exit status 0; current")
    assert "52" in found.section and "x" not in found.section.split()
    assert "nothing that it depends on has changed since; its runs may be older" in found.section_note
    (root / "docs" / "B.md").write_text("else")
    commit(root)
    assert evidence.part(ONE, root, results).run_good
    (root / "src" / "a").write_text("43 cards\n")
    commit(root)
    found = evidence.part(ONE, root, results)
    assert not found.run_good and "STALE: 1 commits since have changed src" in found.run_note
    assert "STALE" in found.section_note
    assert (
        "STALE: made by another command"
        in evidence.part(Figure("one", "One", "true", ("src",)), root, results).run_note
    )


def test_a_figure_of_another_branch_is_stale_although_no_commit_came_since(root: Path) -> None:
    results, head = root.parent / "results", evidence.git("rev-parse", "HEAD", root=root)
    (root / "src" / "a").write_text("41 cards\n")
    commit(root)
    evidence.run(ONE, root, results)
    evidence.git("reset", "-q", "--hard", head, root=root)
    found = evidence.part(ONE, root, results)
    assert not found.run_good and "STALE: it has other src" in found.run_note


def test_a_run_in_which_an_input_changes_is_not_good(root: Path) -> None:
    changing = Figure("two", "Two", "echo 41 > src/a", ("src",))
    assert evidence.run(changing, root, root.parent)["changed"]
    evidence.git("checkout", "-q", "src", root=root)
    assert not evidence.run(ONE, root, root.parent)["changed"]


def test_a_run_that_failed_or_had_uncommitted_changes_is_not_good(root: Path) -> None:
    results = root.parent / "results"
    failing = Figure("two", "Two", "echo bad; exit 3", ("src",))
    evidence.run(failing, root, results)
    assert "exit status 3: FAILED" in evidence.part(failing, root, results).run_note
    assert not evidence.part(failing, root, results).run_good
    (root / "src" / "a").write_text("changed")
    evidence.run(ONE, root, results)
    found = evidence.part(ONE, root, results)
    assert "with uncommitted changes" in found.run_note and not found.run_good
    (root / "docs" / "A.md").write_text("# A\n\n\n\n\n\n\n\n\n\n## Figures\n\n41\n")
    assert evidence.part(ONE, root, results).section_note == "from docs/A.md, with uncommitted changes"


def test_a_figure_is_stale_when_an_input_is_changed_and_not_committed(root: Path) -> None:
    evidence.run(ONE, root, root.parent / "results")
    (root / "src" / "new").write_text("")
    found = evidence.part(ONE, root, root.parent / "results")
    assert not found.run_good and "STALE: it has other src" in found.run_note and "STALE" in found.section_note


def test_signed_evidence_verifies_and_altered_evidence_does_not(root: Path, tmp_path: Path) -> None:
    key, out = tmp_path / "bench.key", tmp_path / "out"
    make_key(key)
    parts = [evidence.part(ONE, root, tmp_path / "results")]
    evidence.write(out, parts, read_signing_key(key), root)
    verify = ["report", str(out / "evidence.json"), "--verify", f"{key}.pub"]
    assert command_line.main(verify) == 0
    html = (out / "evidence.html").read_text()
    (out / "evidence.html").write_text(html.replace("not made here", "made here, good"))
    assert command_line.main(verify) != 0, "a figure was replaced"
    (out / "evidence.html").write_text(html)
    listed = json.loads((out / "evidence.json").read_text())["files"]
    assert "evidence.html" in listed and "UNSIGNED" not in (out / "evidence.html").read_text()
    (out / "evidence.json").write_text((out / "evidence.json").read_text().replace("not made here", "made here"))
    assert command_line.main(verify) != 0
    evidence.write(out, parts, b"", root)
    assert not list(out.glob("*.sig")) and "UNSIGNED" in (out / "evidence.html").read_text()


def test_every_figure_has_what_it_names() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (evidence.ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert len({figure.key for figure in FIGURES}) == len(FIGURES)
    for figure in FIGURES:
        assert figure.command or figure.text, figure.key
        assert set(re.findall(r"\bmake ([a-z-]+)", figure.command)) <= targets, figure.key
        assert all((evidence.ROOT / name).exists() for name in figure.inputs), figure.key
        if figure.text:
            name, _, heading = figure.text.partition("#")
            text, (first, last) = section_of((evidence.ROOT / "docs" / name).read_text("utf-8"), heading)
            assert len(text) > 200 and first < last and "<p>" in html_of(text) + "<p>", figure.key
    assert page({"a": "<b>"}, []).count("&lt;b&gt;") == 1
    for signature, word in (("UNSIGNED: make", "UNSIGNED"), ("evidence.json.sig by", "signed")):
        foot = page({"version": "1'}", "commit": "0123456789abcdef", "signature": signature}, [])
        assert f"@bottom-left{{content:'fairshoe 1, commit 0123456789: {word}'}}" in foot


def test_a_figure_is_stale_when_its_tool_or_what_that_imports_has_changed() -> None:
    """The inputs of a figure have the tool of its make target, and the packages of ours that the tool imports."""
    recipes = dict(
        re.findall(r"^([a-z-]+):.*\n\t@\$\(TOOL\) (\w+)", (evidence.ROOT / "Makefile").read_text("utf-8"), re.M)
    )
    for figure in FIGURES:
        for target in re.findall(r"\bmake ([a-z-]+)", figure.command):
            tool = evidence.ROOT / "tools" / recipes[target]
            files = list(tool.rglob("*.py")) or [tool.with_suffix(".py")]
            words = {word for file in files for word in re.findall(r"^ *from (\w+)[. ]", file.read_text("utf-8"), re.M)}
            roots = [path for word in words for path in (word, f"tools/{word}") if (evidence.ROOT / path).is_dir()]
            for name in [str(files[0].relative_to(evidence.ROOT)), *roots]:
                parts = [name, *(it for it in figure.inputs if it.startswith(f"{name}/"))]
                assert any(part == it or part.startswith(f"{it}/") for it in figure.inputs for part in parts), (
                    figure.key,
                    name,
                )


def test_a_figure_that_plays_the_machine_is_stale_when_any_part_of_it_changes() -> None:
    """Its tool, or a package of the library that it names, imports the rig."""
    for figure in (each for each in FIGURES if each.command):
        tools = [evidence.ROOT / path for path in figure.inputs if re.match(r"(host_tools/fairshoe|tools)/", path)]
        text = "".join(
            file.read_text("utf-8") for path in tools for file in (path, *path.rglob("*.py")) if file.is_file()
        )
        assert not re.search(r"^ *from rig[. ]", text, re.M) or {*GROUPS["DEVICE"]} <= {*figure.inputs}, figure.key


def test_tables_lists_and_code_of_the_documentation_become_html() -> None:
    text = "Text **bold** [link](x.md) `a<b`.\n\n| a | b |\n|---|---|\n| `x` | 1 |\n\n"
    text += "- one\n  more\n- two\n\n### Sub\n\n![p](x.svg)"
    found = html_of(text)
    assert "<p>Text <b>bold</b> link <code>a&lt;b</code>.</p>" in found
    assert "<th>a</th><th>b</th>" in found and "<td><code>x</code></td><td>1</td>" in found
    assert found.count("<li>") == 2 and "<h3>Sub</h3>" in found and "svg" not in found
    found = html_of(
        "<!-- by make\nx -->\n\n- of\n  the rest:\n    - a\n      b\n    - c\n- d *while x* * e 2.4e-13\n\n1. f"
    )
    assert "by make" not in found and found.startswith(
        "<ul><li>of\n  the rest:<ul><li>a\n      b</li><li>c</li></ul></li>"
    )
    assert '<i>while x</i> * e <span class="whole">2.4e-13</span></li></ul><ol><li>f</li></ol>' in found
    assert without("a\n### B\nb\n### C\nc", "B") == "a\n### C\nc" and without("a\n### C", "B") == "a\n### C"


def test_the_folder_is_made_of_this_tree_with_nothing_run() -> None:
    notes = [evidence.part(figure, results=Path("/nonexistent")).run_note for figure in FIGURES]
    assert all(note.startswith("not made here: make evidence ONLY=") for note in notes if note)
