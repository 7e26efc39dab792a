// Two remedies for zeros beside each other: α added to every count, D taken from every count.
// numbers: { tables: [{ context: { word: count } }], words, contexts, sentence: [token] }

import { h, svg, slider, choice, controls, fitted, legend, bars, player, spoken } from "./parts.js";

const sum = (row) => Object.values(row).reduce((a, b) => a + b, 0);

/** Additive smoothing (2.9). */
export function additive({ tables, words }, alpha, word, context) {
  const row = tables.at(-1)[context] ?? {};
  return ((row[word] ?? 0) + alpha) / (sum(row) + alpha * words.length);
}

/** Absolute discounting (2.11): [what the word keeps, what it gets of all that was saved]. */
export function discounted({ tables, words }, D, word, context) {
  const asked = (k, u) => {
    if (k < 0) return [0, 1 / words.length];
    const shorter = asked(k - 1, "").reduce((a, b) => a + b);
    const row = tables[k][u];
    if (!row) return [0, shorter];
    const total = sum(row), count = row[word] ?? 0;
    return [Math.max(count - D, 0) / total, saved(row, D) * shorter];
  };
  return asked(tables.length - 1, context);
}

const saved = (row, D) => (D * Object.keys(row).length) / sum(row);

/** exp of the mean of -ln p over a sentence that begins with its begin symbol. */
function perplexity(sentence, chance) {
  const logs = sentence.slice(1).map((word, k) => Math.log(chance(word, sentence[k])));
  return Math.exp(-logs.reduce((a, b) => a + b) / logs.length);
}

const written = (value) => (Number.isFinite(value) ? value.toFixed(2) : "∞");

const STEP = 0.05, LOW = 3.1, HIGH = 7, CURVE = 56; // of D; perplexities that a curve shows; its pixels
const THUMB = 8; // pixels from the end of a slider to the middle of its thumb there

export function draw(live, numbers) {
  const { tables, words, contexts, sentence } = numbers;
  let context = contexts[0];
  const chart = bars({ label: "probability of each word" });
  const says = spoken(), exam = h("p", { class: "nw-x-exam" });
  const alpha = slider({ label: "α (added)", min: -3, max: 1, step: 0.25, value: 0, form: (v) => (10 ** v).toPrecision(2), act: show });
  const discount = slider({ label: "D (taken)", min: 0, max: 1, step: STEP, value: 0.5, form: (v) => v.toFixed(2), act: () => { playing.stop(); show(); } });
  const menu = choice({ label: "after the word", options: contexts.map((u) => [u, u]), value: context, act: (u) => { context = u; show(); } });
  const playing = player({ label: "D from 0 to 1", last: () => Math.round(1 / STEP), at: () => Math.round(discount.value / STEP), go: (k) => { discount.value = k * STEP; show(); }, pace: 500, ends: false });
  const total = (pair) => pair[0] + pair[1];
  const of = {
    alpha: (v) => perplexity(sentence, (w, u) => additive(numbers, 10 ** v, w, u)),
    discount: (v) => perplexity(sentence, (w, u) => total(discounted(numbers, v, w, u))),
  };
  const curves = [curve(alpha, of.alpha, 0), curve(discount, of.discount, 1)];

  function show() {
    const a = 10 ** alpha.value, D = discount.value, row = tables.at(-1)[context];
    chart.update(words.map((word) => ({
      name: row[word] ? `${word} (${row[word]})` : word,
      values: [additive(numbers, a, word, context), discounted(numbers, D, word, context)],
    })));
    says.textContent = `After “${context}”, D = ${D.toFixed(2)} takes λ = ${saved(row, D).toFixed(2)} of the row from the words that were seen, and shares it out.`;
    exam.textContent = `Perplexity of the new sentence “${sentence.slice(1, -1).join(" ")}”: additive ${written(of.alpha(alpha.value))}, discounting ${written(of.discount(D))}.`;
    curves.forEach((each) => each.mark());
    playing.refresh();
  }

  live.append(controls(menu.element, playing.element),
    h("div", { class: "nw-x-trials" }, [alpha, discount].map(({ element }, k) => h("div", {}, curves[k].element, element))), exam,
    legend(["additive", "discounting: kept", "discounting: shared out"]), chart.element, says);
  show();
  return {
    set(params) {
      if (contexts.includes(params.after)) context = menu.select.value = params.after;
      if (params.D) discount.value = Number(params.D);
      if (params.alpha) alpha.value = Math.log10(Number(params.alpha)) || 0;
      playing.stop();
      show();
    },
    get: () => ({ after: context, D: discount.value.toFixed(2), alpha: String(Number((10 ** alpha.value).toPrecision(2))) }),
  };
}

/** Over a slider: the perplexity of the new sentence at each of its places, and a mark at the present one. */
function curve(knob, of, look) {
  const { min, max, step } = knob.input, low = Number(min), high = Number(max), by = Number(step);
  const values = Array.from({ length: Math.round((high - low) / by) + 1 }, (_, k) => of(low + k * by));
  const place = h("div", { class: "nw-x-curve", "aria-hidden": "true" });
  let mark = () => {};
  fitted(place, (width) => {
    const x = (v) => THUMB + ((v - low) / (high - low)) * (width - 2 * THUMB);
    const y = (pp) => 12 + Math.max(0, Math.log(HIGH / Math.min(pp, HIGH)) / Math.log(HIGH / LOW)) * (CURVE - 20);
    const points = values.map((pp, k) => [x(low + k * by), y(pp), pp]).filter(([, , pp]) => pp <= HIGH);
    const dot = svg("circle", { r: 5, class: `nw-x-c${look}` }), text = svg("text", {});
    place.replaceChildren(svg("svg", { width, height: CURVE }, svg("polyline", { class: `nw-x-c${look}`, points: points.map(([u, v]) => `${u},${v}`).join(" ") }), dot, text));
    mark = () => {
      const pp = of(knob.value), left = x(knob.value) > width - 60;
      dot.setAttribute("cx", x(knob.value));
      dot.setAttribute("cy", y(pp));
      text.textContent = Number.isFinite(pp) ? pp.toFixed(2) : "∞: impossible";
      text.setAttribute("text-anchor", left ? "end" : "start");
      text.setAttribute("x", x(knob.value) + (left ? -9 : 9));
      text.setAttribute("y", Math.max(10, y(pp) - 3));
    };
    mark();
  });
  return { element: place, mark: () => mark() };
}
