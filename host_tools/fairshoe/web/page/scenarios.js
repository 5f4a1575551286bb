// The scenarios of the repository, to be opened and watched.

import { find, make } from './dom.js';

export class Scenarios {
  constructor(load, watch) {
    this.load = load;
    this.list = make('select', { id: 'scenario', on: { focus: () => this.fill() } });
    this.list.append(make('option', { value: '' }, 'choose a scenario'));
    this.text = make('p', { className: 'note' });
    this.result = make('p', { id: 'scenario-result', data: { role: 'status' } });
    const play = make('button', { type: 'button', id: 'watch', on: { click: () => this.play(watch) } }, 'Watch');
    find('scenarios').replaceChildren(make('div', { className: 'row' }, make('label', {}, 'Scenario ', this.list), play), this.text, this.result);
  }

  async fill() {
    if (this.all) return;
    this.all = await this.load('scenarios.json');
    this.list.append(...Object.keys(this.all).sort().map((name) => make('option', { value: name }, name)));
  }

  async play(watch) {
    await this.fill();
    const data = this.all[this.list.value];
    if (!data) return;
    this.text.textContent = `${data.title}. ${data.story ?? ''}`;
    this.result.textContent = 'The VM plays it …';
    watch(structuredClone(data));
  }

  ended(problems) {
    this.result.textContent = problems.length ? `Not as expected: ${problems.join('; ')}` : 'Everything came as the scenario expects.';
  }
}
