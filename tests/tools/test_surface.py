"""What is public does not change under users without a version step."""

import subprocess
from pathlib import Path

import pytest
import surface


def test_no_message_that_a_journal_may_hold_is_gone_or_different_without_a_version_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = surface.check("messages", *surface.kept_messages(), surface.message_table())
    assert good, capsys.readouterr().err


COLLECTOR = 'import json, sys; print(json.dumps({"version": "0.3.0", "surfaces": {"library": {"a": sys.argv[1]}}}))'


def test_what_a_release_has_is_said_by_its_own_collector_in_a_worktree_of_its_tag(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "surface.py").write_text(COLLECTOR)

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True
        )

    git("init", "-q")
    git("add", "tools")
    git("commit", "-qm", "tools: begin")
    assert surface.last_release(tmp_path) == ""
    git("tag", "v0.3.0")
    (tmp_path / "tools" / "surface.py").write_text("1 / 0  # of today, which is not asked")
    git("commit", "-qam", "tools: go on")
    assert surface.last_release(tmp_path) == "v0.3.0"
    assert surface.of_release("v0.3.0", tmp_path) == ("0.3.0", {"library": {"a": "--json"}})
    assert not (tmp_path / ".git" / "worktrees").exists(), "the worktree stays"


def test_a_break_is_named_with_the_way_out_and_a_step_of_the_version_allows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface.fairshoe, "__version__", "0.2.7")
    assert not surface.check("library", "0.2.0", {"a": "x"}, {})
    said = capsys.readouterr()
    assert "gone: a" in said.err and "0.3.0" in said.err and "1 broken" in said.out
    monkeypatch.setattr(surface.fairshoe, "__version__", "0.3.0")
    assert surface.check("library", "0.2.0", {"a": "x"}, {})


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("0.2.0", "0.2.0", False),
        ("0.2.0", "0.2.9", False),
        ("0.2.0", "0.3.0", True),
        ("0.9.0", "0.10.0", True),
        ("0.10.0", "0.9.0", False),
        ("0.9.0", "1.0.0", True),
        ("1.2.0", "1.9.0", False),
        ("1.2.0", "2.0.0", True),
        ("2.0.0", "1.9.0", False),
    ],
)
def test_a_break_needs_a_step_of_the_first_number_or_before_1_of_the_second(old: str, new: str, allowed: bool) -> None:
    assert surface.may_break(old, new) is allowed
