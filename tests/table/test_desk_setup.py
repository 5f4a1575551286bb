"""A desk at a shoe of its own: the game, the options and the meters must fit before the first wager."""

import secrets
from pathlib import Path

import pytest

from fairshoe.errors import UsageError
from fairshoe.keys import write_key
from fairshoe_table.desk_setup import Setup, open_desk
from fairshoe_table.options import CaribbeanOptions, load_options


@pytest.fixture
def at_a_shoe(tmp_path: Path) -> Setup:
    key = tmp_path / "device.key"
    write_key(key, "device", secrets.token_bytes(32))
    return Setup("caribbean-stud", tmp_path / "table", f"sim://pico-carousel?dealer=none&key={key}", key, speed=0)


def test_without_a_file_a_shoe_has_the_defaults_of_the_rules(at_a_shoe: Setup) -> None:
    with open_desk(at_a_shoe) as desk:
        assert desk.options == CaribbeanOptions() and desk.books.balances() == {} and not desk.simulated


def test_what_does_not_fit_is_refused_before_the_first_wager(at_a_shoe: Setup) -> None:
    other = Setup("boston-5-stud", at_a_shoe.folder, at_a_shoe.port, at_a_shoe.key)
    with pytest.raises(UsageError, match="the shoe deals CS, and not boston-5-stud"), open_desk(other):
        pass
    offered = {"five_card": True, "approvals": {"five_card": "x"}}
    options = load_options({"version": 1, "game": "caribbean-stud", **offered})
    without_meters = Setup(at_a_shoe.game, at_a_shoe.folder, at_a_shoe.port, at_a_shoe.key, options)
    with pytest.raises(UsageError, match="no meters"), open_desk(without_meters):
        pass
