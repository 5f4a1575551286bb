// Making and changing SVG elements. Attributes are written only when they change.

const NS = 'http://www.w3.org/2000/svg';

/** A new element with its attributes and children; text stays text. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Let hands reach a part of the drawing: a button for mouse, finger and keyboard. `hit` is what can be clicked besides. */
export function heat(element, label, touch, hit = null) {
  element.classList.add('hot');
  for (const [key, value] of Object.entries({ tabindex: '0', role: 'button', 'aria-label': label })) element.setAttribute(key, value);
  element.addEventListener('click', touch);
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    touch();
  });
  if (hit) element.append(hit);
  return element;
}

/** Set an attribute if it is another one. */
export function set(element, name, value) {
  const cache = (element.shown ??= {});
  if (cache[name] === value) return;
  cache[name] = value;
  element.setAttribute(name, value);
}

/** Set the text of an element if it is another one. */
export function say(element, text) {
  if (element.said === text) return;
  element.said = text;
  element.textContent = text;
}

/** Add or take a class. */
export function flag(element, name, on) {
  const cache = (element.flags ??= {});
  if (cache[name] === on) return;
  cache[name] = on;
  element.classList.toggle(name, on);
}
