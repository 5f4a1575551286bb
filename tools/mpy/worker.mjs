// Inside the worker thread: one VM that executes one script, or the test files it is given, one after the other.
// Messages in, for tests: {module, path, only, without}
// Messages out: {kind: 'output', stream, bytes}  {kind: 'begin', name}  {kind: 'end', name, ms, failure}
//   {kind: 'names', names}  {kind: 'broken', failure}  {kind: 'exit', code, text}  {kind: 'finished'}

import { parentPort, workerData } from 'node:worker_threads';
import { cleanTraceback, createVm, VM_ROOT, VM_RUNNER } from './vm.mjs';

const send = (kind, message = {}) => parentPort.postMessage({ kind, ...message });
const { mode, files, heapMb, folder, argv } = workerData;
const sources = new Map(files);
const { mp, flush } = await createVm({
  files: sources,
  heapMb,
  emit: (stream, bytes) => send('output', { stream, bytes }),
});

/** The value of a Python expression. */
function evaluate(expression) {
  mp.runPython(`_value = ${expression}`);
  return mp.globals.get('_value');
}

const quote = (text) => JSON.stringify(text);

function prepare() {
  mp.runPython(`import os, sys\nsys.path.append(${quote(VM_RUNNER)})\nimport mpy_harness`);
  mp.runPython(`sys.path[:] = [${searchPath().map(quote).join(', ')}]`);
  mp.runPython(`os.chdir(${quote(VM_ROOT)})\nsys.argv[:] = [${argv.map(quote).join(', ')}]`);
}

/** Test names in the order of the source; what the source does not define at its left edge comes last. */
function inSourceOrder(names, source) {
  const defined = [...source.matchAll(/^(?:async )?(?:def|class) +(\w+)/gm)].map((match) => match[1]);
  const place = (name) => (defined.includes(name) ? defined.indexOf(name) : defined.length);
  return names.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

/**
 * For a script its folder first. For tests the root, then all folders of a suite, where helpers are. The root comes first: a folder tests/unit/hal without an
 * __init__.py is a package to MicroPython, and would hide the real one.
 */
function searchPath() {
  if (mode !== 'test') return [folder, VM_ROOT, '.frozen', '/lib'];
  const inside = [...sources.keys()].filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.py'));
  const folders = new Set([folder, ...inside.map((path) => path.slice(0, path.lastIndexOf('/')))]);
  return [VM_ROOT, ...folders, '.frozen', '/lib'];
}

function runTests({ module, path, only, without }) {
  send('begin', { name: '(import)' });
  if (evaluate('mpy_harness.asserts_are_on()') !== true) {
    send('broken', { failure: 'assert does nothing in this VM, so no test could fail' });
    return;
  }
  const failure = evaluate(`mpy_harness.load(${quote(module)})`);
  if (failure) {
    send('broken', { failure: cleanTraceback(failure) });
    return;
  }
  const found = evaluate('mpy_harness.names()').split(' ').filter(Boolean);
  const asked = found.filter((name) => !without.includes(name));
  const names = only ?? inSourceOrder(asked, new TextDecoder().decode(sources.get(path)));
  send('names', { names });
  const gone = (only ?? []).filter((name) => !found.includes(name));
  for (const name of gone) send('end', { name, ms: 0, failure: 'there is no such test: take it off the list' });
  for (const name of without.filter((name) => !found.includes(name))) {
    send('end', { name, ms: 0, failure: 'left out, and there is no such test: take it off the list' });
  }
  for (const name of names.filter((name) => !gone.includes(name))) runTest(name);
}

function runTest(name) {
  send('begin', { name });
  const begin = performance.now();
  const failure = evaluate(`mpy_harness.call(${quote(name)})`);
  flush();
  send('end', { name, ms: performance.now() - begin, failure: cleanTraceback(failure) });
}

function runScript() {
  mp.runPython(`_code, _text = mpy_harness.execute(${quote(argv[0])})`);
  flush();
  send('exit', { code: mp.globals.get('_code'), text: cleanTraceback(mp.globals.get('_text')) });
}

/** Do a piece of work; what passes the harness (the VM aborted, or ran out of memory) breaks this VM. */
function attempt(work) {
  try {
    work();
    flush();
    send('finished');
  } catch (error) {
    flush();
    send('broken', { failure: `the VM crashed: ${error?.stack ?? error}` });
  }
}

if (mode === 'test') {
  parentPort.on('message', (job) => attempt(() => runTests(job)));
  prepare();
} else {
  attempt(() => {
    prepare();
    runScript();
  });
}
