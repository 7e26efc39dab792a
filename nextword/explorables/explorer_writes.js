// Whole stories, written one after the other by each model: how many could the village have told?

import { h, button } from "./parts.js";
import { KINDS } from "./stories.js";
import { MODELS, VIEWS } from "./explorer_store.js";
import { joined } from "./explorer_text.js";

const DOTS = 120;

/** Wilson's interval for a share, 95 %. */
export const interval = (yes, n) => {
  if (!n) return [0, 1];
  const z = 1.96, p = yes / n, middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
};

export function makeWrites(store, { measured }) {
  let running = null, counts = fresh(), settings = "";
  const go = button("▶ Let them write", () => (running ? halt() : run()), { class: "nw-x-button nw-x-main" });
  const one = button("One story each", () => { halt(); round({}); });
  const clear = button("Count anew", () => { counts = fresh(); last.replaceChildren(hint); draw(); });
  const says = h("p", { class: "nw-x-small", style: "margin: 0" });
  const hint = "A story counts when the village could have told it word for word.";
  const last = h("p", { class: "nw-e-last", tabindex: "0", role: "group", "aria-label": "the last story" }, hint);
  const rows = Object.fromEntries(MODELS.map((name) => {
    const bar = h("i"), range = h("u"), out = h("output"), dots = h("div", { class: "nw-e-dots", "aria-hidden": "true" });
    return [name, { bar, range, out, dots, element: h("div", { class: "nw-e-tally" }, h("b", {}, name), h("div", { class: "nw-e-shares", "aria-hidden": "true" }, bar, range), out, dots) }];
  }));
  const element = h("div", { class: "nw-e-writes" }, h("div", { class: "nw-x-controls", style: "margin: 0" }, go, one, clear), says, MODELS.map((name) => rows[name].element), last);

  function fresh() {
    return Object.fromEntries(MODELS.map((name) => [name, { yes: 0, n: 0, told: [] }]));
  }

  const sampling = () => ({ temperature: store.state.temperature, k: store.state.k, p: store.state.p });

  /** One story of each model; `turn.stop` ends it between two stories. */
  async function round(turn) {
    for (const model of MODELS) {
      if (turn.stop) return;
      const before = counts, found = await store.ask("write", { model, off: model === "transformer" ? store.state.off : [], sampling: sampling() });
      if (before !== counts) return; // the settings have changed meanwhile
      const tally = counts[model];
      tally.n += 1;
      tally.yes += found.accepted ? 1 : 0;
      tally.told.push(found.accepted);
      tell(model, found);
      draw();
    }
  }

  async function run() {
    const turn = { stop: false };
    running = turn;
    go.textContent = "❚❚ Pause";
    while (!turn.stop && store.state.view === "writes" && element.isConnected) await round(turn);
    if (running === turn) halt();
  }

  function halt() {
    if (running) running.stop = true;
    running = null;
    go.textContent = "▶ Let them write";
  }

  function tell(model, { words, accepted, kind, instead }) {
    const text = joined(words.slice(0, -1)), end = words.at(-1);
    const note = accepted ? " Accepted." : kind === "length" ? " Too long." : ` The village would say “${instead.join("”, “")}”: it depends on ${KINDS.get(kind).split(":")[0]}.`;
    last.replaceChildren(h("b", {}, `${model}: `), `${text} `, accepted ? h("span", { class: "nw-x-small" }, end) : h("span", { class: "nw-x-out" }, `${end} ✗`), h("span", { class: "nw-x-small" }, note));
    last.scrollTop = last.scrollHeight;
  }

  function draw() {
    const now = JSON.stringify([sampling(), store.state.off]);
    if (now !== settings) {
      settings = now;
      counts = fresh();
    }
    const { temperature, k, p, off } = store.state;
    const known = temperature === 1 && !k && p === 1 && !off.length
      ? ` The ladder's own count: ${MODELS.map((name) => `${name} ${(100 * measured[name]).toFixed(1)} %`).join(", ")}.` : "";
    says.textContent = `Drawn at temperature ${temperature.toFixed(1)}, ${k ? `from the ${k} likeliest words` : "from all words"}${p < 1 ? `, top-p ${p.toFixed(2)}` : ""}${off.length ? "; heads are switched off" : ""}. Change it under “${VIEWS.next}”.${known}`;
    for (const name of MODELS) {
      const { yes, n, told } = counts[name], { bar, range, out, dots } = rows[name], [low, high] = interval(yes, n);
      bar.style.transform = `scaleX(${n ? yes / n : 0})`;
      Object.assign(range.style, { left: `${100 * low}%`, width: `${100 * (high - low)}%`, display: n ? "" : "none" });
      out.textContent = n ? `${yes} of ${n}: ${Math.round((100 * yes) / n)} %` : "no story yet";
      const shown = told.slice(-DOTS);
      dots.replaceChildren(...shown.map((ok) => h("i", { class: ok ? "nw-e-yes" : null })));
    }
  }

  return { element, draw, stop: halt };
}
