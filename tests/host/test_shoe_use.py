"""What a program does with a shoe at the wrong moment, or with the wrong words: it is told, and nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from fairshoe import AsyncShoe, Shoe, Store
from fairshoe.errors import UsageError
from fairshoe.keys import write_key
from fairshoe.lanes import Unfinished
from fairshoe.messages import EmptyProved, Shuffle

KEY = bytes(range(32))


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "device.key"
    write_key(path, "device", KEY)
    return path


# --- a closed shoe ------------------------------------------------------------------------------


def test_a_command_of_a_closed_shoe_gets_no_number_and_never_acts(tmp_path: Path, key_file: Path) -> None:
    url = f"sim://?dealer=none&key={key_file}&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, key_file, store=store) as shoe:
            shoe.run(until=EmptyProved)
        for late in (
            lambda: shoe.command(Shuffle),
            lambda: shoe.start(Shuffle),
            lambda: shoe.resume(Unfinished(1, "shuffle", {})),
        ):
            with pytest.raises(UsageError, match="is closed"):
                late()
        with Shoe.open(url, key_file, store=store) as shoe:
            assert shoe.unfinished() is None
            assert shoe.command(Shuffle).op == 1


def test_a_command_of_a_closed_async_shoe_gets_no_number(tmp_path: Path, key_file: Path) -> None:
    async def work(store: Store) -> None:
        url = f"sim://?dealer=none&key={key_file}"
        async with await AsyncShoe.open(url, key_file, store=store) as shoe:
            await shoe.run(until=EmptyProved)
            closing = asyncio.create_task(shoe.close())
            await asyncio.sleep(0)
            with pytest.raises(UsageError, match="is closed"):
                shoe.start(Shuffle)
            await closing
        with pytest.raises(UsageError, match="is closed"):
            shoe.start(Shuffle)
        with pytest.raises(UsageError, match="is closed"):
            shoe.resume(Unfinished(1, "shuffle", {}))
        assert shoe.unfinished() is None

    with Store(tmp_path / "store.db") as store:
        asyncio.run(work(store))
