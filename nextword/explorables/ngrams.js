// N-gram counts and their shares, as in chapter 2: count_ngrams and MLE. Leaves out smoothing.

export const BOS = "<s>";
export const EOS = "</s>";

/** Counts of words after each context of n - 1 words, written with blanks between. */
export class Counts {
  constructor(n) {
    this.n = n;
    this.rows = new Map();
  }

  /** Count a story, `</s>` at its end. */
  read(story) {
    const padded = [...Array(this.n - 1).fill(BOS), ...story];
    for (let k = this.n - 1; k < padded.length; k += 1) {
      const context = padded.slice(k - this.n + 1, k).join(" ");
      if (!this.rows.has(context)) this.rows.set(context, new Map());
      const row = this.rows.get(context);
      row.set(padded[k], (row.get(padded[k]) ?? 0) + 1);
    }
  }

  /** The words that an n-gram model looks at, after these. */
  context(words) {
    const padded = [...Array(this.n - 1).fill(BOS), ...words];
    return padded.slice(padded.length - this.n + 1);
  }

  /** {word: share of it after the context}, the likeliest first; empty if it was never seen. */
  after(words) {
    const row = this.rows.get(this.context(words).join(" ")) ?? new Map();
    const total = [...row.values()].reduce((a, b) => a + b, 0);
    const sorted = [...row].sort(([v, a], [w, b]) => b - a || (v < w ? -1 : 1));
    return new Map(sorted.map(([word, count]) => [word, count / total]));
  }
}
