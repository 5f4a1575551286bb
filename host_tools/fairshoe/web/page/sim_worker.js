// Runs firmware, simulated machine and rig on the MicroPython VM, in a worker of its own.
//
// In:  {start: {data, config, steps, at_ms}}, {speed}, {act: step}, {scan: true}, {dealer: {on, last}}, {plan: steps},
//      {watch: setup}, {save: id}, {transcript: id}
// Out: {ready}, {about}, {picture}, {refused: {step, text}}, {failed: text}, {frame}, {watched: problems},
//      {answer: {id, value}}

const VM_HEAP = 24 << 20;
const PICTURE_MS = 33; // 30 pictures a second
const BUSY_MS = 24; // of which the VM may take so much, so that messages get in between
const LATE_MS = 250; // a machine that cannot keep up is not hurried afterwards

let live = null;
let speed = 0;
let target_ms = 0; // simulated time to be at by now, with its fraction
let last = performance.now();
let spent = { busy_ms: 0, simulated_ms: 0 };

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
  mp.runPython(`
import gc, os, sys
sys.path.insert(0, "/fairshoe")
os.chdir("/fairshoe")
from rig.live import start, watch
`);
  return mp;
}

const vm = boot();
vm.then(
  () => postMessage({ ready: performance.now() }),
  (error) => postMessage({ failed: String(error.stack ?? error) }),
);

function picture() {
  const text = live.picture();
  postMessage({ picture: text, spent });
}

/** Let simulated time pass for one picture, at most BUSY_MS of real time. */
function beat() {
  const now = performance.now();
  const passed = Math.min(now - last, LATE_MS);
  last = now;
  if (!live || !speed) return;
  const before = live.now_ms();
  if (speed === Infinity) {
    do live.run_to(live.now_ms() + 20);
    while (performance.now() - now < BUSY_MS);
    target_ms = live.now_ms();
  } else {
    target_ms += passed * speed;
    const to = Math.floor(target_ms);
    while (live.now_ms() < to && performance.now() - now < BUSY_MS) live.run_to(Math.min(to, live.now_ms() + 20));
    if (live.now_ms() < to) target_ms = live.now_ms();
  }
  spent.simulated_ms += live.now_ms() - before;
  picture();
  spent.busy_ms += performance.now() - now;
}

async function start({ data, config, steps = [], at_ms = 0 }) {
  const mp = await vm;
  live = null;
  mp.runPython('gc.collect()');
  live = mp.globals.get('start')(JSON.stringify(data), JSON.stringify(config));
  postMessage({ about: JSON.parse(live.about()) });
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
    if (text) postMessage({ refused: { step, text } });
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
  async watch({ data, config }) {
    const mp = await vm;
    live = null;
    mp.runPython('gc.collect()');
    postMessage({ about: JSON.parse(mp.globals.get('start')(JSON.stringify(data), JSON.stringify(config)).about()) });
    const post = (frame) => postMessage({ frame });
    postMessage({ watched: JSON.parse(mp.globals.get('watch')(JSON.stringify(data), JSON.stringify(config), post, PICTURE_MS)) });
  },
};

const ALWAYS = new Set(['start', 'speed', 'watch']); // the others mean nothing without a machine

let queue = Promise.resolve();
onmessage = ({ data }) => {
  for (const [name, value] of Object.entries(data)) {
    queue = queue.then(() => (live || ALWAYS.has(name) ? ORDERS[name](value) : null))
      .catch((error) => postMessage({ failed: String(error.stack ?? error) }));
  }
};
setInterval(() => {
  try {
    beat();
  } catch (error) {
    live = null;
    postMessage({ failed: String(error.stack ?? error) });
  }
}, PICTURE_MS);
