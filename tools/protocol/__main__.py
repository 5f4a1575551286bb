"""`python -m protocol [--check]`: the typed messages first, since the documents are made with them."""

import sys

from protocol import gen_messages


def main() -> int:
    status = gen_messages.main()
    # Imported late: it imports the messages that were just written.
    from protocol import gen_docs

    return gen_docs.main() or status


if __name__ == "__main__":
    sys.exit(main())
