// Making elements and changing them only when something is new. Texts are set as text, whatever a device says.

const NS = 'http://www.w3.org/2000/svg';

/** A new element: properties, then children. `on` is a map of listeners, `data` of attributes. */
export function make(name, { on = {}, data = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  for (const [key, value] of Object.entries(data)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A new element of a drawing. */
export function draw(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const find = (id) => document.getElementById(id);

/** Set a property if it is another one. */
export function put(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
export const words = (name) => String(name).replaceAll('_', ' ');

/** 42 s, 7 min, 3 h: how long ago. */
export function age(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
