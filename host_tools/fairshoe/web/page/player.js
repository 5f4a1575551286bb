// Plays pictures that were made beforehand, as they come in: a scenario that a worker plays as fast as it can.

const BEAT_MS = 33;

export class Player {
  constructor(show) {
    this.show = show;
    this.speed = 1;
    this.clear();
    setInterval(() => this.beat(), BEAT_MS);
  }

  clear() {
    this.frames = [];
    this.shown = -1;
    this.t = 0;
    this.ended = false;
    this.last = performance.now();
  }

  push(text) {
    const picture = JSON.parse(text);
    this.frames.push({ t: picture.t, text });
  }

  setSpeed(speed) {
    this.speed = speed;
    this.last = performance.now();
  }

  /** The next picture. */
  scan() {
    this.go(this.shown + 1);
  }

  beat() {
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    if (!this.frames.length || !this.speed) return;
    this.t = this.speed === Infinity ? Infinity : this.t + Math.min(passed, 250) * this.speed * 1000;
    let to = this.shown;
    while (to + 1 < this.frames.length && this.frames[to + 1].t <= this.t) to += 1;
    this.t = Math.min(this.t, this.frames.at(-1).t);
    this.go(to);
  }

  /** Show a later picture, with the news of those between. */
  go(to) {
    if (to <= this.shown || to >= this.frames.length) return;
    const between = this.frames.slice(this.shown + 1, to + 1).map(({ text }) => JSON.parse(text));
    const picture = between.at(-1);
    picture.news = between.flatMap(({ news }) => news);
    picture.wire = between.flatMap(({ wire }) => wire);
    this.shown = to;
    this.t = Math.max(this.t, picture.t);
    this.show(picture);
  }
}
