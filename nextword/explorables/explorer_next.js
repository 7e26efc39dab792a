// What comes next: the model's chances, as they are and as they are drawn from, beside the true ones.

import { h, slider, choice, unique } from "./parts.js";
import { d3 } from "./d3.js";
import { MODELS } from "./explorer_store.js";
import { reshaped, divergence } from "./explorer_sampling.js";

const ROWS = 9, FEWEST = 3, FAINT = 0.004, MOST = 40, DEPTH = 8, ROW = 32; // ROW: pixels
const percent = (p) => (p === 0 ? "0" : p < 0.0005 ? "< 0.1" : (100 * p).toFixed(1));

export function makeNext(store, { add }) {
  const set = (patch) => store.change(patch);
  const heat = slider({ label: "temperature", min: 0.1, max: 2, step: 0.1, value: 1, form: (v) => v.toFixed(1), act: (v) => set({ temperature: v }) });
  const k = slider({ label: "top-k", min: 1, max: MOST, step: 1, value: MOST, form: (v) => (v === MOST ? "all" : String(v)), act: (v) => set({ k: v === MOST ? 0 : v }) });
  const p = slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, form: (v) => v.toFixed(2), act: (v) => set({ p: v }) });
  const beam = slider({ label: "beams", min: 0, max: 6, step: 1, value: 0, form: (v) => (v ? String(v) : "off"), act: (v) => set({ beam: v }) });
  const model = choice({ label: "model", options: MODELS.map((each) => [each, each]), value: "transformer", act: (value) => set({ model: value }) });
  const list = h("ul", { class: "nw-e-bars", "aria-label": "the likeliest next words" });
  const key = h("p", { class: "nw-x-legend nw-e-key" });
  const beams = h("ol", { class: "nw-e-beams", "aria-label": "the likeliest continuations" });
  const fan = h("div", { class: "nw-e-fan" });
  const element = h("div", { class: "nw-e-next" },
    h("div", { class: "nw-e-sliders" }, model.element, heat.element, k.element, p.element, beam.element), key, list, fan);
  fan.append(h("p", { class: "nw-x-small", id: unique() }, "The likeliest continuations: what the model gives them, and what is true"), beams);
  let asked = "";

  function draw() {
    const { state } = store, place = store.at;
    [heat.value, k.value, p.value, beam.value, model.select.value] = [state.temperature, state.k || MOST, state.p, state.beam, state.model];
    const raw = store.row(place), now = reshaped(raw, state), truth = new Map(store.truth(place));
    const intact = store.known.intact && store.row(place, store.known.intact);
    const ended = store.readWords[place - 1] === "</s>";
    const weight = (id) => Math.max(raw[id], now[id], truth.get(id) ?? 0, intact ? intact[id] : 0);
    const order = Array.from(raw.keys()).sort((a, b) => weight(b) - weight(a)).slice(0, ROWS).filter((id, i) => i < FEWEST || weight(id) >= FAINT);
    const follows = store.readWords[place], rows = ended ? [] : order.map((id, i) => ({ id, i, word: store.vocabulary[id] }));
    const changed = state.temperature !== 1 || state.k || state.p !== 1;
    drawKey({ changed, intact, truth });
    const width = (share) => `scaleX(${Math.min(share, 1).toFixed(4)})`;

    d3.select(list).style("height", `${rows.length * ROW}px`).selectAll("li").data(rows, (d) => d.word).join((enter) => {
      const item = enter.append("li").style("transform", (d) => `translateY(${d.i * ROW}px)`);
      const body = item.append("button").attr("type", "button").attr("class", "nw-e-row").on("click", (event, d) => add(d.word));
      body.append("span").attr("class", "nw-x-name");
      const tracks = body.append("span").attr("class", "nw-e-tracks").attr("aria-hidden", "true");
      for (const part of ["raw", "now", "true", "was"]) tracks.append("i").attr("class", `nw-e-${part}`);
      body.append("span").attr("class", "nw-e-figures").attr("aria-hidden", "true");
      body.append("span").attr("class", "nw-x-aside"); // read out in place of the figures
      return item;
    }).order().style("transform", (d) => `translateY(${d.i * ROW}px)`).each(function each({ id, word }) {
      const item = d3.select(this), says = item.select(".nw-e-figures");
      item.select(".nw-x-name").text(word);
      item.select("button").classed("nw-x-marked", word === follows).classed("nw-e-cut", now[id] === 0);
      item.select(".nw-e-raw").style("transform", width(raw[id])).style("display", changed ? null : "none");
      item.select(".nw-e-now").style("transform", width(now[id]));
      item.select(".nw-e-true").style("transform", width(truth.get(id) ?? 0));
      item.select(".nw-e-was").style("left", `${100 * (intact ? intact[id] : 0)}%`).style("display", intact ? null : "none");
      const wrong = truth.size && !truth.has(id);
      says.selectAll("span").data([percent(now[id]), truth.size ? (wrong ? "✗" : percent(truth.get(id))) : ""]).join("span").text(String);
      item.select(".nw-x-aside").text(`: ${percent(now[id])} percent${truth.size ? (wrong ? ", impossible" : `, true ${percent(truth.get(id))}`) : ""}${intact ? `, with all heads ${percent(intact[id])}` : ""}${word === follows ? ", it follows" : ""}`);
    });
    drawBeams(ended);
  }

  function drawKey({ changed, intact, truth }) {
    const bits = truth.size ? divergence(store.truth(), store.row()) : null;
    const entry = (look, text) => h("span", {}, h("i", { class: `nw-e-swatch nw-e-${look}`, "aria-hidden": "true" }), text);
    key.replaceChildren(...[entry("now", changed ? "drawn from" : `the ${store.state.model}`), changed && entry("raw", `the ${store.state.model}`),
      truth.size ? entry("true", "the village itself") : null, intact && entry("was", "with all heads"),
      bits === null ? null : h("span", { class: "nw-e-bits" }, `${bits.toFixed(2)} bits apart`)].filter(Boolean));
  }

  async function drawBeams(ended) {
    const { state } = store;
    fan.hidden = !state.beam || ended;
    element.classList.toggle("nw-e-beaming", !fan.hidden);
    if (fan.hidden) return;
    const words = store.readWords.slice(0, store.at), wanted = JSON.stringify([words, state.model, state.off, state.beam]);
    if (asked === wanted) return;
    asked = wanted;
    const found = await store.ask("beam", { words, model: state.model, off: state.off, width: state.beam, depth: DEPTH });
    if (asked !== wanted) return;
    beams.replaceChildren(...found.map((each) => {
      const texts = each.words.map((word, i) => h("span", { class: i === each.leftAt ? "nw-x-out" : each.leftAt !== null && i > each.leftAt ? "nw-x-after" : null }, `${word} `));
      const read = `: ${percent(each.p)} percent, ${each.truth ? `true ${percent(each.truth)}` : "impossible"}`;
      return h("li", {}, h("button", { type: "button", class: "nw-e-beam", onclick: () => add(...each.words) },
        h("span", {}, texts), h("span", { class: "nw-x-aside" }, read),
        h("span", { class: "nw-e-figures", "aria-hidden": "true" }, h("span", {}, percent(each.p)), h("span", {}, each.truth ? percent(each.truth) : "✗"))));
    }));
  }

  return { element, draw };
}
