"""The JavaScript client, host_tools/fairshoe-js: its tests run under node, against vectors and a simulated shoe. Its
types are checked by TypeScript's compiler."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from waits import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]
NODE = ROOT / ".venv" / "bin" / "node"
FILES = sorted((ROOT / "tests" / "js").glob("*.test.mjs"))


@pytest.mark.parametrize("path", FILES, ids=[path.name.partition(".")[0] for path in FILES])
def test_the_javascript_client_passes(path: Path) -> None:
    # vm-modules: one test loads the core where there are only the globals of a browser.
    command = [NODE, "--experimental-vm-modules", "--test", f"--test-timeout={1000 * LIMIT_S:.0f}", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "fail 0" in done.stdout


def test_there_are_tests_to_run() -> None:
    assert [path.name for path in FILES] == [
        "behaviour.test.mjs",
        "package.test.mjs",
        "receipt.test.mjs",
        "shoe.test.mjs",
        "simulation.test.mjs",
        "vectors.test.mjs",
    ]


# What the programs use of Node: the types of all of it cost three seconds, and another dependency.
NODE_TYPES = """
declare module 'node:fs' { export function readFileSync(path: string, encoding: 'utf8'): string; }
declare const process: { argv: string[] };
"""
MISUSES = """
import { Shoe } from 'fairshoe';
import { tcp } from 'fairshoe/tcp';
const shoe = await Shoe.open(tcp('127.0.0.1', 4001));
await shoe.command('set_positions', { positions: 3 });
// @ts-expect-error: no such command
await shoe.command('set_position', { positions: 3 });
// @ts-expect-error: no such argument
await shoe.command('set_positions', { position: 3 });
for await (const event of shoe.events()) {
  // @ts-expect-error: only some events have it
  console.log(event.fields.stack);
  if (event.name === 'stack_taken' && !event.opaque) console.log(event.fields.stack.toFixed());
}
"""


def test_the_types_take_the_programs_of_the_pages_and_refuse_misuse(tmp_path: Path) -> None:
    package = ROOT / "host_tools" / "fairshoe-js"
    pages = (ROOT / "docs" / "INTEGRATE.md", package / "README.md")
    found = [re.search(r"^```js\n(.*?)^```", page.read_text(), re.M | re.S) for page in pages]
    programs = [*(match[1] for match in found if match), MISUSES]
    assert len(programs) == 3
    for number, program in enumerate(programs):
        (tmp_path / f"program{number}.mts").write_text(program)
    (tmp_path / "node.d.ts").write_text(NODE_TYPES)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "fairshoe").symlink_to(package)
    options = {"module": "nodenext", "target": "es2022", "lib": ["es2022", "dom", "dom.asynciterable"], "types": []}
    checks = {"strict": True, "noEmit": True, "preserveSymlinks": True, "skipDefaultLibCheck": True}
    config = {"compilerOptions": options | checks, "include": ["*", "node_modules/fairshoe/src/*.d.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    compiler = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run([NODE, compiler, "-p", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
