// Where pictures come from: a simulated machine in a worker. Any other source has the same members:
// `can` says what it allows, `listen` gets {about}, {picture}, {refused}, {failed}; the others are orders.

export class SimSource {
  constructor(listen) {
    this.can = { act: true, time: true, faults: true, record: true };
    this.listen = listen;
    this.saves = new Map();
    this.worker = new Worker(new URL('./sim_worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => listen({ failed: event.message ?? 'the worker did not start' });
  }

  heard(message) {
    if (message.saved) {
      this.saves.get(message.saved.id)?.(JSON.parse(message.saved.text));
      this.saves.delete(message.saved.id);
      return;
    }
    if (message.picture) message.picture = JSON.parse(message.picture);
    this.listen(message);
  }

  /** A machine from power-up; with steps and a time, replayed to that moment. */
  start(setup) {
    this.worker.postMessage({ start: setup });
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

  /** A careful operator does the next step, or no operator acts. */
  dealer(on) {
    this.worker.postMessage({ dealer: on });
  }

  /** The scenario of what was done until now. */
  save() {
    const id = this.saves.size + Math.random();
    return new Promise((resolve) => {
      this.saves.set(id, resolve);
      this.worker.postMessage({ save: id });
    });
  }
}
