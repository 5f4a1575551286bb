"""Run only through `make test-dissector` and `make test-all`: they see to tshark first, and say so if it is missing."""

import os

collect_ignore_glob = [] if os.environ.get("TSHARK") else ["test_*.py"]
