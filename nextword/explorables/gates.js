// What a recurrent network minds while it reads: gradients of each guess, and under the words the gates of a cell.
// numbers: { words, gradients: { network: [[norm for each word so far]] },
//   units: [{ title, series: { name: [value] } }] }

import { h, slider, choice, controls, fitted, player, spaced, spoken } from "./parts.js";

const GATES = { "input gate": "in", "forget gate": "keep" }; // what each is called beside the staff
const PACE = 500, REACH = 10; // milliseconds a word; words back from which on the past is far

export function draw(live, { words, gradients, units }) {
  const nets = Object.keys(gradients), last = words.length - 2, open = spaced(words);
  let net = nets[0], unit = 0, place = Math.min(44, last);
  const says = spoken();
  const columns = words.map((word, k) => column(word, open[k], () => go(k)));
  const staff = h("div", { class: "nw-x-staff" }, columns.map((each) => each.element));
  const names = h("div", { "aria-hidden": "true" });
  const where = slider({ label: "read up to", min: 0, max: last, step: 1, value: place, form: (k) => words[k], act: (k) => { playing.stop(); go(k); } });
  const which = choice({ label: "network", options: nets.map((name) => [name, name]), value: net, act: (name) => { net = name; show(); } });
  const cell = choice({ label: "LSTM’s number", options: units.map(({ title }, k) => [String(k), title]), value: "0", act: (k) => { unit = Number(k); show(); } });
  const playing = player({ label: "through the story", last: () => last, at: () => place, go, pace: PACE, ends: false });

  function go(to) {
    place = Math.max(0, Math.min(last, to));
    show();
  }

  function show() {
    const row = gradients[net][place], top = Math.max(...row, 1e-6), { series, title } = units[unit];
    const most = Math.max(...series.cell.map(Math.abs));
    where.value = place;
    columns.forEach(({ element, word, cell: bar, gates }, k) => {
      const share = k <= place ? row[k] / top : 0;
      element.className = `nw-x-measure${k === place + 1 ? " nw-x-asked" : k > place ? " nw-x-unread" : ""}`;
      word.style.background = share < 0.01 ? "" : `color-mix(in srgb, var(--x-1) ${Math.round(45 * share)}%, transparent)`;
      const value = series.cell[k] / most;
      Object.assign(bar.style, { height: `${50 * Math.abs(value)}%`, bottom: value < 0 ? "" : "50%", top: value < 0 ? "50%" : "" });
      Object.keys(GATES).forEach((name, i) => (gates[i].style.opacity = series[name][k]));
    });
    const now = ["input gate", "forget gate", "cell"].map((name) => `${name} ${series[name][place].toFixed(2)}`).join(", ");
    const sum = row.reduce((a, b) => a + b, 0), far = row.slice(0, -REACH).reduce((a, b) => a + b, 0) / sum;
    const lies = sum ? `Half of the gradient of its guess lies on the last ${halfOn(row)} of ${row.length} words, and ${Math.round(100 * far)} % more than ten words back.` : "It is so sure of it that no gradient is left.";
    says.textContent = `The ${net} has read up to “${words[place]}”; the next word is “${words[place + 1]}”. ${lies} Number ${title.split(":")[0]}: ${now}.`;
    playing.refresh();
  }

  /** Names at the left of each line of words, wherever the lines break. */
  fitted(staff, () => {
    const tops = [...new Set(columns.map(({ element }) => element.offsetTop))];
    names.replaceChildren(...tops.map((top) => h("div", { class: "nw-x-clef", style: `top: ${top}px` }, ["cell", ...Object.values(GATES)].map((name) => h("span", {}, name)))));
  });
  staff.append(names);
  live.append(
    controls(which.element, cell.element), staff,
    h("p", { class: "nw-x-legend" },
      h("span", {}, h("i", { class: "nw-x-swatch nw-x-warm" }), "gradient of the guess"),
      h("span", {}, h("i", { class: "nw-x-swatch nw-x-s0" }), "cell, up or down from 0"),
      h("span", {}, h("i", { class: "nw-x-swatch nw-x-green" }), "input gate"),
      h("span", {}, h("i", { class: "nw-x-swatch nw-x-pale" }), "forget gate")),
    h("div", { class: "nw-x-row-2" }, playing.element, where.element), says);
  show();
  return {
    set(params) {
      net = nets.includes(params.net) ? params.net : net;
      which.select.value = net;
      if (units[Number(params.number) - 1]) unit = Number(params.number) - 1;
      cell.select.value = String(unit);
      playing.stop();
      go(params.word in words ? Number(params.word) : place);
    },
    get: () => ({ net, number: String(unit + 1), word: String(place) }),
  };
}

/** A word with a bar for the cell and a cell of colour for each gate below it. */
function column(text, before, act) {
  const word = h("span", { class: "nw-x-note" }, text), cell = h("i", { class: "nw-x-bar" });
  const gates = Object.keys(GATES).map((_, i) => h("i", { class: i ? "nw-x-pale" : "nw-x-green" }));
  const element = h("span", { onclick: act }, word, h("span", { class: "nw-x-bars-box", "aria-hidden": "true" }, cell), gates.map((gate) => h("span", { class: "nw-x-gate", "aria-hidden": "true" }, gate)));
  if (!before) word.classList.add("nw-x-close");
  return { element, word, cell, gates };
}

/** How many of the last words hold half of the gradient. */
export function halfOn(row) {
  const all = row.reduce((a, b) => a + b, 0);
  let held = 0, n = 0;
  while (held < all / 2) held += row[row.length - (n += 1)];
  return n;
}
