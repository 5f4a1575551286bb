// The least contrast of each text with what lies behind it, on a picture of the page without these texts. A colour counts
// from a tenth of the box of a text: a line of a grid that crosses it covers less.
async ([picture, texts]) => {
  const SHARE_MIN = 0.1;
  const context = (width, height) => Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', { willReadFrequently: true });
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const page = context(bitmap.width, bitmap.height);
  page.drawImage(bitmap, 0, 0);
  const probe = context(1, 1);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);

  /** The colour of the ink as it lies over a ground, and the ratio of the two. */
  const ratio = (ink, ground) => {
    for (const colour of [`rgb(${ground})`, ink]) {
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
    }
    const [dark, bright] = [light(probe.getImageData(0, 0, 1, 1).data), light(ground.split(',').map(Number))].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };

  return texts.map(({ ink, box: [x, y, width, height] }) => {
    const { data } = page.getImageData(Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y)), Math.max(1, Math.ceil(width)), Math.max(1, Math.ceil(height)));
    const seen = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const ground = data.slice(i, i + 3).join();
      seen.set(ground, (seen.get(ground) ?? 0) + 1);
    }
    const grounds = [...seen].filter(([, count]) => count * 4 >= SHARE_MIN * data.length).map(([ground]) => ground);
    return Math.min(...grounds.map((ground) => ratio(ink, ground)));
  });
}
