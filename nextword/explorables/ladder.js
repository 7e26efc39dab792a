// The ladder: each rung's distance from the floor, falling, and which kinds of fact it brought within reach.
// numbers: { floor, rungs: [{ name, perplexity, gap, valid, chapter, what, excess: { kind: bits or null } }] }

import { h, svg, controls, dots, fitted, pins, player } from "./parts.js";

const CAUGHT = 3; // kinds to name
const HIGHEST = 20000, TICKS = [10000, 1000, 100, 10, 1]; // percent above the floor
const BREAK = 26; // pixels from 1 % to the floor, which no logarithm reaches
const LEFT_NAMED = 3; // the last rungs have their names at the left, where there is room
const bits = (v) => `${v.toFixed(2)} bits`;
const percent = (gap) => `${gap < 100 ? gap.toFixed(gap < 10 ? 2 : 1) : Math.round(gap).toLocaleString("en")} %`;

export function draw(live, { floor, rungs }) {
  const kinds = Object.keys(rungs.at(-1).excess), last = rungs.length - 1;
  const stage = h("div", { class: "nw-x-stage" }), told = h("div", { class: "nw-x-told", role: "status" });
  const title = h("p", {}), caught = h("p", {});
  const chart = dots({ label: "bits lost per word of each kind", form: (v) => (Number.isFinite(v) ? v.toFixed(2) : "∞") });
  const chosen = pins(show, last);
  const buttons = rungs.map((rung, k) =>
    chosen.attach(h("button", { type: "button", class: "nw-x-column", onkeydown: (event) => walk(event, k) }, h("span", { class: "nw-x-aside" }, `${rung.name}, ${percent(rung.gap)} above the floor`)), k));
  const columns = chosen.within(h("div", { class: "nw-x-rungs", role: "group", "aria-label": "the models of the ladder; arrow keys go from one to the next, Enter pins one" }, buttons));
  const playing = player({ label: "down the ladder", last: () => last, at: () => chosen.at, go: chosen.pin, pace: 1600 });
  let picture = null;

  function walk(event, k) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !buttons[k + step]) return;
    event.preventDefault();
    buttons[k + step].focus();
  }

  function show() {
    const k = chosen.at, rung = rungs[k], above = rungs[k - 1];
    buttons.forEach((each, i) => {
      each.tabIndex = i === k ? 0 : -1;
      each.setAttribute("aria-pressed", String(i === k && chosen.pinned));
      each.classList.toggle("nw-x-here", i === k);
    });
    title.replaceChildren(h("strong", {}, rung.name), ` (${rung.chapter}). ${rung.what} It has perplexity ${rung.perplexity.toFixed(2)}, ${percent(rung.gap)} above the floor, and ${(100 * rung.valid).toFixed(1)} % of its own stories are possible.`);
    caught.textContent = above ? sentence(kinds, rung, above) : "There is no rung above it: everything is still to be learned.";
    chart.heads(above ? [rung.name, above.name] : [rung.name]);
    const rows = kinds.map((kind) => ({ name: kind, values: [rung, above].filter(Boolean).map((each) => each.excess[kind] ?? Infinity) }));
    chart.update(rows, Math.max(1, ...rows.flatMap((row) => row.values).filter(Number.isFinite)));
    picture?.mark(k);
    playing.refresh();
  }

  fitted(stage, (width) => {
    picture = stairs(rungs, floor, width, width < 480 ? 236 : 290);
    stage.replaceChildren(picture.element, columns);
    picture.mark(chosen.at);
  });
  told.append(title, caught);
  live.append(stage, h("div", { class: "nw-x-beside" },
    h("div", {}, controls(playing.element), told),
    h("div", {}, h("p", { class: "nw-x-small" }, "Bits lost per word of each kind"), chart.element)));
  show();
  return {
    set(params) {
      const k = rungs.findIndex(({ name }) => name === params.rung);
      if (k >= 0) chosen.pin(k);
    },
    get: () => ({ rung: rungs[chosen.at].name }),
  };
}

/** The falling steps as a drawing; mark(k) shows where one stands. */
function stairs(rungs, floor, width, height) {
  const ground = height - 22, base = ground - BREAK, wide = width / rungs.length;
  const y = (gap) => 4 + ((Math.log(HIGHEST) - Math.log(gap)) / Math.log(HIGHEST / TICKS.at(-1))) * (base - 4);
  const ys = rungs.map(({ gap }) => y(gap)), x = (k) => (k + 0.5) * wide;
  const line = ys.map((each, k) => `${k ? "V" : "M0 "}${each.toFixed(1)}H${((k + 1) * wide).toFixed(1)}`).join("");
  const drawn = TICKS.filter((tick) => width >= 480 || tick !== 1000); // a name stands there
  const rules = drawn.map((tick) => svg("line", { class: "nw-x-rule", x1: 0, x2: width, y1: y(tick), y2: y(tick) }));
  const ticks = drawn.map((tick) =>
    svg("text", { class: "nw-x-tick", x: width, y: y(tick) - 4, "text-anchor": "end" }, tick === TICKS[0] ? `${tick.toLocaleString("en")} % above the floor` : `${tick.toLocaleString("en")} %`));
  const names = rungs.map(({ name }, k) => (k > rungs.length - 1 - LEFT_NAMED
    ? svg("text", { x: k * wide - 6, y: ys[k] + (k === rungs.length - 1 ? 12 : 3), "text-anchor": "end" }, name)
    : !k ? svg("text", { x: wide + 7, y: ys[k] + 4 }, name)
    : svg("text", { transform: `translate(${x(k) - 2} ${ys[k] - 9}) rotate(${width < 480 ? -50 : -38})` }, name)));
  const band = svg("rect", { class: "nw-x-band", width: wide, y: 0, height: ground });
  const riser = svg("path", { class: "nw-x-riser" }), value = svg("text", { class: "nw-x-at", "text-anchor": "middle" });
  const points = ys.map((each, k) => svg("circle", { cx: x(k), cy: each, r: 4 }));
  const element = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    band, rules, ticks,
    svg("path", { class: "nw-x-ground", d: `${line}V${ground}H0Z` }), svg("path", { class: "nw-x-stairs", d: line }),
    svg("line", { class: "nw-x-floor", x1: 0, x2: width, y1: ground, y2: ground }),
    svg("text", { class: "nw-x-floor", x: 0, y: height - 6 }, `the floor: perplexity ${floor.toFixed(2)}${width < 480 ? "" : ", below which no model can get"}`),
    riser, names, points, value);
  const mark = (k) => {
    band.setAttribute("x", k * wide);
    riser.setAttribute("d", k ? `M${k * wide} ${ys[k - 1]}V${ys[k]}` : "");
    value.textContent = percent(rungs[k].gap);
    value.setAttribute("x", Math.max(24, Math.min(x(k), width - 24)));
    value.setAttribute("y", k > rungs.length - 1 - LEFT_NAMED ? ys[k - 1] - 9 : ys[k] + 19); // clear of the names
    const [here, level] = [value.getAttribute("x"), value.getAttribute("y")].map(Number);
    ticks.forEach((tick, i) => { // what the value would stand on
      const under = Math.abs(y(drawn[i]) - 4 - level) < 14 && here + 24 > width - (i ? 40 : 150);
      tick.setAttribute("visibility", under ? "hidden" : "visible");
    });
    points.forEach((point, i) => point.classList.toggle("nw-x-here", i === k));
    names.forEach((name, i) => name.classList.toggle("nw-x-here", i === k));
  };
  return { element, mark };
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
