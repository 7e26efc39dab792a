// The transformer to scale: where every matrix and vector stands, one number a unit of length, and which
// step of a word's way each belongs to. Vectors are drawn BROAD units wide, so that they can be seen.

import { pictureOf } from "./explorer_canvas.js";

export const BROAD = 8;
const LOW = 106, NEXT = 20; // where what hangs below the stream begins; the way from one thing to the next
const HIGH = 474; // of a block: the blocks stand below each other, and the stream goes on from line to line
const THICK = 12; // the strip of attention weights

export const norm = (x) => Math.sqrt(x.reduce((a, b) => a + b * b, 0));
const rms = (x) => norm(x) / Math.sqrt(x.length);

/** The steps of a word's way; `kind` and `block` name it, `label` is what a menu shows. */
export function stepsOf(L) {
  const blocks = Array.from({ length: L }, (_, b) => [
    { kind: "qkv", block: b, label: `block ${b + 1}: query, key, value` },
    { kind: "look", block: b, label: `block ${b + 1}: where the heads look` },
    { kind: "answer", block: b, label: `block ${b + 1}: what attention adds` },
    { kind: "up", block: b, label: `block ${b + 1}: 256 units` },
    { kind: "down", block: b, label: `block ${b + 1}: what they add` },
  ]);
  return [{ kind: "whole", label: "the whole network, to scale" }, { kind: "embed", label: "a word becomes a vector" }, ...blocks.flat(), { kind: "say", label: "the next word" }];
}

/** Turn a matrix, rows by columns. */
function turned(values, rows, columns) {
  const out = new Float32Array(values.length);
  for (let i = 0; i < rows; i += 1) for (let j = 0; j < columns; j += 1) out[j * rows + i] = values[i * columns + j];
  return out;
}

export class Scene {
  /** weights: { sizes, w }; paint: which colours stand for numbers above and below zero. */
  constructor({ sizes, w }, inks) {
    Object.assign(this, { sizes, w, inks, kept: new Map() });
    this.steps = stepsOf(sizes.L);
  }

  signed(values, columns, rows, most) {
    const { up, down } = this.inks;
    return pictureOf(values, columns, rows, (value) => [...(value < 0 ? down : up), Math.min(Math.abs(value) / most, 1)]);
  }

  /** The picture of a matrix of weights is made once. */
  weights(name, columns, rows, turn = false) {
    if (!this.kept.has(name)) {
      const values = this.w[`${name}.weight`], shown = turn ? turned(values, columns, rows) : values;
      this.kept.set(name, { picture: this.signed(shown, columns, rows, 2.5 * rms(values)), values: shown });
    }
    return this.kept.get(name);
  }

  /** Place everything for one word; `off`: the silent heads. */
  build(inside, off) {
    this.items = [];
    this.links = [];
    this.moves = new Map(); // step: [[from, to]]
    this.titles = [];
    this.carried = [];
    const { sizes: { D, L, H, K }, steps } = this, V = inside.probs.length;
    const stepOf = (kind, block) => steps.findIndex((each) => each.kind === kind && (block === undefined || each.block === block));
    const matrix = (name, label, x, y, columns, rows, step, turn) =>
      this.add({ name, label, x, y, w: columns, h: rows, step, kind: "matrix", columns, rows, ...this.weights(name, columns, rows, turn) });
    const vector = (name, label, values, x, y, step, more = {}) =>
      this.add({ name, label, x, y, w: BROAD, h: values.length, step, kind: "vector", columns: 1, rows: values.length, values,
        picture: this.signed(values, 1, values.length, Math.max(...values.map(Math.abs), 1e-6)), ...more });
    const link = (from, to, step) => this.links.push({ from, to, step });
    const move = (step, from, to) => this.moves.set(step, [...(this.moves.get(step) ?? []), [from, to]]);
    const stream = [];
    const onto = (values, x, y, step, from, k) => {
      const made = vector(`stream ${k}`, "", values, x, y, step, { note: `‖x‖ ${norm(values).toFixed(1)}`, stream: true });
      stream.push(made);
      link(from, made, step);
      move(step, from, made);
      return made;
    };

    matrix("embed.words", `embedding, ${V} × ${D}`, -D - 90, 0, D, V, 1);
    const row = this.add({ name: "row", label: "", x: -D - 90, y: inside.id, w: D, h: 1, step: 1, kind: "mark", values: inside.stream[0], columns: D, rows: 1 });
    let x = 0, at = onto(inside.stream[0], x, 0, 1, row, 0), right = 0;
    for (let b = 0; b < L; b += 1) {
      const block = inside.blocks[b], part = `blocks.${b}`, Y = b * HIGH;
      x = 0;
      if (b) { // the same state again, where the next line begins
        const before = at;
        at = vector(`stream ${2 * b}`, "", inside.stream[2 * b], x, Y, stepOf("down", b - 1), { stream: true });
        stream.push(at);
        this.carried.push({ from: before, to: at, y: Y - 98 });
      }
      const [qkv, look, answer, up, down] = ["qkv", "look", "answer", "up", "down"].map((kind) => stepOf(kind, b));
      // attention
      x += 34;
      const norm1 = vector(`${part}.norm1`, "norm", block.norm1, x, Y + LOW + 64, qkv);
      link(at, norm1, qkv);
      move(qkv, at, norm1);
      const W = matrix(`${part}.mixer.W_qkv`, `W_qkv, ${3 * D} × ${D}`, x += NEXT, Y + LOW, D, 3 * D, qkv);
      const joined = (key) => Float32Array.from(block.heads.flatMap((head) => [...head[key]]));
      x += D + 14;
      const parts = ["q", "k", "v"].map((key, i) => vector(`${part}.${key}`, key, joined(key), x, Y + LOW + i * (D + 3), qkv, { beside: true }));
      parts.forEach((each) => link(W, each, qkv));
      parts.forEach((each) => move(qkv, W, each));
      x += BROAD + 30;
      const heads = block.heads.map((head, h) => {
        const top = Y + LOW + h * (2 * K + THICK + 34), silent = off.includes(`${b}.${h}`), n = inside.n, { keys, values } = inside.cache[b][h];
        const shown = (name, label, list, y) => this.add({ name: `${part}.${h}.${name}`, label, x, y, w: n, h: K, step: look, kind: "cache", columns: n, rows: K, values: turned(list, n, K),
          picture: this.signed(turned(list, n, K), n, K, 2.5 * rms(list)), silent });
        const keysAt = shown("keys", `head ${h + 1}${silent ? " (off)" : ""}: ${n} keys`, keys, top);
        const weights = this.add({ name: `${part}.${h}.weights`, label: "", x, y: top + K + 3, w: n, h: THICK, step: look, kind: "weights", columns: n, rows: 1, values: head.weights, silent });
        const valuesAt = shown("values", "", values, top + K + THICK + 6);
        const mixed = block.mixed.slice(h * K, (h + 1) * K);
        const out = vector(`${part}.${h}.mixed`, "", mixed, x + n + 14, valuesAt.y, look, { silent });
        link(parts[0], keysAt, look);
        link(valuesAt, out, look);
        move(look, { ...parts[0], y: parts[0].y + h * K, h: K, picture: this.signed(head.q, 1, K, Math.max(...head.q.map(Math.abs))) }, keysAt);
        move(look, valuesAt, out);
        return { keysAt, weights, valuesAt, out };
      });
      x += inside.n + 14 + BROAD + 18;
      const mixed = vector(`${part}.mixed`, "heads", block.mixed, x, Y + LOW + 64, answer);
      heads.forEach(({ out }) => link(out, mixed, answer));
      const Wo = matrix(`${part}.mixer.W_o`, `W_o, ${D} × ${D}`, x += NEXT, Y + LOW + 64, D, D, answer);
      const says = vector(`${part}.answer`, "answer", block.answer, x += D + 14, Y + LOW + 64, answer, { note: `‖a‖ ${norm(block.answer).toFixed(1)}` });
      link(Wo, says, answer);
      at = onto(inside.stream[2 * b + 1], x += 30, Y, answer, says, 2 * b + 1);
      const middle = x;
      // feed-forward
      x += 34;
      const norm2 = vector(`${part}.norm2`, "norm", block.norm2, x, Y + LOW + 64, up);
      link(at, norm2, up);
      move(up, at, norm2);
      const Wup = matrix(`${part}.feed.up`, `W_up, ${block.up.length} × ${D}`, x += NEXT, Y + LOW, D, block.up.length, up);
      const upVector = vector(`${part}.up`, "", block.up, x += D + 14, Y + LOW, up);
      const hidden = vector(`${part}.hidden`, "GELU", block.hidden, x += NEXT, Y + LOW, up);
      link(Wup, upVector, up);
      link(upVector, hidden, up);
      move(up, Wup, upVector);
      move(up, upVector, hidden);
      const Wdown = matrix(`${part}.feed.down`, `W_down, ${D} × ${block.up.length}`, x += NEXT, Y + LOW + 64, block.up.length, D, down);
      const fed = vector(`${part}.fed`, "answer", block.fed, x += block.up.length + 14, Y + LOW + 64, down, { note: `‖f‖ ${norm(block.fed).toFixed(1)}` });
      link(hidden, Wdown, down);
      link(Wdown, fed, down);
      at = onto(inside.stream[2 * b + 2], x += 30, Y, down, fed, 2 * b + 2);
      right = Math.max(right, x);
      this.titles.push({ text: `block ${b + 1}`, x: 0, y: Y, w: 150, big: true }, { text: "attention", x: 160, y: Y, w: middle - 200 }, { text: "feed-forward", x: middle + 34, y: Y, w: x - middle - 60 });
    }
    // the next word
    const say = stepOf("say");
    const end = (L - 1) * HIGH + LOW + 4 * D, top = end - V; // where the last block ends, and V above it
    x += 36;
    const last = vector("norm", "norm", inside.final, x, end - 3 * D, say);
    link(at, last, say);
    move(say, at, last);
    const out = this.add({ kind: "matrix", name: "unembed", label: `the same ${V} vectors`, x: x += NEXT, y: top, w: D, h: V, columns: D, rows: V, step: say,
      values: this.w["embed.words.weight"], picture: this.weights("embed.words", D, V).picture });
    const logits = vector("logits", "logits", inside.logits, x += D + 14, top, say);
    link(out, logits, say);
    move(say, out, logits);
    x += BROAD + 16;
    this.add({ name: "probs", label: "probabilities", x, y: top, w: 120, h: V, step: say, kind: "bars", columns: 1, rows: V, values: inside.probs });
    this.titles.push({ text: "words", x: -D - 120, y: 0, w: 120, big: true }, { text: "the next word", x: out.x, y: top, w: 240, big: true });
    this.stream = stream;
    this.box = { x: -D - 110, y: -70, w: x + 150 + D + 110, h: end + 100 };
    return this;
  }

  add(item) {
    this.items.push(item);
    return item;
  }

  /** The rectangle that a step is about; a `low` one leaves out the stream where nothing goes to it. */
  focus(step, low = false) {
    const { kind, block } = this.steps[step];
    if (kind === "whole") return this.box;
    const about = this.items.filter((each) => each.step === step && !(each.stream && !each.note));
    let left = Math.min(...about.map((each) => each.x)), right = Math.max(...about.map((each) => each.x + each.w));
    const bottom = Math.max(...about.map((each) => each.y + each.h));
    if (kind === "down") left -= 60; // and what goes in
    const line = Math.max(block ?? 0, 0) * HIGH, above = low && ["qkv", "look", "up"].includes(kind) ? LOW - 50 : -50;
    const top = block === undefined ? Math.min(...about.map((each) => each.y)) - 60 : line + above;
    return { x: left - 50, y: top, w: right - left + 100, h: bottom + 30 - top };
  }
}
