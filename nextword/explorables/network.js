// A transformer that reads one word at a time: the chapter's network in plain JavaScript. It keeps what it
// computes at every position (`steps`), so that a figure can look inside.
// numbers: { sizes: { D, L, H, eps }, words, tensors: { name: { bytes, scales } or { values } } }

/** The bytes of a text in base64. */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);

/** A tensor as 32-bit numbers: whole numbers times the scale of their row, or as they are. */
export function unpack({ values, bytes, scales }) {
  if (values) return floatsOf(values);
  const whole = new Int8Array(bytesOf(bytes).buffer), scale = floatsOf(scales);
  const width = whole.length / scale.length;
  return Float32Array.from(whole, (number, k) => number * scale[Math.floor(k / width)]);
}

export const unpackAll = (tensors) => Object.fromEntries(Object.entries(tensors).map(([name, packed]) => [name, unpack(packed)]));

/** W x + b, or W x. */
export function linear(x, weight, bias = null) {
  const n = x.length, y = new Float32Array(weight.length / n);
  for (let i = 0, at = 0; i < y.length; i += 1) {
    let sum = bias ? bias[i] : 0;
    for (let j = 0; j < n; j += 1, at += 1) sum += weight[at] * x[j];
    y[i] = sum;
  }
  return y;
}

/** Layer norm (6.1). */
function norm(x, gain, bias, eps) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const root = Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length + eps);
  return x.map((value, k) => (gain[k] * (value - mean)) / root + bias[k]);
}

/** The error function, to 1.2e-7 (Numerical Recipes, section 6.2). */
export function erf(x) {
  const t = 1 / (1 + Math.abs(x) / 2);
  const c = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  let sum = 0;
  for (let k = c.length - 1; k >= 0; k -= 1) sum = c[k] + t * sum;
  const tail = t * Math.exp(-x * x + sum);
  return x >= 0 ? 1 - tail : tail - 1;
}

const gelu = (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)); // (6.6)

/** Turn pair i of a vector by the angle place * 10000^(-2 i / K) (6.13). */
function rotate(x, place) {
  const K = x.length;
  for (let i = 0; i < K; i += 2) {
    const angle = place * 10000 ** (-i / K), c = Math.cos(angle), s = Math.sin(angle);
    [x[i], x[i + 1]] = [x[i] * c - x[i + 1] * s, x[i] * s + x[i + 1] * c];
  }
  return x;
}

export function softmax(z) {
  const top = z.reduce((a, b) => Math.max(a, b));
  const e = Array.from(z, (value) => Math.exp(value - top));
  const sum = e.reduce((a, b) => a + b);
  return e.map((value) => value / sum);
}

export class Network {
  constructor({ sizes, words, tensors }) {
    Object.assign(this, sizes);
    this.K = this.D / this.H;
    this.number = new Map(words.map((word, id) => [word, id]));
    this.words = words;
    this.w = unpackAll(tensors);
    this.silent = new Set(); // heads that write nothing, as "block.head", counted from 0
    this.forget();
  }

  /** Another reader with the same weights: what the two have read is their own. */
  twin() {
    const other = Object.assign(Object.create(Network.prototype), this);
    other.silent = new Set();
    other.forget();
    return other;
  }

  /** Forget all words but the first `n`. */
  forget(n = 0) {
    this.read = n ? this.read.slice(0, n) : [];
    this.steps = n ? this.steps.slice(0, n) : []; // of each word read: see `step`
  }

  /** Silence a head, or let it speak again. */
  switch(head, on) {
    if (on === !this.silent.has(head)) return;
    if (on) this.silent.delete(head);
    else this.silent.add(head);
    this.forget();
  }

  /** Read these ids; the beginning that was read before is not read again. */
  follow(ids) {
    let same = 0;
    while (same < Math.min(ids.length, this.read.length) && this.read[same] === ids[same]) same += 1;
    if (same < this.read.length) this.forget(same);
    for (const id of ids.slice(same)) this.step(id);
  }

  /** The logits of the next word after these ids. */
  logits(ids) {
    this.follow(ids);
    return this.unembed(this.steps.at(-1).stream.at(-1));
  }

  /** What a vector of the stream says of the next word (6.17): at the end, or, as a logit lens, before. */
  unembed(x) {
    return linear(this.normed(x, "norm"), this.w["embed.words.weight"]);
  }

  normed(x, name) {
    return norm(x, this.w[`${name}.weight`], this.w[`${name}.bias`], this.eps);
  }

  /** Where each head of each block looks from the last word: [block][head][place]. */
  get looks() {
    return this.steps.at(-1).blocks.map(({ heads }) => heads.map(({ weights }) => weights));
  }

  /**
   * One word through all blocks (6.16). It leaves a record: `stream`, the word's vector at first, after each
   * block's attention and after each block's feed-forward layer; and of each block what was made on the way.
   */
  step(id) {
    let x = this.w["embed.words.weight"].slice(id * this.D, (id + 1) * this.D);
    const record = { stream: [x], blocks: [] };
    const place = this.steps.push(record) - 1;
    for (let b = 0; b < this.L; b += 1) {
      const part = `blocks.${b}.`, block = {};
      record.blocks.push(block);
      const through = (name, input) => linear(input, this.w[`${part}${name}.weight`], this.w[`${part}${name}.bias`]);
      block.norm1 = this.normed(x, `${part}norm1`);
      this.attend(b, through("mixer.W_qkv", block.norm1), place);
      block.answer = through("mixer.W_o", block.mixed);
      record.stream.push((x = x.map((value, k) => value + block.answer[k])));
      block.norm2 = this.normed(x, `${part}norm2`);
      block.up = through("feed.up", block.norm2);
      block.hidden = block.up.map(gelu);
      block.fed = through("feed.down", block.hidden);
      record.stream.push((x = x.map((value, k) => value + block.fed[k])));
    }
    this.read.push(id);
    return x;
  }

  /** What the heads of a block bring back for the newest word (6.15): `mixed`, and of each head how. */
  attend(b, qkv, place) {
    const { D, H, K } = this, block = this.steps[place].blocks[b];
    const cut = (part, h) => qkv.slice(part * D + h * K, part * D + (h + 1) * K);
    block.mixed = new Float32Array(D);
    block.heads = Array.from({ length: H }, (_, h) => ({ q: rotate(cut(0, h), place), k: rotate(cut(1, h), place), v: cut(2, h) }));
    for (let h = 0; h < H; h += 1) {
      const head = block.heads[h], scores = new Float32Array(place + 1);
      for (let t = 0; t <= place; t += 1) {
        const { k } = this.steps[t].blocks[b].heads[h];
        let sum = 0;
        for (let i = 0; i < K; i += 1) sum += k[i] * head.q[i];
        scores[t] = sum / Math.sqrt(K);
      }
      head.scores = scores;
      head.weights = softmax(scores);
      if (this.silent.has(`${b}.${h}`)) continue;
      head.weights.forEach((weight, t) => {
        const { v } = this.steps[t].blocks[b].heads[h];
        for (let i = 0; i < K; i += 1) block.mixed[h * K + i] += weight * v[i];
      });
    }
  }
}
