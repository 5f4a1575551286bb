// Events in words, as `fairshoe monitor` has them.

const HIDDEN = new Set(['board_crc', 'halted_boot', 'digest']);
const NOT_KNOWN = 65535;
const ZERO_IS_NONE = new Set(['wait_ds', 'length_um', 'card_um']);

export const plain = (name) => name.replaceAll('_', ' ');

/** `deck verified: counted 52`; `texts` has the words for numbers, by the name of their field. */
export function eventText(event, fields, order, texts) {
  const told = order.filter((name) => isTold(name, fields[name])).map((name) => fieldText(name, fields[name], texts));
  return `${plain(event)}${told.length ? `: ${told.join(', ')}` : ''}`;
}

const isTold = (name, value) =>
  !HIDDEN.has(name) && value !== '' && value !== null && value !== undefined && value !== NOT_KNOWN && !(ZERO_IS_NONE.has(name) && value === 0);

function fieldText(name, value, texts) {
  const known = texts[name];
  if (name === 'during') return `during ${known[value] ?? 'no motion'}`;
  if (name === 'command') return `command ${known[value] ?? value}`;
  if (known?.[value]) return known[value];
  if (name.endsWith('_um')) return `${plain(name.slice(0, -3))} ${(value / 1000).toFixed(1)} mm`;
  if (name.endsWith('_ds')) return `${plain(name.slice(0, -3))} after ${value / 10} s`;
  return `${plain(name)} ${plain(String(value))}`;
}
