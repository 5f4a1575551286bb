"""Make the evidence: run what is asked for, keep what it printed with its commit, write page, PDF and their hashes."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from web.browser import find_chromium

from evidence.figures import FIGURES, Figure
from evidence.page import Part, page, section_of, without
from fairshoe import __version__
from fairshoe.ship.signing import REPORT, public_of, read_signing_key, sign_file

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "evidence"
RESULTS = ROOT / "build" / "results"
PRINT_S_MAX = 300
# What `make evidence ONLY=model` hands down to every make below it: `make model` would then leave out all but a part.
OURS = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "ONLY", "RUN", "SIGN")


def git(*words: str, root: Path = ROOT) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def run(figure: Figure, root: Path = ROOT, results: Path = RESULTS) -> dict[str, Any]:
    """Run a figure's command and keep what it printed. The commit is noted first: the tree may change meanwhile."""
    commit = git("rev-parse", "HEAD", root=root)
    changed = _differs(commit, figure.inputs, root)
    begun = time.monotonic()
    path = f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    done = subprocess.run(
        figure.command, shell=True, cwd=root, capture_output=True, text=True,
        errors="replace", env={**kept, "PATH": path, "NO_COLOR": "1"},
    )  # fmt: skip
    result = {
        "command": figure.command,
        "commit": commit,
        "changed": changed or _differs(commit, figure.inputs, root),
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - begun),
        "status": done.returncode,
        "printed": done.stdout + (done.stderr if done.returncode else ""),
    }
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{figure.key}.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    return result


def _differs(commit: str, inputs: tuple[str, ...], root: Path) -> bool:
    """Whether the working tree has other inputs than that commit, or new ones."""
    words = ("--", *inputs) if inputs else ()
    return bool(git("diff", "--name-only", commit, *words, root=root) + git("status", "--porcelain", *words, root=root))


def since(commit: str, inputs: tuple[str, ...], root: Path = ROOT) -> str:
    """What makes a figure of that commit stale; nothing if nothing does. The content counts: a commit of another
    branch may lack nothing that is here, and have more."""
    if not inputs:
        return ""
    try:
        if not _differs(commit, inputs, root):
            return ""
        commits = git("log", "--oneline", f"{commit}..HEAD", "--", *inputs, root=root).splitlines()
    except subprocess.CalledProcessError:
        return f"STALE: commit {commit[:10]} is not known here"
    names = ", ".join(inputs)
    return f"STALE: {len(commits)} commits since have changed {names}" if commits else f"STALE: it has other {names}"


def part(figure: Figure, root: Path = ROOT, results: Path = RESULTS) -> Part:
    printed, note, good = _run_part(figure, root, results) if figure.command else ("", "", False)
    section = section_note = ""
    if figure.text:
        name, _, heading = figure.text.partition("#")
        path = f"docs/{name}"
        others = [other for each in FIGURES for file, _, other in [each.text.partition("#")] if file == name and other]
        section, lines = section_of((root / path).read_text("utf-8"), heading)
        if not section:
            raise ValueError(f"{path} has no heading {heading!r}")
        for other in others:
            section = without(section, other)
        section_note = f"from {path}, " + _written(path, lines, figure.inputs, root)
    return Part(figure, printed, note, good, section, section_note)


def _written(path: str, lines: tuple[int, int], inputs: tuple[str, ...], root: Path) -> str:
    """Of a section: the commit that changed its text last. The runs that it reports may be older than that."""
    if _differs("HEAD", (path,), root):
        return "with uncommitted changes"
    commit = git("log", "-1", "--no-patch", "--format=%h", f"-L{lines[0]},{lines[1]}:{path}", root=root)
    stale = since(commit, inputs, root) or "nothing that it depends on has changed since; its runs may be older"
    return f"text of commit {commit}" + (f"; {stale}" if inputs else "")


def _run_part(figure: Figure, root: Path, results: Path) -> tuple[str, str, bool]:
    try:
        result = json.loads((results / f"{figure.key}.json").read_text("utf-8"))
    except FileNotFoundError:
        needs = f" (needs {figure.needs}=)" if figure.needs else ""
        return "", f"not made here: make evidence ONLY={figure.key}{needs}", False
    stale = since(result["commit"], figure.inputs, root)
    if result["command"] != figure.command:
        stale = f"STALE: made by another command, {result['command']}"
    words = [
        f"commit {result['commit'][:10]}{' with uncommitted changes' if result['changed'] else ''}",
        f"{result['at']}, {result['seconds']} s",
        f"exit status {result['status']}" + ("" if result["status"] == 0 else ": FAILED"),
        stale or "current",
    ]
    printed = "\n".join(result["printed"].splitlines()[-figure.lines :])
    return printed, "; ".join(words), not stale and not result["changed"] and result["status"] == 0


def facts(parts: list[Part], public: str, root: Path = ROOT) -> dict[str, str]:
    runs = [each for each in parts if each.figure.command]
    made = [each for each in runs if each.printed]
    return {
        "version": __version__,
        "commit": git("log", "-1", "--format=%H of %cI", root=root),
        "this page": f"made at {datetime.now(timezone.utc).isoformat(timespec='seconds')}",
        "working tree": "changed: see git status" if git("status", "--porcelain", root=root) else "as committed",
        "runs": f"{len(made)} of {len(runs)} made; current and good: {sum(each.run_good for each in runs)}",
        "not made here": ", ".join(each.figure.key for each in runs if not each.printed) or "nothing",
        "signature": f"evidence.json.sig by the key {public}; check: fairshoe report evidence.json --verify KEY"
        if public
        else "UNSIGNED: make evidence SIGN=bench.key",
    }


def write(out: Path, parts: list[Part], secret: bytes, root: Path = ROOT) -> str:
    """Page, PDF, and a list of their hashes that is signed. What could not be made, in words."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("evidence.*"):
        old.unlink()
    html = out / "evidence.html"
    html.write_text(page(facts(parts, public_of(secret) if secret else "", root), parts), encoding="utf-8")
    lacks = print_pdf(html, out / "evidence.pdf")
    files = {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(out.glob("evidence.*"))}
    report = {
        "format": 1,
        "kind": "evidence",
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": git("rev-parse", "HEAD", root=root),
        "version": __version__,
        "files": files,
        "figures": {each.figure.key: each.run_note or each.section_note for each in parts},
        "not_made": lacks,
    }
    text = json.dumps(report, indent=1) + "\n"
    (out / "evidence.json").write_text(text, encoding="utf-8")
    if secret:
        sign_file(out / "evidence.json", text.encode(), secret, REPORT)
    return lacks


def print_pdf(html: Path, pdf: Path) -> str:
    browser = find_chromium()
    if not browser:
        return "no PDF: Chromium is not installed"
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={pdf}"]
    subprocess.run([*words, html.resolve().as_uri()], check=False, capture_output=True, timeout=PRINT_S_MAX)
    return "" if pdf.exists() else "no PDF: Chromium failed to print"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", action="store_true", help="make the figures that take a minute or less")
    parser.add_argument("--only", action="append", default=[], choices=[each.key for each in FIGURES if each.command])
    parser.add_argument("--sign", metavar="KEY", help="sign with this key of `fairshoe release keygen`")
    options = parser.parse_args()
    secret = read_signing_key(Path(options.sign)) if options.sign else b""
    for figure in FIGURES:
        if figure.key in options.only or (options.run and figure.cheap):
            if figure.needs and not os.environ.get(figure.needs):
                print(f"{figure.key}: not made here, needs {figure.needs}=")
                continue
            print(f"{figure.key}: {figure.command} ...", flush=True)
            result = run(figure)
            print(f"  exit status {result['status']}, {result['seconds']} s", flush=True)
    parts = [part(figure) for figure in FIGURES]
    lacks = write(OUT, parts, secret)
    for each in parts:
        print(f"  {each.figure.key:14s} {each.run_note or each.section_note}")
    print(f"wrote {OUT.relative_to(ROOT)}: {lacks or 'page and PDF'}, {'signed' if secret else 'UNSIGNED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
