// The LSTM of chapter 4, which reads one word at a time.
// numbers: { tensors }, named as in rnns.LanguageModel with one layer of LSTM cells

import { linear, unpackAll } from "./network.js";

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

export class Lstm {
  constructor({ tensors }) {
    this.w = unpackAll(tensors);
    this.H = this.w["cells.0.W.bias"].length / 4;
    this.D = this.w["cells.0.W.weight"].length / (4 * this.H);
    this.forget();
  }

  twin() {
    const other = Object.assign(Object.create(Lstm.prototype), this);
    other.forget();
    return other;
  }

  forget() {
    this.read = [];
    this.states = [{ h: new Float32Array(this.H), c: new Float32Array(this.H) }]; // before each word, and now
  }

  /** The logits of the next word after these ids; the beginning that was read before is not read again. */
  logits(ids) {
    let same = 0;
    while (same < Math.min(ids.length, this.read.length) && this.read[same] === ids[same]) same += 1;
    this.read.length = same;
    this.states.length = same + 1;
    for (const id of ids.slice(same)) this.step(id);
    return linear(this.states.at(-1).h, this.w["out.weight"], this.w["out.bias"]);
  }

  /** The gates i, f, o, the candidate g, and the new state (4.18, 4.19). */
  step(id) {
    const { D, H, w } = this, { h, c } = this.states.at(-1);
    const a = linear(w["embed.weight"].subarray(id * D, (id + 1) * D), w["cells.0.W.weight"], w["cells.0.W.bias"]);
    const u = linear(h, w["cells.0.U.weight"]);
    const next = { h: new Float32Array(H), c: new Float32Array(H) };
    for (let k = 0; k < H; k += 1) {
      const [i, f, g, o] = [0, 1, 2, 3].map((gate) => a[gate * H + k] + u[gate * H + k]);
      next.c[k] = sigmoid(f) * c[k] + sigmoid(i) * Math.tanh(g);
      next.h[k] = sigmoid(o) * Math.tanh(next.c[k]);
    }
    this.states.push(next);
    this.read.push(id);
  }
}
