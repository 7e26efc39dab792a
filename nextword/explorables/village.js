// The village in the page: tells stories, and listens to a text as `village.Listener` does.
// The story programs themselves are in stories.js, translated from Python.

import { $ } from "./python.js";
import { Options, optionsOf } from "./options.js";
import { tellStory } from "./stories.js";

/** The lists of the world, as nextword.explorables.stories.world() writes them. */
export function makeWorld(lists) {
  const revive = (value) =>
    value?.o ? new Options(value.o, value.k)
    : value?.m ? new Map(value.m.map(([key, item]) => [key, revive(item)]))
    : value?.s ? new Set(value.s)
    : (value?.f ?? value);
  const world = { scene_choices: new Map() };
  for (const [name, value] of Object.entries(lists)) world[name] = revive(value);
  return world;
}

/** Follows a text word by word, and knows all that can come next with its probability. */
export class Listener {
  constructor(world) {
    this.world = world;
    this.begin();
  }

  begin() {
    this.program = tellStory(this.world);
    this.open(this.program.next().value);
    this.betweenStories = true;
  }

  open(said) {
    this.options = optionsOf(said);
    this.left = this.options.phrases;
    this.depth = 0;
  }

  /** {word: probability} of all that can come next. */
  possible() {
    const chances = new Map();
    const total = $.sum(this.left.map((said) => said.weight));
    for (const said of this.left) {
      const word = said.words[this.depth];
      chances.set(word, (chances.get(word) ?? 0) + said.weight);
    }
    for (const [word, weight] of chances) chances.set(word, weight / total);
    return chances;
  }

  /** The kind of fact that the next word depends on. */
  get kind() {
    const marked = this.left.map((said) => said.kinds[this.depth]).find(Boolean);
    return marked ?? (this.options.kind || (this.possible().size > 1 ? "choice" : "phrase"));
  }

  /** The probability of `word` as the next word; `null`, and nothing heard, if it cannot come. */
  hear(word) {
    const chance = this.possible().get(word);
    if (chance === undefined) return null;
    this.betweenStories = false;
    this.left = this.left.filter((said) => said.words[this.depth] === word);
    this.depth += 1;
    const done = this.left.find((said) => said.words.length === this.depth);
    if (done) {
      const { value, done: ended } = this.program.next(done.phrase);
      if (ended) this.begin();
      else this.open(value);
    }
    return chance;
  }
}

// ---- telling: SplitMix64, as in nextword/corpora/village/seeds.py

const MASK = (1n << 64n) - 1n;
const mix = (z) => {
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
};

/** The words of story number `number` (a BigInt), `</s>` at the end. */
export function tell(world, number) {
  const seed = mix(number & MASK);
  let state = seed;
  const words = [];
  const program = tellStory(world);
  for (let { value, done } = program.next(); !done; ) {
    const options = optionsOf(value);
    let said = options.phrases[0];
    if (typeof value !== "string" || value.includes("|")) {
      state = (state + 0x9e3779b97f4a7c15n) & MASK;
      said = options.draw(Number(mix(state) >> 11n) * 2 ** -53);
    }
    words.push(...said.words);
    ({ value, done } = program.next(said.phrase));
  }
  return words;
}

/** Whole stories of a split from its first one on, at least `n` words with their ends. */
export function tellStories(world, n, split = "train") {
  const stories = [];
  let number = BigInt(["train", "validation", "test"].indexOf(split)) << 62n;
  for (let words = 0; words < n; number += 1n) {
    stories.push(tell(world, number));
    words += stories.at(-1).length;
  }
  return stories;
}
