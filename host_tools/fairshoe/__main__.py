"""Entry point of `python -m fairshoe` and `fairshoe`. Catches Ctrl-C that arrives while modules are still loading."""

import os
import sys

from fairshoe.printable import say

EXIT_INTERRUPTED = 130


def main() -> int:
    try:
        from fairshoe.cli import command_line

        code = command_line.main()
    except KeyboardInterrupt:
        say("\nfairshoe: interrupted", file=sys.stderr)
        code = EXIT_INTERRUPTED
    if code == EXIT_INTERRUPTED:
        # Python itself ends by the signal, and not with this status, if Ctrl-C came while it executed a text: that is
        # how a dataclass is made, in a module that is loaded late.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
