// Where a head looks: the whole matrix of one head, all heads small beside it, each with a switch.

import { h, unique, hover } from "./parts.js";
import { makeCanvas, inksOf, css, pictureOf, whenTheme } from "./explorer_canvas.js";

const MARGIN = 16; // pixels above and left of the matrix, for the words looked from and at
const LETTERS = 10; // pixels a cell needs before each row gets its word
const named = (head) => head.split(".").map((each, k) => `${k ? "head" : "block"} ${Number(each) + 1}`).join(", ");

export function makeHeads(store) {
  const { L, H } = { L: 3, H: 2 }, heads = Array.from({ length: L * H }, (_, k) => `${Math.floor(k / H)}.${k % H}`);
  let hovered = null, pictures = [], drawnFor = null, inks = null, where = null;
  const says = h("p", { class: "nw-e-says", role: "status", id: unique() });
  const view = makeCanvas(paint, { tabindex: "0", role: "img", "aria-label": "the attention of a head", "aria-describedby": says.id });
  const { canvas } = view;

  const thumbs = heads.map((head) => {
    const small = h("canvas", { width: 1, height: 1 });
    const pick = h("button", { type: "button", "aria-label": `show ${named(head)}`, onclick: () => store.change({ head }) }, small);
    const box = h("input", { type: "checkbox", checked: true, onchange: () => toggle(head, box.checked) });
    const short = `${Number(head[0]) + 1}.${Number(head[2]) + 1}`;
    return { head, small, pick, box, element: h("div", { class: "nw-e-thumb" }, pick, h("label", { title: `${named(head)} may speak` }, box, h("span", {}, `${short} on`))) };
  });
  const element = h("div", { class: "nw-e-heads" },
    h("div", { class: "nw-e-matrix" }, view.box, says),
    h("div", { class: "nw-e-thumbs", role: "group", "aria-label": "the six heads: show one, or switch it off" }, thumbs.map((each) => each.element)));

  const toggle = (head, on) => store.change({ off: on ? store.state.off.filter((each) => each !== head) : [...store.state.off, head].sort() });

  /** The weight of one cell. */
  const weight = (head, from, to) => {
    const { looks, n } = store.known.net;
    return looks[heads.indexOf(head) * n * n + from * n + to];
  };
  const wordAt = (place) => (place ? store.readWords[place - 1] : "▸");

  function draw() {
    const { known, state } = store;
    if (drawnFor !== known) {
      drawnFor = known;
      makePictures();
    }
    thumbs.forEach(({ head, pick, box, element: each }) => {
      pick.setAttribute("aria-pressed", String(head === state.head));
      box.checked = !state.off.includes(head);
      each.classList.toggle("nw-e-off", !box.checked);
    });
    if (hovered && hovered[0] >= known.net.n) hovered = null;
    canvas.setAttribute("aria-label", `the attention of ${named(state.head)}: a row for each word looked from, a column for each word looked at; arrow keys move, Enter pins a row`);
    view.redraw();
    speak();
  }

  function makePictures() {
    const { looks, n } = store.known.net;
    inks = inksOf(element);
    pictures = heads.map((_, k) => pictureOf(looks.subarray(k * n * n, (k + 1) * n * n), n, n, (w) => [...inks.up, Math.sqrt(w)]));
    thumbs.forEach(({ small }, k) => {
      [small.width, small.height] = [n, n];
      small.getContext("2d").drawImage(pictures[k], 0, 0);
    });
  }

  const shownRow = () => (hovered ? hovered[0] : store.at);

  function paint(pen, width, height) {
    if (!drawnFor) return;
    const { n } = store.known.net, side = Math.min(width - 4, height - MARGIN), cell = side / n, row = shownRow();
    const labels = cell >= LETTERS, left = labels ? 76 : 0, grown = labels ? Math.min(side, width - left - 4) / n : cell;
    where = { cell: grown, left, top: MARGIN, n };
    pen.imageSmoothingEnabled = false;
    pen.fillStyle = css(inks.faint, 0.35);
    pen.fillRect(left, MARGIN, grown * n, grown * n);
    pen.drawImage(pictures[heads.indexOf(store.state.head)], left, MARGIN, grown * n, grown * n);
    pen.font = `12px ${inks.serif}`;
    pen.textBaseline = "middle";
    if (labels) for (let k = 0; k < n; k += 1) {
      pen.fillStyle = css(k === row ? inks.ink : inks.muted);
      pen.textAlign = "right";
      pen.fillText(wordAt(k), left - 6, MARGIN + (k + 0.5) * grown);
    }
    // the row looked from, and the cell under the pointer
    pen.strokeStyle = css(inks.down);
    pen.lineWidth = 1.5;
    pen.strokeRect(left - 0.5, MARGIN + row * grown - 0.5, (row + 1) * grown + 1, grown + 1);
    const to = hovered ? hovered[1] : best(row)[0], x = left + (to + 0.5) * grown, y = MARGIN + (row + 0.5) * grown;
    pen.fillStyle = css(inks.ink, 0.6);
    pen.fillRect(x - 0.5, MARGIN, 1, Math.max(y - MARGIN - grown / 2, 0));
    tag(pen, wordAt(to), x, MARGIN / 2, width, "center");
    if (!labels) tag(pen, `from “${wordAt(row)}”`, left + (row + 1) * grown + 8, Math.min(y, height - 9), width, "left");
  }

  /** A word on its own piece of paper, never outside. */
  function tag(pen, text, x, y, width, align) {
    pen.font = `13px ${inks.serif}`;
    const long = pen.measureText(text).width, from = Math.max(2, Math.min(align === "center" ? x - long / 2 : x, width - long - 4));
    pen.fillStyle = css(inks.paper, 0.9);
    pen.fillRect(from - 3, y - 8, long + 6, 16);
    pen.fillStyle = css(inks.ink);
    pen.textAlign = "left";
    pen.fillText(text, from, y + 0.5);
  }

  /** The places that a row looks at, the most first. */
  const best = (row) => Array.from({ length: row + 1 }, (_, k) => k).sort((a, b) => weight(store.state.head, row, b) - weight(store.state.head, row, a));

  function speak() {
    const row = shownRow(), { head, off } = store.state, percent = (to) => `${(100 * weight(head, row, to)).toFixed(0)} %`;
    const place = (k) => (k ? `“${wordAt(k)}” (word ${k})` : "the beginning ▸");
    const cell = hovered ? `From ${place(row)}, ${percent(hovered[1])} at ${place(hovered[1])}. ` : "";
    const three = best(row).slice(0, 3).map((to) => `${percent(to)} at ${place(to)}`).join(", ");
    says.textContent = `${cell}${hovered ? "The row:" : `${named(head)[0].toUpperCase()}${named(head).slice(1)}, from ${place(row)}:`} ${three}.${off.length ? ` ${effect()}` : ""}`;
  }

  /** What the silence of heads changes at the place looked from. */
  function effect() {
    if (!store.known.intact) return "";
    const before = store.row(store.at, store.known.intact), after = store.row(store.at, store.known.net);
    const top = Array.from(before.keys()).reduce((a, b) => (before[b] > before[a] ? b : a));
    return `Without ${store.state.off.map(named).join(" and ")}: “${store.vocabulary[top]}” ${(100 * before[top]).toFixed(1)} % → ${(100 * after[top]).toFixed(1)} %.`;
  }

  // ---- pointing, pinning, keys
  function cellOf(event) {
    const box = canvas.getBoundingClientRect(), { cell, left, top, n } = where;
    const to = Math.floor((event.clientX - box.left - left) / cell), from = Math.floor((event.clientY - box.top - top) / cell);
    return from >= 0 && from < n && to >= 0 && to <= from ? [from, to] : null;
  }

  function point(cell) {
    if (String(cell) === String(hovered)) return;
    hovered = cell;
    view.redraw();
    speak();
  }

  canvas.addEventListener("pointermove", (event) => hover(() => point(cellOf(event)))(event));
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("click", (event) => {
    const cell = cellOf(event);
    if (cell) store.change({ pin: cell[0] });
    point(cell);
  });
  canvas.addEventListener("blur", () => point(null));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const [from, to] = hovered ?? [store.at, best(store.at)[0]];
    if (step) {
      event.preventDefault();
      const row = Math.max(0, Math.min(from + step[0], store.known.net.n - 1));
      point([row, Math.max(0, Math.min(to + step[1], row))]);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      store.change({ pin: from });
    } else if (event.key === "Escape") {
      point(null);
      store.change({ pin: null });
    }
  });
  whenTheme(() => drawnFor && (makePictures(), view.redraw()));

  /** The text, coloured by where the head looks from the row. */
  function tint() {
    const row = Math.min(shownRow(), store.readable), { head } = store.state, top = Math.max(0.05, ...best(row).slice(0, 1).map((to) => weight(head, row, to)));
    return { shares: Array.from({ length: row + 1 }, (_, to) => weight(head, row, to) / top), look: 2 };
  }

  return { element, draw, tint };
}
