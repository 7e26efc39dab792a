// A transformer that reads one word at a time: the chapter's network in plain JavaScript.
// numbers: { sizes: { D, L, H, eps }, words, tensors: { name: { bytes, scales } or { values } } }

/** The bytes of a text in base64. */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);

/** A tensor as 32-bit numbers: whole numbers times the scale of their row, or as they are. */
export function unpack({ values, bytes, scales }) {
  if (values) return floatsOf(values);
  const whole = new Int8Array(bytesOf(bytes).buffer), scale = floatsOf(scales);
  const width = whole.length / scale.length;
  return Float32Array.from(whole, (number, k) => number * scale[Math.floor(k / width)]);
}

/** W x + b, or W x. */
function linear(x, weight, bias = null) {
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
  const tail = t * Math.exp(-x * x + c.reduceRight((sum, each) => each + t * sum, 0));
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
    this.w = Object.fromEntries(Object.entries(tensors).map(([name, packed]) => [name, unpack(packed)]));
    this.silent = new Set(); // heads that write nothing, as "block.head", counted from 0
    this.forget();
  }

  forget() {
    this.read = [];
    this.cache = Array.from({ length: this.L }, () => ({ keys: [], values: [] }));
    this.looks = []; // of the last word: [block][head][place]
  }

  /** Silence a head, or let it speak again. */
  switch(head, on) {
    if (on) this.silent.delete(head);
    else this.silent.add(head);
    this.forget();
  }

  /** The logits of the next word after these ids; what was read before is not read again. */
  logits(ids) {
    if (this.read.length > ids.length || this.read.some((id, k) => id !== ids[k])) this.forget();
    for (const id of ids.slice(this.read.length)) this.last = this.step(id);
    return linear(norm(this.last, this.w["norm.weight"], this.w["norm.bias"], this.eps), this.w["embed.words.weight"]);
  }

  /** One word through all blocks (6.16). */
  step(id) {
    let x = this.w["embed.words.weight"].slice(id * this.D, (id + 1) * this.D);
    this.looks = [];
    for (let b = 0; b < this.L; b += 1) {
      const part = (name) => this.w[`blocks.${b}.${name}`];
      const through = (name, input) => linear(input, part(`${name}.weight`), part(`${name}.bias`));
      const answer = through("mixer.W_o", this.attend(b, through("mixer.W_qkv", norm(x, part("norm1.weight"), part("norm1.bias"), this.eps))));
      x = x.map((value, k) => value + answer[k]);
      const inside = through("feed.up", norm(x, part("norm2.weight"), part("norm2.bias"), this.eps)).map(gelu);
      const fed = through("feed.down", inside);
      x = x.map((value, k) => value + fed[k]);
    }
    this.read.push(id);
    return x;
  }

  /** What the heads of a block bring back for the newest word (6.15). */
  attend(b, qkv) {
    const { D, H, K } = this, place = this.read.length, { keys, values } = this.cache[b];
    const head = (part, h) => qkv.slice(part * D + h * K, part * D + (h + 1) * K);
    keys.push(Array.from({ length: H }, (_, h) => rotate(head(1, h), place)));
    values.push(Array.from({ length: H }, (_, h) => head(2, h)));
    const out = new Float32Array(D), looks = [];
    for (let h = 0; h < H; h += 1) {
      const q = rotate(head(0, h), place);
      const weights = softmax(keys.map((key) => key[h].reduce((sum, value, k) => sum + value * q[k], 0) / Math.sqrt(K)));
      looks.push(weights);
      if (this.silent.has(`${b}.${h}`)) continue;
      weights.forEach((weight, t) => values[t][h].forEach((value, k) => (out[h * K + k] += weight * value)));
    }
    this.looks.push(looks);
    return out;
  }
}
