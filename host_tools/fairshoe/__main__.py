"""Entry point of `python -m fairshoe` and `fairshoe`. Catches Ctrl-C that arrives while modules are still loading."""

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
