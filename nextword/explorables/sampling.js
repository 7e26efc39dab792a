// How to choose the next word: temperature, then the k likeliest, then the nucleus.
// numbers: { rows: { context: [[word, probability]] } }, the likeliest words first

import { h, button, slider, choice, controls, legend, bars, spoken, drawn } from "./parts.js";

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
  let context = Object.keys(rows)[0];
  const chart = bars({ label: "probability of each word", form: percent });
  const says = spoken(), drawnWords = h("p", { class: "nw-x-text", "aria-live": "polite" });
  const menu = choice({ label: "after", options: Object.keys(rows).map((each) => [each, `… ${each}`]), value: context, act: (value) => { context = value; show(); } });
  const heat = slider({ label: "temperature τ", min: 0.1, max: HOTTEST, step: 0.1, value: 1, form: (v) => v.toFixed(1), act: show });
  const k = slider({ label: "top-k", min: 1, max: MOST, step: 1, value: MOST, form: (v) => (v === MOST ? "all" : String(v)), act: show });
  const mass = slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, form: (v) => v.toFixed(2), act: show });
  const reset = button("As the model says", () => { heat.value = 1; k.value = MOST; mass.value = 1; show(); });
  const go = button(`Draw ${DRAWS} words`, throwDice, { class: "nw-x-button nw-x-main" });

  function now() {
    const p = rows[context].map(([, each]) => each);
    return cut(heated(p, heat.value), k.value === MOST ? Infinity : k.value, mass.value);
  }

  function show() {
    const row = rows[context], after = now();
    const shown = row.slice(0, ROWS).map(([word, p], i) => ({ name: word, values: [p, after[i]] }));
    const sum = (values) => values.slice(ROWS).reduce((a, b) => a + b, 0);
    shown.push({ name: `${row.length - ROWS} others`, values: [sum(row.map(([, p]) => p)), sum(after)] });
    chart.update(shown, Math.max(...shown.flatMap((each) => each.values)));
    const kept = after.filter((p) => p > 0).length;
    says.textContent = `${kept} of ${row.length} words can be drawn; the likeliest has ${percent(after[0])}.`;
    drawnWords.replaceChildren();
  }

  function throwDice() {
    const chances = new Map(now().map((p, i) => [rows[context][i][0], p]).filter(([, p]) => p > 0));
    const words = Array.from({ length: DRAWS }, () => drawn(chances));
    const rare = new Set(rows[context].slice(ROWS).map(([word]) => word));
    drawnWords.replaceChildren(...words.flatMap((word) => [h("span", { class: rare.has(word) ? "nw-x-out" : null }, word), " "]));
  }

  live.append(controls(menu.element, reset), heat.element, k.element, mass.element, says,
    legend(["the model's own", "after your cuts"]), chart.element, controls(go), drawnWords,
    h("p", { class: "nw-x-small" }, `A framed word is one of the “others” below the ${ROWS} likeliest.`));
  show();
}
