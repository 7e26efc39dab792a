// Two remedies for zeros beside each other: α added to every count, D taken from every count.
// numbers: { tables: [{ context: { word: count } }], words, contexts, sentence: [token] }

import { h, slider, choice, controls, legend, bars, spoken } from "./parts.js";

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

export function draw(live, numbers) {
  const { tables, words, contexts, sentence } = numbers;
  let context = contexts[0];
  const chart = bars({ label: "probability of each word" });
  const says = spoken(), exam = h("p", { class: "nw-x-exam" });
  const alpha = slider({ label: "α (added)", min: -3, max: 1, step: 0.25, value: 0, form: (v) => (10 ** v).toPrecision(2), act: show });
  const discount = slider({ label: "D (taken)", min: 0, max: 1, step: 0.05, value: 0.5, form: (v) => v.toFixed(2), act: show });
  const menu = choice({ label: "after the word", options: contexts.map((u) => [u, u]), value: context, act: (u) => { context = u; show(); } });

  function show() {
    const a = 10 ** alpha.value, D = discount.value, row = tables.at(-1)[context];
    const total = (pair) => pair[0] + pair[1];
    chart.update(words.map((word) => ({
      name: row[word] ? `${word} (${row[word]})` : word,
      values: [additive(numbers, a, word, context), discounted(numbers, D, word, context)],
    })));
    says.textContent = `After “${context}”, D = ${D.toFixed(2)} takes λ = ${saved(row, D).toFixed(2)} of the row from the words that were seen, and shares it out.`;
    const pps = [perplexity(sentence, (w, u) => additive(numbers, a, w, u)), perplexity(sentence, (w, u) => total(discounted(numbers, D, w, u)))];
    exam.textContent = `Perplexity of the new sentence “${sentence.slice(1, -1).join(" ")}”: additive ${written(pps[0])}, discounting ${written(pps[1])}.`;
  }

  live.append(controls(menu.element), alpha.element, discount.element,
    legend(["additive", "discounting: kept", "discounting: shared out"]), chart.element, says, exam);
  show();
}
