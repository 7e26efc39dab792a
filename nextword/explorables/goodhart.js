// The deceived judge: along the distance from the start, what the judge says, what is true, and the stories.
// numbers: { ways: { name: [{ kl, proxy, truth, accepted, words, runs, gap, story }] } }; what was not measured is null,
// and a story is { text, proxy, truth, left_at }

import { h, svg, slider, choice, controls, fitted, legend, spaced, spoken } from "./parts.js";

const HEIGHT = 170, LEFT = 30, RIGHT = 12, TOP = 12, BOTTOM = 32; // of the chart, in pixels
const percent = (share) => `${Math.round(100 * share)} %`;
const COLUMNS = [
  ["gap", ({ gap }) => (gap == null ? null : `${gap.toFixed(1)} %`)],
  ["accepted", ({ accepted }) => percent(accepted)],
  ["words", ({ words }) => String(Math.round(words))],
  ["variety", ({ runs }) => (runs == null ? null : percent(runs))],
];

export function draw(live, { ways }) {
  const names = Object.keys(ways);
  let name = names[0], at = ways[name].length - 1;
  const menu = choice({ label: "tuned by", options: names.map((each) => [each, each]), value: name, act: (value) => take(value, ways[value].length - 1) });
  const knob = slider({ label: "KL", min: 0, max: at, step: 1, value: at, form: (k) => `${ways[name][k].kl.toFixed(1)} nats`, act: (k) => { at = k; show(); } });
  const place = h("div", { class: "nw-x-deceived", role: "img" }), says = spoken();
  const cells = COLUMNS.map(() => h("td", {}));
  const table = h("table", { class: "nw-x-table" },
    h("thead", {}, h("tr", {}, COLUMNS.map(([title]) => h("th", { scope: "col" }, title)))), h("tbody", {}, h("tr", {}, cells)));
  const told = h("p", { class: "nw-x-text nw-x-pleases", tabindex: "0", role: "region", "aria-label": "the story that the judge likes best" });
  const about = h("p", { class: "nw-x-small nw-x-about" });
  let width = 0, mark = () => {};
  fitted(place, (now) => { width = now; paint(); });

  function take(value, k) {
    name = menu.select.value = value;
    at = Math.max(0, Math.min(k, ways[name].length - 1));
    knob.input.max = ways[name].length - 1;
    knob.value = at;
    paint();
    show();
  }

  function paint() {
    if (width) mark = chart(place, width, ways[name]);
    mark(at);
  }

  function show() {
    const now = ways[name][at];
    COLUMNS.forEach(([, form], k) => (cells[k].textContent = form(now) ?? "not measured"));
    says.textContent = `At ${now.kl.toFixed(1)} nats the judge says ${signed(now.proxy)}, and the truth is ${signed(now.truth)}.`;
    place.setAttribute("aria-label", `Rewards against KL from the start. At ${now.kl.toFixed(1)} nats: the judge's ${signed(now.proxy)}, the true one ${signed(now.truth)}.`);
    mark(at);
    tell(now.story);
  }

  function tell(story) {
    about.hidden = told.hidden = !story;
    if (!story) return;
    const { text, proxy, truth, left_at: left } = story, words = text.split(" ").filter((word) => word !== "</s>"), blanks = spaced(words);
    about.textContent = `The story that the judge liked best (it says ${signed(proxy)}, the truth is ${signed(truth)}): ${left == null ? "a story of the village." : "from the framed word on it is no story of the village."}`;
    told.replaceChildren(...words.flatMap((word, k) => [blanks[k] ? " " : "",
      left != null && k >= left ? h("span", { class: k === left ? "nw-x-out" : "nw-x-after" }, word) : word]));
    if (left === words.length) told.append(" ", h("span", { class: "nw-x-out" }, "the end"));
    told.scrollTop = 0;
  }

  live.append(controls(menu.element, knob.element), legend(["the judge's reward", "the true reward"]), place, says, table, about, told);
  show();
  return {
    set(params) {
      const to = params.by in ways ? params.by : name;
      take(to, params.at === undefined ? (to === name ? at : ways[to].length - 1) : Number(params.at) || 0);
    },
    get: () => ({ by: name, at: String(at) }),
  };
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

/** Draw both rewards against the distance; the function that comes back marks one place. */
function chart(element, width, rows) {
  const most = Math.max(...rows.map(({ kl }) => kl), 0.1), all = rows.flatMap(({ proxy, truth }) => [proxy, truth]);
  const high = Math.max(...all, 0.5), low = Math.min(...all, 0), base = HEIGHT - BOTTOM;
  const x = (kl) => LEFT + (Math.max(kl, 0) / most) * (width - LEFT - RIGHT);
  const y = (reward) => TOP + ((high - reward) / (high - low)) * (base - TOP);
  const line = (key, look) => svg("polyline", { class: look, points: rows.map((row) => `${x(row.kl)},${y(row[key])}`).join(" ") });
  const tick = (at, up, anchor, value) => svg("text", { class: "nw-x-tick", x: at, y: up, "text-anchor": anchor }, value.toFixed(1));
  const rule = svg("line", { class: "nw-x-rule", y1: TOP, y2: base });
  const dots = [svg("circle", { r: 5.5, class: "nw-x-by-judge" }), svg("circle", { r: 5.5, class: "nw-x-in-truth" })];
  element.replaceChildren(svg("svg", { width, height: HEIGHT, "aria-hidden": "true" },
    svg("line", { class: "nw-x-rule", x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0) }), rule,
    line("proxy", "nw-x-by-judge"), line("truth", "nw-x-in-truth"),
    [0, most / 2, most].map((kl) => tick(x(kl), base + 14, "middle", kl)),
    [...new Set([low, 0, high])].map((reward) => tick(LEFT - 5, y(reward) + 4, "end", reward)),
    svg("text", { x: width - RIGHT, y: HEIGHT - 3, "text-anchor": "end" }, "KL from the start (nats)"), dots));
  return (k) => {
    const { kl, proxy, truth } = rows[k];
    [proxy, truth].forEach((reward, j) => {
      dots[j].setAttribute("cx", x(kl));
      dots[j].setAttribute("cy", y(reward));
    });
    rule.setAttribute("x1", x(kl));
    rule.setAttribute("x2", x(kl));
  };
}
