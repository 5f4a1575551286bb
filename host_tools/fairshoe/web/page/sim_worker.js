// Runs firmware, simulated machine and rig on the MicroPython VM, in a worker of its own.
//
// In:  {start: {run, data, config, steps, at_ms}}, {speed}, {act: step}, {scan: true}, {dealer: {on, last}}, {plan: steps},
//      {watch: {run, data, config}}, {save: id}, {transcript: id}
// Out: {run, about}, {run, picture, spent}, {run, refused: {step, text}}, {run, frame}, {run, watched: problems}, where
//      `run` is the number of the machine they are about; {ready}, {failed: text}, {answer: {id, value}}

const VM_HEAP = 24 << 20;
const PICTURE_MS = 33; // 30 pictures a second
const BUSY_MS = 30; // of which the VM may take so much, so that messages get in between
const STEP_MS = 100; // of simulated time in one call of the VM: calls cost time, too
const GARBAGE = 1 << 20; // bytes allocated between two collections
const LATE_MS = 250; // a machine that cannot keep up is not hurried afterwards

let run = 0; // of the last start
let live = null;
let speed = 0;
let target_ms = 0; // simulated time to be at by now, with its fraction
let last = performance.now();
const spent = { busy_ms: 0, simulated_ms: 0 };

/**
 * The VM package is built with assertions: each call through a pointer reads the table of functions once more, only to
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

async function boot() {
  keepTableEntries();
  const [{ loadMicroPython }, sources] = await Promise.all([
    import('./vm/micropython.mjs'),
    fetch(new URL('./device.json', import.meta.url)).then((answer) => answer.json()),
  ]);
  const mp = await loadMicroPython({
    heapsize: VM_HEAP,
    pystack: 4096,
    linebuffer: true,
    stdout: (line) => console.info(line),
    url: new URL('./vm/micropython.wasm', import.meta.url).href,
  });
  for (const [path, text] of Object.entries(sources)) {
    const full = `/fairshoe/${path}`;
    mp.FS.mkdirTree(full.slice(0, full.lastIndexOf('/')));
    mp.FS.writeFile(full, text);
  }
  // Unless asked for more the VM collects after each call that has allocated 16 kB: half of its time went into that.
  mp.runPython(`
import gc, os, sys
gc.threshold(${GARBAGE})
sys.path.insert(0, "/fairshoe")
os.chdir("/fairshoe")
from rig.live import start, watch
`);
  return mp;
}

const vm = boot();
vm.then(
  () => postMessage({ ready: performance.now() }),
  (error) => postMessage({ failed: reason(error) }),
);

/** Why something failed: of a traceback its last line, the rest on the console. */
function reason(error) {
  console.info(String(error.stack ?? error));
  return String(error.message ?? error).trim().split('\n').at(-1);
}

/** Something about the machine of this run. */
const say = (message) => postMessage({ run, ...message });

function picture() {
  say({ picture: live.picture(), spent });
}

/** Let simulated time pass for one picture, at most BUSY_MS of real time. */
function beat() {
  const now = performance.now();
  const passed = Math.min(now - last, LATE_MS);
  last = now;
  if (!live || !speed) return;
  const before = live.now_ms();
  target_ms = speed === Infinity ? Infinity : target_ms + passed * speed;
  const to = Math.floor(target_ms);
  let ms = before;
  while (ms < to && performance.now() - now < BUSY_MS) {
    live.run_to(Math.min(to, ms + STEP_MS));
    ms = live.now_ms();
  }
  if (ms < to) target_ms = ms;
  spent.simulated_ms += ms - before;
  picture();
  spent.busy_ms += performance.now() - now;
}

async function start({ run: number, data, config, steps = [], at_ms = 0 }) {
  const mp = await vm;
  live = null;
  run = number;
  mp.runPython('gc.collect()');
  live = mp.globals.get('start')(JSON.stringify(data), JSON.stringify(config));
  say({ about: JSON.parse(live.about()) });
  if (steps.length) live.replay(JSON.stringify(steps));
  for (let ms = live.now_ms(); ms < at_ms; ) {
    ms = Math.min(at_ms, ms + 500);
    live.run_to(ms);
  }
  target_ms = live.now_ms();
  last = performance.now();
  picture();
}

const ORDERS = {
  start,
  speed(value) {
    speed = value;
    last = performance.now();
    target_ms = live ? live.now_ms() : 0;
  },
  act(step) {
    const text = live.act(JSON.stringify(step));
    if (text) say({ refused: { step, text } });
    picture();
  },
  scan() {
    live.step_scan();
    target_ms = live.now_ms();
    picture();
  },
  dealer({ on, last }) {
    live.dealer(on, last);
  },
  plan(steps) {
    live.plan(JSON.stringify(steps));
  },
  save(id) {
    postMessage({ answer: { id, value: JSON.parse(live.saved()) } });
  },
  transcript(id) {
    postMessage({ answer: { id, value: Array.from(live.finish()) } });
    live = null;
  },
  /** To the end of the scenario in one go: nothing else happens in this worker meanwhile. */
  async watch({ run: number, data, config }) {
    const mp = await vm;
    live = null;
    run = number;
    mp.runPython('gc.collect()');
    say({ about: JSON.parse(mp.globals.get('start')(JSON.stringify(data), JSON.stringify(config)).about()) });
    const post = (frame) => say({ frame });
    say({ watched: JSON.parse(mp.globals.get('watch')(JSON.stringify(data), JSON.stringify(config), post, PICTURE_MS)) });
  },
};

const ALWAYS = new Set(['start', 'speed', 'watch']); // the others mean nothing without a machine

let queue = Promise.resolve();
onmessage = ({ data }) => {
  for (const [name, value] of Object.entries(data)) {
    queue = queue.then(() => (live || ALWAYS.has(name) ? ORDERS[name](value) : null))
      .catch((error) => postMessage({ failed: reason(error) }));
  }
};

/** One picture after another: at their time, or at once if time is to run as fast as it goes. */
const { port1: turn, port2: next } = new MessageChannel(); // orders that wait come first; a timer would cost 4 ms
turn.onmessage = goOn;
function goOn() {
  const began = performance.now();
  try {
    beat();
  } catch (error) {
    live = null;
    postMessage({ failed: reason(error) });
  }
  if (live && speed === Infinity) next.postMessage(null);
  else setTimeout(goOn, Math.max(0, began + PICTURE_MS - performance.now()));
}
goOn();
