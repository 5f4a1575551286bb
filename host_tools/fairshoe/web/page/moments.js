// Moments: a link that leads to exactly this one, steps back, and the record as a scenario file.

import { download, find, make } from './dom.js';

const AT_MS_MAX = 24 * 3600 * 1000;
const within = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;
const encode = (value) => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const decode = (text) => JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));

/** The fragment of a link to a moment: the setup, the steps until then, and the millisecond. */
export function toFragment({ data, at_ms }) {
  const { script, title: _title, ...setup } = data;
  return `#m=${encode({ ...setup, steps: upTo(script, at_ms), at: at_ms })}`;
}

/** What a fragment says; null if it is no moment, `broken` if it was to be one. */
export function fromFragment(fragment) {
  if (!fragment.startsWith('#m=')) return null;
  try {
    const { steps, at, ...setup } = decode(fragment.slice(3));
    const sound = Array.isArray(steps) && within(at, 0, AT_MS_MAX) && within(setup.seed ?? 1, 1, 65535);
    return sound ? { setup, steps, at_ms: at } : { broken: true };
  } catch {
    return { broken: true };
  }
}

/** The steps that were done by that millisecond. */
export function upTo(script, at_ms) {
  let ms = 0;
  return script.filter((step, i) => {
    ms += step.after_ms ?? 0;
    return ms <= at_ms && !(i === script.length - 1 && step.do === 'wait');
  });
}

export class Moments {
  constructor({ save, now, goTo, say }) {
    Object.assign(this, { save, now, goTo, say });
    const button = (id, text, click) => make('button', { type: 'button', id, on: { click } }, text);
    find('moments').replaceChildren(
      make('div', { className: 'row' }, button('back-1', 'Back 1 s', () => this.back(1000)), button('back-10', 'Back 10 s', () => this.back(10000))),
      make('div', { className: 'row' }, button('link', 'Link to this moment', () => this.link()), button('save', 'Save as scenario', () => this.keep())),
    );
  }

  back(ms) {
    this.goTo(Math.max(0, this.now() - ms));
  }

  async link() {
    const data = await this.save();
    history.replaceState(null, '', toFragment({ data, at_ms: this.now() }));
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link to this moment is in the address bar and on the clipboard.');
    } catch {
      this.say('The link to this moment is in the address bar.');
    }
  }

  async keep() {
    download('bench-page.json', JSON.stringify(await this.save(), null, 1));
    this.say('Saved bench-page.json. Play it again with: fairshoe scenario run bench-page.json');
  }
}
