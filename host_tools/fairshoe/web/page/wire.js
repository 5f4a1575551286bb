// Bytes on the link: frames decoded by our JavaScript client beside the raw bytes; filter, capture file, a bad or slow cable.

import { download, find, make, whole } from './dom.js';
import { fromHex, toHex } from './fairshoe-js/bytes.js';
import { Dictionary } from './fairshoe-js/dictionary.js';
import { FrameDecoder } from './fairshoe-js/frames.js';

const KEPT = 400; // frames in the list
const PIECES = 20000; // of the stream, for a capture
const SHOWN = 60;
const WAYS = ['device → host', 'host → device', 'device → service', 'service → device'];
const LINKTYPE_USER0 = 147; // what docs/protocol/fairshoe.lua reads

/** A pcap file: one packet for each piece of the stream. */
export function pcap(pieces) {
  const words = (values) => new Uint8Array(new Uint32Array(values).buffer);
  const header = new Uint8Array([...words([0xa1b2c3d4]), 2, 0, 4, 0, ...words([0, 0, 0x40000, LINKTYPE_USER0])]);
  const packets = pieces.map(({ t, bytes }) => [words([Math.floor(t / 1e6), t % 1e6, bytes.length, bytes.length]), bytes]);
  return new Blob([header, ...packets.flat()]);
}

export class Wire {
  constructor(act, refuse) {
    this.dictionary = new Dictionary();
    this.filter = make('input', { type: 'search', id: 'wire-filter', placeholder: 'for example stack, or status', on: { input: () => this.draw() } });
    this.quiet = make('input', { type: 'checkbox', id: 'wire-status', on: { change: () => this.draw() } });
    this.list = make('ol', { id: 'wire-list', tabIndex: 0, data: { 'aria-label': 'Frames, newest first' } });
    const lay = () => {
      const delay_ms = whole(this.delay, refuse);
      if (delay_ms !== null) act({ do: 'link', ...CABLES[this.kind.value], ...(delay_ms && { delay_ms }) });
    };
    this.kind = make('select', { id: 'cable-kind', on: { change: lay } });
    this.kind.append(...Object.keys(CABLES).map((name) => make('option', { value: name }, name)));
    this.delay = make('input', { type: 'number', id: 'cable-delay', name: 'Delay of the cable', min: 0, max: 1000, step: 10, value: 0, title: 'each way; from 250 ms on a host gets no session: it says hello again every 500 ms', on: { change: lay } });
    const forge = make('button', { type: 'button', id: 'forge', title: 'a stranger on the cable gives a command without the key', on: { click: () => act({ do: 'forge', name: 'shuffle' }) } }, 'Forge a command');
    find('wire-body').replaceChildren(
      make('div', { className: 'row' }, make('label', {}, 'Filter ', this.filter), make('label', {}, this.quiet, ' status too')),
      make('div', { className: 'row' }, make('label', {}, 'Cable ', this.kind), make('label', {}, 'delay ', this.delay, ' ms'), forge, make('button', { type: 'button', id: 'capture', on: { click: () => this.export() } }, 'Save a capture')),
      this.list,
    );
    this.clear();
    setInterval(() => this.dirty && this.draw(), 250);
  }

  clear() {
    this.decoders = WAYS.map(() => new FrameDecoder());
    this.frames = [];
    this.pieces = [];
    this.dirty = true;
  }

  /** Show the machine's cable, which steps of a link or a scenario may have changed. */
  showCable(rates = [0, 0, 0, 0]) {
    if (String(rates) === this.laid) return;
    this.laid = String(rates);
    const [bit_ppm, lose_ppm, piece_ppm, delay_ms] = rates;
    const like = (cable) => (cable.bit_ppm ?? 0) === bit_ppm && (cable.lose_ppm ?? 0) === lose_ppm && (cable.piece_ppm ?? 0) === piece_ppm;
    this.kind.value = Object.keys(CABLES).find((name) => like(CABLES[name])) ?? '';
    this.delay.value = delay_ms;
  }

  show(picture) {
    this.showCable(picture.cable);
    for (const [t, way, hex] of picture.wire ?? []) {
      if (!hex) continue; // nothing of it has arrived
      const bytes = fromHex(hex);
      this.pieces.push({ t, bytes });
      for (const found of this.decoders[way].push(bytes)) this.frames.unshift({ t, way, hex, ...this.read(found) });
    }
    if (picture.wire?.length) {
      this.frames.length = Math.min(this.frames.length, KEPT);
      if (this.pieces.length > PIECES) this.pieces.splice(0, this.pieces.length - PIECES);
      this.dirty = true;
    }
  }

  read({ frame, drop }) {
    if (drop) return { name: drop, text: '', dropped: true };
    const { name, fields, words, drop: unread } = this.dictionary.read(frame.id, frame.body);
    if (unread) return { name: unread, text: '', dropped: true };
    const text = Object.entries(fields).map(([key, value]) => `${key} ${words[key] ?? (value instanceof Uint8Array ? toHex(value) : value)}`);
    return { name, text: `${frame.keyed ? 'keyed, ' : ''}${text.join(', ')}` };
  }

  draw() {
    this.dirty = false;
    const wanted = this.filter.value.trim().toLowerCase();
    const fits = ({ name, text }) => (this.quiet.checked || name !== 'status') && (!wanted || `${name} ${text}`.toLowerCase().includes(wanted));
    this.list.replaceChildren(
      ...this.frames.filter(fits).slice(0, SHOWN).map(({ t, way, hex, name, text, dropped }) =>
        make(
          'li',
          { className: dropped ? 'dropped' : '' },
          make('div', {}, `${(t / 1e6).toFixed(3)} s ${WAYS[way]} `, make('b', {}, name), ` ${text}`),
          make('code', {}, hex.replace(/../g, '$& ').trim()),
        ),
      ),
    );
  }

  export() {
    download('bench-page.pcap', pcap(this.pieces), 'application/vnd.tcpdump.pcap');
  }
}

const CABLES = {
  good: {},
  'bit errors': { bit_ppm: 200 },
  'lost bytes': { lose_ppm: 3000 },
  'late, cut and doubled': { piece_ppm: 100000 },
  'cut through': { lose_ppm: 1000000 },
};
