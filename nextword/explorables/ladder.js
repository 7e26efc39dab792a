// The ladder: what each rung is, and which kinds of fact it brought within reach.
// numbers: { floor, rungs: [{ name, perplexity, gap, valid, chapter, what, excess: { kind: bits or null } }] }

import { h, hover, legend, bars } from "./parts.js";

const CAUGHT = 3; // kinds to name
const bits = (v) => `${v.toFixed(2)} bits`;

export function draw(live, { floor, rungs }) {
  let at = rungs.length - 1;
  const kinds = Object.keys(rungs.at(-1).excess);
  const scale = (value) => Math.log(value / floor) / Math.log(rungs[0].perplexity / floor);
  const told = h("div", { class: "nw-x-told", role: "status", "aria-live": "polite" });
  const title = h("p", {}), what = h("p", {}), caught = h("p", {});
  const chart = bars({ label: "bits lost per word of each kind", form: (v) => (Number.isFinite(v) ? v.toFixed(2) : "∞") });
  const key = h("div", {});
  const buttons = rungs.map((rung, k) => {
    const fill = h("i", { class: "nw-x-fill nw-x-s0", style: `width: ${Math.max(100 * scale(rung.perplexity), 0.6)}%` });
    return h("button", { type: "button", class: "nw-x-row", onclick: () => show(k), onfocus: () => show(k), onpointermove: hover(() => k === at || show(k)) },
      h("span", { class: "nw-x-name" }, rung.name),
      h("span", { class: "nw-x-tracks" }, h("span", { class: "nw-x-track" },
        h("span", { class: "nw-x-rail", "aria-hidden": "true" }, fill), h("span", { class: "nw-x-value" }, rung.perplexity.toFixed(2)))));
  });

  function show(k) {
    at = k;
    const rung = rungs[k], above = rungs[k - 1];
    buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(i === k)));
    title.replaceChildren(h("strong", {}, rung.name), ` (${rung.chapter}): perplexity ${rung.perplexity.toFixed(2)}, ${rung.gap.toFixed(rung.gap < 100 ? 1 : 0)} % above the floor; ${(100 * rung.valid).toFixed(1)} % of its own stories are possible.`);
    what.textContent = rung.what;
    caught.textContent = above ? sentence(kinds, rung, above) : "There is no rung above it: everything is still to be learned.";
    key.replaceChildren(legend(above ? [rung.name, `the rung above: ${above.name}`] : [rung.name]));
    const rows = kinds.map((kind) => ({ name: kind, values: [rung, above].filter(Boolean).map((each) => each.excess[kind] ?? Infinity) }));
    chart.update(rows, Math.max(1, ...rows.flatMap((row) => row.values).filter(Number.isFinite)));
  }

  told.append(title, what, caught);
  live.append(h("ul", { class: "nw-x-rungs", "aria-label": "perplexity of each model, logarithmic" }, buttons.map((each) => h("li", {}, each))),
    h("p", { class: "nw-x-small" }, `The bars begin at the floor, ${floor.toFixed(2)}, and are logarithmic.`),
    told, h("p", { class: "nw-x-small" }, "Bits lost against the truth, per word of each kind:"), key, chart.element);
  show(rungs.length - 1);
}

/** Which kinds the rung lost least at, compared with the rung above it. */
function sentence(kinds, rung, above) {
  const gains = kinds
    .map((kind) => [kind, above.excess[kind] - rung.excess[kind]])
    .filter(([, gain]) => gain > 0.05)
    .sort(([, a], [, b]) => b - a)
    .slice(0, CAUGHT);
  if (!gains.length) return "It gains a little everywhere, and nowhere much.";
  return `It gains most at ${gains.map(([kind, gain]) => `${kind} (${bits(gain)} a word)`).join(", ")}.`;
}
