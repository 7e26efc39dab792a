// The logit lens: what the network would say if it stopped after each layer, beside what is true.

import { h, hover } from "./parts.js";
import { makeCanvas, inksOf, css, pictureOf, whenTheme } from "./explorer_canvas.js";

const FULL = 4; // bits at which a cell is dark
const LAYERS = ["the word itself", "block 1 attention", "block 1 feed-forward", "block 2 attention", "block 2 feed-forward", "block 3 attention", "block 3 feed-forward"];
const SHORT = ["word", "1 attention", "1 feed-fwd", "2 attention", "2 feed-fwd", "3 attention", "3 feed-fwd"];

export function makeLens(store) {
  let found = null, inks = null, picture = null, turn = 0, asked = null, hovered = null;
  const body = h("tbody", {});
  const table = h("table", { class: "nw-e-layers" }, h("colgroup", {}, h("col", { class: "nw-e-c0" }), h("col", { class: "nw-e-c1" }), h("col")),
    h("thead", {}, h("tr", {}, ["after", "bits from truth", "would say"].map((each) => h("th", { scope: "col" }, each)))), body);
  const says = h("p", { class: "nw-x-small" }, "The whole text: a column for each place, a row for each layer; dark is far from the truth. Point or click to look there.");
  const view = makeCanvas(paint, { tabindex: "0", role: "img", "aria-label": "how far each layer is from the truth at each place of the text; arrow keys go from place to place" });
  const element = h("div", { class: "nw-e-lens" }, table, says, view.box);

  async function draw() {
    const { known, state } = store, place = hovered ?? store.at, wanted = `${place} ${state.off}`;
    if (asked?.known === known && asked.wanted === wanted) return view.redraw();
    asked = { known, wanted };
    turn += 1;
    const mine = turn, answer = await store.ask("lens", { words: store.readWords, off: state.off, at: place });
    if (mine !== turn) return;
    if (!found || found.known !== known || !picture) picture = null;
    found = { ...answer, known, place };
    fill();
    view.redraw();
  }

  function fill() {
    const { kl, stages, tops, place } = found, truth = store.truth(place), right = new Set(truth.map(([id]) => id));
    const bits = Array.from({ length: stages }, (_, k) => kl[place * stages + k]), most = Math.max(...bits.filter(Number.isFinite), 1);
    const narrow = element.clientWidth < 520;
    const chip = ([id, p]) => h("span", { class: `nw-e-chip${right.has(id) ? " nw-e-right" : ""}`, style: `--s: ${Math.round(36 * p)}%` }, `${store.vocabulary[id]} `, h("small", {}, (100 * p).toFixed(0)));
    const rows = tops.map(({ top }, k) => h("tr", {}, h("th", { scope: "row" }, (narrow ? SHORT : LAYERS)[k]),
      h("td", {}, Number.isFinite(bits[k]) ? h("span", { class: "nw-e-klbar" }, h("i", { style: `width: ${Math.round((narrow ? 1.6 : 3.6) * 100 * bits[k] / most) / 100}rem` }), bits[k].toFixed(2)) : "–"),
      h("td", {}, top.filter(([, p], i) => i < 1 || p > 0.02).slice(0, narrow ? 3 : 5).map(chip))));
    if (truth.length) rows.push(h("tr", { class: "nw-e-truth" }, h("th", { scope: "row" }, "the truth"), h("td", {}, "0.00"),
      h("td", {}, truth.slice(0, narrow ? 3 : 5).map(([id, p]) => h("span", { class: "nw-e-chip", style: "--s: 0%" }, `${store.vocabulary[id]} `, h("small", {}, (100 * p).toFixed(0)))))));
    body.replaceChildren(...rows);
  }

  function paint(pen, width, height) {
    if (!found) return;
    inks ??= inksOf(element);
    const { kl, stages } = found, n = kl.length / stages;
    if (!picture) {
      const turned = Float32Array.from({ length: kl.length }, (_, k) => kl[(k % n) * stages + Math.floor(k / n)]);
      picture = pictureOf(turned, n, stages, (bits) => (Number.isFinite(bits) ? [...inks.third, Math.min(bits / FULL, 1) * 0.92 + 0.02] : [...inks.muted, 0.12]));
    }
    const place = hovered ?? store.at, cell = width / n, high = Math.min(height - 18, 20 * stages);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture, 0, 0, width, high);
    pen.strokeStyle = css(inks.down);
    pen.lineWidth = 1.5;
    pen.strokeRect(place * cell + 0.5, 0.5, Math.max(cell - 1, 2), high - 1);
    pen.fillStyle = css(inks.ink);
    pen.font = `13px ${inks.serif}`;
    const text = place ? `after “${store.readWords[place - 1]}”` : "before the first word", long = pen.measureText(text).width;
    pen.textBaseline = "alphabetic";
    pen.fillText(text, Math.max(0, Math.min(place * cell - long / 2, width - long - 2)), high + 14);
  }

  const placeOf = (event) => Math.max(0, Math.min(Math.floor((event.clientX - view.canvas.getBoundingClientRect().left) / (view.width / (found.kl.length / found.stages))), store.readable));
  const point = (place) => {
    if (place === hovered || !found) return;
    hovered = place;
    draw();
  };
  view.canvas.addEventListener("pointermove", (event) => hover(() => store.state.pin === null && point(placeOf(event)))(event));
  view.canvas.addEventListener("pointerleave", () => point(null));
  view.canvas.addEventListener("click", (event) => {
    hovered = null;
    if (found) store.change({ pin: placeOf(event) });
  });
  view.canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") store.change({ pin: null });
    if (!step) return;
    event.preventDefault();
    store.change({ pin: Math.max(0, Math.min(store.at + step, store.readable)) });
  });
  whenTheme(() => { [inks, picture] = [null, null]; view.redraw(); });

  return { element, draw };
}
