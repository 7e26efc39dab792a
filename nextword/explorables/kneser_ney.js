// The n-gram model of chapter 2 with Kneser-Ney smoothing, from counts that nextword/explorables/counts.py packed.
// numbers: { n, roots, lengths, bytes }

import { bytesOf } from "./network.js";

const BOS = 1, DISCOUNT = 0.75, BASE = 1024; // BASE: above all ids, so that a context is one number

/** What zlib compressed. */
async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A function that reads the next number of a stream, seven bits a byte. */
const reader = (bytes, at) => () => {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 127) << shift;
    if (byte < 128) return value;
  }
};

/** Every n-gram that was counted: act(ids, count). */
export async function eachGram({ n, roots, lengths, bytes }, act) {
  const whole = await inflated(bytesOf(bytes));
  let at = 0;
  const streams = lengths.map((length) => reader(whole, (at += length) - length));
  const [words, below] = [streams.slice(0, n), streams.slice(n)], ids = Array(n).fill(0);
  const walk = (level, children) => {
    for (let k = 0, last = 0; k < children; k += 1) {
      ids[level] = last += words[level]();
      if (level < n - 1) laterChildren(level);
      else act(ids, below[level]());
    }
  };
  // subtle: packed_counts writes how many children a word has after the children themselves, so each level's
  // numbers stand in the order of the words: the stream of a level can be read as one goes along it
  const laterChildren = (level) => walk(level + 1, below[level]());
  walk(0, roots);
}

export class KneserNey {
  /** words: how many can be predicted; V: how many ids there are. */
  constructor(n, words, V) {
    Object.assign(this, { n, words, V });
    this.rows = Array.from({ length: n }, () => new Map()); // by the length of the context: {context: {word: count}}
  }

  static async from(packed, words, V) {
    const model = new KneserNey(packed.n, words, V);
    await eachGram(packed, (ids, count) => model.count(ids, count));
    model.continue();
    return model;
  }

  add(context, word, count) {
    const rows = this.rows[context.length];
    const key = context.reduce((sum, id) => sum * BASE + id, 0);
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { context, total: 0, counts: new Map() }));
    row.counts.set(word, (row.counts.get(word) ?? 0) + count);
    row.total += count;
  }

  /** Count an n-gram; two begin symbols say no more than one. */
  count(ids, count) {
    let first = 0;
    while (ids[first] === BOS && ids[first + 1] === BOS) first += 1;
    this.add(ids.slice(first, -1), ids[this.n - 1], count);
  }

  /** Shorter contexts count the different words seen before them (2.15). */
  continue() {
    for (let k = this.n - 1; k > 0; k -= 1)
      for (const { context, counts } of this.rows[k].values())
        for (const word of counts.keys()) this.add(context.slice(1), word, 1);
  }

  /** The probability of every id after these ids, from the shortest context to the longest (2.11). */
  chances(ids) {
    const context = ids.slice(-this.n + 1);
    const p = new Float64Array(this.V).fill(1 / this.words);
    p[0] = p[BOS] = 0; // the filling and the begin symbol are never predicted
    for (let k = 0; k <= context.length; k += 1) {
      const key = context.slice(context.length - k).reduce((sum, id) => sum * BASE + id, 0);
      const row = this.rows[k].get(key);
      if (!row) continue; // and a longer one may have been seen: a story's beginning
      const kept = (DISCOUNT * row.counts.size) / row.total;
      for (let id = 0; id < this.V; id += 1) p[id] *= kept;
      for (const [word, count] of row.counts) p[word] += (count - DISCOUNT) / row.total;
    }
    return p;
  }
}
