// The MicroPython VM (WebAssembly) with a copy of the tree in its file system. A VM lives in a worker
// thread: one that hangs can then be ended from outside, which nothing inside it can do.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const REPO = resolve(HERE, '../..');
export const VM_ROOT = '/fairshoe';
export const VM_RUNNER = '/runner';

const TREES = ['firmware', 'hal', 'rig', 'board_configs', 'game_profiles', 'rules/law', 'tests/unit', 'tests/scenarios'];
const SKIPPED = /^(\..*|__pycache__|node_modules)$/;
const FLUSH_BYTES = 4096;

/** Every file below a folder, sorted. */
export function filesBelow(folder) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.test(entry.name)) found.push(...filesBelow(path));
    } else if (entry.isFile()) {
      found.push(path);
    }
  }
  return found.sort();
}

/** Path inside root with forward slashes, or null for a path outside it. */
export function pathInRoot(root, path) {
  const inside = relative(root, resolve(path));
  return inside.startsWith('..') || inside === '' ? null : inside.split(sep).join('/');
}

/** The files to copy into a VM: the device's trees, and the folders that hold what is to run. */
export function readTree(root, folders) {
  const files = new Map();
  for (const folder of [...TREES.map((tree) => join(root, tree)), ...folders]) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const path of filesBelow(folder)) {
      const inside = pathInRoot(root, path);
      if (inside !== null) files.set(`${VM_ROOT}/${inside}`, readFileSync(path));
    }
  }
  return files;
}

/** Start a worker thread with a VM in it; worker.mjs says what it sends back. */
export function startWorker(data) {
  return new Worker(join(HERE, 'worker.mjs'), { workerData: data, execArgv: [] });
}

/**
 * The package is built with assertions: each call through a pointer reads the table of functions once more, only to
 * compare. That read took a third of the time. This VM never changes its table, so each entry is read once.
 */
function keepTableEntries() {
  const { get } = WebAssembly.Table.prototype;
  const kept = new WeakMap();
  WebAssembly.Table.prototype.get = function (index) {
    let entries = kept.get(this);
    if (entries === undefined) kept.set(this, (entries = []));
    return (entries[index] ??= get.call(this, index));
  };
}

keepTableEntries();

/** Load a VM, in this thread. `emit(stream, bytes)` receives what the program writes. */
export async function createVm({ files, heapMb, emit }) {
  const { loadMicroPython } = await import('@micropython/micropython-webassembly-pyscript/micropython.mjs');
  const pending = { stdout: [], stderr: [] };
  const flush = () => {
    for (const [stream, bytes] of Object.entries(pending)) {
      if (bytes.length) emit(stream, Uint8Array.from(bytes.splice(0)));
    }
  };
  const writer = (stream) => (chunk) => {
    pending[stream].push(...chunk);
    // By the line, so that what a hanging program wrote last has left the thread.
    if (chunk.at(-1) === 10 || pending[stream].length >= FLUSH_BYTES) flush();
  };
  const mp = await loadMicroPython({
    heapsize: heapMb * 1024 * 1024,
    pystack: 4096,
    linebuffer: false,
    stdin: () => null,
    stdout: writer('stdout'),
    stderr: writer('stderr'),
  });
  const harness = [`${VM_RUNNER}/mpy_harness.py`, readFileSync(join(HERE, 'harness.py'))];
  for (const [path, data] of [...files, harness]) {
    mp.FS.mkdirTree(dirname(path));
    mp.FS.writeFile(path, data);
  }
  return { mp, flush };
}

/** A traceback as a reader wants it: paths from the root, no frames of the runner, no frame 150 times. */
export function cleanTraceback(text) {
  return text
    .split('\n')
    .filter((line) => !line.includes(`File "${VM_RUNNER}/`) && !line.includes('File "<stdin>"'))
    .filter((line, index, lines) => !(line.startsWith('  File ') && line === lines[index - 1] && line === lines[index - 2]))
    .join('\n')
    .replaceAll(`File "${VM_ROOT}/`, 'File "');
}
