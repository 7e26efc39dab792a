// What a recurrent network minds while it reads: gradients of each guess, and the gates of a cell.
// numbers: { words, gradients: { network: [[norm for each word so far]] },
//   units: [{ title, series: { name: [value] } }] }

import { h, button, slider, choice, controls, spoken, blank } from "./parts.js";

const WIDE = 100, HIGH = 34;

export function draw(live, { words, gradients, units }) {
  let net = Object.keys(gradients)[0], unit = 0, place = Math.min(12, words.length - 2);
  const text = h("p", { class: "nw-x-text" });
  const says = spoken(), values = h("p", { class: "nw-x-small" });
  const chart = h("div", { class: "nw-x-lines" });
  const where = slider({ label: "read up to", min: 0, max: words.length - 2, step: 1, value: place, form: (k) => words[k], act: (k) => { place = k; show(); } });
  const go = (step) => { place = Math.max(0, Math.min(words.length - 2, place + step)); where.value = place; show(); };
  const which = choice({ label: "network", options: Object.keys(gradients).map((name) => [name, name]), value: net, act: (name) => { net = name; show(); } });
  const cell = choice({ label: "number of the LSTM's cell", options: units.map(({ title }, k) => [String(k), title]), value: "0", act: (k) => { unit = Number(k); show(); } });

  function show() {
    const row = gradients[net][place], top = Math.max(...row);
    text.replaceChildren(...words.flatMap((word, k) => {
      const share = k <= place ? row[k] / top : 0;
      const style = share < 0.01 ? null : `background: color-mix(in srgb, var(--x-1) ${Math.round(38 * share)}%, transparent)`;
      const look = k === place + 1 ? "nw-x-word nw-x-out" : k > place ? "nw-x-word nw-x-after" : "nw-x-word";
      return [k ? blank(word) : "", h("span", { class: look, style }, word)];
    }));
    says.textContent = `The ${net} has read up to “${words[place]}”; the next word is “${words[place + 1]}”. Half of the gradient of its guess lies on the last ${halfOn(row)} of ${row.length} words.`;
    const { series } = units[unit];
    chart.innerHTML = lines(series, place, words.length);
    values.textContent = `At “${words[place]}”: ${Object.entries(series).map(([name, row]) => `${name} ${row[place].toFixed(2)}`).join(", ")}.`;
  }

  live.append(controls(which.element), where.element, controls(button("One word back", () => go(-1)), button("One word on", () => go(1), { class: "nw-x-button nw-x-main" })),
    text, says, h("div", { class: "nw-x-sums" }, controls(cell.element), chart, values));
  show();
}

/** How many of the last words hold half of the gradient. */
export function halfOn(row) {
  const all = row.reduce((a, b) => a + b, 0);
  let held = 0, n = 0;
  while (held < all / 2) held += row[row.length - (n += 1)];
  return n;
}

/** Lines over the words, with their names at the right, and a mark at one place. */
function lines(series, place, n) {
  const all = Object.values(series).flat(), low = Math.min(0, ...all), high = Math.max(1, ...all);
  const x = (k) => (k / (n - 1)) * (WIDE - 22), y = (v) => 2 + ((high - v) / (high - low)) * (HIGH - 4);
  const drawn = Object.entries(series).map(([name, row], s) => {
    const points = row.map((v, k) => `${x(k).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
    return `<polyline class="nw-x-line${s}" points="${points}"/>`;
  });
  const names = Object.keys(series).map((name, s) => `<i class="nw-x-swatch nw-x-s${s}"></i>${name}`);
  const rule = `<line class="nw-x-rule" x1="0" x2="${WIDE - 22}" y1="${y(0)}" y2="${y(0)}"/><line class="nw-x-rule" x1="0" x2="${WIDE - 22}" y1="${y(1)}" y2="${y(1)}"/>`;
  const mark = `<line class="nw-x-mark" x1="${x(place)}" x2="${x(place)}" y1="0" y2="${HIGH}"/>`;
  return `<div class="nw-x-legend">${names.map((each) => `<span>${each}</span>`).join("")}</div><svg viewBox="-1 0 ${WIDE - 20} ${HIGH}" role="img" aria-label="${Object.keys(series).join(", ")} over the words of the story; thin lines at 0 and 1">${rule}${mark}${drawn.join("")}</svg>`;
}
