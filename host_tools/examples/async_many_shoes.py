"""Every shoe of a floor in one loop, all in one store: python async_many_shoes.py STORE KEYS URL ...

KEYS is a folder with a file for each device, named after its number (00510001.key), or - for shoes without a key. A
shoe that cannot be reached is tried again; the others do not wait for it. Ctrl-C ends it.
"""

import asyncio
import contextlib
import sys
from collections import Counter

from fairshoe import FairshoeError, Fleet, LinkLost, ShoeFailed, ShoeOpened
from fairshoe.keys import KeyRing
from fairshoe.messages import Role, RoundEnded, RoundVoided, WarningLatched


async def main(path: str, keys: str, urls: list[str], rounds: int | None = None) -> int:
    """Until that many rounds are over at each shoe; for ever without a number."""
    over: Counter[int] = Counter()
    try:
        async with Fleet(path, None if keys == "-" else KeyRing(keys, Role.RECORDER)) as fleet:
            for url in urls:
                fleet.add(url)
            async for item in fleet:
                if rounds is not None and len(over) == len(urls) and min(over.values()) >= rounds:
                    break
                match item.message:
                    case ShoeOpened() as opened:
                        print(f"{item.url}: device {item.device:08x}, {opened.welcome.game}", flush=True)
                    case ShoeFailed() as failed:
                        print(f"{item.url}: {failed.error.what} Trying again.", flush=True)
                    case LinkLost() as lost:
                        print(f"{item.url}: {lost.why}", flush=True)
                    case RoundEnded() | RoundVoided() | WarningLatched() as event:
                        print(f"{item.url}: round {event.round} {event.NAME}", flush=True)
                        over[item.device] += not isinstance(event, WarningLatched)
                    case _:
                        pass
    except FairshoeError as error:  # the store; a shoe that fails is an item of the loop
        print(f"{error.what}\n{error.advice}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: async_many_shoes.py STORE KEYS URL ...")
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:])))
