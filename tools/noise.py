"""Judge every simulated noise source by SP 800-90B, as `fairshoe noise` does: each must look like what it is."""

import argparse
import contextlib
import io
import json
import secrets
import sys

from fairshoe.cli import command_line

LOOKS = {"good": "even", "biased": "biased", "correlated": "correlated", "stuck": "dead", "dead": "even"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbits(31))
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--restarts", type=int, default=1000)
    options = parser.parse_args()
    wrong = 0
    print(f"seed {options.seed}: again with make noise SEED={options.seed}")
    for kind, looks in LOOKS.items():
        words = ["noise", "--simulate", kind, "--json", "--seed", str(options.seed), "--samples", str(options.samples)]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            command_line.main([*words, "--restarts", str(options.restarts)])
        found = json.loads(out.getvalue())
        # A dead source has good samples and reports its failure.
        good = found["looks"] == looks and found["passes"] == (kind not in ("stuck", "dead"))
        wrong += not good
        said = "; ".join(found["problems"]) or "passes"
        print(
            f"{'ok ' if good else 'BAD'} {kind}: looks {found['looks']}, {found['millibits']} millibits a byte"
            f" ({found['claim_millibits']} claimed), lowest {found['lowest']}; {said}",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
