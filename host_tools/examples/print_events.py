"""Print what a shoe reports, for ever: python print_events.py [URL]"""

import sys

from fairshoe import FairshoeError, LinkBack, LinkLost, Shoe


def main(url: str) -> int:
    try:
        with Shoe.open(url) as shoe:
            shoe.on(LinkLost, lambda notice: print(f"-- {url} is gone: {notice.why}"))
            shoe.on(LinkBack, lambda notice: print(f"-- {url} is back after {notice.down_s:.1f} s"))
            for event in shoe.events():
                print(event.seq, f"{event.uptime:.3f}", f"round {event.round}", event, flush=True)
    except FairshoeError as error:
        print(f"{error.what}\n{error.advice}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "sim://pico-carousel?speed=5"))
