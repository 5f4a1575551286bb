// A receipt is proved as it is written, and refused with anything else in it: docs/protocol/receipts.json.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { concat, fromHex, fromText, toHex } from '../../host_tools/fairshoe-js/src/bytes.js';
import { Dictionary } from '../../host_tools/fairshoe-js/src/dictionary.js';
import { checkReceipt, FILE_BYTES_MAX, placesOf, readLink, STEPS } from '../../host_tools/fairshoe-js/src/receipt.js';

const vectors = JSON.parse(readFileSync(new URL('../../docs/protocol/receipts.json', import.meta.url), 'utf8'));
const TEXT = vectors.receipt, GOOD = JSON.parse(TEXT), LINK = readLink(new URL(vectors.link).hash);
const dictionary = new Dictionary();
const encode = text => new TextEncoder().encode(text);
const sha256 = data => createHash('sha256').update(data).digest();
const check = (content, link = null) => checkReceipt(encode(typeof content === 'string' ? content : JSON.stringify(content) + '\n'), link);

/** Refused at this step, with every step after it not done. */
async function refused(content, step, what, link = null) {
  const { verdict, steps, receipt } = await check(content, link);
  assert.equal(verdict, 'refused', what);
  assert.equal(receipt, null, what);
  const failed = STEPS.filter(name => steps[name].ok === false);
  assert.equal(failed.length, 1, what);
  if (step) assert.equal(failed[0], step, `${what}: ${steps[failed[0]].text}`);
  assert.ok(steps[failed[0]].text.length > 10, what);
  for (const name of STEPS.slice(STEPS.indexOf(failed[0]) + 1)) assert.equal(steps[name].ok, null, what);
}

test('orders are drawn as Python draws them', async () => {
  assert.equal(vectors.draws.length, 10);
  for (const { seed, cards, commitment, added, places } of vectors.draws) {
    assert.equal(toHex(sha256(concat(fromText('fairshoe seed 1'), fromHex(seed)))), commitment);
    assert.deepEqual(await placesOf(fromHex(seed), cards, added ? fromHex(added) : null), places);
  }
});

test('the receipt is proved, with its link and without', async () => {
  const chosen = await check(TEXT), linked = await check(TEXT, LINK);
  assert.equal(chosen.verdict, 'proved');
  assert.equal(chosen.steps.link.ok, null);
  assert.ok(STEPS.every(name => linked.steps[name].ok));
  const { receipt } = linked;
  assert.deepEqual([receipt.share, receipt.round, receipt.positions, receipt.stacks.map(({ number }) => number)], ['given', 1, 2, [1, 2, 3]]);
  assert.deepEqual([...receipt.stacks.flatMap(({ cards }) => cards), ...receipt.rest], receipt.dealt);
  receipt.dealt.forEach((card, at) => assert.equal(receipt.places[card], at));
});

// --- forged without a key: one value is another -------------------------------------------------------------------------

/** Every value in the receipt, as the path to it. */
function pathsOf(value, path = []) {
  if (typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]));
}

function changed(path, change) {
  const copy = structuredClone(GOOD), holder = path.slice(0, -1).reduce((inner, name) => inner[name], copy);
  holder[path.at(-1)] = change(holder[path.at(-1)]);
  return copy;
}

/** Another value of the same form: one hexadecimal digit or the number is another. */
const forged = at => value => (typeof value === 'number' ? value ^ 1 : value.slice(0, at) + (parseInt(value[at], 16) ^ 1).toString(16) + value.slice(at + 1));

test('every field that is forged is refused', async () => {
  const paths = pathsOf(GOOD);
  assert.equal(paths.length, GOOD.records.length + 11);
  for (const path of paths) {
    const size = String(path.reduce((inner, name) => inner[name], GOOD)).length;
    for (const at of [0, size >> 1, size - 1]) await refused(changed(path, forged(at)), null, `${path} at ${at}`);
  }
});

test('every byte of a record that is forged is refused', async () => {
  for (let at = 0; at < 184; at++) for (const index of [0, GOOD.records.length - 1]) await refused(changed(['records', index], forged(at)), null, `record ${index} at ${at}`);
});

test('values of another form are refused before anything is computed', async () => {
  const odd = [null, true, -1, 1.5, 2 ** 32, 1e300, '', 'x', '00', [], {}, [1], 'G'.repeat(64), '00'.repeat(31), '0'.repeat(64) + ' ', GOOD.seed.toUpperCase()];
  for (const path of [...pathsOf(GOOD).filter(([first, index]) => first !== 'records' || index < 1), ['records'], ['attested']]) {
    for (const value of odd) {
      const copy = changed(path, () => value);
      if (JSON.stringify(copy) + '\n' !== TEXT) await refused(copy, 'file', `${path} = ${JSON.stringify(value)}`);
    }
  }
});

test('fields that are missing, added or moved are refused', async () => {
  for (const holder of [[], ['attested']]) {
    const names = Object.keys(holder.length ? GOOD.attested : GOOD);
    for (const name of names) {
      const part = copy => (holder.length ? copy.attested : copy), without = structuredClone(GOOD), moved = structuredClone(GOOD);
      delete part(without)[name];
      await refused(without, 'file', `without ${name}`);
      const value = part(moved)[name];
      if (name === names.at(-1)) continue;
      delete part(moved)[name];
      part(moved)[name] = value;
      await refused(moved, 'file', `${name} moved`);
    }
  }
  for (const name of ['house', '__proto__', '0', 'mac']) await refused(TEXT.replace('{', `{${JSON.stringify(name)}:1,`), 'file', name);
});

test('another text of the same content is refused', async () => {
  const others = {
    'a key twice, the good one last': TEXT.replace('"seed":', `"seed":"${'00'.repeat(32)}","seed":`),
    'a key twice, the good one first': TEXT.replace('}}\n', `},"seed":"${GOOD.seed}"}\n`),
    'a key twice, inside': TEXT.replace('"key":', '"key":9,"key":'),
    'an escaped key': TEXT.replace('"seed"', '"s\\u0065ed"'),
    'a number with an exponent': TEXT.replace('"key":1', '"key":1e0'),
    'a number with a point': TEXT.replace('"key":1', '"key":1.0'),
    'a negative nought': TEXT.replace('"utc_s":0', '"utc_s":-0'),
    'a huge number': TEXT.replace('"key":1', `"key":${'9'.repeat(400)}`),
    'a number that rounds': TEXT.replace('"key":1', '"key":1.00000000000000000001'),
    'spaces': TEXT.replace(':', ': '), 'no end of line': TEXT.trimEnd(), 'another end of line': TEXT.replace('\n', '\r\n'),
    'more behind it': TEXT + TEXT, 'cut short': TEXT.slice(0, -100), 'nothing': '', 'null': 'null\n', 'a list': '[]\n', 'deep': '['.repeat(200000), 'deep and whole': `${'['.repeat(200000)}${']'.repeat(200000)}\n`,
    'a byte order mark': '\ufeff' + TEXT, 'capitals': TEXT.toUpperCase(), 'text': 'What a receipt proves',
  };
  for (const [what, text] of Object.entries(others)) { assert.notEqual(text, TEXT, what); await refused(text, 'file', what); }
  for (const bytes of [Buffer.from(TEXT, 'utf16le'), Uint8Array.of(...encode(TEXT), 0xff), new Uint8Array(FILE_BYTES_MAX + 1)])
    assert.equal((await checkReceipt(Uint8Array.from(bytes))).verdict, 'refused');
  const { steps: { file } } = await check({ ...GOOD, records: Array(FILE_BYTES_MAX / 100).fill(GOOD.records[0]) });
  assert.match(file.text, /too large/);
});

test('records that are left out, doubled, exchanged or cut off are refused', async () => {
  const { records } = GOOD;
  for (let at = 0; at < records.length; at++) {
    await refused({ ...GOOD, records: records.toSpliced(at, 1) }, at === 0 ? 'deal' : null, `without record ${at}`);
    await refused({ ...GOOD, records: records.toSpliced(at, 0, records[at]) }, 'chain', `record ${at} twice`);
    if (at) await refused({ ...GOOD, records: records.toSpliced(at - 1, 2, records[at], records[at - 1]) }, 'chain', `records ${at - 1} and ${at} exchanged`);
    await refused({ ...GOOD, records: records.slice(0, at) }, at ? 'signature' : 'file', `cut before record ${at}`);
  }
});

test('a link names one file, one device, one round and one commitment', async () => {
  assert.deepEqual(Object.keys(LINK), ['device', 'round', 'commitment', 'file']);
  await refused(TEXT, 'link', 'file', { ...LINK, file: '0'.repeat(64) });
  for (const name of ['device', 'commitment']) await refused(TEXT, 'order', name, { ...LINK, [name]: forged(0)(LINK[name]) });
  await refused(TEXT, 'order', 'round', { ...LINK, round: 2 });
  const { hash } = new URL(vectors.link);
  for (const bad of ['', '#', hash.slice(1), hash.slice(0, -1), hash + '0', hash + '#', hash.toUpperCase(), hash.replace('.1.', '.01.'),
    hash.replace('.1.', '.1e0.'), hash.replace('.1.', '.99999999999.'), hash.replace('shoe1', 'shoe2'), ` ${hash}`, `${hash}\n`])
    assert.equal(readLink(bad), null, bad);
});

// --- forged by one who signs: another key, or a device that lies -----------------------------------------------------

const number = (value, size) => Uint8Array.from({ length: size }, (_, n) => Math.floor(value / 256 ** n) % 256);
const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
const PUBLIC = toHex(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)));
const EVENTS = GOOD.records.map(fromHex).map(record => dictionary.read(record[2] | record[3] << 8, record.subarray(4, 4 + record[1])));

/** These events as records of a whole chain under a signature of our own. */
async function signed(events, { seed = GOOD.seed, key = 1, strange = -1, gap = Infinity, dirty = -1, own = PUBLIC } = {}) {
  const records = [];
  events.forEach(({ name, fields }, at) => {
    const payload = dictionary.write(name, { ...fields, seq: EVENTS[0].fields.seq + at + (at > gap), ...name === 'signing_key' && { public: own } });
    const head = concat(Uint8Array.of(0xe5, payload.length), number(at === strange ? 511 : dictionary.byName.get(name).id, 2), payload);
    records.push(concat(head, new Uint8Array(60 - head.length).fill(Number(at === dirty)), records.length ? sha256(records.at(-1)) : new Uint8Array(32)));
  });
  const [first, last, head] = [1, EVENTS[0].fields.seq + events.length - 1 + (events.length > gap + 1), sha256(records.at(-1))];
  const said = concat(fromText('fairshoe signed journal 1'), fromHex(GOOD.device).reverse(), number(first, 4), number(last, 4), number(0, 4), number(key, 2), fromHex(GOOD.log), head);
  const signature = toHex(new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, said)));
  return { ...GOOD, seed, records: records.map(toHex), attested: { first, last, utc_s: 0, key, head: toHex(head), public: PUBLIC, signature } };
}

const find = name => EVENTS.findIndex(event => event.name === name);
const replaced = (name, fields) => EVENTS.with(find(name), { name, fields: { ...EVENTS[find(name)].fields, ...fields } });
const prefix = Object.fromEntries(dictionary.prefixes.event.map(({ name }) => [name, EVENTS[find('round_started')].fields[name]]));
const added = (before, name, fields) => EVENTS.toSpliced(find(before), 0, { name, fields: { ...prefix, round: 0, ...fields } });

test('a receipt signed with another key shows that key, and the QR code refuses it', async () => {
  const other = await signed(EVENTS), { verdict, receipt } = await check(other);
  assert.equal(verdict, 'proved');
  assert.equal(receipt.public, PUBLIC);
  assert.notEqual(receipt.public, GOOD.attested.public);
  await refused(other, 'link', 'another key', LINK);
  await refused({ ...GOOD, attested: other.attested }, 'signature', 'the attestation of another receipt');
  await refused({ ...GOOD, attested: { ...GOOD.attested, public: PUBLIC } }, 'signature', 'a public key that did not sign');
});

test('a key under which everything is signed is refused', async () => {
  const small = ['00', '01', 'ec' + 'ff'.repeat(30) + '7f', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'].map(text => text.padEnd(64, '0'));
  for (const key of small) {
    const { steps } = await check({ ...GOOD, attested: { ...GOOD.attested, public: key, signature: '01'.padEnd(128, '0') } });
    assert.match(steps.signature.text, /every signature can be forged/, key);
  }
  await refused({ ...GOOD, attested: { ...GOOD.attested, public: '02'.padEnd(64, '0') } }, 'signature', 'no point of the curve');
});

test('signed records that tell of no whole deal are refused', async () => {
  const cases = {
    'another commitment': [replaced('shuffle_committed', { commitment: '11'.repeat(32) }), 'seed'],
    'another number of cards': [replaced('shuffle_started', { expected: 51 }), 'deal'],
    'a deck that was not swept': [replaced('deck_verified', { swept: 51 }), 'deal'],
    'a share without a wait for it': [replaced('shuffle_committed', { wait_ds: 0 }), 'deal'],
    'a share that was aborted': [replaced('shuffle_nonce', { share: 4 }), 'deal'],
    'a share of no kind': [replaced('shuffle_nonce', { share: 9 }), 'deal'],
    'a stack of more cards than were begun': [replaced('stack_taken', { cards: 6 }), 'deal'],
    'a stack that another hand got': [replaced('stack_taken', { stack: 2 }), 'deal'],
    'more cards than the deck has': [EVENTS.map(event => (event.name.startsWith('stack_') ? { ...event, fields: { ...event.fields, cards: 20 } } : event)), 'order'],
    'another round than the one that ended': [replaced('round_ended', { round: 9 }), 'deal'],
    'another deck than the one that was shuffled': [replaced('round_started', { deck: 2 }), 'deal'],
    'a second shuffle': [EVENTS.toSpliced(find('round_started'), 0, EVENTS[0]), 'deal'],
    'a deck that was handed out': [added('round_started', 'remainder_taken', { counted: 52 }), 'deal'],
    'a deck that was loaded': [added('round_started', 'deck_loaded', { expected: 52, shuffled: 1 }), 'deal'],
    'a deck that was removed': [added('round_started', 'removal_started', {}), 'deal'],
    'a shuffle that failed': [added('deck_verified', 'shuffle_failed', { warning: 1, clause: '', consequence: 0 }), 'deal'],
    'a power cut': [added('stack_taken', 'booted', { cause: 0, board_crc: 0, firmware: '', halted_boot: 0, halted: '', deck: 0 }), 'deal'],
    'a card that lay face up': [added('stack_taken', 'cards_odd', { warning: 19, found: 1, clause: '', consequence: 0 }), 'deal'],
    'a key that was replaced': [added('round_ended', 'key_changed', { generation: 2, how: 0 }), 'deal'],
    'a round without a stack': [EVENTS.filter(({ name }) => !name.startsWith('stack_')), 'deal'],
    'a round that has not ended': [EVENTS.slice(0, find('round_ended')), 'deal'],
    'a record before the shuffle': [added('shuffle_started', 'door_opened', {}), 'deal'],
    'only a shuffle': [EVENTS.slice(0, find('round_started')), 'deal'],
  };
  for (const [what, [events, step]] of Object.entries(cases)) await refused(await signed(events), step, what);
  await refused(await signed(EVENTS, { seed: forged(5)(GOOD.seed) }), 'seed', 'another seed');
  await refused(await signed(EVENTS, { gap: 9 }), 'chain', 'a number that is left out');
  await refused(await signed(EVENTS, { dirty: 0 }), 'chain', 'bytes behind the end of a record');
  await refused(await signed(EVENTS, { own: GOOD.attested.public }), 'deal', 'a signing key on record that did not sign');
  await refused(await signed(EVENTS, { strange: find('stack_offered') }), 'deal', 'a record of an unknown kind');
  assert.equal((await check(await signed(EVENTS, { strange: EVENTS.length - 1 }))).verdict, 'proved');     // after the round
});

test('what does not belong to the deal changes nothing, and what does is refused when it is gone', async () => {
  const { receipt: { places } } = await check(TEXT), needed = new Set();
  for (let at = 0; at < EVENTS.length; at++) {
    const { verdict, receipt } = await check(await signed(EVENTS.toSpliced(at, 1)));
    if (verdict === 'refused') needed.add(EVENTS[at].name);
    else assert.deepEqual(receipt.places, places, EVENTS[at].name);
  }
  assert.deepEqual([...needed], ['shuffle_started', 'shuffle_committed', 'shuffle_nonce', 'deck_verified', 'round_started', 'stack_started', 'stack_taken', 'round_ended']);
});

const SHARES = JSON.parse(readFileSync(new URL('../behaviour/shares.json', import.meta.url), 'utf8')).cases;

/** The records of such a shuffle from the commitment that is asked about on, in place of those of this receipt. */
function told({ events, asked = 1 }) {
  const words = events.filter(word => !word.startsWith('again')), nth = words.map((word, at) => (word.startsWith('commit') ? at : -1)).filter(at => at >= 0);
  const share = name => ({ name: 'shuffle_nonce', fields: { ...EVENTS[find('shuffle_nonce')].fields, share: ['given', 'declined', 'late', 'aborted'].indexOf(name) + 1 } });
  const own = { start: EVENTS[find('shuffle_started')], verified: EVENTS[find('deck_verified')], round: EVENTS[find('round_started')] };
  const made = words.slice(nth[asked - 1]).map(word => {
    if (word.startsWith('commit')) return replaced('shuffle_committed', { wait_ds: Number(word.split(' ')[1]) })[find('shuffle_committed')];
    if (word === 'failed') return added('shuffle_started', 'shuffle_failed', { warning: 1, clause: '', consequence: 0 })[find('shuffle_started')];
    return own[word] ?? share(word);
  });
  const rest = EVENTS.slice(find('round_started') + words.includes('round'));
  return [...EVENTS.slice(0, find('shuffle_committed')), ...made, ...rest];
}

test('the records of a shuffle have the reading that Python gives them', async () => {
  assert.ok(SHARES.length > 20);
  for (const one of SHARES) {
    const content = await signed(told(one));
    if (['given', 'late', 'declined', 'none'].includes(one.reading)) assert.equal((await check(content)).receipt?.share, one.reading, one.name);
    else await refused(content, 'deal', one.name);
  }
});

test('another share gives another order of the same commitment, so a player has to note both', async () => {
  const [one, other] = [await check(TEXT), await check(await signed(replaced('shuffle_nonce', { nonce: '11'.repeat(32) })))].map(it => it.receipt);
  assert.deepEqual([other.commitment, other.nonce], [one.commitment, '11'.repeat(32)]);
  assert.notDeepEqual(other.places, one.places);
});

test('a share that was late or declined leaves the seed alone', async () => {
  for (const share of [2, 3]) {
    const { receipt } = await check(await signed(replaced('shuffle_nonce', { share })));
    assert.deepEqual(receipt.places, await placesOf(fromHex(GOOD.seed), 52));
    assert.equal(receipt.nonce, '');
  }
});

test('without Ed25519 nothing counts as proved, and without a signature that fits nothing does either', async () => {
  const { importKey } = crypto.subtle;
  crypto.subtle.importKey = function (format, key, algorithm, ...rest) {
    if (algorithm.name === 'Ed25519') throw new DOMException('Unrecognized name', 'NotSupportedError');
    return importKey.call(this, format, key, algorithm, ...rest);
  };
  try {
    const { verdict, steps } = await check(TEXT);
    assert.equal(verdict, 'unsigned');
    assert.equal(steps.signature.ok, null);
    await refused(changed(['records', 3], forged(50)), 'chain', 'altered all the same');
  } finally { delete crypto.subtle.importKey; }
  assert.equal((await check(TEXT)).verdict, 'proved');
});
