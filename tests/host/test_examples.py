"""The examples in docs/ run: a decoder in a second language against every vector and the golden capture."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv" / "bin" / "node"


def test_the_decoder_written_from_the_page_alone_passes_every_vector() -> None:
    done = subprocess.run(
        [NODE, "--test", "docs/examples/decoder.test.mjs"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "fail 0" in done.stdout


def test_it_decodes_the_golden_capture_on_the_command_line() -> None:
    command = [NODE, "docs/examples/decoder.mjs", "docs/protocol/golden.bin"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "welcome" in done.stdout
