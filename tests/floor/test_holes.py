"""Events that a store lacks, one as many: they are held, then published as a gap, and never passed over in silence."""

from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from test_store_writer import opened

from fairshoe import Store
from fairshoe_floor.stream.event_lines import Gap, from_line
from fairshoe_floor.stream.outbox import Outbox
from fairshoe_floor.stream.publisher import HOLE_S, Publisher


class Stored(NamedTuple):
    seq: int


class Stream:
    """A subject of a broker. What is put into it is kept as lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.messages = 0

    async def newest(self, *_subject: str) -> None:
        return None

    async def put(self, _stream: str, _subject: str, data: bytes, _headers: dict[str, str]) -> Stored:
        for line in data.splitlines():
            found = from_line(line)
            self.lines.append(f"gap {found.first} {found.last}" if isinstance(found, Gap) else str(found.seq))
        self.messages += 1
        return Stored(self.messages)


@pytest.mark.parametrize("lacking", [1, 2, 30])
@pytest.mark.parametrize("aged", [False, True], ids=["sent", "aged"])
async def test_a_hole_is_held_and_then_a_gap(
    lacking: int, aged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`aged`: what is before the hole has left the stream, and is in the central record."""
    now = [1e6]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    path, after = tmp_path / "pit.db", 6 + lacking
    with Store(path) as store:
        log = store.resume(1, b"a" * 16, after, 1)
        store.add(log.id, [opened(seq) for seq in (*range(1, 6), after)])
    outbox, stream = Outbox(path, "pit"), Stream()
    publisher = Publisher(path, "", "pit")
    if aged:
        outbox.pass_to({(1, b"a" * 16): 5})
        publisher._committed.add(outbox.heads()[0].id)  # pyright: ignore[reportPrivateUsage]

    async def send() -> list[str]:
        for _ in range(3):
            await publisher._send(cast(Any, stream), outbox, outbox.heads()[0])  # pyright: ignore[reportPrivateUsage]
        return stream.lines

    before = [] if aged else ["1", "2", "3", "4", "5"]
    assert await send() == before
    now[0] += HOLE_S / 2
    assert await send() == before
    now[0] += HOLE_S / 2
    assert await send() == [*before, f"gap 6 {after - 1}", str(after)]
    outbox.close()
