// The layout of the table: betting areas by seat, cards that lie there, the dealer's and the community's cards.

import { face, sourceMark } from './cards.js';
import { find, make } from './dom.js';
import { say } from './svg.js';

const TAKE = 'take';

export const dollars = (cents) => `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: cents % 100 ? 2 : 0 })}`;

const amount = (cents, coupon) => `${dollars(cents)}${coupon ? `, coupon ${dollars(coupon)}` : ''}`;

export class Layout {
  constructor(tap) {
    Object.assign(this, { tap, chip: null, coupon: false, shown: '' });
  }

  show(table) {
    const { open, chips, areas, seats, dealer, community, meters, again, sim, limits, bettors } = table;
    const now = JSON.stringify([open, areas, seats, dealer, community, meters, again, sim, this.chip, this.coupon]);
    if (now === this.shown) return;
    this.shown = now;
    this.chip ??= limits[0];
    const focused = document.activeElement?.id;
    find('chips').hidden = !open;
    const coupons = areas.some(({ coupon }) => coupon);
    this.coupon &&= open && coupons;
    find('chips').replaceChildren(...(open ? this.chips(chips, again, sim, coupons) : []));
    const house = [['Dealer', dealer], ['Community', community]].filter(([, { hands }]) => hands.length);
    find('places').replaceChildren(...house.map(([name, place]) => make('div', {}, make('h3', {}, name), ...this.cards(place))));
    find('seats').replaceChildren(...seats.map((seat) => this.seat(seat, open ? areas : null, bettors)));
    say(find('meters'), meters.map(({ name, cents }) => `${name} meter ${dollars(cents)}`).join(', '));
    if (focused) find(focused)?.focus();
  }

  chips(chips, again, sim, coupons) {
    const pick = (chip, text) =>
      make('button', { type: 'button', className: 'chip', id: `chip-${chip}`, ariaPressed: String(this.chip === chip), on: { click: () => this.pick(chip) } }, text);
    const more = [
      ...(coupons ? [make('button', { type: 'button', id: 'coupon', className: 'chip', ariaPressed: String(this.coupon), on: { click: () => this.asCoupon() } }, 'As a coupon')] : []),
      ...(again ? [make('button', { type: 'button', id: 'again', on: { click: () => this.tap({ do: 'again' }) } }, 'Same as before')] : []),
      ...(sim ? [make('button', { type: 'button', id: 'players', on: { click: () => this.tap({ do: 'players' }) } }, 'Simulated players')] : []),
    ];
    return [...chips.map((cents) => pick(cents, dollars(cents))), pick(TAKE, 'Take chips back'), ...more];
  }

  /** What is placed from now on is a coupon, or chips again. */
  asCoupon() {
    this.coupon = !this.coupon;
    find('coupon').ariaPressed = String(this.coupon);
  }

  pick(chip) {
    this.chip = chip;
    for (const button of find('chips').querySelectorAll('[id^=chip-]')) button.ariaPressed = String(button.id === `chip-${chip}`);
  }

  seat({ seat, wagers, others, coupons, hands, source, acts, says }, areas, bettors) {
    const out = ['folds', 'dead', 'bust', 'surrenders', 'out'].includes(says); // it takes no further part
    const className = `seat${acts ? ' acts' : ''}${says.startsWith('void') ? ' void' : ''}${out ? ' out' : ''}`;
    const staked = areas ? this.bettors(seat, [wagers, ...others], coupons, areas, bettors) : this.staked(wagers, coupons[0]);
    const note = says || (acts ? 'acts now' : '');
    return make(
      'div',
      { className, id: `seat-${seat}`, role: 'group', ariaLabel: `Seat ${seat}` },
      make('h3', {}, `Seat ${seat} `, make('span', {}, note)),
      ...staked,
      ...this.cards({ hands, source, shape: '' }),
    );
  }

  /** Areas of each bettor of a box, and of one more behind them if the table allows it; the first one calls. */
  bettors(seat, wagers, coupons, areas, most) {
    const there = wagers.filter((each) => Object.keys(each).length);
    const rows = there.length < most ? [...there, {}] : there;
    return rows.flatMap((each, i) => [
      ...(i ? [make('p', { className: 'note' }, `Bettor ${i + 1}`)] : []),
      ...areas.map((area) => this.area(seat, area, each[area.wager] ?? 0, coupons[i]?.[area.wager] ?? 0, i + 1)),
    ]);
  }

  /** A betting area: a tap adds the chosen chip or a coupon of that value, or takes all back. An area of one amount has it or not. */
  area(seat, { wager, label, fixed, unit }, cents, coupon, bettor) {
    const who = bettor > 1 ? `${seat}, bettor ${bettor}` : `${seat}`;
    const name = `area-${seat}${bettor > 1 ? `-${bettor}` : ''}-${wager.replaceAll(' ', '-')}`;
    const change = () => {
      const added = this.chip === TAKE || (unit && cents) ? -cents : unit || this.chip;
      this.tap({ do: 'wager', seat, bettor, wager, cents: cents + added, coupon: added < 0 ? 0 : coupon + (this.coupon ? added : 0) });
    };
    return make('button', { type: 'button', className: 'area', id: name, disabled: fixed, ariaLabel: `Seat ${who}, ${label}: ${amount(cents, coupon)}`, on: { click: change } }, label, make('b', {}, cents ? amount(cents, coupon) : ''));
  }

  staked(wagers, coupons) {
    const rows = Object.entries(wagers).map(([name, cents]) => make('div', {}, make('dt', {}, name), make('dd', {}, amount(cents, coupons[name] ?? 0))));
    return rows.length ? [make('dl', { className: 'staked' }, ...rows)] : [];
  }

  cards({ hands, source, shape }) {
    const hand = ({ cards, note }) => make('div', { className: shape || 'hand' }, ...cards.map(face), ...(note ? [make('b', {}, note)] : []));
    return [...hands.map(hand), ...sourceMark(source)];
  }
}
