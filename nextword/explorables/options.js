// Weighted phrases, one of which is spoken (nextword/corpora/village/options.py).

import { $ } from "./python.js";

const spoken = new Map(); // what was written before, taken apart

/** A phrase with its marks, "spade/thing", taken apart into words and their kinds. */
function takeApart(text) {
  if (!spoken.has(text)) {
    const marked = text.split(" ").map((word) => word.split(/\/(?!s>)/));
    const words = marked.map(([word]) => word);
    spoken.set(text, { phrase: words.join(" "), words, kinds: marked.map(([, kind]) => kind ?? "") });
  }
  return spoken.get(text);
}

/** What can be said next: a weighted set of phrases. */
export class Options {
  constructor(weights, kind = "") {
    this.kind = kind;
    this.phrases = [...weights].map(([text, weight]) => ({ ...takeApart(text), weight }));
    this.count();
  }

  count() {
    this.places = new Map(this.phrases.map(({ phrase, weight }) => [phrase, weight]));
    this.total = $.sum(this.phrases.map(({ weight }) => weight));
  }

  get weights() {
    return this.places;
  }

  without(...phrases) {
    const fewer = Object.create(Options.prototype);
    fewer.kind = this.kind;
    fewer.phrases = this.phrases.filter(({ phrase }) => !phrases.includes(phrase));
    fewer.count();
    return fewer;
  }

  /** The phrase that a number drawn evenly from [0, 1) stands for. */
  draw(uniform) {
    let left = uniform * this.total;
    for (const said of this.phrases) if ((left -= said.weight) < 0) return said;
    return this.phrases.at(-1);
  }
}

const parsed = new Map();

/** Options written as text, "once upon a time | long ago 2". */
function parse(text) {
  if (!text.includes("|")) return new Options([[$.split(text).join(" "), 1]]);
  if (!parsed.has(text)) {
    const weights = text.split("|").map((part) => {
      const words = $.split(part);
      const weight = /^\d+$/.test(words.at(-1)) ? Number(words.pop()) : 1;
      return [words.join(" "), weight];
    });
    parsed.set(text, new Options(weights));
  }
  return parsed.get(text);
}

/** Options, also where they are written as text. */
export const optionsOf = (said) => (typeof said === "string" ? parse(said) : said);
