// Where pictures come from: a simulated machine in a worker. Any other source has the same members:
// `can` says what it allows, `listen` gets {about}, {picture}, {refused}, {failed}; the others are orders.

export class SimSource {
  /** The VM starts at once; what it says waits until `listen` is given to `hear`. */
  constructor() {
    this.can = { act: true, time: true, faults: true, record: true };
    this.early = [];
    this.listen = (message) => this.early.push(message);
    this.answers = new Map();
    this.asked = 0;
    this.run = 0; // number of the machine
    this.worker = new Worker(new URL('./sim_worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.listen({ failed: event.message ?? 'the worker did not start' });
  }

  hear(listen) {
    this.listen = listen;
    for (const message of this.early.splice(0)) listen(message);
  }

  heard(message) {
    if (message.answer) {
      this.answers.get(message.answer.id)(message.answer.value);
      this.answers.delete(message.answer.id);
      return;
    }
    if ((message.run ?? this.run) !== this.run) return; // about the machine before
    if (message.picture) message.picture = JSON.parse(message.picture);
    this.listen(message);
  }

  /** A machine from power-up; with steps and a time, replayed to that moment. */
  start(setup) {
    this.run += 1;
    this.worker.postMessage({ start: { run: this.run, ...setup } });
  }

  setSpeed(speed) {
    this.worker.postMessage({ speed });
  }

  act(step) {
    this.worker.postMessage({ act: step });
  }

  /** One scan of the firmware. */
  scan() {
    this.worker.postMessage({ scan: true });
  }

  /** Let a careful operator do what is to be done, until the event `last` if it is named; or stop that. */
  dealer(on, last = '') {
    this.worker.postMessage({ dealer: { on, last } });
  }

  /** Let steps happen by themselves, each at its time. */
  plan(steps) {
    this.worker.postMessage({ plan: steps });
  }

  /** Play a scenario as fast as the VM can: {frame} for each picture, then {watched} with what was not as expected. */
  watch(setup) {
    this.run += 1;
    this.worker.postMessage({ watch: { run: this.run, ...setup } });
  }

  /** The transcript of all that was done, as a scenario ends; the machine ends with it. */
  transcript() {
    return this.ask('transcript');
  }

  /** The scenario of what was done until now. */
  save() {
    return this.ask('save');
  }

  ask(order) {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve) => {
      this.answers.set(id, resolve);
      this.worker.postMessage({ [order]: id });
    });
  }
}
