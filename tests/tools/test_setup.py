"""Setup's stamps: a step counts as done only when it has finished for these very inputs."""

from pathlib import Path

import pytest
import setup


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(setup, "LOG", tmp_path / ".setup.log")
    (tmp_path / "lock.txt").write_text("one")
    return tmp_path


def step(root: Path, name: str = "a") -> setup.Step:
    return setup.Step(name, "title", ("lock.txt",), root / name, (root / name).touch)


def test_a_finished_step_is_not_done_again(root: Path) -> None:
    assert setup.set_up((step(root),)) is True
    assert setup.set_up((step(root),)) is False


def test_a_changed_lock_does_the_step_again(root: Path) -> None:
    setup.set_up((step(root),))
    (root / "lock.txt").write_text("two")
    assert setup.set_up((step(root),)) is True


def test_a_step_whose_product_is_gone_is_done_again(root: Path) -> None:
    setup.set_up((step(root),))
    (root / "a").unlink()
    assert setup.set_up((step(root),)) is True
    assert (root / "a").exists()


def test_an_interrupted_step_leaves_no_stamp(root: Path) -> None:
    def interrupted() -> None:
        (root / "b").touch()
        raise KeyboardInterrupt

    cut = setup.Step("b", "title", ("lock.txt",), root / "b", interrupted)
    with pytest.raises(KeyboardInterrupt):
        setup.set_up((step(root), cut, step(root, "c")))
    assert step(root).is_done()
    assert not cut.is_done()
    assert not step(root, "c").is_done()


@pytest.mark.usefixtures("root")
def test_a_failed_command_gives_its_output_and_the_next_move() -> None:
    with pytest.raises(setup.SetupError) as caught:
        setup.call(["sh", "-c", "echo reason; exit 3"], "try", "do that")
    assert caught.value.args == ("could not try (full output: .setup.log); do that, then run make again", "  | reason")


def test_every_lock_is_hashed_and_names_no_place() -> None:
    for lock in sorted((Path(setup.__file__).parents[1] / "requirements").glob("*.txt")):
        text = lock.read_text()
        pins = [line for line in text.splitlines() if "==" in line and not line.startswith((" ", "#"))]
        assert pins, lock
        assert all(line.endswith("\\") for line in pins), lock
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text and " @ " not in text, lock


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A Python without ensurepip on a machine with apt-get; the commands that setup would run."""
    calls: list[str] = []

    def note(command: list[str], *_args: object, **_named: object) -> None:
        calls.append(" ".join(command))

    def no_module(_name: str) -> None:
        return None

    def apt_get(name: str) -> str:
        return f"/usr/bin/{name}"

    monkeypatch.setattr(setup, "call", note)
    monkeypatch.setattr(setup.importlib.util, "find_spec", no_module)
    monkeypatch.setattr(setup.shutil, "which", apt_get)
    monkeypatch.setattr(setup.shutil, "rmtree", no_removal)
    return calls


def no_removal(_path: Path, ignore_errors: bool = False) -> None:
    assert ignore_errors


def test_without_ensurepip_root_installs_the_package_it_is_in(
    commands: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    setup.make_venv()
    assert [command.split()[0].rpartition("/")[2][:7] for command in commands] == ["apt-get", "apt-get", "python3"]
    assert commands[1].endswith(f"python3.{setup.sys.version_info.minor}-venv")


def test_without_ensurepip_others_are_told_the_package(commands: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    with pytest.raises(setup.SetupError, match=r"install the package python3\.\d+-venv"):
        setup.make_venv()
    assert commands == []
