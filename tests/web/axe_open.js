// What axe-core finds on a page, and the texts whose contrast it leaves open: where they stand and in which colour. These
// texts are hidden then, so that a picture of the page shows what lies behind them. Parts that scroll are opened before.
async () => {
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY + getComputedStyle(element).overflowX);
  for (const part of [...document.body.querySelectorAll('*')].filter(scrolls)) Object.assign(part.style, { overflow: 'visible', height: 'auto', maxHeight: 'none' });
  const { violations, incomplete } = await axe.run(document, { resultTypes: ['violations', 'incomplete'] });
  const node = ({ target }) => target.join(' ');
  const open = incomplete.filter(({ id }) => id === 'color-contrast').flatMap(({ nodes }) => nodes).filter(({ target }) => document.querySelector(target.at(-1))); // a list may have moved on
  const texts = open.map((one) => {
    const element = document.querySelector(one.target.at(-1));
    const style = getComputedStyle(element);
    const range = document.createRange();
    range.selectNodeContents(element);
    const { x, y, width, height } = (element.closest('svg') ? element : range).getBoundingClientRect();
    return { name: node(one), ink: element.closest('svg') ? style.fill : style.color, text: element.textContent.trim().slice(0, 30), box: [x + scrollX, y + scrollY, width, height], large: parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700) };
  });
  for (const one of open) document.querySelector(one.target.at(-1)).setAttribute('data-open', '');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('[data-open], [data-open]::before, [data-open]::after, [data-open] * { color: transparent !important; fill: transparent !important; text-decoration-color: transparent !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return { violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map(node).join(', ')}`), texts };
}
