// A map of words: the neighbours of a word in the space of the vectors, and sums of words.
// numbers: { words, kinds: { kind: [word] }, maps: { name: [[x, y]] }, vectors: { bytes, scales },
//   truth: [[[place, similarity]]] of each word, sums: [[a, b, c]] }

import { h, choice, controls, tick, legend, bars, spoken } from "./parts.js";
import { unpack } from "./network.js";

const NEAR = 8, ANSWERS = 5;
const WIDTH = 100, HEIGHT = 75, BESIDE = 9, ABOVE = 3; // of the drawing and its margins
const ALL_WIDTH = WIDTH + 2 * BESIDE, ALL_HEIGHT = HEIGHT + 3 * ABOVE;
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
  const vectors = unitVectors(packed, words.length);
  const grouped = Object.entries(kinds).map(([kind, members]) =>
    h("optgroup", { label: kind }, members.map((word) => h("option", { value: words.indexOf(word) }, word))));
  let centre = words.indexOf("ewes"), map = Object.keys(maps)[0], closer = false;
  const picture = h("div", { class: "nw-x-map" });
  const says = spoken();
  const chart = bars({ label: "the nearest words", form: cosineForm, pick: (k) => go(shown[k]) });
  let shown = [];
  const menu = choice({ label: "word", options: [], value: "", act: (k) => go(Number(k)) });
  menu.select.append(...grouped);
  const which = choice({ label: "map", options: Object.keys(maps).map((each) => [each, each]), value: map, act: (name) => { map = name; paint(); } });
  const zoom = tick({ label: "look closer", act: (on) => { closer = on; paint(); } });

  function go(k) {
    centre = k;
    menu.select.value = String(k);
    const near = nearest(vectors, vectors[k], [k]).slice(0, NEAR);
    shown = near.map(([each]) => each);
    const known = new Map(truth[k]);
    chart.update(near.map(([each, cosine]) => ({ name: words[each], values: [cosine, known.get(each) ?? 0] })));
    says.textContent = `Nearest to “${words[k]}”: ${shown.slice(0, 3).map((each) => words[each]).join(", ")}.`;
    paint();
  }

  /** The points as one drawing; the chosen word and its neighbours carry their names. */
  function paint() {
    const named = [centre, ...shown];
    const at = places(maps[map], closer ? named : words.map((_, k) => k));
    const dots = at.map(([x, y], k) => `<circle cx="${x}" cy="${y}" r="${named.includes(k) ? 1.1 : 0.6}" class="${k === centre ? "nw-x-here" : named.includes(k) ? "nw-x-near" : "nw-x-far"}"/>`);
    const lines = shown.map((k) => `<line x1="${at[centre][0]}" y1="${at[centre][1]}" x2="${at[k][0]}" y2="${at[k][1]}"/>`);
    picture.innerHTML = `<svg viewBox="${-BESIDE} ${-ABOVE} ${ALL_WIDTH} ${ALL_HEIGHT}" role="img" aria-label="Map of ${words.length} words. ${words[centre]} is joined to its ${NEAR} nearest words in the space.">${lines.join("")}${dots.join("")}</svg>`;
    for (const k of apart(named, at))
      picture.append(h("span", { class: `nw-x-label${k === centre ? " nw-x-here" : ""}`, "aria-hidden": "true", style: `left: ${((at[k][0] + BESIDE) / ALL_WIDTH) * 100}%; top: ${((at[k][1] + ABOVE) / ALL_HEIGHT) * 100}%` }, words[k]));
    picture.firstChild.addEventListener("click", (event) => {
      const box = picture.firstChild.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * ALL_WIDTH - BESIDE;
      const y = ((event.clientY - box.top) / box.height) * ALL_HEIGHT - ABOVE;
      const away = at.map(([u, v], k) => [k, Math.hypot(u - x, v - y)]).sort(([, a], [, b]) => a - b);
      go(away[0][0]);
    });
  }

  live.append(controls(menu.element, which.element, zoom.element), picture, says,
    legend(["cosine of the vectors", "true similarity"]), chart.element, arithmetic(words, vectors, grouped, sums));
  go(centre);
}

/** Points in the drawing's numbers; those of `fitted` fill it. */
function places(points, fitted) {
  const along = (axis, side) => {
    const all = fitted.map((k) => points[k][axis]), low = Math.min(...all), span = Math.max(...all) - low;
    return points.map((point) => Math.round((10 * side * (point[axis] - low)) / span) / 10);
  };
  const xs = along(0, WIDTH), ys = along(1, HEIGHT);
  return xs.map((x, k) => [x, ys[k]]);
}

/** Those of the points, the first first, whose names do not cover each other. */
function apart(named, at) {
  const kept = [];
  for (const k of named)
    if (kept.every((other) => Math.abs(at[k][0] - at[other][0]) > 14 || Math.abs(at[k][1] - at[other][1]) > 4)) kept.push(k);
  return kept;
}

/** a - b + c, with the nearest words as answers. */
function arithmetic(words, vectors, grouped, sums) {
  let chosen = sums[0].map((word) => words.indexOf(word)), free = false;
  const chart = bars({ label: "the words nearest to the sum", form: cosineForm });
  const says = spoken();
  const menus = ["", "−", "+"].map((sign, k) => {
    const menu = choice({ label: sign || "Start from", options: [], value: "", act: (value) => { chosen[k] = Number(value); show(); } });
    menu.select.append(...grouped.map((group) => group.cloneNode(true)));
    if (sign) menu.select.setAttribute("aria-label", sign === "+" ? "plus" : "minus");
    return menu;
  });
  const ready = choice({ label: "or try", options: sums.map((sum, k) => [String(k), `${sum[0]} − ${sum[1]} + ${sum[2]}`]), value: "0", act: (k) => { chosen = sums[Number(k)].map((word) => words.indexOf(word)); show(); } });
  const box = tick({ label: "the words of the question may be answers", act: (on) => { free = on; show(); } });

  function show() {
    menus.forEach((menu, k) => (menu.select.value = String(chosen[k])));
    const [a, b, c] = chosen.map((k) => vectors[k]);
    const found = nearest(vectors, unit(a.map((value, k) => value - b[k] + c[k])), free ? [] : chosen).slice(0, ANSWERS);
    chart.update(found.map(([k, cosine]) => ({ name: words[k], values: [cosine] })));
    const [x, y, z] = chosen.map((k) => words[k]);
    says.textContent = `${x} − ${y} + ${z} is nearest to “${words[found[0][0]]}”.`;
  }

  show();
  return h("div", { class: "nw-x-sums" }, h("p", {}, h("strong", {}, "Sums of words")), controls(...menus.map((menu) => menu.element)), controls(ready.element, box.element), says, chart.element);
}
