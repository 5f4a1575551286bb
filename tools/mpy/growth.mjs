// Whether what a device keeps in memory grows from round to round, on the MicroPython VM:
//   node tools/mpy/growth.mjs [ROUNDS]
// This VM collects garbage only when no Python is running, so that every round is a call of its own.

import { createVm, HERE, readTree, REPO, VM_ROOT } from './vm.mjs';

const WARM_ROUNDS = 16; // until every path has been taken: rings filled, lists grown to their size
const BUDGET_BYTES = 2048; // for where a collection finds things; a leak of 3 bytes a round is more in 1,000
const SAY_EVERY = 100;

const rounds = Number(process.argv[2] ?? 1000);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write('usage: node tools/mpy/growth.mjs [ROUNDS]\n');
  process.exit(2);
}

const emit = (stream, bytes) => process[stream].write(bytes);
const { mp } = await createVm({ files: readTree(REPO, [HERE]), heapMb: 8, emit });
mp.runPython(`import sys, gc; sys.path[:] = ['', '.frozen', '${VM_ROOT}', '${VM_ROOT}/tools/mpy']`);
mp.runPython('import growth_round as growth; stage = growth.make()');

function play(count, first) {
  for (let number = first; number < first + count; number++) {
    mp.runPython('growth.play(stage)');
    if (number && number % SAY_EVERY === 0) process.stdout.write(`${number} rounds: ${inUse() - before} bytes more\n`);
  }
}

function inUse() {
  // Twice: what a collection frees may be what another one could not reach.
  for (let i = 0; i < 2; i++) mp.runPython('gc.collect()');
  return mp.globals.get('growth').in_use();
}

let before = 0;
play(WARM_ROUNDS, 0);
before = inUse();
play(rounds, 1);
const grown = inUse() - before;
const played = mp.globals.get('growth').rounds(mp.globals.get('stage'));
if (played !== WARM_ROUNDS + rounds) {
  process.stderr.write(`growth: ${played} rounds were played, not ${WARM_ROUNDS + rounds}\n`);
  process.exit(1);
}
const kept = grown <= BUDGET_BYTES;
process.stdout.write(
  `in use before ${before} bytes; after ${rounds} rounds ${grown} more, ${kept ? 'within' : 'OVER'} ${BUDGET_BYTES}\n`,
);
process.exit(kept ? 0 : 1);
