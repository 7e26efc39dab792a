// A story with attention: from each word, where a head looks, with and without root and mask.
// numbers: { words, width, heads: { name: [[score of query i with key j]] } }

import { h, choice, controls, hover, tick, legend, bars, spoken } from "./parts.js";
import { softmax } from "./network.js";

const ROWS = 6;
const percent = (p) => `${(100 * p).toFixed(1)} %`;

/** The weights of one query (5.11): scores divided by the root or not, hidden words without weight. */
export function weightsOf(scores, place, width, { root, causal }) {
  const seen = scores.map((score, j) => (causal && j > place ? -Infinity : root ? score / Math.sqrt(width) : score));
  return softmax(seen);
}

export function draw(live, { words, width, heads }) {
  let head = Object.keys(heads)[0], place = words.length - 1, root = true, causal = true;
  const menu = choice({ label: "head", options: Object.keys(heads).map((name) => [name, name]), value: head, act: (name) => { head = name; show(); } });
  const scale = tick({ label: `divide by √${width}`, checked: true, act: (on) => { root = on; show(); } });
  const mask = tick({ label: "causal mask", checked: true, act: (on) => { causal = on; show(); } });
  const says = spoken(), chart = bars({ label: "words looked at", form: percent });
  const buttons = words.map((word, k) =>
    h("button", { type: "button", class: "nw-x-token", onclick: () => go(k), onfocus: () => go(k), onpointermove: hover(() => k === place || go(k)), onkeydown: (event) => walk(event, k) }, word));
  const text = h("div", { class: "nw-x-tokens", role: "group", "aria-label": "the story; arrow keys go from word to word" }, buttons);

  function walk(event, k) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !buttons[k + step]) return;
    event.preventDefault();
    buttons[k + step].focus();
  }

  function go(k) {
    place = k;
    show();
  }

  function show() {
    const weights = weightsOf(heads[head][place], place, width, { root, causal });
    const top = Math.max(...weights);
    buttons.forEach((each, k) => {
      each.tabIndex = k === place ? 0 : -1;
      each.setAttribute("aria-pressed", String(k === place));
      each.style.background = weights[k] < 0.005 ? "" : `color-mix(in srgb, var(--x-2) ${Math.round((34 * weights[k]) / top)}%, var(--x-paper))`;
      each.classList.toggle("nw-x-hidden", causal && k > place);
    });
    const order = weights.map((_, k) => k).sort((a, b) => weights[b] - weights[a]).slice(0, ROWS);
    chart.update(order.filter((k) => weights[k] > 0).map((k) => ({ name: `${words[k]} #${k + 1}`, values: [weights[k]], mark: k === place })));
    const spread = Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));
    says.textContent = `From word ${place + 1}, “${words[place]}”, ${head} looks most at “${words[order[0]]}”; its weight is spread over about ${spread.toFixed(1)} words.`;
  }

  live.append(controls(menu.element, scale.element, mask.element), text, says, legend(["weight"]), chart.element);
  show();
}
