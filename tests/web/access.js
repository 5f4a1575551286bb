// What is hard to read on a page: texts with too little contrast, texts that are cut off, a page wider than its window.
(() => {
  const RATIO_MIN = 4.5;
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });

  /** Red, green, blue of 0..255 and alpha of 0..1, of any CSS colour. */
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((value, i) => value * a + under[i] * (1 - a));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };

  const chain = (element) => (element ? [...chain(element.parentElement), element] : []);
  const opacity = (element) => chain(element).reduce((product, part) => product * Number(getComputedStyle(part).opacity), 1);
  const ground = (element) =>
    chain(element).reduce((rgb, part) => over(part.closest('svg') && part.tagName !== 'svg' ? [0, 0, 0, 0] : colour(getComputedStyle(part).backgroundColor), rgb), colour(getComputedStyle(document.body).backgroundColor).slice(0, 3));

  /** The colours that may lie behind an element: in a drawing also the case. */
  const grounds = (element) => {
    const around = ground(element);
    const shape = element.closest('svg')?.querySelector('.case');
    return shape ? [around, over(colour(getComputedStyle(shape).fill), around)] : [around];
  };

  const seen = (element) => element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && !element.closest('.hidden, .skip, :disabled, option, title');
  const own = (element) => [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(' ').trim();
  const problems = [];
  let looked = 0;
  for (const element of document.body.querySelectorAll('*')) {
    const text = element.tagName === 'SELECT' || element.tagName === 'INPUT' ? element.value : own(element);
    if (!text || !seen(element) || element.type === 'checkbox' || element.type === 'range') continue;
    looked += 1;
    const style = getComputedStyle(element);
    const ink = colour(element.closest('svg') ? style.fill : style.color);
    const found = Math.min(...grounds(element).map((behind) => ratio(over([...ink.slice(0, 3), ink[3] * opacity(element)], behind), behind)));
    if (found < RATIO_MIN) problems.push(`${element.tagName} ${element.id || element.getAttribute('class')} "${text.slice(0, 30)}": contrast ${found.toFixed(2)}`);
    const cut = style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth;
    if (cut) problems.push(`${element.tagName} ${element.id} "${text.slice(0, 30)}": cut off`);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`${document.documentElement.scrollWidth} px wide in ${innerWidth}`);
  return { problems, looked };
})()
