// Double Cross Poker: what a raise is worth, for every two own cards and two open community cards.
//
//     node double_cross.mjs < tables > classes
//
// Counts every deal. Communities that differ by suits only, or by which axis is called vertical, are counted once: 1.6
// million of 312 million. For each one all 1,081 pairs of cards are the player's on either axis, and the dealer's on
// the better one. Dealer's pairs below a hand: all of them, less those that hold one of the player's cards.
//
// stdin, 32-bit integers: values of three ranks and two, values of suited hands by their ranks, what a winning hand
// of each value nets, what a loss nets; then communities (left, centre, right, top, bottom), or nothing for all of them.
// stdout: a line for each class of own, own, top and right card: these four cards, how many such sets of cards the class
// has, and the sum over all other cards of a vertical and of a horizontal raise.

import { readFileSync } from "node:fs";

const PLAIN = 13 ** 5, SUITED = 2 ** 13, VALUES = 7462;
const bytes = readFileSync(0);
const input = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const plain = input.subarray(0, PLAIN);
const suited = input.subarray(PLAIN, PLAIN + SUITED);
const won = input.subarray(PLAIN + SUITED, PLAIN + SUITED + VALUES);
const lost = input[PLAIN + SUITED + VALUES];
const asked = input.subarray(PLAIN + SUITED + VALUES + 1);

const PAIRS = [];
const pairOf = new Int16Array(52 * 52);
for (let a = 0; a < 52; a++) {
  for (let b = a + 1; b < 52; b++) {
    pairOf[a * 52 + b] = pairOf[b * 52 + a] = PAIRS.length;
    PAIRS.push([a, b]);
  }
}
const rank = (card) => card >> 2;
const suit = (card) => card & 3;
const sums = new Float64Array(52 * 52 * PAIRS.length); // by open card, other open card, own pair; exact below 2 ** 53
const counted = new Uint8Array(52 * 52); // open cards of a community, or others that it stands for

// --- one community -------------------------------------------------------------------------------

const REST = 47, OWN = (REST * (REST - 1)) / 2, DEALERS = (45 * 44) / 2;
const rest = new Int32Array(REST);
const first = new Int32Array(OWN), second = new Int32Array(OWN), pair = new Int32Array(OWN);
const values = [new Int32Array(OWN), new Int32Array(OWN)]; // of each pair on each axis
const dealer = new Int32Array(OWN);
const found = new Int32Array(2 * OWN); // different values, in rising order
const place = new Int32Array(VALUES);
const seen = new Int32Array(VALUES);
const WIDE = REST + 1;
const below = new Int32Array((2 * OWN + 1) * WIDE); // dealer's pairs below a place: with each card, and all
let stamp = 0;

for (let a = 0, k = 0; a < REST; a++) {
  for (let b = a + 1; b < REST; b++, k++) {
    first[k] = a;
    second[k] = b;
  }
}

/** Values of all pairs with these three cards. */
function evaluate(centre, one, two, into) {
  const row = (rank(centre) * 169 + rank(one) * 13 + rank(two)) * 169;
  for (let a = 0, k = 0; a < REST; a++) {
    const start = row + rank(rest[a]) * 13;
    for (let b = a + 1; b < REST; b++, k++) into[k] = plain[start + rank(rest[b])];
  }
  if (suit(centre) !== suit(one) || suit(one) !== suit(two)) return;
  const mask = (1 << rank(centre)) | (1 << rank(one)) | (1 << rank(two));
  for (let k = 0; k < OWN; k++) {
    const a = rest[first[k]], b = rest[second[k]];
    if (suit(a) === suit(one) && suit(b) === suit(one)) into[k] = suited[mask | (1 << rank(a)) | (1 << rank(b))];
  }
}

/** Note the values that are new for this community. */
function note(axis, count) {
  for (let k = 0; k < OWN; k++) {
    const value = axis[k];
    if (seen[value] !== stamp) {
      seen[value] = stamp;
      found[count++] = value;
    }
  }
  return count;
}

/** Places of the values that occur, and how many pairs of the dealer are below each place. */
function rankDealers() {
  stamp++;
  const count = note(values[1], note(values[0], 0));
  found.subarray(0, count).sort();
  for (let n = 0; n < count; n++) place[found[n]] = n;
  below.fill(0, 0, (count + 1) * WIDE);
  for (let k = 0; k < OWN; k++) {
    dealer[k] = Math.max(values[0][k], values[1][k]);
    const row = (place[dealer[k]] + 1) * WIDE;
    below[row + first[k]]++;
    below[row + second[k]]++;
    below[row + REST]++;
  }
  for (let n = WIDE; n < (count + 1) * WIDE; n++) below[n] += below[n - WIDE];
}

const worth = new Float64Array(OWN);

/** What each own pair nets on this axis against all pairs of the dealer. A dealer with the own cards is no dealer. */
function settle(axis, weight) {
  for (let k = 0; k < OWN; k++) {
    const low = place[axis[k]] * WIDE, high = low + WIDE, a = first[k], b = second[k];
    const under = below[low + REST] - below[low + a] - below[low + b];
    const same = axis[k] === dealer[k] ? 1 : 0; // the own pair was taken away twice
    const upTo = below[high + REST] - below[high + a] - below[high + b] + same;
    worth[k] = weight * (won[axis[k]] * under + lost * (DEALERS - upTo));
  }
}

function add(open, other) {
  const row = (open * 52 + other) * PAIRS.length;
  counted[open * 52 + other] = 1;
  for (let k = 0; k < OWN; k++) sums[row + pair[k]] += worth[k];
}

function community(centre, one, two, weight) {
  for (let card = 0, n = 0; card < 52; card++) {
    if (card !== centre && !one.includes(card) && !two.includes(card)) rest[n++] = card;
  }
  for (let k = 0; k < OWN; k++) pair[k] = pairOf[rest[first[k]] * 52 + rest[second[k]]];
  evaluate(centre, one[0], one[1], values[0]);
  evaluate(centre, two[0], two[1], values[1]);
  rankDealers();
  settle(values[0], weight);
  for (const open of one) for (const other of two) add(open, other);
  settle(values[1], weight);
  for (const open of two) for (const other of one) add(open, other);
}

// --- all of them ---------------------------------------------------------------------------------

/** The centre is a club; of the communities that an exchange of the other suits makes equal, the first one counts. */
function everyCommunity() {
  const orders = [[0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]];
  const images = orders.map((order) =>
    Int16Array.from(PAIRS, ([a, b]) => pairOf[((a & ~3) | order[suit(a)]) * 52 + ((b & ~3) | order[suit(b)])]));
  for (let centre = 0; centre < 52; centre += 4) {
    for (let one = 0; one < PAIRS.length; one++) {
      for (let two = one + 1; two < PAIRS.length; two++) {
        const number = orbit(images, one, two);
        if (number && new Set([centre, ...PAIRS[one], ...PAIRS[two]]).size === 5) {
          community(centre, PAIRS[one], PAIRS[two], 4 * number);
        }
      }
    }
  }
}

/** How many communities this one stands for; 0 if another one stands for it. */
function orbit(images, one, two) {
  let same = 1;
  for (const image of images) {
    const low = Math.min(image[one], image[two]), high = Math.max(image[one], image[two]);
    if (low < one || (low === one && high < two)) return 0;
    if (low === one && high === two) same++;
  }
  return 6 / same;
}

/** The class of four cards up to suits: suits in the order in which they appear, the own cards in either order. */
function classOf(top, right, a, b) {
  const named = (cards) => {
    const names = [-1, -1, -1, -1];
    let next = 0, key = 0;
    for (const card of cards) {
      if (names[suit(card)] < 0) names[suit(card)] = next++;
      key = key * 52 + rank(card) * 4 + names[suit(card)];
    }
    return key;
  };
  return Math.min(named([top, right, a, b]), named([top, right, b, a]));
}

function report() {
  const classes = new Map();
  for (let top = 0; top < 52; top++) {
    for (let right = 0; right < 52; right++) {
      for (let own = 0; own < PAIRS.length && counted[top * 52 + right]; own++) {
        const [a, b] = PAIRS[own];
        if (top === right || a === top || a === right || b === top || b === right) continue;
        const key = classOf(top, right, a, b);
        if (!classes.has(key)) classes.set(key, [a, b, top, right, 0, 0, 0]);
        const one = classes.get(key);
        one[4]++;
        one[5] += sums[(top * 52 + right) * PAIRS.length + own];
        one[6] += sums[(right * 52 + top) * PAIRS.length + own];
      }
    }
  }
  process.stdout.write(Array.from(classes.values(), (one) => one.join(" ")).join("\n"));
}

if (asked.length === 0) {
  counted.fill(1);
  everyCommunity();
}
for (let n = 0; n < asked.length; n += 5) {
  const [left, centre, right, top, bottom] = asked.subarray(n, n + 5);
  community(centre, [left, right], [top, bottom], 1);
}
report();
