// The sliding window: step by step, words pass and the table of counts fills.
// numbers: { columns, orders: { n: { padded: [[token]], windows: [[sentence, place, context, word]] } } }

import { h, button, choice, controls, spoken } from "./parts.js";

const PACE = 900; // milliseconds a step, while it plays

export function draw(live, { columns, orders }) {
  let n = 2, done = 0, timer = null;
  const boxes = h("div", { class: "nw-x-boxes" });
  const table = h("div", { class: "nw-x-scroll", tabindex: "0", role: "region", "aria-label": "table of counts" });
  const says = spoken();
  const back = button("Back", () => move(done - 1));
  const step = button("Step", () => move(done + 1), { class: "nw-x-button nw-x-main" });
  const end = button("To the end", () => move(windows().length));
  const again = button("Start again", () => move(0));
  const play = button("Play", () => (timer ? stop() : start()), { "aria-pressed": "false" });
  const order = choice({
    label: "words in the window, n",
    options: Object.keys(orders).map((each) => [each, each]),
    value: String(n),
    act: (value) => { n = Number(value); move(0); },
  });
  const windows = () => orders[n].windows;

  function start() {
    if (done === windows().length) move(0);
    timer = setInterval(() => (live.isConnected && done < windows().length ? show(done + 1) : stop()), PACE);
    sayPlaying();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    sayPlaying();
  }
  function sayPlaying() {
    play.textContent = timer ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(Boolean(timer)));
  }
  function move(to) {
    stop();
    show(to);
  }

  function show(to) {
    done = Math.max(0, Math.min(to, windows().length));
    const now = windows()[done - 1];
    const [sentence, place] = now ?? [0, -1];
    boxes.replaceChildren(...orders[n].padded[sentence].map((token, k) =>
      h("span", { class: k === place + n - 1 && now ? "nw-x-next" : now && k >= place && k < place + n ? "nw-x-seen" : null }, token)));
    table.replaceChildren(countTable(windows().slice(0, done), columns));
    says.textContent = now ? sentenceOf(now, done, windows().length) : `Nothing is counted yet. There are ${windows().length} windows to come.`;
    back.disabled = again.disabled = done === 0;
    step.disabled = end.disabled = done === windows().length;
  }

  live.append(controls(step, back, play, end, again, order.element), boxes, says, table);
  show(0);
}

function sentenceOf([, , context, word], k, all) {
  const after = context.length ? `After “${context.join(" ")}”` : "After nothing";
  return `Window ${k} of ${all}. ${after} stands “${word}”: its cell goes up by one.`;
}

/** The counts of these windows, a row for each context in the order of its first window. */
function countTable(windows, columns) {
  const rows = new Map();
  for (const [, , context, word] of windows) {
    const key = context.join(" ") || "(nothing)";
    if (!rows.has(key)) rows.set(key, new Map());
    rows.get(key).set(word, (rows.get(key).get(word) ?? 0) + 1);
  }
  const last = windows.at(-1);
  const latest = last && (last[2].join(" ") || "(nothing)");
  const cell = (key, word) =>
    h("td", { class: key === latest && word === last[3] ? "nw-x-new" : null }, String(rows.get(key).get(word) ?? 0));
  return h("table", { class: "nw-x-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "context"), columns.map((word) => h("th", { scope: "col" }, word)))),
    h("tbody", {}, [...rows.keys()].map((key) => h("tr", {}, h("th", { scope: "row" }, key), columns.map((word) => cell(key, word))))));
}
