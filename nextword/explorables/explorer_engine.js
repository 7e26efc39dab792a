// What the explorer computes, away from the page: three models read a text, the village listens, stories are
// written and judged. It runs in a Web Worker, or in the page where none can be had (explorer_port.js).

import { softmax, Network } from "./network.js";
import { Lstm } from "./lstm.js";
import { KneserNey } from "./kneser_ney.js";
import { makeWorld, Listener } from "./village.js";
import { LONGEST, reshaped, drawnId, divergence } from "./explorer_sampling.js";

const BOS = "<s>", EOS = "</s>", TOP = 6;

/** Follows a text and keeps what was possible at each place; a longer text is heard from where it goes on. */
class Ear {
  constructor(world, number) {
    Object.assign(this, { world, number });
    this.begin();
  }

  begin() {
    this.listener = new Listener(this.world);
    this.heard = [];
    this.chances = []; // of each word, as far as the text is possible
    this.places = [this.place()]; // before each word, and after the last
    this.leftAt = null;
  }

  place() {
    const possible = [...this.listener.possible()].map(([word, p]) => [this.number.get(word), p]);
    return { possible: possible.sort(([, a], [, b]) => b - a), kind: this.listener.kind };
  }

  hear(words) {
    if (this.heard.at(-1) === EOS && this.heard.every((word, k) => word === words[k])) return this.said();
    if (this.leftAt !== null || words.length < this.heard.length || this.heard.some((word, k) => word !== words[k])) this.begin();
    for (const [k, word] of words.slice(this.heard.length).entries()) {
      const chance = this.listener.hear(word);
      if (chance === null) {
        this.leftAt = this.heard.length;
        break;
      }
      this.heard.push(word);
      this.chances.push(chance);
      this.places.push(this.place());
      if (word === EOS) break; // what follows would be another story
    }
    return this.said();
  }

  said() {
    return { chances: [...this.chances], places: [...this.places], leftAt: this.leftAt };
  }
}

export class Engine {
  constructor({ world, network, lstm, ngrams }) {
    this.world = makeWorld(world);
    this.packed = { lstm, ngrams };
    this.net = new Network(network);
    this.number = this.net.number;
    this.ear = new Ear(this.world, this.number);
    this.models = new Map();
  }

  /** A model by name; each `use` of it reads its own text. chances(ids): the probability of every id. */
  async model(name, use = "read", off = []) {
    const key = `${name} ${use}`;
    if (!this.models.has(key)) this.models.set(key, await this.made(name));
    const model = this.models.get(key);
    model.silence?.(off);
    return model;
  }

  async made(name) {
    if (name === "5-gram") {
      this.counts ??= await KneserNey.from(this.packed.ngrams, this.net.words.length - 2, this.net.words.length);
      const counts = this.counts;
      return { chances: (ids) => counts.chances(ids) };
    }
    if (name === "LSTM") {
      this.lstm ??= new Lstm(this.packed.lstm);
      const lstm = this.lstm.twin();
      return { chances: (ids) => softmax(lstm.logits(ids)) };
    }
    const net = this.net.twin();
    const all = Array.from({ length: net.L * net.H }, (_, k) => `${Math.floor(k / net.H)}.${k % net.H}`);
    return { net, chances: (ids) => softmax(net.logits(ids)), silence: (off) => all.forEach((head) => net.switch(head, !off.includes(head))) };
  }

  /** The ids of a text up to the first word that no model knows, the begin symbol before them. */
  ids(words) {
    const unknown = words.findIndex((word) => !this.number.has(word));
    return [BOS, ...(unknown < 0 ? words : words.slice(0, unknown))].map((word) => this.number.get(word));
  }

  /** What the village says of a text: see Ear; `alone` of the words that it does not know. */
  listen({ words }) {
    return this.ear.hear(words);
  }

  /**
   * A model reads a text. probs: of all ids after 0, 1, 2 ... words, one row after the other;
   * looks, if wanted: where each head looks, [head][from][to].
   */
  async read({ words, model: name, off = [], looks = false, use = "read" }) {
    const model = await this.model(name, use, off), ids = this.ids(words), n = ids.length, V = this.net.words.length;
    const probs = new Float32Array(n * V);
    if (model.net) {
      model.net.follow(ids);
      model.net.steps.forEach((step, k) => probs.set((step.probs ??= softmax(model.net.unembed(step.stream.at(-1)))), k * V));
    } else for (let k = 0; k < n; k += 1) probs.set(this.remembered(model, ids.slice(0, k + 1)), k * V);
    return { n, V, probs, looks: looks && model.net ? looksOf(model.net) : null };
  }

  /** The row of a text's beginning, computed once as long as the text goes on. */
  remembered(model, ids) {
    const at = ids.length - 1, known = (model.rows ??= []);
    if (known[at]?.key === ids.join()) return known[at].row;
    const row = model.chances(ids);
    known[at] = { key: ids.join(), row };
    return row;
  }

  /** What the transformer computed for the word at one place, and the keys and values that it can look at. */
  async inside({ words, off = [], at }) {
    const { net } = await this.model("transformer", "read", off);
    net.follow(this.ids(words));
    const step = net.steps[at];
    const cache = step.blocks.map((_, b) => step.blocks[b].heads.map((_, h) => ({
      keys: joined(net.steps.slice(0, at + 1).map((each) => each.blocks[b].heads[h].k)),
      values: joined(net.steps.slice(0, at + 1).map((each) => each.blocks[b].heads[h].v)),
    })));
    const final = net.normed(step.stream.at(-1), "norm"), logits = net.unembed(step.stream.at(-1));
    const would = step.stream.map((x) => softmax(net.unembed(x)).reduce((best, p, id) => (p > best[1] ? [id, p] : best), [0, 0]));
    return { stream: step.stream, blocks: step.blocks, cache, final, logits, probs: softmax(logits), would, id: net.read[at], n: at + 1 };
  }

  /** The matrices of the transformer, for a picture to scale. */
  weights() {
    return { sizes: { D: this.net.D, L: this.net.L, H: this.net.H, K: this.net.K }, w: this.net.w };
  }

  /**
   * The logit lens: what the stream would say if it stopped after each layer. kl: for each place and layer, how
   * many bits it is from the truth (NaN where there is none); top: of one place, the likeliest words of each layer.
   */
  async lens({ words, off = [], at }) {
    const { net } = await this.model("transformer", "read", off);
    net.follow(this.ids(words));
    const { places } = this.ear.hear(words), stages = 2 * net.L + 1;
    const kl = new Float32Array(net.steps.length * stages).fill(NaN);
    net.steps.forEach((step, k) => {
      const ended = net.words[net.read[k]] === EOS;
      if (k >= places.length || ended) return;
      step.lens ??= step.stream.map((x) => divergence(places[k].possible, softmax(net.unembed(x))));
      kl.set(step.lens, k * stages);
    });
    const tops = net.steps[at].stream.map((x) => {
      const probs = softmax(net.unembed(x));
      const order = probs.map((p, id) => [id, p]).sort(([, a], [, b]) => b - a).slice(0, TOP);
      return { top: order, true: (places[at]?.possible ?? []).slice(0, TOP).map(([id]) => [id, probs[id]]) };
    });
    return { kl, stages, tops };
  }

  /** The likeliest continuations of a text: beam search, `width` beside each other, `depth` words. */
  async beam({ words, model: name, off = [], width, depth }) {
    const model = await this.model(name, "beam", off), start = this.ids(words), end = this.number.get(EOS);
    let beams = [{ ids: [], logp: 0 }];
    for (let k = 0; k < depth; k += 1) {
      const next = [];
      for (const beam of beams) {
        if (beam.ids.at(-1) === end) next.push(beam);
        else {
          const probs = model.chances([...start, ...beam.ids]);
          const order = Array.from(probs.keys()).sort((a, b) => probs[b] - probs[a]).slice(0, width);
          next.push(...order.map((id) => ({ ids: [...beam.ids, id], logp: beam.logp + Math.log(probs[id]) })));
        }
      }
      beams = next.sort((a, b) => b.logp - a.logp).slice(0, width);
    }
    return beams.map(({ ids, logp }) => {
      const said = ids.map((id) => this.net.words[id]), heard = new Ear(this.world, this.number).hear([...words, ...said]);
      const inside = heard.leftAt === null && words.length + said.length === heard.chances.length;
      const truth = inside ? heard.chances.slice(words.length).reduce((a, b) => a * b, 1) : 0;
      return { words: said, p: Math.exp(logp), truth, leftAt: heard.leftAt === null ? null : heard.leftAt - words.length };
    });
  }

  /** Write a story from its beginning; it ends at </s>, at a word that cannot stand there, or when it is too long. */
  async write({ model: name, off = [], sampling, begin = [] }) {
    const model = await this.model(name, "write", off), listener = new Listener(this.world), words = [];
    for (;;) {
      const kind = listener.kind, possible = listener.possible();
      const id = words.length < begin.length ? this.number.get(begin[words.length])
        : drawnId(reshaped(model.chances(this.ids(words)), sampling));
      const word = this.net.words[id];
      words.push(word);
      if (listener.hear(word) === null) return { words, accepted: false, kind, instead: [...possible.keys()].slice(0, 3) };
      if (word === EOS) return { words, accepted: true };
      if (words.length >= LONGEST) return { words, accepted: false, kind: "length", instead: [] };
    }
  }
}

/** Where each head looks from each place: one square of numbers after the other. */
function looksOf(net) {
  const n = net.steps.length, out = new Float32Array(net.L * net.H * n * n);
  net.steps.forEach(({ blocks }, from) => blocks.forEach(({ heads }, b) => heads.forEach(({ weights }, h) => {
    out.set(weights, (b * net.H + h) * n * n + from * n);
  })));
  return out;
}

function joined(vectors) {
  const out = new Float32Array(vectors.length * vectors[0].length);
  vectors.forEach((vector, k) => out.set(vector, k * vector.length));
  return out;
}
