// Runs one script on the MicroPython VM:
//   node tools/mpy/exec.mjs [--root DIR] [--limit-s 60] [--heap-mb N] SCRIPT.py [ARG...]
// Its bytes go to stdout as they are; the exit status is the script's, 1 for an uncaught exception,
// 124 for one that ran past the limit.

import { readFileSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathInRoot, readTree, REPO, startWorker, VM_ROOT } from './vm.mjs';

const USAGE = 'usage: node tools/mpy/exec.mjs [--root DIR] [--limit-s 60] [--heap-mb N] SCRIPT.py [ARG...]';
const LIMIT_EXCEEDED = 124;

/** Ours up to the script's name, the script's after it. */
function options(args) {
  const values = { '--root': REPO, '--limit-s': '60', '--heap-mb': '8' };
  while (args[0] in values) {
    const [name, value] = args.splice(0, 2);
    if (value === undefined) throw new Error(`${name} needs a value`);
    values[name] = value;
  }
  const limitMs = Number(values['--limit-s']) * 1000;
  const heapMb = Number(values['--heap-mb']);
  if (args.length === 0 || args[0].startsWith('--')) throw new Error('no SCRIPT.py given');
  if (!(limitMs > 0) || !(heapMb > 0)) throw new Error('--limit-s and --heap-mb need numbers above 0');
  if (!statSync(args[0], { throwIfNoEntry: false })?.isFile()) throw new Error(`no such file: ${args[0]}`);
  return { root: resolve(values['--root']), limitMs, heapMb, script: resolve(args[0]), rest: args.slice(1) };
}

/** Write all of it now, in order; a pipe may take it in pieces or ask to try again. */
function writeAll(fd, bytes) {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function run({ root, limitMs, heapMb, script, rest }) {
  const inside = pathInRoot(root, script);
  // A script of the tree brings its folder; one from elsewhere, or from the top, comes alone.
  const path = inside === null ? `/script/${basename(script)}` : `${VM_ROOT}/${inside}`;
  const files = readTree(root, inside?.includes('/') ? [dirname(script)] : []);
  files.set(path, readFileSync(script));
  const worker = startWorker({
    mode: 'exec',
    files: [...files],
    heapMb,
    folder: dirname(path),
    argv: [path, ...rest],
  });
  return new Promise((done) => {
    const end = (code, text) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      if (text) writeAll(2, Buffer.from(text.endsWith('\n') ? text : `${text}\n`));
      worker.terminate().then(() => done(code));
    };
    const timer = setTimeout(() => end(LIMIT_EXCEEDED, `${script}: not done after ${limitMs / 1000} s`), limitMs);
    const handlers = {
      output: ({ stream, bytes }) => writeAll(stream === 'stdout' ? 1 : 2, bytes),
      exit: ({ code, text }) => end(code, text),
      broken: ({ failure }) => end(1, failure),
    };
    worker.on('message', (message) => handlers[message.kind]?.(message));
    worker.on('error', (error) => end(1, `the VM crashed: ${error.message}`));
    worker.on('exit', (code) => end(1, `the VM ended by itself, code ${code}`));
  });
}

try {
  process.exitCode = await run(options(process.argv.slice(2)));
} catch (error) {
  console.error(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
