// Runs test files on the MicroPython VM:  node tools/mpy/test.mjs [options] PATH...
// A test is a function test_* without arguments that fails by raising. Each file has a VM of its own.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { filesBelow, pathInRoot, readTree, REPO, startWorker, VM_ROOT } from './vm.mjs';

const USAGE = 'usage: node tools/mpy/test.mjs [--limit-s 600] [--root DIR] [--json FILE] [--without LIST] PATH...';
const WASM = '@micropython/micropython-webassembly-pyscript/micropython.wasm';
const HEAP_MB = 8;
const WORKERS_MAX = 2;

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'limit-s': { type: 'string', default: '600' },
      root: { type: 'string', default: REPO },
      json: { type: 'string' },
      without: { type: 'string' },
    },
  });
  const limitMs = Number(values['limit-s']) * 1000;
  if (positionals.length === 0) throw new Error('no PATH given');
  if (!(limitMs > 0)) throw new Error('--limit-s needs a number of seconds');
  const { json, without } = values;
  return { paths: positionals, limitMs, root: resolve(values.root), json, without };
}

/** The test files of a path, or a reason why there are none. */
function findFiles(root, path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return { files: [], reason: 'no such file or folder' };
  const found = info.isDirectory() ? filesBelow(path).filter((name) => /^test_.*\.py$/.test(basename(name))) : [path];
  if (found.length === 0) return { files: [], reason: 'no test_*.py file in this folder' };
  if (found.some((name) => pathInRoot(root, name) === null)) return { files: [], reason: `outside the root ${root}` };
  return { files: found.map((name) => resolve(name)), reason: null };
}

/** The tests to leave out, by file: a list of lines FILE::TEST, from the root; `#` begins a comment. */
function readList(root, path) {
  const left = new Map();
  for (const line of path ? readFileSync(path, 'utf8').split('\n') : []) {
    if (!line || line.startsWith('#')) continue;
    const [file, name] = line.split('::');
    if (!name || !existsSync(join(root, file))) throw new Error(`${path}: there is no test ${line}`);
    left.set(file, [...(left.get(file) ?? []), name]);
  }
  return left;
}

const result = (file, name, failure, ms = 0, output = '') => ({ file, name, ok: failure === '', ms, failure, output });

/** Run a file in one VM, from `only` or from the start. Resolves when it finished or was lost. */
function runOnce(job, only, results) {
  const { file, path, root, limitMs, without } = job;
  const vmPath = `${VM_ROOT}/${pathInRoot(root, path)}`;
  const worker = startWorker({
    mode: 'test',
    files: [...job.tree],
    heapMb: HEAP_MB,
    folder: dirname(vmPath),
    path: vmPath,
    argv: [vmPath],
    module: basename(path, '.py'),
    only,
    without,
  });
  return new Promise((done) => {
    let current = '(start of the VM)';
    let left = only;
    let output = '';
    let timer = null;
    let over = false;
    let begin = performance.now();

    const finish = (failure) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      if (failure !== null) results.push(result(file, current, failure, performance.now() - begin, output));
      worker.terminate().then(() => done({ left, lostIn: failure === null ? null : current }));
    };
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const seconds = limitMs / 1000;
        finish(`hang: not back after ${seconds} s (an exception under a locked heap can also do this)`);
      }, limitMs);
    };
    const handlers = {
      output: ({ bytes }) => (output += Buffer.from(bytes).toString()),
      names: ({ names }) => (left = [...names]),
      begin: ({ name }) => {
        current = name;
        begin = performance.now();
        output = '';
        watch();
      },
      end: ({ name, ms, failure }) => {
        results.push(result(file, name, failure, ms, output));
        left = left.filter((other) => other !== name);
      },
      broken: ({ failure }) => finish(failure),
      finished: () => finish(null),
    };
    worker.on('message', (message) => !over && handlers[message.kind](message));
    worker.on('error', (error) => finish(`the VM crashed: ${error.message}`));
    worker.on('exit', (code) => finish(`the VM ended by itself, code ${code}`));
    watch();
  });
}

/** All results of one file: after a hang or a crash the tests that are left go on in a fresh VM. */
async function runFile(job) {
  const results = [];
  let only = null;
  for (;;) {
    const { left, lostIn } = await runOnce(job, only, results);
    if (lostIn === null) break;
    const rest = left?.filter((name) => name !== lostIn) ?? [];
    if (rest.length === 0) break;
    if (rest.length === only?.length) {
      // The import, which went well before, was lost now: there is no going on.
      results.push(...rest.map((name) => result(job.file, name, 'not run: the file could not be imported again')));
      break;
    }
    only = rest;
  }
  if (results.length === 0) results.push(result(job.file, '(file)', 'no tests: not one function test_* in this file'));
  return results;
}

function printResults(results) {
  for (const { file, name, ok, ms } of results) {
    console.log(`${ok ? 'PASS' : 'FAIL'}  ${basename(file)}::${name}  ${Math.round(ms)} ms`);
  }
}

function printFailures(results) {
  for (const { file, name, ok, failure, output } of results) {
    if (ok) continue;
    console.log(`\n---- ${file}::${name}`);
    console.log(failure.trimEnd());
    if (output) console.log(`-- its output:\n${output.trimEnd()}`);
  }
}

/** Run jobs on a few workers at once; print each file's lines whole, in the order of the files. */
async function runAll(jobs) {
  const running = [];
  let next = 0;
  const lane = async () => {
    while (next < jobs.length) {
      const index = next++;
      running[index].resolve(await runFile(jobs[index]));
    }
  };
  for (const _ of jobs) running.push(Promise.withResolvers());
  const lanes = Array.from({ length: Math.min(WORKERS_MAX, availableParallelism()) }, lane);
  const results = [];
  for (const { promise } of running) {
    const some = await promise;
    printResults(some);
    results.push(...some);
  }
  await Promise.all(lanes);
  return results;
}

async function main() {
  const { paths, limitMs, root, json, without } = options();
  const list = readList(root, without);
  const results = [];
  const files = [];
  for (const path of paths) {
    const { files: found, reason } = findFiles(root, path);
    if (reason) results.push(result(path, '(path)', reason));
    files.push(...found.filter((file) => !files.includes(file)));
  }
  printResults(results);
  const tree = readTree(root, files.map((file) => dirname(file)));
  // V8 keeps a module's machine code as long as somebody holds it: without this every VM starts from nothing.
  globalThis.heldWasm = await WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve(WASM))));
  const jobs = files.map((path) => {
    const file = pathInRoot(root, path);
    return { file, path, root, limitMs, tree, without: list.get(file) ?? [] };
  });
  results.push(...(await runAll(jobs)));
  printFailures(results);
  const failed = results.filter(({ ok }) => !ok).length;
  const passed = results.length - failed;
  if (json) writeFileSync(json, JSON.stringify({ passed, failed, tests: results }, null, 1));
  const left = jobs.flatMap((job) => job.without).length;
  console.log(`\n${passed} passed, ${failed} failed${left ? `, ${left} left out by ${without}` : ''}`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  console.error(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
