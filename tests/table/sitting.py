"""A desk in the thread of the test, with a simulated shoe that has no clock: taps, and turns until something is due."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairshoe_table.desk.setup import Setup
from fairshoe_table.play import registry
from fairshoe_table.simulated.desk import open_desk
from fairshoe_table.simulated.sitting import Sitting, listen

EXAMPLE = Path(__file__).resolve().parents[2] / "host_tools" / "examples" / "house_three"


@contextmanager
def sitting(folder: Path, game: str, seed: int = 3, **more: Any) -> Generator[Sitting]:
    with open_desk(Setup(game, folder, seed=seed, speed=0, **more)) as desk:
        it = Sitting(desk)
        listen(it)
        desk.begin()
        yield it


def bet(it: Sitting, seat: int = 0, **cents: int) -> None:
    """Betting is opened, this seat bets, or without one the players do, and it is closed."""
    it.bets()
    if seat:
        it.wager(seat, **cents)
    else:
        it.tap(do="players")
    it.close()


def house_three(folder: Path) -> list[str]:
    """The game of another package as pip leaves it, for sys.path: its module, and a folder with its metadata."""
    info = folder / "house_three-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-three\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nhouse-three = house_three:GAME\n")
    return [str(EXAMPLE), str(folder)]
