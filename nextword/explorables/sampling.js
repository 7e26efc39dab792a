// How to choose the next word: temperature, then the k likeliest, then the nucleus.
// numbers: { rows: { context: [[word, probability]] } }, the likeliest words first

import { h, button, slider, choice, controls, dots, player, spoken, drawn } from "./parts.js";

const ROWS = 12, DRAWS = 20, HOTTEST = 3, MOST = 40;
const percent = (p) => `${(100 * p).toFixed(1)} %`;

/** The probabilities at a temperature (1.16); they stay in their order. */
export function heated(probabilities, heat) {
  const logs = probabilities.map((p) => Math.log(p) / heat), top = Math.max(...logs);
  return shares(logs.map((log) => Math.exp(log - top)));
}

/** The first `k` of probabilities in falling order, then the fewest that hold `mass` (1.17). */
export function cut(probabilities, k, mass) {
  const few = shares(probabilities.map((p, i) => (i < k ? p : 0)));
  let held = 0;
  return shares(few.map((p) => (held < mass - 1e-9 ? ((held += p), p) : 0)));
}

function shares(weights) {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

export function draw(live, { rows }) {
  let context = Object.keys(rows)[0], words = [], written = 0; // words drawn so far, and how many of them are shown
  const chart = dots({ label: "probability of each word", form: percent, stems: true });
  chart.heads(["after your cuts", "the model's own"]);
  const says = spoken(), text = h("p", { class: "nw-x-text nw-x-drawn", "aria-live": "polite" });
  const menu = choice({ label: "after", options: Object.keys(rows).map((each) => [each, `… ${each}`]), value: context, act: (value) => { context = value; show(); } });
  const heat = slider({ label: "temperature τ", min: 0.1, max: HOTTEST, step: 0.1, value: 1, form: (v) => v.toFixed(1), act: show });
  const k = slider({ label: "top-k", min: 1, max: MOST, step: 1, value: MOST, form: (v) => (v === MOST ? "all" : String(v)), act: show });
  const mass = slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, form: (v) => v.toFixed(2), act: show });
  const reset = button("As the model says", () => { heat.value = 1; k.value = MOST; mass.value = 1; show(); });
  const drawing = player({ label: "draw words", last: () => DRAWS, at: () => written, go: write, pace: 450, names: { step: "Draw", end: `Draw ${DRAWS}` } });

  function now() {
    const p = rows[context].map(([, each]) => each);
    return cut(heated(p, heat.value), k.value === MOST ? Infinity : k.value, mass.value);
  }

  function show() {
    const row = rows[context], after = now();
    const shown = row.slice(0, ROWS).map(([word, p], i) => ({ name: word, values: [after[i], p] }));
    const sum = (values) => values.slice(ROWS).reduce((a, b) => a + b, 0);
    shown.push({ name: `${row.length - ROWS} others`, values: [sum(after), sum(row.map(([, p]) => p))] });
    chart.update(shown, Math.max(...shown.flatMap((each) => each.values)));
    const kept = after.filter((p) => p > 0).length;
    says.textContent = `${kept} of ${row.length} words can be drawn; the likeliest has ${percent(after[0])}.`;
    drawing.stop();
    write(0);
  }

  /** Show the first `n` draws; from none at all, others are drawn. */
  function write(n) {
    const chances = new Map(now().map((p, i) => [rows[context][i][0], p]).filter(([, p]) => p > 0));
    if (!n || (n === DRAWS && written === DRAWS)) words = [];
    while (words.length < n) words.push(drawn(chances));
    const rare = new Set(rows[context].slice(ROWS).map(([word]) => word));
    text.replaceChildren(...words.slice(0, n).flatMap((word) => [h("span", { class: rare.has(word) ? "nw-x-out" : null }, word), " "]));
    if (!n) text.append(h("span", { class: "nw-x-small" }, `A framed word is among the “others”, below the ${ROWS} likeliest.`));
    written = n;
    drawing.refresh();
  }

  live.append(controls(menu.element, reset), h("div", { class: "nw-x-abreast" }, heat.element, k.element, mass.element), says,
    chart.element, controls(drawing.element), text);
  show();
  return {
    set(params) {
      if (params.after in rows) context = menu.select.value = params.after;
      if (params.heat) heat.value = Number(params.heat);
      if (params.k) k.value = params.k === "all" ? MOST : Number(params.k);
      if (params.p) mass.value = Number(params.p);
      show();
      if (params.draw) write(Math.max(0, Math.min(DRAWS, Number(params.draw) || 0)));
    },
    get: () => ({ after: context, heat: String(heat.value), k: k.value === MOST ? "all" : String(k.value), p: String(mass.value), draw: String(written) }),
  };
}
