"""Every shoe of a floor in one loop, all in one store: python async_many_shoes.py STORE URL ...

A shoe that cannot be reached is tried again; the others do not wait for it. Ctrl-C ends it.
"""

import asyncio
import contextlib
import sys

from fairshoe import AsyncShoe, FairshoeError, LinkLost, NoAnswer, PortError, Store
from fairshoe.messages import RoundEnded, RoundVoided, WarningLatched

RETRY_S = 5.0


async def follow(url: str, store: Store, rounds: int | None) -> None:
    """Until that many rounds are over; for ever without a number."""
    over = 0
    while rounds is None or over < rounds:
        try:
            async with await AsyncShoe.open(url, store=store) as shoe:
                shoe.on(LinkLost, lambda notice: print(f"{url}: {notice.why}", flush=True))
                async for event in shoe.events():
                    if isinstance(event, (RoundEnded, RoundVoided, WarningLatched)):
                        print(f"{url}: round {event.round} {event.NAME}", flush=True)
                    over += isinstance(event, (RoundEnded, RoundVoided))
                    if over == rounds:
                        shoe.acknowledge()
                        break
        except (PortError, NoAnswer) as error:
            print(f"{url}: {error.what} Trying again.", flush=True)
            await asyncio.sleep(RETRY_S)


async def main(path: str, urls: list[str], rounds: int | None = None) -> int:
    with Store(path) as store:
        tasks = [asyncio.create_task(follow(url, store, rounds)) for url in urls]
        try:
            await asyncio.gather(*tasks)
        except FairshoeError as error:
            print(f"{error.what}\n{error.advice}", file=sys.stderr)
            return error.exit_code
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: async_many_shoes.py STORE URL ...")
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2:])))
