// The machine, seen from the side: built from a board config, shown from pictures. A picture may lack what a host
// cannot know (slots, bodies): those parts then stay empty.

import { LINES, OUTPUTS } from './lines.js';
import { Beam, Pile, Roller } from './parts.js';
import { Carousel } from './store_carousel.js';
import { Shelves } from './store_shelves.js';
import { el, flag, heat, set } from './svg.js';
import { CardPath, PX_PER_MM, bend } from './card_path.js';

const CARD = 88.9 * PX_PER_MM;
const HOPPER_X = 34;
const FRONT_X = HOPPER_X + CARD + 4; // where a card leaves the hopper

/** Reads levels and motors out of a picture. */
class Signals {
  constructor(picture) {
    this.picture = picture;
    this.dark = this.motor('dark');
  }
  byte(text, at) {
    return text ? parseInt(text.slice(2 * at, 2 * at + 2), 16) : 0;
  }
  level(line) {
    return this.byte(this.picture.level, LINES.indexOf(line));
  }
  truth(line) {
    return this.byte(this.picture.truth, LINES.indexOf(line));
  }
  watches(line) {
    return this.level(line) === 1;
  }
  motor(name) {
    return this.byte(this.picture.out, OUTPUTS.indexOf(name)) === 1;
  }
}

const LAYOUTS = { carousel, shelves, shoe, draw };

export class Machine {
  /** An empty machine of this board, in `holder`. With `hands`, its parts can be touched: beam(line), card(way), door(),
   * hopper() and tray(). */
  constructor(holder, board, hands = null) {
    this.kind = board.mechanism.kind;
    const mech = board.mechanism;
    const layout = LAYOUTS[this.kind](mech, board);
    this.parts = layout;
    this.beams = layout.beams.filter((beam) => board.inputs[beam.line] !== undefined);
    this.piles = { hopper: layout.hopper, tray: layout.tray };
    this.door = el('path', { class: 'door', d: layout.door }, el('title', {}, 'door'));
    const seen = hands ? { role: 'group', 'aria-label': 'Parts of the machine that hands can reach' } : { 'aria-hidden': 'true' };
    this.svg = el('svg', { viewBox: layout.view, class: `machine ${this.kind}`, ...seen });
    if (hands) this.heat(hands, layout);
    this.svg.append(el('path', { class: 'case', d: layout.case }), this.door, ...layout.back);
    if (layout.store) this.svg.append(layout.store.layer);
    for (const part of [layout.hopper, layout.tray, ...layout.rollers]) if (part) this.svg.append(part.layer);
    for (const way of layout.ways) this.svg.append(way.layer);
    for (const beam of this.beams) this.svg.append(beam.layer);
    if (layout.front) this.svg.append(layout.front);
    holder.replaceChildren(this.svg);
    this.t = 0;
  }

  heat(hands, { ways, store, hopper, tray }) {
    heat(this.door, 'door: open or close it', hands.door);
    hopper.heat('hopper: load a deck', hands.hopper);
    tray?.heat('tray: take the cards', hands.tray);
    for (const beam of this.beams) beam.heat(hands.beam);
    store?.heat?.(hands.beam);
    if (this.kind !== 'draw') ways.forEach((way, number) => Object.assign(way, { touch: () => hands.card(number) }));
  }

  show(picture) {
    const lines = new Signals(picture);
    const passed_ms = Math.max(0, (picture.t - this.t) / 1000);
    this.t = picture.t;
    const { parts } = this;
    parts.hopper.show(picture.hopper ?? 0);
    parts.tray?.show(picture.tray ?? 0);
    parts.store?.show(picture, lines);
    const bodies = picture.bodies ?? [];
    parts.ways.forEach((way, track) => way.show(bodies.filter((body) => body[0] === track).map((body) => body.slice(1))));
    for (const roller of parts.rollers) {
      const back = lines.motor('reverse') && roller.motor !== 'outfeed';
      roller.show(lines.motor(roller.motor), back, passed_ms);
    }
    for (const beam of this.beams) {
      const line = beam.line;
      const edges = picture.edges?.[LINES.indexOf(line)] ?? 0;
      beam.show({ level: lines.level(line), truth: lines.truth(line), edges, dark: lines.dark, powered: picture.power });
    }
    flag(this.svg, 'off', !picture.power);
    flag(this.svg, 'open', lines.truth('door') === 1);
    flag(this.svg, 'warned', picture.warning !== 'none');
    parts.more?.(picture, lines);
  }
}

const rollerOf = (motor, place) => Object.assign(new Roller(place), { motor });

/** Hopper, pick roller, throat and transport rollers at height `y`. The throat is drawn longer than it is. */
function intake(mech, y) {
  const top = mech.feed !== 'bottom';
  const side = top ? -1 : 1; // of the pick roller
  const [a, b, nip] = [FRONT_X + 44, FRONT_X + 78, FRONT_X + 112];
  return {
    hopper: new Pile({ x: HOPPER_X, y: y + (top ? 4 : -4), width: CARD, way: top ? 1 : -1, max: 100 }),
    points: [[HOPPER_X, y, -mech.card_um], [FRONT_X, y, 0], [a, y, mech.throat_a_um], [b, y, mech.throat_b_um], [nip, y, mech.nip_um]],
    rollers: [
      rollerOf('pick', { x: FRONT_X - 30, y: y + side * 17, label: 'pick', below: !top }),
      rollerOf('transport', { x: nip, y: y - 16, r: 12, label: 'transport' }),
      rollerOf('transport', { x: nip, y: y + 16, r: 12 }),
    ],
    beams: [
      new Beam({ line: 'hopper', x: HOPPER_X + 16, y: y + (top ? 12 : -12), reach: 30, label: 'hopper', text_y: top ? -38 : 46 }),
      new Beam({ line: 'throat_a', x: a, y, reach: 30, label: 'A', text_y: 48 }),
      new Beam({ line: 'throat_b', x: b, y, reach: 30, label: 'B', text_y: 48 }),
    ],
    nip,
  };
}

function carousel(mech) {
  const y = 240;
  const first = intake(mech, y);
  const mouth = first.nip + 34;
  const radius = CARD + 58;
  const hub = { x: mouth + radius, y };
  const into = new CardPath([...first.points, [mouth + CARD, y, mech.throat_b_um + mech.card_um]]);
  const exit_um = mech.exit_um;
  const chute = bend([mouth, y + 2, 0], [mouth - 16, y + 10], [mouth - 36, y + 70, exit_um * 0.7]);
  const tray_x = mouth - 280;
  const out = new CardPath([[mouth + CARD, y, -mech.card_um], ...chute, [mouth - 60, y + 124, exit_um], [tray_x + CARD - 4, y + 200, exit_um + mech.card_um * 0.5], [tray_x + 24, y + 208, exit_um + mech.card_um + mech.tray_um]]);
  const [exit, outfeed] = [out.at(exit_um), out.at(exit_um * 0.62)];
  return {
    view: `0 0 ${hub.x + radius + 26} 496`,
    case: `M14 ${y - 66}H${mouth - 14}Q${mouth + 24} 22 ${hub.x} ${y - radius - 12}A${radius + 12} ${radius + 12} 0 0 1 ${hub.x} ${y + radius + 12}H${mouth - 20}V488H14Z`,
    door: `M${hub.x + 40} ${y - radius - 9}A${radius + 10} ${radius + 10} 0 0 1 ${hub.x + radius - 14} ${y - 110}`,
    back: [el('path', { class: 'guide', d: out.piece(2000, exit_um + mech.card_um) })],
    store: new Carousel({ ...hub, radius, count: mech.slot_count, beam_slots: mech.slot_beam_slots }),
    ways: [into, out],
    hopper: first.hopper,
    tray: new Pile({ x: tray_x, y: y + 218, width: CARD, way: -1, label: 'tray', max: 80 }),
    rollers: [...first.rollers, rollerOf('outfeed', { x: outfeed.x - 13, y: outfeed.y + 2, r: 11 }), rollerOf('outfeed', { x: outfeed.x + 14, y: outfeed.y + 8, r: 11 })],
    beams: [
      ...first.beams,
      new Beam({ line: 'exit', x: exit.x, y: exit.y, reach: 26, angle: 66, label: 'exit', text_y: 36 }),
      new Beam({ line: 'tray', x: tray_x + 18, y: y + 200, reach: 26 }),
    ],
  };
}

function shelves(mech) {
  const y = 250;
  const first = intake(mech, y);
  const mouth = first.nip + 44;
  const store_x = mouth + 26;
  const store = new Shelves({ x: store_x, y, width: CARD, count: mech.shelf_count, cards_max: mech.shelf_cards_max });
  const tray_x = store_x + CARD + 44;
  const lift = el('rect', { class: 'pile', width: 70, height: 0, rx: 2 });
  return {
    view: `0 0 ${tray_x + CARD + 32} 500`,
    case: `M14 ${y - 130}H${mouth - 12}V12H${tray_x - 16}V${y - 66}H${tray_x + CARD + 20}V${y + 84}H${tray_x - 16}V488H${mouth - 12}V${y + 76}H14Z`,
    door: `M${store_x + 10} 12H${store_x + CARD - 10}`,
    back: [
      el('path', { class: 'guide', d: `M${tray_x + CARD / 2} ${y + 84}V${y + 176}H${HOPPER_X + CARD / 2}V${y + 76}` }),
      el('text', { class: 'label minor', x: HOPPER_X + CARD / 2 + 94, y: y + 196 }, 'lift back to the hopper'),
    ],
    store,
    ways: [new CardPath([...first.points, [mouth, y, mech.arrival_um], [store_x + CARD, y, mech.arrival_um + mech.card_um]])],
    hopper: first.hopper,
    tray: new Pile({ x: tray_x, y: y + 50, width: CARD, way: -1, label: 'tray', max: 90 }),
    rollers: first.rollers,
    beams: [
      ...first.beams,
      new Beam({ line: 'arrival', x: mouth, y, reach: 30, label: 'arrival', text_y: 48 }),
      new Beam({ line: 'tray', x: tray_x + 24, y: y + 30, reach: 34 }),
    ],
    front: lift,
    more(picture) {
      const part = (picture.lift ?? 0) / 1000;
      set(lift, 'height', part > 0 && part < 1 ? 24 : 0);
      set(lift, 'x', (tray_x + CARD / 2 - 35 - part * (tray_x - HOPPER_X)).toFixed(0));
      set(lift, 'y', String(y + 164));
    },
  };
}

function shoe(mech) {
  const y = 112;
  const first = intake(mech, y);
  const exit_x = first.nip + 60;
  const tray_x = exit_x + 40;
  const end_um = mech.exit_um + mech.card_um + mech.tray_um;
  const way = new CardPath([...first.points, [exit_x, y, mech.exit_um], [exit_x + 30, y + 16, mech.exit_um + 20000], [tray_x + CARD - 6, y + 62, end_um]]);
  return {
    view: `0 0 ${tray_x + CARD + 34} 250`,
    case: `M14 ${y - 66}H${exit_x + 26}V${y - 14}H${tray_x + CARD + 20}V${y + 106}H14Z`,
    door: `M${FRONT_X + 20} ${y - 66}H${exit_x + 4}`,
    back: [el('path', { class: 'guide', d: way.piece(0, end_um) })],
    ways: [way],
    hopper: first.hopper,
    tray: new Pile({ x: tray_x, y: y + 76, width: CARD, way: -1, label: 'tray', max: 50 }),
    rollers: first.rollers,
    beams: [
      ...first.beams,
      new Beam({ line: 'exit', x: exit_x, y, reach: 30, label: 'exit', text_y: 48 }),
      new Beam({ line: 'tray', x: tray_x + 30, y: y + 62, reach: 30 }),
    ],
  };
}

function draw(mech) {
  const y = 96;
  const [a, b] = [FRONT_X + 40, FRONT_X + 78];
  const out = b + CARD + 26;
  const hand = el('g', { class: 'hand' }, el('path', { d: 'M0 4c6 0 10 4 14 10l34 14c10 4 8 18 -2 18h-34c-14 0 -22 -10 -24 -24z' }));
  return {
    view: `0 0 ${out + 84} 212`,
    case: `M14 ${y - 62}H${b + 30}V${y + 104}H14Z`,
    door: `M60 ${y - 62}H${FRONT_X - 20}`,
    back: [el('path', { class: 'guide', d: `M${FRONT_X} ${y}H${out}` })],
    ways: [new CardPath([[HOPPER_X, y, -mech.card_um], [FRONT_X, y, 0], [a, y, mech.throat_a_um], [b, y, mech.throat_b_um], [out, y, mech.throat_b_um + mech.card_um]])],
    hopper: new Pile({ x: HOPPER_X, y: y + 4, width: CARD, way: 1, max: 70 }),
    tray: null,
    rollers: [],
    beams: [
      new Beam({ line: 'hopper', x: HOPPER_X + 16, y: y + 12, reach: 30, label: 'hopper', text_y: -38 }),
      new Beam({ line: 'cut', x: a - 16, y, reach: 22 }),
      new Beam({ line: 'throat_a', x: a, y, reach: 30, label: 'A', text_y: 48 }),
      new Beam({ line: 'throat_b', x: b, y, reach: 30, label: 'B', text_y: 48 }),
    ],
    front: hand,
    more(picture) {
      const body = picture.bodies?.[0];
      flag(hand, 'away', !body);
      if (body) set(hand, 'transform', `translate(${this.ways[0].at(body[1]).x.toFixed(0)} ${y - 8})`);
    },
  };
}
