"""`python -m fairshoe` is the same as `fairshoe`."""

import sys

from fairshoe.cli import main

sys.exit(main())
