// The trained transformer in the page: it writes, beside the truth; its heads can be switched off.
// numbers: { world, starts: [[word]], network } (see network.js)

import { h, choice, controls, tick } from "./parts.js";
import { makeDesk } from "./desk.js";
import { Network, softmax } from "./network.js";
import { makeWorld } from "./village.js";

const BOS = "<s>";

export function draw(live, { world: lists, starts, network }) {
  const net = new Network(network);
  const heads = Array.from({ length: net.L * net.H }, (_, k) => [Math.floor(k / net.H), k % net.H]);
  const named = ([block, head]) => `block ${block + 1}, head ${head + 1}`;
  let looking = "";
  const idsOf = (words) => [BOS, ...words].map((word) => net.number.get(word));

  const colour = choice({
    label: "colour the words by",
    options: [["", "their surprise"], ...heads.map((each) => [each.join("."), `where ${named(each)} looks`])],
    value: "",
    act: (value) => { looking = value; desk.show(); },
  });
  const desk = makeDesk({
    world: makeWorld(lists), starts, name: "transformer", more: [],
    after(words) {
      const chances = softmax(net.logits(idsOf(words)));
      return new Map([...chances.entries()].sort(([, p], [, q]) => q - p).map(([id, p]) => [net.words[id], p]));
    },
    tint(words) {
      if (!looking || !words.length) return null;
      net.logits(idsOf(words));
      const [block, head] = looking.split(".").map(Number);
      const weights = net.looks[block][head].slice(1); // the begin symbol is not shown
      const top = Math.max(...weights, 0.05);
      return weights.map((weight) => weight / top);
    },
  });
  const switches = h("fieldset", {}, h("legend", {}, "Heads that may speak"),
    controls(...heads.map((each) => tick({ label: named(each), checked: true, act: (on) => { net.switch(each.join("."), on); desk.show(); } }).element)));

  live.append(switches, controls(colour.element), desk.element);
  desk.begin();
}
