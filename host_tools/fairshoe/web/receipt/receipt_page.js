// The page of a receipt: fetch the file that the link names, or take the one that was chosen; check it; show what it says.
import { FILE_BYTES_MAX, STEPS, checkReceipt, readLink } from '../../../fairshoe-js/src/receipt.js';
import { concat } from '../../../fairshoe-js/src/bytes.js';
import { find, make } from '../page/dom.js';

const TITLES = {
  file: 'The file is a receipt', link: 'It is the file of the QR code', chain: 'No record was altered, left out or moved',
  signature: 'The device signed the records', deal: 'The records tell of one deal, to its end', seed: 'The seed was fixed before',
  order: 'The order follows from it',
};
const SHARES = {
  given: 'given: neither the device nor the table chose alone', declined: 'declined: the device alone chose',
  late: 'late: the device alone chose', none: 'not asked for: the device alone chose',
};
const VERDICTS = {
  proved: ['good', 'Everything fits together', 'Now compare the commitment and the key with what you noted.'],
  refused: ['poor', 'Refused', ''],
  unsigned: ['incomplete', 'Signature not checked', 'This browser cannot check Ed25519 signatures, so a forger could have made this receipt. All else fits. Open the page in Chrome 137, Firefox 129, Safari 17 or a later version of these.'],
};
const NOTED = {
  // A house that works with the device finds another seed for eight characters within seconds, for sixteen in no time that a round has.
  noted: ['commitment', 16, 'It is the same: the order was fixed before the deal.', 'It is another one: this is not the round that you watched, or it is forged.'],
  // The device committed to its seed alone: a share that is chosen later, by a house that works with it, gives another order.
  // It is no hash: a part of it could be kept and the rest be chosen, so all of it counts.
  given: ['nonce', 64, 'It is the same.', 'It is another one: the order was not fixed before the deal, or this is not the round that you watched.'],
  posted: ['public', 16, 'It is the same key: this device signed.', 'It is another key: this device did not sign, or its key was changed since.'],
};
const SEED_ONLY = 'It is the same: the seed was fixed before the deal, and the order if the share is the one that was shown then.';
const EPOCH_MS = Date.UTC(2020, 0, 1);
let link = null, shown = null, turn = 0;

function say(state, [look, word, text]) {
  find('verdict').className = `verdict ${look}`;
  find('verdict-word').textContent = word;
  find('verdict-text').textContent = text;
  document.body.dataset.state = state;
}

const refuse = text => say('refused', ['poor', 'Refused', text]);

/** Take down what an earlier file has shown. */
function clear() {
  shown = null;
  find('found').hidden = true;
  find('steps').replaceChildren(...STEPS.map(name => make('li', {}, make('b', {}, TITLES[name]))));
}

/** Read and check a file. If another one is chosen meanwhile, this one is not shown any more. */
async function check(read) {
  const mine = turn += 1;
  clear();
  say('checking', ['incomplete', 'Checking', '']);
  let checked;
  try {
    checked = await checkReceipt(await read(), link);
  } catch (error) {
    if (mine === turn) say('waiting', ['incomplete', 'No receipt yet', `The receipt cannot be read: ${error.message}. Choose the file, if you have it.`]);
    return;
  }
  if (mine !== turn) return;
  const { verdict, steps, receipt } = checked, [look, word, text] = VERDICTS[verdict];
  shown = receipt;
  find('found').hidden = receipt === null;
  find('steps').replaceChildren(...STEPS.map(name => make('li', { data: { 'data-ok': String(steps[name].ok) } }, make('b', {}, TITLES[name]), steps[name].text || 'not checked')));
  if (receipt) show(receipt);
  say(verdict, [look, word, text || STEPS.map(name => steps[name]).find(({ ok }) => ok === false).text]);
}

function show(receipt) {
  const facts = {
    round: `${receipt.round}${receipt.end === 'round_voided' ? ', void' : ''}, game ${receipt.game}`,
    device: receipt.device, shuffled: when(receipt.committedUtc), 'table’s share': SHARES[receipt.share],
    commitment: make('code', {}, receipt.commitment), ...receipt.nonce && { share: make('code', {}, receipt.nonce) }, key: make('code', {}, receipt.public),
  };
  find('facts').replaceChildren(...Object.entries(facts).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  const hands = [...receipt.stacks.map(stack => [nameOf(stack, receipt), stack.cards]), ['the rest of the deck', receipt.rest]];
  const went = new Map(hands.flatMap(([name, cards], at) => cards.map((card, nth) => [card, at < receipt.stacks.length ? `${name}, card ${nth + 1}` : name])));
  find('stacks').tBodies[0].replaceChildren(...hands.map(([name, cards]) => row(name, cards.map(card => card + 1).join(', ') || 'none')));
  find('ways').tBodies[0].replaceChildren(...receipt.places.map((place, card) => row(card + 1, place + 1, went.get(card))));
  find('share').hidden = !receipt.nonce;
  for (const id of Object.keys(NOTED)) compare(id);
}

const row = (head, ...cells) => make('tr', {}, make('th', { scope: 'row' }, String(head)), ...cells.map(cell => make('td', {}, String(cell))));
const when = utc => (utc ? new Date(EPOCH_MS + utc * 1000).toISOString().replace('T', ' ').slice(0, 19) + ' UTC' : 'at a time that the device did not know');

/** The device counts stacks. The nth position that plays gets the nth one, the dealer or the community the last; but where the number of
 *  positions was not set, or more stacks were dealt than these, no record says whose a stack was. */
function nameOf({ number: stack, taken }, { positions, stacks }) {
  const known = positions > 0 && stacks.every(({ number }) => number <= positions + 1);
  const name = stack === 0 ? 'one more card' : !known ? `stack ${stack}` : stack <= positions ? `position ${stack}` : 'dealer or community';
  return taken ? name : `${name} (not taken)`;
}

/** What was noted at the table, against what the receipt says. */
function compare(id) {
  const [name, least, same, other] = NOTED[id], text = find(id).value.toLowerCase().replace(/[\s:-]/g, ''), said = find(`${id}-said`);
  const [look, word] = !text ? ['', ''] : !shown?.[name].startsWith(text) ? ['poor', other]
    : text.length < least ? ['incomplete', `So far it is the same. Enter ${least} characters or more.`]
    : name === 'commitment' && shown.nonce ? ['good', SEED_ONLY] : ['good', same];
  said.className = look;
  said.textContent = word;
}

async function start() {
  if (!globalThis.crypto?.subtle) {
    say('unable', ['poor', 'Not checked', 'This browser gives no cryptography to this page. Open it over https, or save it and open the file.']);
    return;
  }
  clear();
  find('file').addEventListener('change', () => {
    const [file] = find('file').files;
    // One byte more than a receipt may have is enough to refuse it.
    if (file) check(async () => new Uint8Array(await file.slice(0, FILE_BYTES_MAX + 1).arrayBuffer()));
  });
  for (const id of Object.keys(NOTED)) find(id).addEventListener('input', () => compare(id));
  addEventListener('hashchange', () => location.reload());
  link = readLink(location.hash);
  // A link that lost its end must not count as no link: the file would go without its hash.
  if (location.hash && !link) {
    find('choose').hidden = true;
    refuse('The link is not whole. Scan the QR code again; to check a file without it, open this page without what follows the sign #.');
  } else if (link) await check(fetched);
}

async function fetched() {
  const answer = await fetch(`${link.file}.json`, { cache: 'no-store', credentials: 'omit', redirect: 'error' });
  if (!answer.ok) throw new Error(`the house answers with status ${answer.status}`);
  // One byte more than a receipt may have is enough: an answer may have no end.
  const reader = answer.body.getReader(), pieces = [];
  for (let size = 0; size <= FILE_BYTES_MAX;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    size += value.length;
  }
  reader.cancel();
  return concat(...pieces);
}

start();
