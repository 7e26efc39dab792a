// A map of words: point at one and it is joined to its neighbours in the space of the vectors; sums of words.
// numbers: { words, kinds: { kind: [word] }, maps: { name: [[x, y]] }, vectors: { bytes, scales },
//   truth: [[[place, similarity]]] of each word, sums: [[a, b, c]] }

import { h, svg, button, calm, choice, controls, dots, fitted, pins, tick, spoken, unique } from "./parts.js";
import { unpack } from "./network.js";
import { makeView, placed } from "./atlas.js";

const NEAR = 8, ANSWERS = 5, SUM = "sum";
const HIGH = 350, LOW = 230; // pixels of the map on a wide and on a narrow screen
const REACH = 22; // pixels from which a point is meant
const cosineForm = (v) => (v ? v.toFixed(2) : "–");

/** Vectors of norm 1, one for each word. */
function unitVectors(packed, n) {
  const flat = unpack(packed), width = flat.length / n;
  return Array.from({ length: n }, (_, k) => unit(flat.slice(k * width, (k + 1) * width)));
}

const unit = (x) => x.map((value) => value / Math.sqrt(x.reduce((sum, each) => sum + each * each, 0)));
const dot = (x, y) => x.reduce((sum, each, k) => sum + each * y[k], 0);

/** Places of words in the order of their cosine with a direction, without those of `left`. */
function nearest(vectors, direction, left) {
  const cosines = vectors.map((each, k) => [k, dot(each, direction)]);
  return cosines.filter(([k]) => !left.includes(k)).sort(([, a], [, b]) => b - a);
}

export function draw(live, { words, kinds, maps, vectors: packed, truth, sums }) {
  const vectors = unitVectors(packed, words.length), names = Object.keys(maps);
  const list = h("datalist", { id: unique() }, words.toSorted().map((word) => h("option", { value: word })));
  const regions = Object.entries(kinds).map(([kind, members]) => ({ kind, members: members.map((word) => words.indexOf(word)) }));
  const planes = Object.fromEntries(names.map((name) => [name, spread(maps[name])]));
  let map = names[0], at = planes[map], near = [], found = [], looked = words.indexOf("ewes"), typed = "";
  const picture = h("div", { class: "nw-x-map", tabindex: "0", role: "application", "aria-roledescription": "map", "aria-label": `Map of ${words.length} words. Arrow keys go from word to word, Enter pins one, plus and minus look closer or further.` });
  const says = spoken(), chart = dots({ label: "the nearest words", form: cosineForm, pick: (k) => chosen.pin(near[k]) });
  chart.heads(["cosine of the vectors", "true similarity"]);
  const chosen = pins(show, looked);
  const field = wordField({ label: "word", words, list, value: words[looked], type: (text) => { typed = text; paint(); }, act: (k) => chosen.pin(k) });
  const which = choice({ label: "map", options: names.map((each) => [each, each]), value: map, act: walk });
  const view = makeView(picture, { paint: () => paint(), press: (x, y) => meant(x, y, (k) => chosen.toggle(k), () => chosen.release()), point: (x, y) => meant(x, y, (k) => chosen.preview(k)) });
  const zooms = h("div", { class: "nw-x-player nw-x-zooms", role: "group", "aria-label": "how close" },
    button("−", () => view.zoom(1 / 1.6), { "aria-label": "look from further away" }), button("+", () => view.zoom(1.6), { "aria-label": "look closer" }), button("all", () => view.whole(), { "aria-label": "all words" }), button("near",  () => view.frame([looked, ...near].map((k) => at[k])), { "aria-label": "near: the word and its neighbours" }));
  const sum = arithmetic(words, vectors, list, sums, (places) => { found = places; chosen.pin(SUM); });

  function meant(x, y, act, none = () => {}) {
    const away = at.map(([u, v], k) => [k, Math.hypot(...view.screen(u, v).map((each, i) => each - [x, y][i]))]).sort(([, a], [, b]) => a - b);
    if (away[0][1] <= REACH) act(away[0][0]);
    else none();
  }

  function show(k) {
    if (k !== SUM) {
      looked = k;
      const close = nearest(vectors, vectors[k], [k]).slice(0, NEAR), known = new Map(truth[k]);
      near = close.map(([each]) => each);
      chart.update(close.map(([each, cosine]) => ({ name: words[each], values: [cosine, known.get(each) ?? 0] })));
      field.value = words[k];
      typed = "";
      says.textContent = `Nearest to “${words[k]}”: ${near.slice(0, 3).map((each) => words[each]).join(", ")}.${chosen?.pinned ? " Pinned." : ""}`;
    }
    if (k === SUM) view.frame(found.map((each) => at[each]));
    else view.reveal([at[k]]);
    paint();
  }

  /** Let the points walk from one map to the other. */
  function walk(name) {
    const from = at, to = planes[name], start = performance.now(), long = calm() ? 1 : 700;
    map = which.select.value = name;
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - start) / long)), eased = t * t * (3 - 2 * t);
      at = t < 1 ? from.map(([x, y], k) => [x + eased * (to[k][0] - x), y + eased * (to[k][1] - y)]) : to;
      paint();
      if (t < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function paint() {
    if (!view.width) return;
    const summing = chosen.at === SUM;
    const points = at.map(([x, y]) => view.screen(x, y));
    const joined = summing ? [] : near, main = summing ? found : [looked];
    const matching = typed.length > 1 ? words.flatMap((word, k) => (word.startsWith(typed) ? [k] : [])) : [];
    const look = (k) => (main.includes(k) ? "nw-x-here" : joined.includes(k) || matching.includes(k) ? "nw-x-near" : "nw-x-far");
    const lines = joined.map((k) => line(points[looked], points[k], ""));
    const arrows = summing ? [line(points[found[1]], points[found[0]], "nw-x-arrow"), line(points[found[2]], points[found[3]], "nw-x-arrow")] : [];
    const asked = [
      ...main.map((k) => ({ k, text: words[k], look: "nw-x-here", must: true })),
      ...matching.map((k) => ({ k, text: words[k], look: "nw-x-near" })),
      ...joined.map((k) => ({ k, text: words[k], look: "nw-x-near" })),
      ...(view.scale < 2 ? regions.map(({ kind, members }) => ({ at: middle(members.map((k) => points[k])), text: kind, look: "nw-x-kind" })) : []),
      ...words.map((text, k) => ({ k, text, look: "nw-x-far" })).filter(() => view.scale >= 1.5),
    ];
    const labels = placed(asked, points, view.width, view.height).map(({ text, look, x, y }) => svg("text", { class: look, x, y }, text));
    const drawn = points.map(([x, y], k) => svg("circle", { class: look(k), cx: x.toFixed(1), cy: y.toFixed(1), r: main.includes(k) ? 5 : look(k) === "nw-x-near" ? 4 : 2.6 }));
    picture.replaceChildren(svg("svg", { width: view.width, height: view.height, "aria-hidden": "true" }, lines, drawn, arrows, labels));
  }

  picture.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) chosen.pin(towards(at.map(([x, y]) => view.screen(x, y)), looked, way));
    else if (event.key === "Enter" || event.key === " ") chosen.toggle(looked);
    else if (event.key === "Escape") chosen.release();
    else if (event.key === "+" || event.key === "-") view.zoom(event.key === "+" ? 1.6 : 1 / 1.6);
    else return;
    event.preventDefault();
  });
  fitted(picture, (width) => view.size(width, width < 380 ? LOW : HIGH));
  live.append(list,
    h("div", { class: "nw-x-atlas" }, h("div", { class: "nw-x-framed" }, picture, zooms), h("div", {}, controls(field.element, which.element), says, chart.element)),
    sum.element);
  show(looked);
  return {
    set(params) {
      if (names[Number(params.map) - 1]) walk(names[Number(params.map) - 1]);
      if (params.free) sum.free(params.free === "on");
      if (params.sum) sum.set(params.sum.split(" "));
      else if (words.includes(params.word)) chosen.pin(words.indexOf(params.word));
      if (params.close === "off") view.whole();
      if (params.close === "on") view.frame([looked, ...near].map((k) => at[k]));
    },
    get: () => ({ word: words[looked], map: String(names.indexOf(map) + 1), close: view.scale > 1 ? "on" : "off", ...(chosen.at === SUM ? { sum: sum.get(), free: sum.isFree() ? "on" : "off" } : {}) }),
  };
}

/** A field for a word of the map, which offers those that begin so. `act` gets the place of a known word. */
function wordField({ label, words, list, value, act, type = () => {} }) {
  const id = unique();
  const input = h("input", { id, type: "text", list: list.id, value, size: 11, autocomplete: "off", spellcheck: "false" });
  input.addEventListener("focus", () => input.select());
  input.addEventListener("input", () => {
    const word = input.value.trim().toLowerCase(), k = words.indexOf(word);
    input.setAttribute("aria-invalid", String(!words.some((each) => each.startsWith(word))));
    if (k >= 0) act(k);
    else type(word);
  });
  const element = h("div", { class: "nw-x-choice" }, label && h("label", { for: id }, label), input);
  return { element, input, set value(text) { if (document.activeElement !== input || !input.value) input.value = text; else if (words.includes(input.value)) input.value = text; } };
}

const line = ([x1, y1], [x2, y2], look) => {
  if (look !== "nw-x-arrow") return svg("line", { x1, y1, x2, y2 });
  const angle = Math.atan2(y2 - y1, x2 - x1), back = (turn) => `${x2 - 11 * Math.cos(angle + turn)} ${y2 - 11 * Math.sin(angle + turn)}`;
  return svg("path", { class: look, d: `M${x1} ${y1}L${x2} ${y2}M${back(0.4)}L${x2} ${y2}L${back(-0.4)}` });
};
/** Points that fill the square from 0 to 1; the second number grows upwards. */
function spread(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((each) => each[axis])), [x, y] = [Math.min(...xs), Math.min(...ys)];
  return points.map(([u, v]) => [(u - x) / (Math.max(...xs) - x), 1 - (v - y) / (Math.max(...ys) - y)]);
}

const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const middle = (points) => [median(points.map(([x]) => x)), median(points.map(([, y]) => y))];

/** The point that an arrow key leads to: near, and in that direction. */
function towards(points, from, [dx, dy]) {
  const cost = points.map(([x, y], k) => {
    const [u, v] = [x - points[from][0], y - points[from][1]], ahead = u * dx + v * dy;
    return k === from || ahead < 1 ? Infinity : Math.hypot(u, v) + 2 * Math.abs(u * dy - v * dx);
  });
  const best = cost.indexOf(Math.min(...cost));
  return Number.isFinite(cost[best]) ? best : from;
}

/** a - b + c, with the nearest words as answers. `act` gets the places of a, b, c and the first answer. */
function arithmetic(words, vectors, list, sums, act) {
  let chosen = sums[0].map((word) => words.indexOf(word)), free = false, quiet = true;
  const says = spoken(), answers = h("ol", { class: "nw-x-answers", "aria-label": "the words nearest to the sum" });
  const fields = [0, 1, 2].map((k) =>
    wordField({ label: ["", "−", "+"][k], words, list, value: words[chosen[k]], act: (place) => { chosen[k] = place; show(); } }));
  fields.forEach(({ input }, k) => input.setAttribute("aria-label", ["a word", "minus", "plus"][k]));
  const ready = choice({ label: "or try", options: sums.map((each, k) => [String(k), `${each[0]} − ${each[1]} + ${each[2]}`]), value: "0", act: (k) => set(sums[Number(k)]) });
  const box = tick({ label: "its words may answer", act: (on) => { free = on; show(); } });

  function set(sum) {
    const places = sum.map((word) => words.indexOf(word));
    if (places.length === 3 && !places.includes(-1)) chosen = places;
    fields.forEach(({ input }, k) => (input.value = words[chosen[k]]));
    show();
  }

  function show() {
    const [a, b, c] = chosen.map((k) => vectors[k]);
    const found = nearest(vectors, unit(a.map((value, k) => value - b[k] + c[k])), free ? [] : chosen).slice(0, ANSWERS);
    answers.replaceChildren(...found.map(([k, cosine]) => h("li", {}, h("b", {}, words[k]), ` ${cosineForm(cosine)}`)));
    const [x, y, z] = chosen.map((k) => words[k]);
    says.textContent = `${x} − ${y} + ${z} is nearest to “${words[found[0][0]]}”.`;
    if (!quiet) act([...chosen, found[0][0]]);
    quiet = false;
  }

  show();
  return {
    element: h("div", { class: "nw-x-sums" }, h("strong", { class: "nw-x-small" }, "Sums of words"), controls(...fields.map((field) => field.element)), controls(ready.element, box.element), says, answers),
    set,
    free: (on) => (free = box.input.checked = on),
    isFree: () => free,
    get: () => chosen.map((k) => words[k]).join(" "),
  };
}
