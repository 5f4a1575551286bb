// What hands do to a machine: cards in and out, door, key, plug and cable; at a draw shoe they also draw.

import { make, whole } from './dom.js';
import { say } from './svg.js';

const button = (id, text, click, title = '') => make('button', { type: 'button', id, title, on: { click } }, text);
const NO_BYTE = 1000000; // parts per million that are lost
const RANKS = ['ace', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'jack', 'queen', 'king'];

export class Hands {
  constructor(groups, act, dealer, refuse) {
    Object.assign(this, { act, refuse });
    this.count = make('input', { type: 'number', id: 'cards', name: 'Cards', min: 1, max: 416, value: 52 });
    this.toggles = {
      door: this.toggle('door', 'Open the door', 'Close the door', () => ({ do: this.door ? 'close' : 'open' })),
      key: this.toggle('key', 'Turn the key', 'Turn the key back', () => ({ do: 'key', to: this.key ? 'off' : 'on' })),
      plug: this.toggle('plug', 'Pull the plug', 'Plug it in', () => ({ do: this.power ? 'cut' : 'boot' })),
      cable: this.toggle('cable', 'Pull the cable', 'Plug the cable in', () => (this.pulled ? { do: 'link' } : { do: 'link', lose_ppm: NO_BYTE })),
    };
    this.helper = make('input', { type: 'checkbox', id: 'dealer', on: { change: () => dealer(this.helper.checked) } });
    this.dealer = dealer;
    this.rows = Object.fromEntries(Object.entries(groups.rows).map(([place, { hands }]) => [place, hands]));
    groups.top.append(make('label', { className: 'check' }, this.helper, ' a dealer plays by itself and clears every stop'));
    this.rows.inside.append(this.toggles.plug, this.toggles.cable);
  }

  toggle(id, off, on, step) {
    const made = button(id, off, () => this.act(step()));
    made.texts = [off, on];
    made.setAttribute('aria-pressed', 'false');
    return made;
  }

  load(off = null, more = {}) {
    const cards = off === null ? whole(this.count, this.refuse) : off;
    if (cards !== null) this.act({ do: 'load', cards, ...more });
  }

  /** Let a dealer play by itself, or stop it. */
  letDeal(on) {
    if (this.helper.checked === on) return;
    this.helper.checked = on;
    this.dealer(on);
  }

  /** Another machine: its own deck, and at a draw shoe a hand that draws. */
  fit(about, dealing = false, keyed = false) {
    this.deck = about.deck;
    this.count.value = about.deck;
    this.helper.checked = dealing;
    const { act, deck } = this;
    const stop = (id, text, way) => button(id, text, () => act({ do: 'stop_card', way }), 'a finger on the card that moves there');
    const out = about.kind === 'carousel' ? [stop('stop-out', 'Stop the card on its way out', 1)] : [];
    this.rows.hopper.replaceChildren(
      make('label', {}, 'Cards ', this.count),
      button('load', 'Load', () => this.load()),
      ...[-1, 1].map((off) => button(`load${off}`, off < 0 ? 'one too few' : 'one too many', () => this.load(deck + off))),
      button('load-two', 'two decks', () => this.load(2 * deck)),
      button('load-back', 'another back', () => this.load(null, { deck: 2 })),
      button('lift', 'Empty the hopper', () => act({ do: 'lift' })),
    );
    const drawing = [
      button('draw', 'Draw a card', () => act({ do: 'draw' })),
      button('draw-two', 'Draw two at once', () => act({ do: 'draw_two', offset_um: 20000 })),
      button('draw-back', 'Draw and put back', () => act({ do: 'draw_back' })),
      button('hold', 'Hold', () => act({ do: 'hold' })),
      button('let-go', 'Let go', () => act({ do: 'let_go' })),
    ];
    this.rows.throat.replaceChildren(...(about.kind === 'draw' ? drawing : [stop('stop-in', 'Stop the card on its way in', 0)]));
    const tray = [button('take', 'Take the tray', () => act({ do: 'take' })), button('put', 'Put a card into the tray', () => act({ do: 'litter', cards: 1 })), ...out];
    this.rows.exit.replaceChildren(...(about.kind === 'draw' ? [] : tray));
    this.readerState = about.inputs.includes('hole_card') ? make('output', { id: 'reader' }) : null;
    this.rows.case.replaceChildren(
      this.toggles.door,
      button('clear', 'Clear by hand', () => act({ do: 'clear' }), 'every card out, wherever it lies: open the door first'),
      this.toggles.key,
      ...(this.readerState ? this.readerParts(keyed) : []),
    );
  }

  /** The reader of the dealer's hole card. The host must have reported an ace, king, queen or jack up first. */
  readerParts(keyed) {
    const rank = make('select', { id: 'rank' });
    rank.append(...RANKS.map((name, i) => make('option', { value: i + 1 }, name)));
    const report = button('up-card', 'Report as up-card', () => this.act({ do: 'command', name: 'record', what: 'up_card', a: Number(rank.value) }), 'a record of the host: it takes a keyed link');
    report.disabled = !keyed;
    return [
      make('label', {}, 'Card ', rank),
      report,
      button('peek', 'Hole card into the reader', () => this.act({ do: 'peek', rank: Number(rank.value) })),
      button('peek-end', 'Take it out', () => this.act({ do: 'peek_end' })),
      this.readerState,
    ];
  }

  show(picture, line) {
    if (this.readerState) say(this.readerState, picture.reader ? 'a card lies in it' : 'the reader is empty');
    this.door = line('door') === 1;
    this.key = line('key_switch') === 1;
    this.power = picture.power === 1;
    this.press(this.toggles.door, this.door);
    this.press(this.toggles.key, this.key);
    this.press(this.toggles.plug, !this.power);
    this.pulled = picture.cable?.[1] === NO_BYTE;
    this.press(this.toggles.cable, this.pulled);
  }

  press(toggle, on) {
    if (toggle.on === on) return;
    toggle.on = on;
    toggle.setAttribute('aria-pressed', String(on));
    toggle.textContent = toggle.texts[on ? 1 : 0];
  }
}
