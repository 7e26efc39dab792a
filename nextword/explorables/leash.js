// The leash: how far the best policy moves from the reference, as beta says, on texts that are all listed.
// numbers: { texts: [text], log_p: [number], rewards: { name: [number] } }

import { h, svg, slider, choice, controls, dots, fitted, spoken } from "./parts.js";

const LOW = -1, HIGH = 1, STEP = 0.05; // of log10 beta
const HEIGHT = 190, LEFT = 34, RIGHT = 14, TOP = 14, BOTTOM = 34; // of the curve, in pixels

/** Log-probabilities of the optimum pi* = p exp(r / beta) / Z (7.29). */
export function tilted(logP, rewards, beta) {
  const scores = logP.map((l, n) => l + rewards[n] / beta), top = Math.max(...scores);
  const logZ = top + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - top), 0));
  return scores.map((score) => score - logZ);
}

/** Its expected reward, its KL from the reference in nats, and what both are worth together (7.28). */
export function judged(logP, rewards, beta) {
  const log = tilted(logP, rewards, beta), mean = (values) => values.reduce((sum, v, n) => sum + Math.exp(log[n]) * v, 0);
  const reward = mean(rewards), kl = mean(log.map((l, n) => l - logP[n]));
  return { p: log.map(Math.exp), reward, kl, worth: reward - beta * kl };
}

const written = (beta) => (beta < 1 ? beta.toFixed(2) : beta.toPrecision(2));
const share = (p) => p.toFixed(2);

export function draw(live, { texts, log_p: logP, rewards }) {
  const names = Object.keys(rewards), reference = logP.map(Math.exp);
  let name = names[0], beta = 1; // a sentence may set a beta between two places of the slider
  const chart = dots({ label: "probability of each text", form: share, stems: true });
  chart.heads(["on the leash", "reference"]);
  const says = spoken(), place = h("div", { class: "nw-x-frontier", role: "img" });
  const knob = slider({ label: "β (leash)", min: LOW, max: HIGH, step: STEP, value: 0, form: (v) => written(10 ** v), act: (v) => { beta = 10 ** v; show(); } });
  const menu = choice({ label: "reward", options: names.map((each) => [each, each]), value: name, act: (value) => { name = value; paint(); show(); } });
  let width = 0, mark = () => {};
  fitted(place, (now) => { width = now; paint(); mark(beta); });

  function paint() {
    if (width) mark = frontier(place, width, (each) => judged(logP, rewards[name], each));
  }

  function show() {
    const now = judged(logP, rewards[name], beta);
    const free = reference.reduce((sum, p, n) => sum + p * rewards[name][n], 0);
    chart.update(texts.map((text, n) => ({ name: text, values: [now.p[n], reference[n]] })), Math.max(...now.p, ...reference));
    says.textContent = `β = ${written(beta)}: expected reward ${now.reward.toFixed(2)} (reference ${free.toFixed(2)}), KL ${now.kl.toFixed(2)} nats, reward − β KL = ${now.worth.toFixed(2)}.`;
    place.setAttribute("aria-label", `Expected reward against KL from the reference. Now the reward is ${now.reward.toFixed(2)} at ${now.kl.toFixed(2)} nats.`);
    mark(beta);
  }

  live.append(controls(menu.element, knob.element), h("div", { class: "nw-x-two" }, chart.element, place), says);
  show();
  return {
    set(params) {
      if (params.reward in rewards) { name = menu.select.value = params.reward; paint(); }
      if (Number(params.beta) > 0) {
        beta = Math.max(10 ** LOW, Math.min(Number(params.beta), 10 ** HIGH));
        knob.value = Math.log10(beta);
      }
      show();
    },
    get: () => ({ reward: name, beta: String(Number(beta.toPrecision(3))) }),
  };
}

/** Draw the curve of all betas into an element; the function that comes back marks the place of one. */
function frontier(element, width, of) {
  const all = Array.from({ length: Math.round((HIGH - LOW) / STEP) + 1 }, (_, k) => of(10 ** (LOW + k * STEP)));
  const most = Math.max(...all.map(({ kl }) => kl)), [high, low] = [all[0].reward, all.at(-1).reward], base = HEIGHT - BOTTOM;
  const x = (kl) => LEFT + (kl / most) * (width - LEFT - RIGHT);
  const y = (reward) => TOP + ((high - reward) / (high - low)) * (base - TOP);
  const rule = (x2, y2) => svg("line", { class: "nw-x-rule", x1: LEFT, y1: base, x2, y2 });
  const tick = (at, up, anchor, value) => svg("text", { class: "nw-x-tick", x: at, y: up, "text-anchor": anchor }, value.toFixed(1));
  const dot = svg("circle", { r: 6 });
  element.replaceChildren(svg("svg", { width, height: HEIGHT, "aria-hidden": "true" },
    rule(width - RIGHT, base), rule(LEFT, TOP),
    svg("polyline", { points: all.map(({ kl, reward }) => `${x(kl)},${y(reward)}`).join(" ") }),
    [0, most / 2, most].map((kl) => tick(x(kl), base + 14, "middle", kl)),
    [low, high].map((reward) => tick(LEFT - 5, y(reward) + 4, "end", reward)),
    svg("text", { x: LEFT + 6, y: TOP - 3 }, "expected reward"),
    svg("text", { x: width - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, "KL from the reference (nats)"), dot));
  return (beta) => {
    const { kl, reward } = of(beta);
    dot.setAttribute("cx", x(kl));
    dot.setAttribute("cy", y(reward));
  };
}
