"""The inventory file and the file of tokens."""

from pathlib import Path

import pytest
from in_process import output, refusal

from fairshoe.cli import command_line
from fairshoe.observe import discovery
from fairshoe.observe.discovery import FoundPort
from fairshoe_floor.api.tokens import TokenError, Tokens, add_token, new_token, read_tokens
from fairshoe_floor.inventory import Entry, InventoryError, Profile, inventory_text, read_inventory, with_entries

HEAD = '[gateway]\nname = "pit-1"\nkeys = "keys"\n'
SHOE = '[[shoe]]\ndevice = "00510001"\ntable = "BJ-07"\nurl = "/dev/ttyACM0"\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pit-1.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    inventory = read_inventory(written(tmp_path, HEAD + SHOE))
    assert (inventory.name, inventory.keys, inventory.keep_days) == ("pit-1", tmp_path / "keys", 90)
    assert inventory.store == tmp_path / "pit-1.db"
    assert inventory.shoes == (Entry(0x510001, "BJ-07", "", "/dev/ttyACM0"),)
    assert inventory.shoes[0].profile is Profile.METERS


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + SHOE)
    odd = Entry(0xABCDEF01, 'a "quoted" \\ name ü', "2", "tcp://h:1", tmp_path / "k2", Profile.TABLE, "letter 7")
    inventory = with_entries(read_inventory(path), [odd])
    assert read_inventory(written(tmp_path, inventory_text(inventory, tmp_path))) == inventory


def test_a_shoe_that_is_found_again_keeps_its_table_and_profile(tmp_path: Path) -> None:
    inventory = read_inventory(written(tmp_path, HEAD + SHOE))
    moved = with_entries(inventory, [Entry(0x510001, "?", "9", "/dev/ttyACM5")])
    assert moved.shoes == (Entry(0x510001, "BJ-07", "", "/dev/ttyACM5"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gateway", "is no TOML"),
        ("[gatway]\n", "gatway is not known"),
        (HEAD + "colour = 1\n", "[gateway]: colour is not known"),
        (HEAD.replace("pit-1", ""), "[gateway]: name is empty"),
        (HEAD.replace("pit-1", " "), "[gateway]: name is empty"),
        (HEAD + "keep_days = 0\n", "keep_days must be a whole number"),
        (SHOE.replace("00510001", "shoe"), "shoe 1: device 'shoe' is no number"),
        (SHOE.replace('table = "BJ-07"\n', ""), "shoe 1: table is missing"),
        (SHOE.replace('"BJ-07"', '"a\\nb"'), "table must be a text of one line"),
        (SHOE.replace('"BJ-07"', '" "'), "shoe 1: table is empty"),
        (SHOE.replace('"/dev/ttyACM0"', '""'), "shoe 1: url is empty"),
        (SHOE + SHOE.replace("ttyACM0", "ttyACM1"), "device 00510001 is there twice"),
        (SHOE + SHOE.replace("00510001", "00510002"), "url /dev/ttyACM0 is there twice"),
        (SHOE + 'profile = "all"\n', "there is no profile 'all'"),
        (SHOE + 'profile = "table"\n', "no approval is named"),
        (SHOE + 'profile = "table"\napproval = " "\n', "no approval is named"),
        ("shoe = 3\n", "[shoe] is one table"),
        ("shoe = [3]\n", "shoe 1 is no table"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InventoryError) as caught:
        read_inventory(written(tmp_path, text))
    assert said in caught.value.what


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SHOE.replace("/dev/ttyACM0", "udp://10.0.0.7:1"), "udp://10.0.0.7:1: there are no ports of the kind 'udp'"),
        (SHOE.replace("/dev/ttyACM0", "tcp://10.0.0.7"), "tcp://10.0.0.7 does not name a host and a port"),
        (SHOE.replace("/dev/ttyACM0", "http://10.0.0.7/"), "http://10.0.0.7/ is no shoe"),
        (HEAD + SHOE, "keys. Put the recorder's keys there"),
        (SHOE + 'keys = "mine"\n', "mine. Put the recorder's keys there"),
    ],
)
def test_check_tells_a_port_that_can_be_none_and_keys_that_are_not_there(tmp_path: Path, text: str, said: str) -> None:
    told = " ".join(refusal(3, "floor", "inventory", "check", str(written(tmp_path, text))).split())
    assert "pit-1.toml, device 00510001: " in told and said in told


def test_a_token_is_found_by_its_hash_and_the_file_has_only_that(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    word, grant = new_token("prometheus", ["metrics"], ["1"])
    other, second = new_token("page", ["table"])
    add_token(path, grant)
    add_token(path, second)
    assert word not in path.read_text() and other not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    tokens = Tokens(read_tokens(path))
    assert tokens.find(word) == grant and tokens.of_header(f"Bearer {other}") == second
    assert tokens.find("") is None and tokens.of_header(other) is None and tokens.find(grant.sha256) is None


def test_a_scope_shows_no_more_than_the_profile_and_the_profile_no_more_than_the_scope() -> None:
    whole, less = Entry(1, "a", "1", "u", None, Profile.TABLE, "x"), Entry(2, "b", "2", "v")
    seen = {
        scope: [new_token("t", [scope])[1].sees(it) for it in (whole, less)] for scope in ("metrics", "meters", "table")
    }
    assert seen == {
        "metrics": [None, None],
        "meters": [Profile.METERS, Profile.METERS],
        "table": [Profile.TABLE, Profile.METERS],
    }
    assert [new_token("t", ["table"], ["2"])[1].sees(it) for it in (whole, less)] == [None, Profile.METERS]


@pytest.mark.parametrize(
    "text",
    ['[[token]]\nname = "a"\n', '[[token]]\nname="a"\nscopes=["all"]\nsha256=""\n', "token = 3"]
    + [f'[[token]]\nname="a"\nscopes=["table"]\nsha256="{"0" * 64}"\npits={pits}\n' for pits in ('"12"', "[]", "[1]")],
)
def test_a_damaged_file_of_tokens_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(text)
    with pytest.raises(TokenError):
        read_tokens(path)


def asked(urls: list[str]) -> list[FoundPort]:
    return [FoundPort(url, discovery.SHOE, "", "0051000a") for url in urls]


def test_add_writes_the_shoes_that_answer_and_keeps_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, HEAD + SHOE)
    serial = [FoundPort("/dev/ttyACM3", discovery.SHOE, "", "00510001"), FoundPort("/dev/ttyS0", discovery.SILENT, "")]
    monkeypatch.setattr(discovery, "find_serial", lambda: serial)
    monkeypatch.setattr(discovery, "ask", asked)
    assert command_line.main(["floor", "inventory", "add", str(path), "tcp://10.0.0.7:4001", "--pit", "2"]) == 0
    known, new = read_inventory(path).shoes
    assert known == Entry(0x510001, "BJ-07", "", "/dev/ttyACM3")
    assert new == Entry(0x51000A, "0051000a", "2", "tcp://10.0.0.7:4001")
    (tmp_path / "keys").mkdir()
    assert "0051000a  0051000a  2  meters  tcp://10.0.0.7:4001" in output("floor", "inventory", "check", str(path))
    monkeypatch.setattr(discovery, "find_serial", lambda: serial[1:])
    before = path.read_text()
    assert command_line.main(["floor", "inventory", "add", str(path)]) == 1 and path.read_text() == before


def test_a_gateway_without_an_inventory_says_what_to_give() -> None:
    assert "--demo" in refusal(2, "floor", "gateway")
    assert "fairshoe floor inventory add" in refusal(3, "floor", "gateway", "missing.toml")
