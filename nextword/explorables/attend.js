// A story with attention: from each word, where a head looks, with and without root and mask.
// numbers: { words, width, heads: { name: [[score of query i with key j]] } }

import { h, choice, controls, pins, player, tick, bars, spoken } from "./parts.js";
import { softmax } from "./network.js";

const ROWS = 5;
const percent = (p) => `${(100 * p).toFixed(1)} %`;

/** The weights of one query (5.11): scores divided by the root or not, hidden words without weight. */
export function weightsOf(scores, place, width, { root, causal }) {
  const seen = scores.map((score, j) => (causal && j > place ? -Infinity : root ? score / Math.sqrt(width) : score));
  return softmax(seen);
}

/** "layer 2, head 3" as a link names it, "2.3". */
const short = (head) => head.match(/\d+/g).join(".");

export function draw(live, { words, width, heads }) {
  let head = Object.keys(heads)[0], root = true, causal = true;
  const menu = choice({ label: "head", options: Object.keys(heads).map((name) => [name, name]), value: head, act: (name) => { head = name; show(); } });
  const scale = tick({ label: `divide by √${width}`, checked: true, act: (on) => { root = on; show(); } });
  const mask = tick({ label: "causal mask", checked: true, act: (on) => { causal = on; show(); } });
  const says = spoken(), chart = bars({ label: "words looked at", form: percent });
  const chosen = pins(show, words.length - 1);
  const buttons = words.map((word, k) =>
    chosen.attach(h("button", { type: "button", class: "nw-x-token", onkeydown: (event) => walk(event, k) }, word), k));
  const text = chosen.within(h("div", { class: "nw-x-tokens", role: "group", "aria-label": "the story; arrow keys go from word to word, Enter pins one" }, buttons));
  const playing = player({ label: "from word to word", last: () => words.length - 1, at: () => chosen.at, go: (k) => chosen.pin(k), pace: 700, ends: false });

  function walk(event, k) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !buttons[k + step]) return;
    event.preventDefault();
    buttons[k + step].focus();
  }

  function show() {
    const place = chosen.at;
    const weights = weightsOf(heads[head][place], place, width, { root, causal });
    const top = Math.max(...weights);
    buttons.forEach((each, k) => {
      each.tabIndex = k === place ? 0 : -1;
      each.setAttribute("aria-pressed", String(k === place && chosen.pinned));
      each.classList.toggle("nw-x-here", k === place);
      each.style.background = weights[k] < 0.005 ? "" : `color-mix(in srgb, var(--x-2) ${Math.round((34 * weights[k]) / top)}%, var(--x-paper))`;
      each.classList.toggle("nw-x-hidden", causal && k > place);
    });
    const order = weights.map((_, k) => k).sort((a, b) => weights[b] - weights[a]).slice(0, ROWS);
    chart.update(order.filter((k) => weights[k] > 0).map((k) => ({ name: `${words[k]} #${k + 1}`, values: [weights[k]], mark: k === place })));
    const spread = Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));
    says.textContent = `From word ${place + 1}, “${words[place]}”, ${head} looks most at “${words[order[0]]}”; its weight is spread over about ${spread.toFixed(1)} words.`;
    playing.refresh();
  }

  live.append(controls(menu.element, scale.element, mask.element), text, controls(playing.element), says, chart.element);
  show();
  return {
    set(params) {
      head = Object.keys(heads).find((name) => short(name) === params.head) ?? head;
      menu.select.value = head;
      if (params.root) scale.input.checked = root = params.root === "on";
      if (params.mask) mask.input.checked = causal = params.mask === "on";
      const place = params.word ? words.lastIndexOf(params.word) : -1;
      if (place >= 0) chosen.pin(place);
      else show();
    },
    get: () => ({ head: short(head), word: words[chosen.at], root: root ? "on" : "off", mask: causal ? "on" : "off" }),
  };
}
