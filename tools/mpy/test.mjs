// Runs test files on the MicroPython VM:  node tools/mpy/test.mjs [options] PATH...
// A test is a function test_* without arguments that fails by raising. Files of one suite (tests/unit, and all folders
// below it) share a VM, as they share a process on CPython. After a failure, and for a file with the line
// "# Needs a fresh VM", a new one is started. A file imports helpers from its own folder and from those above it.
// --without LIST leaves the listed tests out, --only LIST runs these alone: the gate and the full set share a list.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { filesBelow, pathInRoot, readTree, REPO, startWorker, VM_ROOT } from './vm.mjs';

const USAGE = 'usage: node tools/mpy/test.mjs [--limit-s 600] [--root DIR] [--json FILE] [--without LIST | --only LIST] [--lanes 2] PATH...';
const WASM = '@micropython/micropython-webassembly-pyscript/micropython.wasm';
const HEAP_MB = 8;
const LANES_MAX = 2;
const NEEDS_FRESH = /^# Needs a fresh VM/m;

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'limit-s': { type: 'string', default: '600' },
      root: { type: 'string', default: REPO },
      json: { type: 'string' },
      without: { type: 'string' },
      only: { type: 'string' },
      lanes: { type: 'string', default: String(Math.min(LANES_MAX, availableParallelism())) },
    },
  });
  const limitMs = Number(values['limit-s']) * 1000;
  if (positionals.length === 0) throw new Error('no PATH given');
  if (!(limitMs > 0)) throw new Error('--limit-s needs a number of seconds');
  const lanes = Number(values.lanes);
  if (!(lanes > 0)) throw new Error('--lanes needs a number above 0');
  const { json, without, only } = values;
  if (without && only) throw new Error('--without and --only exclude each other');
  return { paths: positionals, limitMs, root: resolve(values.root), json, without, only, lanes };
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

/** The tests of a list, by file: a list of lines FILE::TEST, from the root; `#` begins a comment. */
function readList(root, path) {
  const left = new Map();
  for (const line of path ? readFileSync(path, 'utf8').split('\n') : []) {
    if (!line || line.startsWith('#')) continue;
    const [file, name] = line.split('::');
    if (!existsSync(join(root, file))) throw new Error(`${path}: there is no test ${line}`);
    left.set(file, name ? [...(left.get(file) ?? []), name] : null); // a file alone: all its tests
  }
  return left;
}

const result = (file, name, failure, ms = 0, output = '') => ({ file, name, ok: failure === '', ms, failure, output });

/** The suite of a file: the folder below tests/ that holds it, or its own folder elsewhere. */
function suiteOf(vmPath) {
  const found = vmPath.match(/^(.*\/tests\/[^/]+)\//);
  return found ? found[1] : dirname(vmPath);
}

/** A VM for the test files of a suite, and where its messages go: to the file that runs in it. */
function startVm(job, folder) {
  const worker = startWorker({ mode: 'test', files: [...job.tree], heapMb: HEAP_MB, folder, argv: [folder] });
  const vm = { worker, folder, handle: () => {}, lose: () => {} };
  worker.on('message', (message) => vm.handle(message));
  worker.on('error', (error) => vm.lose(`the VM crashed: ${error.message}`));
  worker.on('exit', (code) => vm.lose(`the VM ended by itself, code ${code}`));
  return vm;
}

/** End a lane's VM, so that its next file starts one. */
async function endVm(lane) {
  const { vm } = lane;
  lane.vm = null;
  if (vm === null) return;
  vm.lose = () => {};
  await vm.worker.terminate();
}

/** The VM of a lane for a suite. */
async function vmFor(lane, job, folder) {
  if (lane.vm?.folder !== folder || NEEDS_FRESH.test(readFileSync(job.path, 'utf8'))) {
    await endVm(lane);
    lane.vm = startVm(job, folder);
  }
  return lane.vm;
}

/** Run a file, from `only` or from the start. Resolves when it finished or its VM was lost. */
async function runOnce(lane, job, only, results) {
  const { file, path, root, limitMs, without } = job;
  const vmPath = `${VM_ROOT}/${pathInRoot(root, path)}`;
  const vm = await vmFor(lane, job, suiteOf(vmPath));
  const lost = await new Promise((done) => {
    let current = '(start of the VM)';
    let output = '';
    let begin = performance.now();
    let timer = null;

    const finish = (failure) => {
      clearTimeout(timer);
      vm.handle = vm.lose = () => {};
      if (failure !== null) results.push(result(file, current, failure, performance.now() - begin, output));
      done(failure === null ? null : current);
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
      names: ({ names }) => (only = [...names]),
      begin: ({ name }) => {
        current = name;
        begin = performance.now();
        output = '';
        watch();
      },
      end: ({ name, ms, failure }) => {
        results.push(result(file, name, failure, ms, output));
        only = only.filter((other) => other !== name);
      },
      broken: ({ failure }) => finish(failure),
      finished: () => finish(null),
    };
    vm.handle = (message) => handlers[message.kind](message);
    vm.lose = finish;
    watch();
    vm.worker.postMessage({ module: basename(path, '.py'), path: vmPath, only, without });
  });
  if (results.some(({ ok }) => !ok)) await endVm(lane);
  return { left: only, lostIn: lost };
}

/** All results of one file: after a hang or a crash the tests that are left go on in a fresh VM. */
async function runFile(lane, job) {
  const results = [];
  let only = job.only;
  for (;;) {
    const { left, lostIn } = await runOnce(lane, job, only, results);
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
  const nothing = results.length === 0 && job.without.length === 0; // otherwise the list may name all of its tests
  if (nothing) results.push(result(job.file, '(file)', 'no tests: not one function test_* in this file'));
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
async function runAll(jobs, laneCount) {
  const running = [];
  let next = 0;
  const work = async () => {
    const lane = { vm: null };
    while (next < jobs.length) {
      const index = next++;
      running[index].resolve(await runFile(lane, jobs[index]));
    }
    await endVm(lane);
  };
  for (const _ of jobs) running.push(Promise.withResolvers());
  const lanes = Array.from({ length: laneCount }, work);
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
  const { paths, limitMs, root, json, without, only, lanes } = options();
  const list = readList(root, without ?? only);
  const results = [];
  const files = [];
  for (const path of paths) {
    const { files: found, reason } = findFiles(root, path);
    if (reason) results.push(result(path, '(path)', reason));
    files.push(...found.filter((file) => !files.includes(file)));
  }
  printResults(results);
  const tree = readTree(root, files.map((file) => dirname(file)));
  // V8 keeps a module's machine code as long as it is referenced: without this every VM starts from nothing.
  globalThis.heldWasm = await WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve(WASM))));
  const jobs = files.flatMap((path) => {
    const file = pathInRoot(root, path);
    const listed = list.has(file) ? list.get(file) : [];
    if (only) return list.has(file) ? [{ file, path, root, limitMs, tree, without: [], only: listed }] : [];
    return listed ? [{ file, path, root, limitMs, tree, without: listed, only: null }] : [];
  });
  results.push(...(await runAll(jobs, lanes)));
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
