// A desk to write at: the text so far as the village hears it, and bars for the next word.

import { h, able, button, choice, controls, legend, bars, spoken, drawn, blank } from "./parts.js";
import { KINDS } from "./stories.js";
import { Listener } from "./village.js";

const ROWS = 10, FEWEST = 3, FAINT = 0.005, LONGEST = 250, EOS = "</s>";
const percent = (p) => `${(100 * p).toFixed(1)} %`;

/**
 * `after(words)` gives {word: chance}, the likeliest first, empty where the model cannot go on;
 * `stuck(words)` says why. `tint(words)`, if it gives an array, colours the words by shares from
 * 0 to 1 instead of by their surprise. Call `show` when something else has changed.
 */
export function makeDesk({ world, name, starts, after, stuck = () => "", tint = () => null, more = [] }) {
  let words = [], shown = [];
  const says = spoken(), text = h("p", { class: "nw-x-text" }), key = h("div");
  const chart = bars({ label: "the likeliest next words", form: percent, pick: (k) => add(shown[k]) });
  const options = starts.map((each, k) => [String(k), each.length > 5 ? `… ${each.slice(-4).join(" ")}` : each.join(" ") || "nothing"]);
  const start = choice({ label: "begin with", options, value: "0", act: () => begin() });
  const one = button("Draw a word", () => sample(1), { class: "nw-x-button nw-x-main" });
  const ten = button("Draw ten", () => sample(10));
  const undo = button("Take one back", () => show((words = words.slice(0, -1))));
  const again = button("Start again", () => begin());
  const ended = () => words.at(-1) === EOS || words.length >= LONGEST;

  /** Draw words; after one that is impossible, stop, so that it can be looked at. */
  function sample(times) {
    const listener = new Listener(world);
    const inside = words.every((word) => listener.hear(word) !== null);
    for (let k = 0; k < times && !ended(); k += 1) {
      const chances = after(words);
      if (!chances.size) break;
      words.push(drawn(chances));
      if (inside && listener.hear(words.at(-1)) === null) break;
    }
    show();
  }

  function add(word) {
    if (!ended()) words.push(word);
    show();
  }

  function begin() {
    words = [...starts[Number(start.select.value)]];
    show();
  }

  function show() {
    const heard = listen(world, words), inside = heard.leftAt === null;
    const chances = ended() ? new Map() : after(words);
    shown = worthABar(chances, inside ? heard.possible : new Map());
    text.replaceChildren(...coloured(words, heard, tint(words)));
    key.replaceChildren(legend(inside ? [name, "the village itself"] : [name]));
    chart.update(shown.map((word) => ({
      name: word,
      values: inside ? [chances.get(word) ?? 0, heard.possible.get(word) ?? 0] : [chances.get(word)],
      note: inside && !heard.possible.has(word) ? "✗" : "",
    })), Math.max(...shown.map((word) => Math.max(chances.get(word) ?? 0, heard.possible.get(word) ?? 0)), 0.01));
    able(shown.length > 0, one, ten);
    able(words.length > 0, undo);
    says.textContent = verdict(heard, chances);
  }

  function verdict({ leftAt, possible, kind }, favourites) {
    if (leftAt !== null) {
      const could = [...possible.keys()].slice(0, 3).join("”, “");
      return `Word ${leftAt + 1}, “${words[leftAt]}”, cannot stand here; the village would go on with “${could}”. What decides it: ${KINDS.get(kind).split(":")[0]}.`;
    }
    if (words.at(-1) === EOS) return "The story is at its end, and the village could have told it.";
    if (words.length >= LONGEST) return `That is enough: ${LONGEST} words.`;
    if (!shown.length) return stuck(words);
    return `${words.length} ${words.length === 1 ? "word" : "words"}, all of them possible. The model's favourite is “${[...favourites.keys()][0]}”.`;
  }

  const element = h("div", {}, controls(...more, start.element), controls(one, ten, undo, again), text, says, key, chart.element);
  return { element, show, begin };
}

/** The words to draw bars for: those that the model or the village gives a real chance. */
function worthABar(chances, possible) {
  if (!chances.size) return [];
  const weight = (word) => Math.max(chances.get(word) ?? 0, possible.get(word) ?? 0);
  const words = [...new Set([...[...chances.keys()].slice(0, ROWS), ...possible.keys()])];
  const likely = words.filter((word, k) => k < FEWEST || weight(word) >= FAINT);
  return likely.sort((a, b) => weight(b) - weight(a)).slice(0, ROWS);
}

/** What the village says of a text: each word's chance, and where it left the language. */
function listen(world, words) {
  const listener = new Listener(world), chances = [];
  for (const [k, word] of words.entries()) {
    const kind = listener.kind, chance = listener.hear(word);
    if (chance === null) return { chances, leftAt: k, possible: sorted(listener.possible()), kind };
    chances.push(chance);
  }
  return { chances, leftAt: null, possible: listener.possible(), kind: "" };
}

const sorted = (chances) => new Map([...chances].sort(([, a], [, b]) => b - a));

/** The words on the colour of their surprise; the impossible one framed, what follows it pale. */
function coloured(words, { chances, leftAt }, shares) {
  return words.flatMap((word, k) => {
    const out = leftAt === k, after = leftAt !== null && k > leftAt;
    const share = shares ? shares[k] : k < chances.length ? Math.min(-Math.log2(chances[k]) / 8, 1) : 0;
    const style = share < 0.01 ? null : `background: color-mix(in srgb, var(--x-${shares ? 2 : 0}) ${Math.round(36 * share)}%, transparent)`;
    const look = `nw-x-word${out ? " nw-x-out" : after ? " nw-x-after" : ""}`;
    return [k ? blank(word) : "", h("span", { class: look, style }, out ? `${word} ✗` : word)];
  });
}
