// The page of a receipt: fetch the file that the link names, or take the one that was chosen; check it; show what it says.
import { FILE_BYTES_MAX, STEPS, checkReceipt, readLink } from '../../../fairshoe-js/src/receipt.js';
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
  noted: ['commitment', 8, 'It is the same: the order was fixed before the deal.', 'It is another one: this is not the round that you watched, or it is forged.'],
  posted: ['public', 16, 'It is the same key: this device signed.', 'It is another key: this device did not sign, or its key was changed since.'],
};
const EPOCH_MS = Date.UTC(2020, 0, 1);
let link = null, shown = null;

function say(state, [look, word, text]) {
  find('verdict').className = `verdict ${look}`;
  find('verdict-word').textContent = word;
  find('verdict-text').textContent = text;
  document.body.dataset.state = state;
}

const refuse = text => say('refused', ['poor', 'Refused', text]);

async function check(bytes) {
  document.body.dataset.state = 'checking';
  const { verdict, steps, receipt } = await checkReceipt(bytes, link);
  shown = receipt;
  find('found').hidden = receipt === null;
  find('steps').replaceChildren(...STEPS.map(name => make('li', { data: { 'data-ok': String(steps[name].ok) } }, make('b', {}, TITLES[name]), steps[name].text || 'not checked')));
  if (receipt) show(receipt);
  const [look, word, text] = VERDICTS[verdict];
  say(verdict, [look, word, text || STEPS.map(name => steps[name]).find(({ ok }) => ok === false).text]);
}

function show(receipt) {
  const facts = {
    round: `${receipt.round}${receipt.end === 'round_voided' ? ', void' : ''}, game ${receipt.game}`,
    device: receipt.device, shuffled: when(receipt.committedUtc), 'table’s share': SHARES[receipt.share],
    commitment: make('code', {}, receipt.commitment), key: make('code', {}, receipt.public),
  };
  find('facts').replaceChildren(...Object.entries(facts).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  const hands = [...receipt.stacks.map(stack => [nameOf(stack, receipt.positions), stack.cards]), ['the rest of the deck', receipt.rest]];
  const went = new Map(hands.flatMap(([name, cards], at) => cards.map((card, nth) => [card, at < receipt.stacks.length ? `${name}, card ${nth + 1}` : name])));
  find('stacks').tBodies[0].replaceChildren(...hands.map(([name, cards]) => row(name, cards.map(card => card + 1).join(', ') || 'none')));
  find('ways').tBodies[0].replaceChildren(...receipt.places.map((place, card) => row(card + 1, place + 1, went.get(card))));
  for (const id of Object.keys(NOTED)) compare(id);
}

const row = (head, ...cells) => make('tr', {}, make('th', { scope: 'row' }, String(head)), ...cells.map(cell => make('td', {}, String(cell))));
const when = utc => (utc ? new Date(EPOCH_MS + utc * 1000).toISOString().replace('T', ' ').slice(0, 19) + ' UTC' : 'at a time that the device did not know');

/** The device counts stacks: the nth position with a wager gets the nth one, the dealer or the community the last. */
function nameOf({ number: stack, taken }, positions) {
  const name = stack === 0 ? 'one more card' : stack <= positions ? `position ${stack}` : 'dealer or community';
  return taken ? name : `${name} (not taken)`;
}

/** What was noted at the table, against what the receipt says. */
function compare(id) {
  const [name, least, same, other] = NOTED[id], text = find(id).value.toLowerCase().replace(/[\s:-]/g, ''), said = find(`${id}-said`);
  const [look, word] = !text ? ['', ''] : !shown?.[name].startsWith(text) ? ['poor', other]
    : text.length < least ? ['incomplete', `So far it is the same. Enter ${least} characters or more.`] : ['good', same];
  said.className = look;
  said.textContent = word;
}

async function start() {
  if (!globalThis.crypto?.subtle) {
    say('unable', ['poor', 'Not checked', 'This browser gives no cryptography to this page. Open it over https, or save it and open the file.']);
    return;
  }
  find('steps').replaceChildren(...STEPS.map(name => make('li', {}, make('b', {}, TITLES[name]))));
  find('file').addEventListener('change', async () => {
    const [file] = find('file').files;
    if (file && file.size <= FILE_BYTES_MAX) await check(new Uint8Array(await file.arrayBuffer()));
    else if (file) refuse('The file is too large for a receipt.');
  });
  for (const id of Object.keys(NOTED)) find(id).addEventListener('input', () => compare(id));
  addEventListener('hashchange', () => location.reload());
  link = readLink(location.hash);
  // A link that lost its end must not count as no link: the file would go without its hash.
  if (location.hash && !link) {
    find('choose').hidden = true;
    refuse('The link is not whole. Scan the QR code again; to check a file without it, open this page without what follows the sign #.');
  } else if (link) await fetched();
}

async function fetched() {
  try {
    const answer = await fetch(`${link.file}.json`, { cache: 'no-store', credentials: 'omit', redirect: 'error' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    await check(new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    say('waiting', ['incomplete', 'No receipt yet', `The file of this receipt cannot be fetched (${error.message}). Choose it, if you have it.`]);
  }
}

start();
