// The groups of the workbench, by where in the machine things are done; hands and faults of a place stand together.

import { find, make } from './dom.js';

export const PLACES = {
  hopper: 'Hopper and pick roller',
  throat: 'Throat',
  store: 'Store',
  exit: 'Exit and tray',
  beams: 'Beams',
  case: 'Door, key and panel',
  inside: 'Power, cable and storage',
};
const STORES = { carousel: 'Carousel', shelves: 'Shelves' };

export class Groups {
  constructor() {
    const open = matchMedia('(min-width: 62rem)').matches; // on a phone one opens what one needs
    this.rows = {};
    this.titles = {};
    this.folds = {};
    for (const [place, title] of Object.entries(PLACES)) {
      this.rows[place] = { hands: make('div', { className: 'row' }), faults: make('div', { className: 'row' }) };
      this.titles[place] = make('summary', {}, title);
      this.folds[place] = make('details', { className: 'group', open, id: `group-${place}` }, this.titles[place], this.rows[place].hands, this.rows[place].faults);
    }
    this.top = make('div');
    find('work-body').replaceChildren(this.top, ...Object.values(this.folds));
  }

  /** Show what a machine of this kind has; groups without anything go. */
  fit(kind) {
    this.titles.store.textContent = STORES[kind] ?? PLACES.store;
    for (const [place, { hands, faults }] of Object.entries(this.rows)) this.folds[place].hidden = !hands.childNodes.length && !faults.childNodes.length;
  }
}
