// What hands do to a machine: cards in and out, door, key, plug.

import { find, make } from './dom.js';

const button = (id, text, click, title = '') => make('button', { type: 'button', id, title, on: { click } }, text);

export class Hands {
  constructor(act, dealer) {
    this.act = act;
    this.count = make('input', { type: 'number', id: 'cards', min: 1, max: 416, value: 52 });
    this.toggles = {
      door: this.toggle('door', 'Open the door', 'Close the door', () => ({ do: this.door ? 'close' : 'open' })),
      key: this.toggle('key', 'Turn the key', 'Turn the key back', () => ({ do: 'key', to: this.key ? 'off' : 'on' })),
      plug: this.toggle('plug', 'Pull the plug', 'Plug it in', () => ({ do: this.power ? 'cut' : 'boot' })),
    };
    this.helper = make('input', { type: 'checkbox', id: 'dealer', on: { change: () => dealer(this.helper.checked) } });
    find('hands-body').replaceChildren(
      make('div', { className: 'row' }, make('label', {}, 'Cards ', this.count), button('load', 'Load', () => this.load())),
      make(
        'div',
        { className: 'row' },
        button('take', 'Take the tray', () => act({ do: 'take' })),
        button('lift', 'Empty the hopper', () => act({ do: 'lift' })),
        button('clear', 'Clear by hand', () => act({ do: 'clear' }), 'every card out, wherever it lies: open the door first'),
      ),
      make('div', { className: 'row' }, ...Object.values(this.toggles)),
      make('label', { className: 'check' }, this.helper, ' a dealer plays by itself and clears every stop'),
    );
  }

  toggle(id, off, on, step) {
    const made = button(id, off, () => this.act(step()));
    made.texts = [off, on];
    made.setAttribute('aria-pressed', 'false');
    return made;
  }

  load() {
    this.act({ do: 'load', cards: Number(this.count.value) });
  }

  /** Another machine: its own deck. */
  fit(about) {
    this.count.value = about.deck;
    this.helper.checked = false;
  }

  show(picture, line) {
    this.door = line('door') === 1;
    this.key = line('key_switch') === 1;
    this.power = picture.power === 1;
    this.press(this.toggles.door, this.door);
    this.press(this.toggles.key, this.key);
    this.press(this.toggles.plug, !this.power);
  }

  press(toggle, on) {
    if (toggle.on === on) return;
    toggle.on = on;
    toggle.setAttribute('aria-pressed', String(on));
    toggle.textContent = toggle.texts[on ? 1 : 0];
  }
}
