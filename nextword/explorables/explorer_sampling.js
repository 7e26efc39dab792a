// How the next word is chosen from its probabilities: temperature, top-k, top-p (chapter 1). Leaves out beams.

export const LONGEST = 300; // words of a text that goes on; the village's stories are shorter

/** Probabilities at a temperature, cut to the k likeliest, then to the likeliest that reach p together. */
export function reshaped(probs, { temperature = 1, k = 0, p = 1 } = {}) {
  const order = Array.from(probs.keys()).filter((id) => probs[id] > 0).sort((a, b) => probs[b] - probs[a]);
  const out = new Float64Array(probs.length), top = Math.log(probs[order[0]]);
  let sum = 0;
  for (const id of order) sum += out[id] = Math.exp((Math.log(probs[id]) - top) / temperature);
  const kept = k ? order.slice(0, k) : order;
  const share = kept.reduce((a, id) => a + out[id], 0);
  let reached = 0, n = 0;
  while (n < kept.length && (n === 0 || reached < p * share - 1e-12)) reached += out[kept[n++]];
  for (const id of order.slice(n)) out[id] = 0;
  for (const id of kept.slice(0, n)) out[id] /= reached;
  return out;
}

/** The id that a number drawn evenly from [0, 1) stands for. */
export function drawnId(probs, uniform = Math.random()) {
  let left = uniform, last = 0;
  for (let id = 0; id < probs.length; id += 1) {
    if (probs[id] === 0) continue;
    last = id;
    if ((left -= probs[id]) < 0) break;
  }
  return last;
}

/** The Kullback-Leibler divergence of q from p, in bits; p is a Map of what is possible, by id. */
export function divergence(p, q) {
  let bits = 0;
  for (const [id, chance] of p) bits += chance * Math.log2(chance / Math.max(q[id], 1e-12));
  return Math.max(bits, 0);
}
