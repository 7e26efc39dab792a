// A window on a plane of points: it pans, zooms by buttons, keys, Ctrl and wheel or two fingers, and names points.

const MOST = 12, EDGE = 22; // times as close; pixels around all points
const STILL = 5; // pixels that a press may move and still be a press
const LETTER = 6.3, LINE = 13; // pixels of a label

/**
 * A view in an element. `paint` is called when it moves, `press(x, y)` when one presses a place, `point(x, y)` when
 * a mouse moves over it. `screen(u, v)` gives the pixels of a point; at first, the square from 0 to 1 fills the view.
 */
export function makeView(element, { paint, press, point }) {
  const view = { width: 0, height: 0, scale: 1, left: 0, top: 0 };
  const fingers = new Map();
  let moved = 0;
  const inside = (event) => {
    const { left, top } = element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const plain = (u, v) => [EDGE + u * (view.width - 2 * EDGE), EDGE + v * (view.height - 2 * EDGE)];
  const keep = () => {
    view.left = Math.min(0, Math.max(view.left, view.width * (1 - view.scale)));
    view.top = Math.min(0, Math.max(view.top, view.height * (1 - view.scale)));
    // a finger that moves up or down scrolls the page, unless one has come closer
    element.style.touchAction = view.scale > 1 ? "none" : "pan-y";
  };

  view.screen = (u, v) => {
    const [x, y] = plain(u, v);
    return [view.left + view.scale * x, view.top + view.scale * y];
  };
  view.size = (width, height) => {
    Object.assign(view, { width, height });
    element.style.height = `${height}px`;
    view.whole();
  };
  view.zoom = (factor, x = view.width / 2, y = view.height / 2) => {
    const scale = Math.min(MOST, Math.max(1, view.scale * factor)), by = scale / view.scale;
    Object.assign(view, { scale, left: x - by * (x - view.left), top: y - by * (y - view.top) });
    keep();
    paint();
  };
  view.whole = () => {
    Object.assign(view, { scale: 1, left: 0, top: 0 });
    keep();
    paint();
  };
  /** As close as all these points allow. */
  view.frame = (points) => {
    const all = points.map(([u, v]) => plain(u, v)), [xs, ys] = [0, 1].map((axis) => all.map((each) => each[axis]));
    const [x, y, w, h] = [Math.min(...xs), Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
    view.scale = Math.max(1, Math.min(MOST / 2, (view.width - 90) / w, (view.height - 50) / h));
    Object.assign(view, { left: view.width / 2 - view.scale * (x + w / 2), top: view.height / 2 - view.scale * (y + h / 2) });
    keep();
    paint();
  };
  /** Move as little as brings these points into view. */
  view.reveal = (points) => {
    for (const [u, v] of points) {
      const [x, y] = view.screen(u, v);
      view.left -= Math.min(0, x - EDGE) + Math.max(0, x - view.width + EDGE);
      view.top -= Math.min(0, y - EDGE) + Math.max(0, y - view.height + EDGE);
    }
    keep();
  };

  element.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, inside(event));
    if (fingers.size === 1) moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const now = inside(event), before = fingers.get(event.pointerId);
    if (!before) return event.pointerType === "mouse" && (event.movementX || event.movementY) ? point(...now) : null;
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (moved > STILL) element.setPointerCapture(event.pointerId);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    if (other) return view.zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), ...other);
    if (moved > STILL && view.scale > 1) {
      view.left += now[0] - before[0];
      view.top += now[1] - before[1];
      keep();
      paint();
    }
    return null;
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  element.addEventListener("click", (event) => moved <= STILL && press(...inside(event)));
  element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // else the page scrolls; two fingers on a trackpad say Ctrl
    event.preventDefault();
    view.zoom(Math.exp(-event.deltaY / 200), ...inside(event));
  }, { passive: false });
  return view;
}

/** Names that cover no other name, the first first: [{ text, look, x, y }]. One that `must` stands in any case. */
export function placed(asked, points, width, height) {
  const kept = [], done = new Set();
  for (const { k, at, text, look, must } of asked) {
    if (done.has(text)) continue;
    const [x, y] = at ?? points[k], wide = text.length * LETTER;
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const spots = at ? [[x - wide / 2, y + 4]] : [[x + 7, y + 4], [x - wide - 7, y + 4], [x - wide / 2, y - 8], [x - wide / 2, y + 17]];
    const fits = spots.filter(([u, v]) => u >= 0 && u + wide <= width && v >= LINE && v <= height);
    const free = fits.find(([u, v]) => kept.every((other) => u > other.x + other.wide + 3 || u + wide + 3 < other.x || Math.abs(v - other.y) > LINE));
    const spot = free ?? (must ? (fits[0] ?? spots[0]) : null);
    if (!spot) continue;
    done.add(text);
    kept.push({ text, look, x: spot[0], y: spot[1], wide });
  }
  return kept;
}
