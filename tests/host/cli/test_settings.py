"""Settings: what overrides what, where each value is said to be from, and mistakes that name their place."""

import argparse
import json
from pathlib import Path

import pytest
from in_process import output

from fairshoe.cli import settings
from fairshoe.cli.connection import Connection
from fairshoe.cli.settings import SettingsError
from fairshoe.errors import KeyFileError
from fairshoe.keys import write_key
from fairshoe.messages import Role


def given(path: Path, **flags: object) -> argparse.Namespace:
    return argparse.Namespace(config_file=str(path), **flags)


def file(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


def test_a_flag_outdoes_the_environment_the_environment_the_file_and_the_file_the_default(tmp_path: Path) -> None:
    path = file(tmp_path, '\n# mine\nport = "a"\ntimeout_s = 7\nrole = "service"\nstore = "/s.db"\n')
    found = settings.load(given(path, port="c"), {"FAIRSHOE_PORT": "b", "FAIRSHOE_ROLE": "observer"})
    told = {name: (value.value, value.origin) for name, value in found.values.items()}
    assert told == {
        "port": ("c", "flag PORT"),
        "key_file": (None, "default"),
        "role": ("observer", "environment FAIRSHOE_ROLE"),
        "store": ("/s.db", f"{path}:6"),
        "answer_s": (4.0, "default"),
        "timeout_s": (7.0, f"{path}:4"),
        "shufflers": (None, "default"),
        "receipt_url": (None, "default"),
        "receipt_ref": (None, "default"),
    }


def test_the_file_is_found_where_xdg_says_and_need_not_exist_unless_it_was_asked_for(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert settings.load(None, environment)["port"] is None
    (tmp_path / "fairshoe").mkdir()
    file(tmp_path / "fairshoe", 'port = "x"')
    assert settings.load(None, environment)["port"] == "x"
    with pytest.raises(SettingsError, match=r"nope.toml: No such file"):
        settings.load(None, {"FAIRSHOE_CONFIG": str(tmp_path / "nope.toml")})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('port = "x"\nprt = 3\n', "config.toml:2: there is no setting 'prt'"),
        ('port = "x"\n[shoe]\nport = 3\n', "config.toml:2: there is no setting 'shoe'"),
        ("port = 3\n", "config.toml:1: port is 3"),
        ("\n\ntimeout_s = true\n", "config.toml:3: timeout_s is True"),
        ("timeout_s = 0\n", "config.toml:1: timeout_s is 0"),
        ('role = "king"\n', "config.toml:1: there is no role 'king'"),
        ("port = \n", "config.toml is not TOML"),
        ("port = '\ud800'\n", "config.toml is not TOML"),
    ],
)
def test_a_mistake_in_the_file_names_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SettingsError) as caught:
        settings.load(given(path), {})
    assert words in caught.value.what and caught.value.exit_code == 2


def test_a_mistake_in_the_environment_names_the_variable() -> None:
    with pytest.raises(SettingsError, match="environment FAIRSHOE_TIMEOUT_S: timeout_s is 'soon'"):
        settings.load(None, {"FAIRSHOE_TIMEOUT_S": "soon", "XDG_CONFIG_HOME": "/nowhere"})


def test_a_relative_path_in_the_file_is_seen_from_its_folder_and_one_in_a_flag_from_here(tmp_path: Path) -> None:
    path = file(tmp_path, 'key_file = "table.key"')
    assert settings.load(given(path), {})["key_file"] == str(tmp_path / "table.key")
    assert settings.load(given(path, key_file="table.key"), {})["key_file"] == "table.key"


def test_config_show_prints_values_and_where_they_are_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(tmp_path, 'port = "/dev/ttyACM3"\n')
    monkeypatch.setenv("FAIRSHOE_KEY_FILE", "/k")
    lines = [line.split() for line in output("config", "show", "--config", str(path), "--role", "service").splitlines()]
    assert ["port", "/dev/ttyACM3", f"{path}:1"] in lines
    assert ["key_file", "/k", "environment", "FAIRSHOE_KEY_FILE"] in lines
    assert ["role", "service", "flag", "--role"] in lines
    assert ["timeout_s", "120", "default"] in lines
    told = json.loads(output("--config", str(path), "config", "show", "--json"))
    assert told["file"] == str(path) and told["exists"]
    assert told["settings"]["port"] == {"value": "/dev/ttyACM3", "origin": f"{path}:1"}


def test_a_key_of_another_role_is_taken_unless_a_role_was_asked_for(tmp_path: Path) -> None:
    key = tmp_path / "o.key"
    write_key(key, "observer", bytes(32))
    path = file(tmp_path, 'key_file = "o.key"')
    found = Connection(given(path)).key()
    assert found is not None and found.role == Role.OBSERVER
    with pytest.raises(KeyFileError, match="holds the key of the observer role"):
        Connection(given(path, role="service")).key()


def test_a_key_that_is_set_can_be_left_out(tmp_path: Path) -> None:
    write_key(tmp_path / "o.key", "observer", bytes(32))
    path = file(tmp_path, 'key_file = "o.key"')
    assert Connection(given(path, no_key=True)).key() is None
    assert Connection(given(path, no_key=False)).key() is not None
