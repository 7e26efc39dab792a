// What the explorer knows: its state, which a link can hold, and what was computed for it.
// A view is { draw(store) }; it is drawn when the state or the numbers change.

import { LONGEST } from "./explorer_sampling.js";

const EOS = "</s>";
export const MODELS = ["5-gram", "LSTM", "transformer"];
export const VIEWS = { next: "Next word", heads: "Attention", inside: "Inside", lens: "Lens", models: "Models", writes: "Stories" };

const FIRST = {
  story: 0, words: [], pin: null, view: "next", model: "transformer", head: "2.0", off: [],
  temperature: 1, k: 0, p: 1, beam: 0, a: "LSTM", b: "transformer", stage: 0,
};

/** Words as the village writes them: small letters, each sign by itself. */
export const wordsOf = (text) => text.toLowerCase().replace(/[“”]/g, '"').match(/<\/s>|[\p{L}\p{N}'’-]+|[^\s\p{L}\p{N}]/gu) ?? [];

export class Store {
  constructor({ stories, network: { words } }, ask) {
    Object.assign(this, { stories, vocabulary: words, ask, views: [], state: { ...FIRST, words: stories[0].slice(0, FIRST_WORDS) } });
    this.number = new Map(words.map((word, id) => [word, id]));
    this.known = null; // { heard, main, net, intact }, of the words `readWords`
    this.readWords = [];
    this.busy = this.again = false;
  }

  // ---------------------------------------------------------------- the state

  /** Change parts of the state; what has to be computed for it follows. */
  change(patch) {
    const before = this.state;
    this.state = { ...before, ...patch };
    if ("words" in patch) {
      const end = this.state.words.indexOf(EOS);
      if (end >= 0) this.state.words = this.state.words.slice(0, end + 1);
      if (!("pin" in patch)) this.state.pin = null;
    }
    const computes = ["words", "off", "model"].some((key) => this.state[key] !== before[key]);
    if (this.known && !computes) this.draw();
    return computes || !this.known ? this.refresh() : Promise.resolve();
  }

  async refresh() {
    if (this.busy) {
      this.again = true;
      return this.running;
    }
    this.busy = true;
    this.running = this.read().catch((error) => {
      this.busy = false; // the next change may go well
      throw error;
    }).then(() => this.draw());
    return this.running;
  }

  /** Ask for what the state needs, again if it has changed meanwhile. */
  async read() {
    do {
      this.again = false;
      const { words, off, model } = this.state;
      const read = (name, more) => this.ask("read", { words, model: name, ...more });
      const [heard, net, main, intact] = await Promise.all([
        this.ask("listen", { words }), read("transformer", { off, looks: true }),
        model === "transformer" ? null : read(model, {}), off.length ? read("transformer", { use: "intact" }) : null,
      ]);
      this.known = { heard, net, main: main ?? net, intact: model === "transformer" ? intact : null };
      this.readWords = words;
    } while (this.again);
    this.busy = false;
  }

  draw() {
    if (this.known) for (const view of this.views) view.draw(this);
  }

  // ---------------------------------------------------------------- what is known

  /** How many words were read by the models: those before the first that they do not know. */
  get readable() {
    return this.known.net.n - 1;
  }

  /** The place looked from: how many words stand before the next one. */
  get at() {
    return this.state.pin === null ? this.readable : Math.min(this.state.pin, this.readable);
  }

  /** The probabilities of the next word at a place. */
  row(place = this.at, which = this.known.main) {
    return which.probs.subarray(place * which.V, (place + 1) * which.V);
  }

  /** The true ones: [[id, chance]], the likeliest first; empty where nothing can follow. */
  truth(place = this.at) {
    const { places } = this.known.heard;
    return place < places.length && this.readWords[place - 1] !== EOS ? places[place].possible : [];
  }

  /** The surprise of each word that was read, in bits. */
  surprises(which = this.known.main) {
    return Array.from({ length: which.n - 1 }, (_, k) => -Math.log2(which.probs[k * which.V + this.number.get(this.readWords[k])]));
  }

  get unknownAt() {
    return this.readable < this.readWords.length ? this.readable : null;
  }

  get ended() {
    return this.readWords.at(-1) === EOS || this.readWords.length >= LONGEST;
  }

  /** Where the text stops making sense: at an impossible word, or one that nobody knows. */
  get leftAt() {
    const { leftAt } = this.known.heard;
    return leftAt ?? this.unknownAt;
  }
}

// ---------------------------------------------------------------- links

export const FIRST_WORDS = 130; // of the first story, up to "after midnight axel": did his wish come true?

/** The state as a link holds it, texts by name; without `whole`, what is as at first is left out. */
export function written({ state, stories }, whole = false) {
  const out = {}, text = state.words.join(" "), keep = (key) => whole || state[key] !== FIRST[key];
  const story = stories.findIndex((each) => state.words.length && each.slice(0, state.words.length).join(" ") === text);
  if (story >= 0) Object.assign(out, { story: String(story + 1), words: String(state.words.length) });
  else out.text = text;
  out.view = state.view;
  if (whole || state.pin !== null) out.pin = String(state.pin ?? "last");
  const named = (head) => head.split(".").map((each) => Number(each) + 1).join(".");
  if (keep("head")) out.head = named(state.head);
  if (whole || state.off.length) out.off = state.off.map(named).join(",");
  for (const key of ["model", "temperature", "k", "p", "beam", "a", "b", "stage"]) if (keep(key)) out[key] = String(state[key]);
  return out;
}

/** What a link says, as a change of the state; what it does not name stays, what nobody knows is passed over. */
export function understood(params, { stories, state }) {
  const patch = {}, number = (key, low, high) => {
    const value = Number(params[key]);
    if (params[key] !== undefined && value >= low && value <= high) patch[key] = value;
  };
  const heads = (text) => text.split(",").filter((each) => /^[1-3]\.[12]$/.test(each)).map((each) => `${each[0] - 1}.${each[2] - 1}`);
  const story = stories[params.story === undefined ? state.story : Number(params.story) - 1];
  if (story && (params.story ?? params.words) !== undefined) Object.assign(patch, { story: stories.indexOf(story), words: story.slice(0, Number(params.words) || story.length) });
  if (params.text !== undefined) patch.words = wordsOf(params.text);
  if (params.view in VIEWS) patch.view = params.view;
  if (params.head !== undefined) patch.head = heads(params.head)[0] ?? state.head;
  if (params.off !== undefined) patch.off = heads(params.off);
  for (const key of ["model", "a", "b"]) if (MODELS.includes(params[key])) patch[key] = params[key];
  number("temperature", 0.1, 3);
  number("k", 0, 1000);
  number("p", 0.05, 1);
  number("beam", 0, 8);
  number("stage", 0, 30);
  if (params.pin === "last") patch.pin = null;
  else {
    number("pin", 0, LONGEST);
    if ("words" in patch && !("pin" in patch)) patch.pin = null;
  }
  return patch;
}
