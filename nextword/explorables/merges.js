// Byte-pair encoding, merge by merge: the most frequent pair of neighbours becomes one token.
// numbers: { texts: [{ title, chunks: [[token]], merges: [[token, token]], names: { token: text } }] }

import { h, button, choice, controls, bars, spoken } from "./parts.js";

const ROWS = 6;

/** The pairs of neighbours with their counts: the most frequent first, then the smaller numbers. */
export function pairs(chunks) {
  const counts = new Map();
  for (const chunk of chunks)
    for (let i = 0; i + 1 < chunk.length; i += 1) {
      const key = `${chunk[i]} ${chunk[i + 1]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const found = [...counts].map(([key, count]) => ({ pair: key.split(" ").map(Number), count }));
  return found.sort((x, y) => y.count - x.count || x.pair[0] - y.pair[0] || x.pair[1] - y.pair[1]);
}

/** The chunk with each such pair, from the left, as the token `made`. */
export function merged(chunk, [a, b], made) {
  const out = [];
  for (let i = 0; i < chunk.length; i += 1)
    if (chunk[i] === a && chunk[i + 1] === b) {
      out.push(made);
      i += 1;
    } else out.push(chunk[i]);
  return out;
}

export function draw(live, { texts }) {
  let text = texts[0], done = 0;
  const boxes = h("div", { class: "nw-x-chunks", role: "group", "aria-label": "the text in tokens" });
  const chart = bars({ label: "the most frequent pairs", form: String });
  const says = spoken(), heading = h("p", { class: "nw-x-small" });
  const menu = choice({ label: "text", options: texts.map((each, k) => [String(k), each.title]), value: "0", act: (k) => { text = texts[Number(k)]; show(0); } });
  const step = button("Merge", () => show(done + 1), { class: "nw-x-button nw-x-main" });
  const back = button("Back", () => show(done - 1));
  const end = button("To the end", () => show(text.merges.length));
  const again = button("Start again", () => show(0));
  const name = (token) => text.names[token];

  function show(to) {
    done = Math.max(0, Math.min(to, text.merges.length));
    const made = 255 + done;
    let chunks = text.chunks;
    text.merges.slice(0, done).forEach((pair, k) => (chunks = chunks.map((chunk) => merged(chunk, pair, 256 + k))));
    boxes.replaceChildren(...chunks.map((chunk) => h("div", { class: "nw-x-boxes" },
      chunk.map((token) => h("span", { class: token === made && done ? "nw-x-next" : token > 255 ? "nw-x-seen" : null }, name(token))))));
    const found = pairs(chunks).slice(0, ROWS);
    heading.textContent = found.length ? "The most frequent pairs now:" : "No pair is left.";
    chart.update(found.map(({ pair, count }, k) => ({ name: pair.map(name).join(" + "), values: [count], mark: k === 0 })), found[0]?.count ?? 1);
    const n = chunks.flat().length, last = text.merges[done - 1];
    says.textContent = last
      ? `Merge ${done}: “${name(last[0])}” and “${name(last[1])}” become “${name(made)}”, token ${made}. The text has ${n} tokens now.`
      : `Nothing is merged yet: ${n} tokens, one for each byte.`;
    back.disabled = again.disabled = done === 0;
    step.disabled = end.disabled = done === text.merges.length;
  }

  live.append(controls(menu.element), controls(step, back, end, again), boxes, says, heading, chart.element);
  show(0);
}
