// A word's way through the network, drawn to scale: a camera goes from step to step, and vectors travel.

import { h, button } from "./parts.js";
import { d3 } from "./d3.js";
import { makeCanvas, inksOf, css, whenTheme } from "./explorer_canvas.js";
import { Scene, stepsOf, norm } from "./explorer_scene.js";

const WALK = 3200, FLY = 900, CAMERA = 800; // milliseconds: a step when it plays, a vector's way, the camera's
const LETTER = 11, LOW_VIEW = 260; // pixels: of a letter; a picture lower than this leaves the stream out where it can
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function makeInside(store) {
  const steps = stepsOf(3), L = 3;
  let scene = null, known = null, shown = "", inks = null, flight = 1, flying = null, walking = null, turn = 0, lastStep = null;
  const says = h("p", { class: "nw-e-says", role: "status" });
  const view = makeCanvas(paint, { tabindex: "0", role: "img", "aria-label": "the network to scale; arrow keys go from step to step, plus and minus zoom" });
  const hint = h("p", { class: "nw-e-hint", hidden: true, "aria-hidden": "true" });
  const menu = h("select", { "aria-label": "step", onchange: () => go(Number(menu.value)) }, steps.map(({ label }, k) => h("option", { value: String(k) }, `${k}. ${label}`)));
  const play = button("▶ Walk", () => (walking ? halt() : walk()), { class: "nw-x-button nw-x-main" });
  const back = button("‹ Back", () => go(store.state.stage - 1)), on = button("Step ›", () => go(store.state.stage + 1));
  const zoomIn = button("+", () => scale(1.6), { "aria-label": "zoom in", class: "nw-x-button nw-e-zoom" }), zoomOut = button("−", () => scale(1 / 1.6), { "aria-label": "zoom out", class: "nw-x-button nw-e-zoom" });
  const element = h("div", { class: "nw-e-inside" }, h("div", { class: "nw-e-walk" }, play, back, on, menu, zoomIn, zoomOut), view.box, says);

  view.box.append(hint);

  // ---- the camera: a wheel alone goes on scrolling the page, and one finger too
  const camera = d3.select(view.canvas);
  const zoom = d3.zoom().scaleExtent([0.05, 24]).on("zoom", () => view.redraw())
    .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey || document.fullscreenElement : event.type.startsWith("touch") ? event.touches.length > 1 : !event.button));
  camera.call(zoom).on("dblclick.zoom", null);
  const transform = () => d3.zoomTransform(view.canvas);
  const scale = (by) => (calm() ? camera : camera.transition().duration(250)).call(zoom.scaleBy, by);

  function frame(step, smooth) {
    const { x, y, w, h: high } = scene.focus(step, view.height < LOW_VIEW), k = Math.min(view.width / w, view.height / high, 6);
    const to = d3.zoomIdentity.translate(view.width / 2 - k * (x + w / 2), view.height / 2 - k * (y + high / 2)).scale(k);
    (smooth && !calm() ? camera.transition().duration(CAMERA).ease(d3.easeCubicInOut) : camera.interrupt()).call(zoom.transform, to);
  }

  function fly() {
    flying?.stop();
    flight = calm() ? 1 : 0;
    if (flight) return;
    flying = d3.timer((passed) => {
      flight = Math.min(Math.max(passed - CAMERA * 0.7, 0) / FLY, 1);
      view.redraw();
      if (flight === 1) flying.stop();
    });
  }

  // ---- steps
  function go(step) {
    halt();
    store.change({ stage: Math.max(0, Math.min(step, steps.length - 1)) });
  }

  function walk() {
    walking = setInterval(() => {
      const next = store.state.stage + 1;
      if (next >= steps.length || store.state.view !== "inside" || !element.isConnected) return halt();
      store.change({ stage: next });
      return next;
    }, WALK);
    play.textContent = "❚❚ Pause";
    store.change({ stage: store.state.stage >= steps.length - 1 ? 1 : store.state.stage + 1 });
  }

  function halt() {
    clearInterval(walking);
    walking = null;
    play.textContent = "▶ Walk";
  }

  async function draw() {
    const { state } = store, wanted = JSON.stringify([store.readWords, state.off, store.at]);
    menu.value = String(state.stage);
    back.setAttribute("aria-disabled", String(state.stage === 0));
    on.setAttribute("aria-disabled", String(state.stage === steps.length - 1));
    if (wanted !== shown) {
      turn += 1;
      const mine = turn, [weights, inside] = await Promise.all([scene ? null : store.ask("weights"), store.ask("inside", { words: store.readWords, off: state.off, at: store.at })]);
      if (mine !== turn) return;
      shown = wanted;
      if (!scene) {
        inks = inksOf(element);
        scene = new Scene(weights, inks);
      }
      known = inside;
      scene.build(inside, state.off);
      lastStep ??= -1;
      if (view.width) frame(state.stage, false);
    }
    if (state.stage !== lastStep && view.width) {
      frame(state.stage, lastStep !== -1);
      if (state.stage) fly();
      lastStep = state.stage;
    }
    says.textContent = caption();
    view.redraw();
  }

  // ---- what is said of a step
  const word = (place) => (place ? `“${store.readWords[place - 1]}”` : "the beginning ▸");
  const size = (x) => norm(x).toFixed(2);
  const would = (k) => `If the network stopped here it would say “${store.vocabulary[known.would[k][0]]}” (${(100 * known.would[k][1]).toFixed(0)} %).`;

  function caption() {
    const { kind, block: b } = steps[store.state.stage], place = store.at, { stream } = known, block = known.blocks[b];
    switch (kind) {
      case "whole":
        return `Every number of the network, for ${word(place)}: a matrix is as wide and as high as it has columns and rows, and blue is above zero, orange below. The stream runs along the top, and each block reads from it and adds to it. Its length grows from ${size(stream[0])} to ${size(stream.at(-1))}.`;
      case "embed":
        return `${place ? word(place) : "The begin symbol"} is word ${known.id} of ${known.probs.length}. Its row of the embedding, 64 numbers, becomes the first state of the stream. Length ${size(stream[0])}.`;
      case "qkv":
        return `Block ${b + 1} takes the stream, normed, through W_qkv: 12,288 weights make a query, a key and a value, 64 numbers each, half for either head. Query and key are rotated by the place, ${place}.`;
      case "look": {
        const each = block.heads.map(({ weights }, k) => {
          const best = weights.reduce((a, w, i) => (w > weights[a] ? i : a), 0);
          return `head ${k + 1} puts ${(100 * weights[best]).toFixed(0)} % on ${word(best)}${store.state.off.includes(`${b}.${k}`) ? " but is off" : ""}`;
        });
        return `The query meets ${known.n} keys, one for each word so far, and a softmax makes weights of the scores: ${each.join(", ")}. The values, so weighted, are added up.`;
      }
      case "answer":
        return `W_o mixes what the heads brought back, and the answer is added to the stream: length ${size(block.answer)}, added to ${size(stream[2 * b])}, gives ${size(stream[2 * b + 1])}. ${would(2 * b + 1)}`;
      case "up":
        return `The feed-forward layer sees this word alone. W_up makes 256 numbers, and GELU leaves those above zero: ${block.hidden.filter((x) => x > 0.1).length} of 256 are above 0.1. The strongest is unit ${block.hidden.reduce((a, x, i) => (x > block.hidden[a] ? i : a), 0)}.`;
      case "down":
        return `W_down makes 64 numbers of them, which are added: length ${size(block.fed)}, added to ${size(stream[2 * b + 1])}, gives ${size(stream[2 * b + 2])}. ${would(2 * b + 2)}${b === L - 1 ? " That was the last block." : ""}`;
      default: {
        const order = known.probs.map((p, id) => [id, p]).sort(([, a], [, c]) => c - a).slice(0, 3), truth = store.truth(place);
        return `Normed once more, the stream is compared with all ${known.probs.length} word vectors: ${order.map(([id, p]) => `“${store.vocabulary[id]}” ${(100 * p).toFixed(1)} %`).join(", ")}.${truth.length ? ` In truth: ${truth.slice(0, 3).map(([id, p]) => `“${store.vocabulary[id]}” ${(100 * p).toFixed(1)} %`).join(", ")}.` : ""}`;
      }
    }
  }

  // ---- drawing
  function paint(pen, width, height) {
    if (!scene?.items) return;
    if (lastStep === -1) {
      lastStep = store.state.stage;
      frame(lastStep, false);
    }
    const { k, x: dx, y: dy } = transform(), step = store.state.stage;
    const at = (item) => [item.x * k + dx, item.y * k + dy, item.w * k, item.h * k];
    const visible = ([x, y, w, high]) => x + w > 0 && x < width && y + high > 0 && y < height;
    const strength = (item) => (step === 0 || item.step < step ? 1 : item.step === step ? 1 : item.kind === "matrix" ? 0.3 : 0.12) * (item.silent ? 0.2 : 1);
    pen.imageSmoothingEnabled = k < 1;
    // the stream: each state stretched as far as the next
    scene.stream.forEach((item, i) => {
      const next = scene.stream[i + 1], until = next && next.y === item.y ? next.x : item.x + 34;
      pen.globalAlpha = 0.3 * strength(item);
      pen.drawImage(item.picture, item.x * k + dx, item.y * k + dy, (until - item.x) * k, item.h * k);
    });
    pen.lineWidth = Math.max(1, 6 * k);
    pen.lineJoin = "round";
    for (const { from, to, y } of scene.carried) { // from the end of a line to the next
      const high = y * k + dy, [x1, x2] = [(from.x + 34) * k + dx, (to.x - 26) * k + dx], [y1, y2] = [from, to].map((each) => (each.y + each.h / 2) * k + dy);
      pen.globalAlpha = 0.35 * strength(to);
      pen.strokeStyle = css(inks.muted);
      pen.beginPath();
      pen.moveTo(x1, y1);
      for (const point of [[x1, high], [x2, high], [x2, y2], [to.x * k + dx, y2]]) pen.lineTo(...point);
      pen.stroke();
    }
    pen.lineWidth = 1;
    for (const { from, to, step: its } of scene.links) {
      const [ax, ay, aw, ah] = at(from), [bx, by, bw, bh] = at(to);
      if (Math.max(ax + aw, bx) < 0 || Math.min(ax, bx) > width) continue;
      pen.globalAlpha = step === its ? 1 : 0.4;
      pen.strokeStyle = css(step === its ? inks.ink : inks.muted);
      pen.beginPath();
      const down = ay + ah < by, up = by + bh < ay;
      if (down || up) {
        const [x1, y1, x2, y2] = [ax + aw / 2, down ? ay + ah : ay, bx + bw / 2, down ? by : by + bh], middle = (y1 + y2) / 2;
        pen.moveTo(x1, y1);
        pen.bezierCurveTo(x1, middle, x2, middle, x2, y2);
      } else {
        const [x1, y1, x2, y2] = [ax + aw, ay + ah / 2, bx, by + bh / 2], middle = (x1 + x2) / 2;
        pen.moveTo(x1, y1);
        pen.bezierCurveTo(middle, y1, middle, y2, x2, y2);
      }
      pen.stroke();
    }
    for (const item of scene.items) {
      const box = at(item);
      if (!visible(box)) continue;
      const [x, y, w, high] = box, arriving = item.step === step && step > 0 && item.kind !== "matrix" && item.kind !== "mark";
      pen.globalAlpha = strength(item) * (arriving ? Math.min(1, 0.15 + 0.85 * Math.max(0, 2 * flight - 1)) : 1);
      if (item.kind === "vector" || item.kind === "matrix" || item.kind === "cache") {
        pen.fillStyle = css(inks.paper);
        pen.fillRect(x, y, w, high);
        pen.drawImage(item.picture, x, y, w, high);
      }
      if (item.kind === "weights") item.values.forEach((value, i) => {
        pen.fillStyle = css(inks.third);
        pen.fillRect(x + i * k, y + high * (1 - value), Math.max(k, 1), high * value);
      });
      if (item.kind === "bars") item.values.forEach((value, i) => {
        if (value < 0.002) return;
        pen.fillStyle = css(inks.up);
        pen.fillRect(x, y + i * k, Math.max(w * value, 1), Math.max(k, 2));
        if (value > 0.02) label(`${store.vocabulary[i]} ${(100 * value).toFixed(0)} %`, x + w * value + 4, y + i * k + 4, { rank: 1 });
      });
      if (item.kind === "mark") {
        pen.strokeStyle = css(inks.ink);
        pen.lineWidth = 1.5;
        pen.strokeRect(x - 1, y - 2, Math.max(w, 2) + 2, high + 4);
      } else {
        pen.strokeStyle = css(item.step === step && step ? inks.ink : inks.muted, item.step === step && step ? 1 : 0.6);
        pen.lineWidth = 1;
        pen.strokeRect(x - 0.5, y - 0.5, w + 1, high + 1);
      }
      const rank = item.step === step ? 1 : 3;
      if (k > 0.4 && item.label) label(item.label, item.beside ? x + w + 4 : x, item.beside ? y + high / 2 + 4 : y - 5, { rank, faint: pen.globalAlpha < 0.5 });
      if (k > 0.4 && item.note) label(item.note, x + w / 2, item.stream ? y - 6 : y + high + 13, { colour: inks.muted, align: "center", rank: rank + 0.5, faint: pen.globalAlpha < 0.5 });
    }
    travel(pen, at, step);
    for (const { text, x, y, w, big } of scene.titles) {
      const wide = w * k;
      const high = y * k + dy; // of the line that it stands over
      if (wide < 30 || x * k + dx > width || (x + w) * k + dx < 0 || high > height || high < -400 * k || (!big && k < 0.3)) continue;
      pen.font = `600 13px ${inks.sans}`;
      const half = pen.measureText(text).width / 2 + 4, middle = Math.max(half, Math.min(width - half, (Math.max(x * k + dx, 0) + Math.min((x + w) * k + dx, width)) / 2));
      label(text, middle, Math.max(14, high - 30 * k - 6), { colour: big ? inks.ink : inks.muted, align: "center", bold: big, rank: big ? 0 : 2 });
    }
    pen.globalAlpha = 1;
    write(pen);
  }

  /** The vectors of this step on their way. */
  function travel(pen, at, step) {
    if (flight >= 1 || !step) return;
    const moves = scene.moves.get(step) ?? [], t = d3.easeCubicInOut(flight);
    for (const [from, to] of moves) {
      const [a, b] = [at(from), at(to)], picture = (from.kind === "matrix" || from.kind === "cache" || !from.picture ? to : from).picture;
      if (!picture) continue;
      const start = from.kind === "matrix" ? [a[0] + a[2] - b[2], b[1], b[2], b[3]] : a;
      const [x, y, w, high] = start.map((value, i) => value + (b[i] - value) * t);
      pen.globalAlpha = 0.95;
      pen.drawImage(picture, x, y, w, high);
      pen.strokeStyle = css(inks.ink);
      pen.strokeRect(x, y, w, high);
    }
  }

  // ---- words on the picture: all are wished for, and those of higher rank take the room
  let wishes = [];
  const label = (text, x, y, more) => wishes.push({ text, x, y, rank: 2, align: "left", colour: inks.ink, ...more });

  function write(pen) {
    const taken = [];
    for (const { text, x, y, align, colour, bold, faint } of wishes.sort((a, b) => a.rank - b.rank)) {
      pen.font = `${bold ? "600 13px" : `${LETTER}px`} ${inks.sans}`;
      const wide = pen.measureText(text).width, left = align === "center" ? x - wide / 2 : x;
      if (taken.some(([l, t, r, b]) => left < r + 5 && left + wide > l - 5 && y - 12 < b && y + 3 > t)) continue;
      taken.push([left, y - 12, left + wide, y + 3]);
      pen.globalAlpha = faint ? 0.45 : 1;
      pen.textAlign = "left";
      pen.textBaseline = "alphabetic";
      pen.fillStyle = css(colour);
      pen.fillText(text, left, y);
    }
    pen.globalAlpha = 1;
    wishes = [];
  }

  // ---- pointing: the number under the mouse
  view.canvas.addEventListener("pointermove", (event) => {
    if (!scene?.items || event.buttons) return;
    const box = view.canvas.getBoundingClientRect(), [x, y] = transform().invert([event.clientX - box.left, event.clientY - box.top]);
    const item = scene.items.findLast((each) => each.values && x >= each.x && x < each.x + each.w && y >= each.y && y < each.y + each.h);
    const text = item ? told(item, Math.floor(((x - item.x) / item.w) * item.columns), Math.floor(((y - item.y) / item.h) * item.rows)) : "";
    hint.hidden = !text;
    hint.textContent = text;
  });
  view.canvas.addEventListener("pointerleave", () => (hint.hidden = true));
  const told = (item, column, row) => {
    const place = item.columns > 1 && item.rows > 1 ? `${row}, ${column}` : item.columns > 1 ? column : row;
    const value = item.values[row * item.columns + column];
    return value === undefined ? "" : `${item.name} [${place}] = ${value.toFixed(3)}`;
  };

  view.canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) go(store.state.stage + step);
    else if (event.key === "+" || event.key === "=") scale(1.6);
    else if (event.key === "-") scale(1 / 1.6);
    else if (event.key === "Home") go(0);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => scene?.items && view.width && frame(store.state.stage, false)).observe(view.box);
  whenTheme(() => {
    if (!scene) return;
    inks = scene.inks = inksOf(element);
    scene.kept.clear();
    scene.build(known, store.state.off);
    view.redraw();
  });

  return { element, draw, stop: halt };
}
