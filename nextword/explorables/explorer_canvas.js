// What the pictures of the explorer share: a sharp canvas, the page's colours as numbers, pictures of numbers.

import { h } from "./parts.js";

/** The page's colours, light or dark, as [r, g, b]. */
export function inksOf(element) {
  const style = getComputedStyle(element), pen = document.createElement("canvas").getContext("2d");
  const rgb = (name) => {
    pen.fillStyle = style.getPropertyValue(name).trim() || "#888888";
    return pen.fillStyle.match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16));
  };
  return { ink: rgb("--x-ink"), muted: rgb("--x-muted"), faint: rgb("--x-faint"), paper: rgb("--x-paper"), up: rgb("--x-0"), down: rgb("--x-1"), third: rgb("--x-2"),
    sans: style.getPropertyValue("--x-sans"), serif: style.getPropertyValue("--nw-serif") || "serif" };
}

export const css = ([r, g, b], alpha = 1) => `rgba(${r}, ${g}, ${b}, ${alpha})`;

/** A canvas that fills a box, sharp on every screen; `draw(pen, width, height)` is called when its size changes. */
export function makeCanvas(draw, attributes = {}) {
  const canvas = h("canvas", attributes), box = h("div", { class: "nw-e-canvas" }, canvas);
  const pen = canvas.getContext("2d");
  let width = 0, height = 0;
  function redraw() {
    if (!width || !height) return;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    draw(pen, width, height);
  }
  new ResizeObserver(([{ contentRect }]) => {
    [width, height] = [Math.floor(contentRect.width), Math.floor(contentRect.height)];
    [canvas.width, canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    redraw();
  }).observe(box);
  return { box, canvas, redraw, get width() { return width; }, get height() { return height; } };
}

/** A picture with one pixel a number: `colour(value)` is [r, g, b, alpha]. */
export function pictureOf(values, width, height, colour) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d"), image = pen.createImageData(width, height);
  for (let k = 0; k < width * height; k += 1) {
    const [r, g, b, a] = colour(values[k]);
    image.data[4 * k] = r;
    image.data[4 * k + 1] = g;
    image.data[4 * k + 2] = b;
    image.data[4 * k + 3] = 255 * a;
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

/** Call `act` when the page turns from light to dark or back. */
export function whenTheme(act) {
  new MutationObserver(act).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "data-mode"] });
  if (document.body) new MutationObserver(act).observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
}
