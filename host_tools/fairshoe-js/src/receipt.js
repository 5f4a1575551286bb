// Checks a receipt: seed, table's share and signed records of one round give one order of its deck (docs/SHUFFLE.md).
//
// Everything is recomputed with WebCrypto from the bytes of the file, in the order of STEPS: nothing is read out of a
// record before its hash and the signature are known to be right. A field that no step covers would be a field that can
// be forged, so the file has none: what the records say is not said a second time.
import { equal, concat, fromHex, fromText, toHex } from './bytes.js';
import { Dictionary } from './dictionary.js';

export const STEPS = ['file', 'link', 'chain', 'signature', 'deal', 'seed', 'order'];
export const FILE_BYTES_MAX = 1000000;

const FORMAT = 1, RECORD_SIZE = 92, PAYLOAD_AT = 4, PREVIOUS_AT = 60, PAYLOAD_MIN = 21, MAGIC = 0xe5;
const HEX_SIZES = { device: 4, log: 16, seed: 32, head: 32, public: 32, signature: 64 };
const FIELDS = ['fairshoe_receipt', 'device', 'log', 'seed', 'records', 'attested'];
const ATTESTED = ['first', 'last', 'utc_s', 'key', 'head', 'public', 'signature'];
const LINK = /^#fairshoe1\.([0-9a-f]{8})\.(0|[1-9][0-9]{0,9})\.([0-9a-f]{64})\.([0-9a-f]{64})$/;
const CARDS_MAX = 1000, DRAW_BYTES = 128;
// Points of small order, by their coordinate y modulo P: under such a key any signature can be forged, and not every
// implementation of Ed25519 refuses them.
const P = 2n ** 255n - 19n;
const EIGHTH = littleEndian(fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));
const SMALL = [0n, 1n, P - 1n, EIGHTH, P - EIGHTH];
const dictionary = new Dictionary();

class Refused extends Error {}

/** What the fragment of a receipt's link says; null for any other text. */
export function readLink(fragment) {
  const found = LINK.exec(fragment);
  return found && { device: found[1], round: Number(found[2]), commitment: found[3], file: found[4] };
}

/** Check the bytes of a file, and that they are those that a link names. -> { verdict, steps, receipt }
 *  verdict   'proved'; 'refused'; 'unsigned': all but the signature, which this browser cannot check
 *  steps     name of a step -> { ok, text }: true, false, or null for one that was not done
 *  receipt   what was proved; null if it was refused */
export async function checkReceipt(bytes, link = null) {
  const steps = Object.fromEntries(STEPS.map(name => [name, { ok: null, text: '' }]));
  const made = {}, work = {
    file: () => Object.assign(made, readFile(bytes)).said,
    link: () => checkFile(bytes, link),
    chain: () => checkChain(made.records),
    signature: () => checkSignature(made),
    deal: () => (made.deal = readDeal(eventsOf(made))).said,
    seed: () => checkSeed(made),
    order: async () => (made.receipt = await drawn(made, link)).said,
  };
  for (const name of STEPS) {
    try {
      const said = await work[name]();
      steps[name] = typeof said === 'string' ? { ok: true, text: said } : said;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      steps[name] = { ok: false, text: error.message };
      return { verdict: 'refused', steps, receipt: null };
    }
  }
  return { verdict: steps.signature.ok ? 'proved' : 'unsigned', steps, receipt: made.receipt };
}

function must(good, what) {
  if (!good) throw new Refused(what);
}

// --- the file --------------------------------------------------------------------------------------------------------

function readFile(bytes) {
  must(bytes.length <= FILE_BYTES_MAX, 'The file is too large for a receipt.');
  let text, found, again;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    found = JSON.parse(text);
    again = JSON.stringify(found) + '\n';                // too deep for the stack, if it was made to be
  } catch {
    throw new Refused('This is not a receipt: it is no JSON text.');
  }
  // To the letter: no key twice, no number in another form, nothing before or behind.
  must(again === text, 'This is not a receipt as it is written: keys, numbers or layout differ.');
  must(hasFields(found, FIELDS) && found.fairshoe_receipt === FORMAT, 'This is not a receipt that this page knows.');
  const { attested, records } = found;
  must(hasFields(attested, ATTESTED) && Array.isArray(records), 'This is not a receipt that this page knows.');
  for (const [name, size] of Object.entries(HEX_SIZES)) must(isHex(found[name] ?? attested[name], size), `“${name}” is not as it is written.`);
  for (const name of ['first', 'last', 'utc_s', 'key'])
    must(Number.isInteger(attested[name]) && attested[name] >= 0 && attested[name] < (name === 'key' ? 2 ** 16 : 2 ** 32), `“${name}” is no number of a device.`);
  must(records.length > 0 && records.every(record => isHex(record, RECORD_SIZE)), 'A record is not as it is written.');
  return { found, attested, records: records.map(fromHex), seed: fromHex(found.seed), said: `${records.length} records and a seed` };
}

const hasFields = (found, names) => typeof found === 'object' && found !== null && !Array.isArray(found)
  && Object.keys(found).join() === names.join();

const isHex = (text, size) => typeof text === 'string' && text.length === 2 * size && /^[0-9a-f]*$/.test(text);

async function checkFile(bytes, link) {
  if (link === null) return { ok: null, text: 'No link was followed: the file was chosen.' };
  must(toHex(await sha256Of(bytes)) === link.file, 'This is not the file that the QR code names.');
  return 'It is the file that the QR code names.';
}

// --- what the device wrote -------------------------------------------------------------------------------------------

async function checkChain(records) {
  let before = null;
  for (const record of records) {
    const end = PAYLOAD_AT + record[1], seq = seqOf(record);
    const good = record[0] === MAGIC && record[1] >= PAYLOAD_MIN && end <= PREVIOUS_AT && record.subarray(end, PREVIOUS_AT).every(byte => byte === 0);
    must(good, `Record ${seq} is not as a device writes it.`);
    if (before) {
      must(seq === seqOf(before) + 1, `Record ${seq} does not follow record ${seqOf(before)}: one is missing, twice or moved.`);
      must(equal(record.subarray(PREVIOUS_AT), await sha256Of(before)), `Record ${seq} was not made after the record before it: one of them was altered.`);
    }
    before = record;
  }
  return `Records ${seqOf(records[0])} to ${seqOf(before)}: each holds the hash of the one before.`;
}

async function checkSignature({ found, attested, records }) {
  const last = records.at(-1), key = fromHex(attested.public);
  must(seqOf(last) === attested.last && equal(await sha256Of(last), fromHex(attested.head)), 'The last record is not the one that the device signed.');
  must(!SMALL.includes(littleEndian(key) % 2n ** 255n % P), 'Under this public key every signature can be forged.');
  const signed = concat(fromText('fairshoe signed journal 1'), fromHex(found.device).reverse(), number(attested.first, 4), number(attested.last, 4),
    number(attested.utc_s, 4), number(attested.key, 2), fromHex(found.log), fromHex(attested.head));
  const good = await signatureGood(key, fromHex(attested.signature), signed);
  must(good !== false, 'The signature is not of this device, or what it signed was altered.');
  if (good === null) return { ok: null, text: 'This browser cannot check Ed25519 signatures. A forger could have made these records.' };
  return `Device ${found.device} signed record ${attested.last} and all before it.`;
}

/** null: this browser cannot tell. */
async function signatureGood(key, signature, signed) {
  try {
    const made = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, made, signature, signed);
  } catch (error) {
    if (error.name === 'NotSupportedError') return null;
    return false;                                        // no point of the curve
  }
}

// --- what happened to the deck ---------------------------------------------------------------------------------------

// Events that move the story of the deck on: where it has to stand, and where it stands then.
const STORY = {
  shuffle_started: ['', 'started'],
  shuffle_committed: ['started', 'committed'],
  deck_verified: ['committed', 'verified'],
  round_started: ['verified', 'dealing'],
  round_ended: ['dealing', 'over'],
  round_voided: ['dealing', 'over'],
};
const ELSEWHERE = 'The deck left the machine before a round began: another device dealt it, or hands did.';
const ENDED = 'The deck never came to play: its shuffle or the deck was given up.';
const ENDS = {
  deck_loaded: ELSEWHERE, remainder_taken: ELSEWHERE, shuffle_failed: ENDED, deck_refused: ENDED, removal_started: ENDED,
};

/** The events in the records, and nothing that takes the right to sign from the key. */
function eventsOf({ records, attested }) {
  const events = records.map(record => dictionary.read(record[2] | record[3] << 8, record.subarray(PAYLOAD_AT, PAYLOAD_AT + record[1])));
  for (const { name, fields } of events) {
    must(name !== 'key_changed' || fields.generation <= attested.key, 'The signing key was replaced before it signed.');
    must(name !== 'signing_key' || fields.generation !== attested.key || fields.public === attested.public, 'The signature is not of the signing key on record.');
  }
  return events;
}

/** Follow the deck of the first record to the end of its round. -> { started, committed, share, nonce, round, stacks, end } */
function readDeal(events) {
  const deal = { stage: '', share: 'none', nonce: '', stacks: [] };
  for (const event of events) {
    if (deal.stage === 'over') break;
    must(event.fields && !event.opaque, 'A record is of a kind that this page does not know: it is of a newer device.');
    const { name, fields } = event;
    must(!['booted', 'power_lost'].includes(name), 'Power was lost while the deck was in play.');
    if (deal.started && fields.deck !== deal.started.deck) continue;          // of the other deck, or of none
    must(!(name in ENDS) || deal.stage === 'dealing', ENDS[name]);
    if (name in STORY) moveOn(deal, event);
    else if (name === 'shuffle_nonce') takeShare(deal, event);
    else if (deal.stage === 'dealing') takeStack(deal, event);
    must(deal.stage !== '', 'The records do not begin with a shuffle.');
  }
  must(deal.stage === 'over', 'The deck is still in play: no record ends its round.');
  must(deal.stacks.length > 0, 'The machine dealt no stack in this round.');
  deal.said = `Round ${deal.round.round}: ${deal.stacks.filter(({ taken }) => taken).length} stacks were taken, then it ${deal.end === 'round_ended' ? 'ended' : 'was void'}.`;
  return deal;
}

function moveOn(deal, { name, fields }) {
  const [from, to] = STORY[name];
  if (to === 'over' && fields.round !== deal.round?.round) return;     // the round before, with the other deck
  must(deal.stage === from, `Record ${fields.seq} is out of place: ${name.replaceAll('_', ' ')}.`);
  deal.stage = to;
  if (to === 'started') deal.started = fields;
  if (to === 'committed') deal.committed = fields;
  if (to === 'verified') {
    must(deal.committed.wait_ds === 0 || deal.share !== 'none', 'What became of the table’s share is not on record.');
    must(fields.counted === deal.started.expected && fields.swept === fields.counted, 'The deck was verified with another number of cards.');
  }
  if (to === 'dealing') deal.round = fields;
  if (to === 'over') deal.end = name;
}

function takeShare(deal, { fields, words }) {
  must(deal.stage === 'committed' && deal.committed.wait_ds > 0 && deal.share === 'none', 'A share of the table is on record, and the shuffle did not wait for one.');
  must(['given', 'declined', 'late'].includes(words.share), 'The shuffle was given up before its order was drawn.');
  deal.share = words.share;
  if (deal.share === 'given') deal.nonce = fields.nonce;
}

function takeStack(deal, { name, fields, words }) {
  must(name !== 'cards_odd' || words.warning !== 'face_up', 'A card lay face up and another took its place: the stacks do not follow from the order.');
  if (!name.startsWith('stack_') || fields.round !== deal.round.round) return;
  const open = deal.stacks.at(-1), begins = name === 'stack_started';
  const fits = begins ? !open || open.taken : open && !open.taken && open.number === fields.stack && open.cards === fields.cards;
  must(fits, `Record ${fields.seq} is out of place: stack ${fields.stack}.`);
  if (begins) deal.stacks.push({ number: fields.stack, cards: fields.cards, taken: false });
  else open.taken = name === 'stack_taken';
}

async function checkSeed({ seed, deal: { committed } }) {
  must(toHex(await sha256Of(concat(fromText('fairshoe seed 1'), seed))) === committed.commitment, 'The seed is not the one that the device committed to.');
  return `The device committed to this seed in record ${committed.seq}, before a card moved.`;
}

// --- the order -------------------------------------------------------------------------------------------------------

async function drawn({ found, attested, seed, deal }, link) {
  const { started, committed, share, nonce, round } = deal, cards = started.expected;
  const asked = deal.stacks.reduce((sum, stack) => sum + stack.cards, 0);
  must(cards >= 1 && cards <= CARDS_MAX && asked <= cards, 'More cards were dealt than the deck has.');
  const summary = { device: found.device, round: round.round, commitment: committed.commitment };
  for (const [name, value] of Object.entries(summary)) must(!link || link[name] === value, `The QR code names another ${name}.`);
  const added = share === 'given' ? concat(fromHex(nonce), fromHex(found.device).reverse(), number(committed.seq, 4)) : null;
  const places = await placesOf(seed, cards, added);
  const dealt = places.map((_, card) => card).sort((a, b) => places[a] - places[b]);
  let at = 0;
  const stacks = deal.stacks.map(({ number: stack, cards: count, taken }) => ({ number: stack, taken, cards: dealt.slice(at, at += count) }));
  return {
    ...summary, log: found.log, public: attested.public, key: attested.key, signedUtc: attested.utc_s, committedUtc: committed.utc_s,
    game: round.game, positions: round.positions, share, nonce, end: deal.end, places, dealt, stacks, rest: dealt.slice(at),
    said: `${cards} cards: the order was drawn again from the seed${share === 'given' ? ' and the table’s share' : ' alone'}.`,
  };
}

/** Where each card went, in the order in which they were taken in: Fisher-Yates from the top, 16-bit words, rejection. */
export async function placesOf(seed, cards, added = null) {
  const drbg = new HmacDrbg(), words = [];
  await drbg.update(concat(seed, added ?? new Uint8Array(), fromText(added ? 'fairshoe shuffle 2' : 'fairshoe shuffle 1')));
  const places = Array.from({ length: cards }, (_, card) => card);
  for (let i = cards - 1; i > 0; i--) {
    let word;
    do {
      if (!words.length) {
        const chunk = await drbg.generate(DRAW_BYTES);
        for (let at = 0; at < DRAW_BYTES; at += 2) words.push(chunk[at] | chunk[at + 1] << 8);
      }
      word = words.shift();
    } while (word >= 65536 - 65536 % (i + 1));
    const j = word % (i + 1);
    [places[i], places[j]] = [places[j], places[i]];
  }
  return places;
}

/** HMAC-DRBG with SHA-256, as SP 800-90A words it; `update` with the seed material instantiates it. */
class HmacDrbg {
  key = new Uint8Array(32);
  value = new Uint8Array(32).fill(1);

  async generate(size) {
    const out = [];
    for (let made = 0; made < size; made += 32) out.push(this.value = await hmac(this.key, this.value));
    await this.update(new Uint8Array());
    return concat(...out).slice(0, size);
  }

  async update(data) {
    for (const tag of data.length ? [0, 1] : [0]) {
      this.key = await hmac(this.key, concat(this.value, Uint8Array.of(tag), data));
      this.value = await hmac(this.key, this.value);
    }
  }
}

async function hmac(key, data) {
  const made = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', made, data));
}

const sha256Of = async data => new Uint8Array(await crypto.subtle.digest('SHA-256', data));
const seqOf = record => new DataView(record.buffer, record.byteOffset).getUint32(PAYLOAD_AT, true);
const number = (value, size) => Uint8Array.from({ length: size }, (_, n) => Math.floor(value / 256 ** n) % 256);

function littleEndian(bytes) {
  return bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
