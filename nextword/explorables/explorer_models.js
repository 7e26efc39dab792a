// Two models on the same text: the surprise of each at every word, the floor between them, and who wins where.

import { h, choice, hover } from "./parts.js";
import { d3 } from "./d3.js";
import { KINDS } from "./stories.js";
import { MODELS } from "./explorer_store.js";

const LEAST = 4, MOST = 12; // bits that the chart is high, and no more
const TIE = 0.05; // bits a word

export function makeModels(store) {
  const menus = ["a", "b"].map((key) => choice({ label: key === "a" ? "above" : "below", options: MODELS.map((each) => [each, each]), value: "LSTM", act: (value) => store.change({ [key]: value }) }));
  const says = h("p", { class: "nw-e-says", role: "status" });
  const svg = d3.create("svg").attr("tabindex", 0).attr("role", "img").attr("aria-label", "the surprise of both models at each word; arrow keys go from word to word");
  const chart = h("div", { class: "nw-e-duel" }, svg.node());
  const table = h("table", { class: "nw-e-kinds" });
  const element = h("div", { class: "nw-e-models" }, h("div", { class: "nw-x-controls", style: "margin: 0" }, menus.map((each) => each.element)), says, chart, h("div", { style: "overflow: auto; flex: 0 1 auto; min-height: 5rem", tabindex: "0", role: "group", "aria-label": "by kind of fact" }, table));
  let found = null, hovered = null, turn = 0;

  async function draw() {
    const { state, known } = store;
    menus[0].select.value = state.a;
    menus[1].select.value = state.b;
    if (found?.known === known && found.a === state.a && found.b === state.b) return paint();
    turn += 1;
    const mine = turn, { a, b } = state, words = store.readWords;
    if (!found) says.textContent = "The models are reading …";
    const reads = [];
    for (const name of [a, b]) reads.push(name === "transformer" ? known.net : await store.ask("read", { words, model: name, use: "side" }));
    if (mine !== turn) return;
    found = { known, a, b, bits: reads.map((each) => store.surprises(each)), rows: reads };
    fill();
    store.draw(); // the text takes the colours of this view
  }

  /** The true surprise of each word, as far as the text is possible. */
  const floor = () => store.known.heard.chances.map((p) => -Math.log2(p));

  function paint() {
    const { bits } = found, n = bits[0].length, width = chart.clientWidth, height = chart.clientHeight;
    if (!width || !n) return svg.selectAll("*").remove();
    svg.attr("viewBox", `0 0 ${width} ${height}`);
    const middle = height / 2, tall = middle - 16, step = width / n, x = (k) => k * step;
    const high = Math.max(LEAST, Math.min(MOST, ...[Math.max(...bits[0], ...bits[1])])), y = (value) => (Math.min(value, high) / high) * tall;
    const marks = [0, 1].flatMap((which) => bits[which].map((value, k) => ({ which, k, value })));
    svg.selectAll("rect.nw-e-each").data(marks, (d) => `${d.which} ${d.k}`).join("rect")
      .attr("class", (d) => `nw-e-each nw-e-${"ab"[d.which]}`).attr("x", (d) => x(d.k) + step * 0.1).attr("width", Math.max(step * 0.8, 1))
      .attr("y", (d) => (d.which ? middle : middle - y(d.value))).attr("height", (d) => y(d.value))
      .attr("opacity", (d) => (store.state.pin === null || d.k + 1 === store.at ? 1 : 0.55));
    const truth = floor(), path = d3.line().curve(d3.curveStep).x((_, k) => x(k) + step / 2);
    svg.selectAll("path.nw-e-floor").data([-1, 1]).join("path").attr("class", "nw-e-floor").attr("d", (side) => path.y((value) => middle + side * y(value))(truth)).raise();
    svg.selectAll("line.nw-e-hair").data([0]).join("line").attr("class", "nw-e-hair").attr("x1", 0).attr("x2", width).attr("y1", middle).attr("y2", middle);
    const k = pointed(), word = k === null ? "" : store.readWords[k];
    svg.selectAll("text").data([[found.a, 2, 11, "start"], [found.b, 2, height - 3, "start"], [`up to ${high.toFixed(0)} bits; the line is the floor`, width - 2, 11, "end"],
      [word, k === null ? 0 : Math.max(20, Math.min(x(k) + step / 2, width - 20)), height - 3, "middle"]]).join("text")
      .attr("x", (d) => d[1]).attr("y", (d) => d[2]).attr("text-anchor", (d) => d[3]).text((d) => d[0]);
    speak(k);
  }

  const pointed = () => {
    const k = hovered ?? (store.state.pin === null ? null : store.at - 1);
    return k !== null && k >= 0 && k < found.bits[0].length ? k : null;
  };

  function speak(k) {
    const { a, b, bits, rows } = found, truth = floor();
    if (k !== null) {
      const id = store.number.get(store.readWords[k]);
      const chance = (row) => `${(100 * row.probs[k * row.V + id]).toFixed(1)} %`;
      const true_ = k < truth.length ? `${(100 * 2 ** -truth[k]).toFixed(1)} %` : "impossible";
      says.textContent = `Word ${k + 1}, “${store.readWords[k]}”: ${a} ${chance(rows[0])}, ${b} ${chance(rows[1])}, the truth ${true_}. ${k < truth.length ? `It depends on ${KINDS.get(store.known.heard.places[k].kind).split(":")[0]}.` : ""}`;
      return;
    }
    const mean = (list) => list.slice(0, truth.length).reduce((x, y) => x + y, 0) / truth.length;
    if (!truth.length) says.textContent = "There is no word to compare yet.";
    else says.textContent = `Perplexity on these ${truth.length} words: ${a} ${(2 ** mean(bits[0])).toFixed(2)}, ${b} ${(2 ** mean(bits[1])).toFixed(2)}, the floor ${(2 ** mean(truth)).toFixed(2)}.`;
  }

  function fill() {
    const { a, b, bits } = found, truth = floor(), kinds = new Map();
    truth.forEach((bit, k) => {
      const { kind } = store.known.heard.places[k], row = kinds.get(kind) ?? { n: 0, over: [0, 0] };
      row.n += 1;
      row.over[0] += bits[0][k] - bit;
      row.over[1] += bits[1][k] - bit;
      kinds.set(kind, row);
    });
    const rows = [...kinds].map(([kind, { n, over }]) => ({ kind, n, over: over.map((sum) => sum / n) }))
      .sort((one, two) => Math.max(...two.over) * two.n - Math.max(...one.over) * one.n);
    const cells = ({ over }) => over.map((value, which) => {
      const best = value < over[1 - which] - TIE;
      return h("td", { class: best ? `nw-e-best nw-e-wins${which}` : null }, value.toFixed(2));
    });
    const names = a === b ? [a, `${b} ` ] : [a, b];
    table.replaceChildren(
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "bits lost a word, by kind of fact"), h("th", { scope: "col" }, "words"), names.map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row", title: KINDS.get(row.kind) }, row.kind), h("td", {}, String(row.n)), cells(row)))));
  }

  // ---- pointing and keys
  const placeOf = (event) => {
    const box = svg.node().getBoundingClientRect();
    return Math.max(0, Math.min(Math.floor(((event.clientX - box.left) / box.width) * found.bits[0].length), found.bits[0].length - 1));
  };
  svg.on("pointermove", (event) => hover(() => found && store.state.pin === null && placeOf(event) !== hovered && ((hovered = placeOf(event)), paint()))(event))
    .on("pointerleave", () => { hovered = null; if (found) paint(); })
    .on("click", (event) => {
      hovered = null;
      if (found) store.change({ pin: placeOf(event) + 1 });
    })
    .on("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") store.change({ pin: null });
      if (!step) return;
      event.preventDefault();
      store.change({ pin: Math.max(1, Math.min(store.at + step, store.readable)) });
    });
  new ResizeObserver(() => found && paint()).observe(chart);

  /** The text by who is surprised more: the colour of the model that loses more bits. */
  function tint() {
    if (!found || found.known !== store.known) return null;
    const shares = found.bits[0].map((value, k) => Math.min(Math.abs(value - found.bits[1][k]) / 4, 1));
    return { shares: [0, ...shares], look: 2, looks: [0, ...found.bits[0].map((value, k) => (value > found.bits[1][k] ? 0 : 2))] };
  }

  return { element, draw, tint };
}
