"""`python -m fairshoe` and `fairshoe`. Loading all commands takes a moment, in which somebody may press Ctrl-C."""

import sys

EXIT_INTERRUPTED = 130


def main() -> int:
    try:
        from fairshoe.cli import command_line

        return command_line.main()
    except KeyboardInterrupt:
        print("\nfairshoe: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
