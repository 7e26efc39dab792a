// Byte-pair encoding, merge by merge, also of one's own text: the most frequent pair of neighbours becomes one token.
// numbers: { texts: [{ title, chunks: [[token]], merges: [[token, token]], names: { token: text } }] }

import { h, choice, controls, bars, player, spoken, unique } from "./parts.js";

const ROWS = 6, LONGEST = 400, OWN = "own"; // characters of an own text
const CHUNK = / ?[\p{L}\p{N}_]+| ?[^\p{L}\p{N}_\s]+|\s+(?!\S)|\s+/gu; // chunks() of chapter 1

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

/** A text of one's own as the page's texts are: its chunks in bytes, and merges until no pair occurs twice. */
export function learned(title, text) {
  const start = (text.match(CHUNK) ?? []).map((chunk) => [...new TextEncoder().encode(chunk)]);
  const bytes = new Map(start.flat().map((byte) => [byte, [byte]])), merges = [];
  let chunks = start;
  for (let best = pairs(chunks)[0]; best?.count > 1; best = pairs(chunks)[0]) {
    const made = 256 + merges.length;
    bytes.set(made, best.pair.flatMap((token) => bytes.get(token)));
    merges.push(best.pair);
    chunks = chunks.map((chunk) => merged(chunk, best.pair, made));
  }
  const name = (each) => new TextDecoder().decode(Uint8Array.from(each)).replaceAll(" ", "␣").replaceAll("\n", "↵");
  return { title, chunks: start, merges, names: Object.fromEntries([...bytes].map(([token, each]) => [token, name(each)])) };
}

export function draw(live, { texts }) {
  let which = "0", done = 0, own = "she sells sea shells by the sea shore, and the shells she sells are sea shells";
  let text = texts[0];
  const boxes = h("div", { class: "nw-x-chunks", role: "group", tabindex: "0", "aria-label": "the text in tokens" });
  const chart = bars({ label: "the most frequent pairs", form: String });
  const says = spoken(), heading = h("p", { class: "nw-x-small" }), id = unique();
  const field = h("input", { id, type: "text", class: "nw-x-wide", maxlength: LONGEST, value: own, spellcheck: "false", oninput: () => write(field.value) });
  const writing = h("div", { class: "nw-x-choice", hidden: true }, h("label", { for: id }, "your text"), field);
  const menu = choice({ label: "text", options: [...texts.map((each, k) => [String(k), each.title]), [OWN, "your own …"]], value: which, act: (k) => { choose(k); if (k === OWN) field.select(); } });
  const last = () => text.merges.length;
  const playing = player({ label: "merge by merge", last, at: () => done, go: show, pace: 1100, names: { step: "Merge" } });
  const name = (token) => text.names[token];

  function choose(k) {
    which = menu.select.value = k;
    writing.hidden = k !== OWN;
    text = k === OWN ? learned(OWN, own) : texts[Number(k)];
    playing.stop();
    show(0);
  }

  function write(words) {
    own = words;
    choose(OWN);
  }

  function show(to) {
    done = Math.max(0, Math.min(to, last()));
    const made = 255 + done;
    let chunks = text.chunks;
    text.merges.slice(0, done).forEach((pair, k) => (chunks = chunks.map((chunk) => merged(chunk, pair, 256 + k))));
    const newest = (token) => done && token === made;
    boxes.replaceChildren(...chunks.map((chunk) => h("div", { class: "nw-x-boxes" },
      chunk.map((token) => h("span", { class: newest(token) ? "nw-x-next" : token > 255 ? "nw-x-seen" : null }, name(token))))));
    const first = boxes.querySelector(".nw-x-next"); // scroll the box to it, and never the page
    if (first) boxes.scrollTop += first.getBoundingClientRect().top - boxes.getBoundingClientRect().top - boxes.clientHeight / 3;
    const found = pairs(chunks).slice(0, ROWS);
    heading.textContent = found.length ? "The most frequent pairs now:" : "No pair is left.";
    chart.update(found.map(({ pair, count }, k) => ({ name: pair.map(name).join(" + "), values: [count], mark: k === 0 && done < last() })), found[0]?.count ?? 1);
    const n = chunks.flat().length, pair = text.merges[done - 1];
    says.textContent = pair
      ? `Merge ${done}: “${name(pair[0])}” and “${name(pair[1])}” become “${name(made)}”, token ${made}. The text has ${n} tokens now${done === last() && found[0]?.count < 2 ? ", and no pair occurs twice" : ""}.`
      : `Nothing is merged yet: ${n} ${n === 1 ? "token" : "tokens"}, one for each byte.`;
    playing.refresh();
  }

  live.append(controls(menu.element, writing), controls(playing.element), boxes, says, heading, chart.element);
  show(0);
  return {
    set(params) {
      if (params.own) {
        own = field.value = params.own.slice(0, LONGEST);
        choose(OWN);
      } else if (texts[Number(params.text) - 1]) choose(String(Number(params.text) - 1));
      playing.stop();
      if (params.merges) show(params.merges === "all" ? last() : Number(params.merges) || 0);
    },
    get: () => ({ text: which === OWN ? OWN : String(Number(which) + 1), merges: String(done), ...(which === OWN ? { own } : {}) }),
  };
}
