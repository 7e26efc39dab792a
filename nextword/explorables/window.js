// The sliding window: step by step, words pass and the table of counts fills.
// numbers: { columns, orders: { n: { padded: [[token]], windows: [[sentence, place, context, word]] } } }

import { h, choice, controls, player, spoken } from "./parts.js";

export function draw(live, { columns, orders }) {
  let n = 2, done = 0;
  const boxes = h("div", { class: "nw-x-boxes" });
  const table = h("div", { class: "nw-x-scroll", tabindex: "0", role: "region", "aria-label": "table of counts" });
  const says = spoken();
  const windows = () => orders[n].windows;
  const order = choice({
    label: "words in the window, n",
    options: Object.keys(orders).map((each) => [each, each]),
    value: String(n),
    act: choose,
  });
  const playing = player({ label: "through the sentences", last: () => windows().length, at: () => done, go: show });

  function choose(value) {
    n = Number(value);
    order.select.value = value;
    playing.stop();
    show(0);
  }

  function show(to) {
    done = Math.max(0, Math.min(to, windows().length));
    const now = windows()[done - 1];
    const [sentence, place] = now ?? [0, -1];
    boxes.replaceChildren(...orders[n].padded[sentence].map((token, k) =>
      h("span", { class: k === place + n - 1 && now ? "nw-x-next" : now && k >= place && k < place + n ? "nw-x-seen" : null }, token)));
    table.replaceChildren(countTable(windows().slice(0, done), columns));
    says.textContent = now ? sentenceOf(now, done, windows().length) : `Nothing is counted yet. There are ${windows().length} windows to come.`;
    playing.refresh();
  }

  live.append(controls(playing.element, order.element), boxes, says, table);
  show(0);
  return {
    set(params) {
      if (params.n in orders) choose(params.n);
      playing.stop();
      show(params.window === undefined ? done : Number(params.window) || 0);
    },
    get: () => ({ n: String(n), window: String(done) }),
  };
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
