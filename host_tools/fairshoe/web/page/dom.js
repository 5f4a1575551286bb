// Making HTML elements. Texts are set as text, whatever a device says.

/** A new element: properties, then children. `on` is a map of listeners, `data` of attributes. */
export function make(name, { on = {}, data = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  for (const [key, value] of Object.entries(data)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The whole number that a field holds; null, with a word to the reader, if it is none or out of the field's range. */
export function whole(input, refuse) {
  const value = Number(input.value);
  const good = input.value !== '' && Number.isInteger(value) && value >= Number(input.min) && value <= Number(input.max);
  input.setAttribute('aria-invalid', String(!good));
  if (good) return value;
  refuse(`${input.name || input.id}: a whole number from ${input.min} to ${input.max}, not ${input.value || 'nothing'}. Nothing was done.`);
  input.focus();
  return null;
}

export const find = (id) => document.getElementById(id);

/** Offer a text as a file to keep. */
export function download(name, content, type = 'application/json') {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Set a property if it is another one. */
export function put(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
export const words = (name) => String(name).replaceAll('_', ' ');

/** `1 event`, `271 events`. */
export const many = (count, one, more = `${one}s`) => `${Number(count).toLocaleString('en-US')} ${count === 1 ? one : more}`;

/** 42 s, 7 min, 3 h: how long ago. */
export function age(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
