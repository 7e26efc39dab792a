// The guessing game: the reader bets on the next word; three perplexities on the same choices.
// numbers: { model: name, stories: [{ words, questions: [{ place, choices, answer, kind, model, truth }] }] }

import { h, button, choice, controls, slider, legend, bars, able, spoken, spaced, unique } from "./parts.js";

const percent = (p) => `${Math.round(100 * p)} %`;
const perplexity = (chances) => Math.exp(-chances.reduce((sum, p) => sum + Math.log(p), 0) / chances.length);

/** What a bet says of each choice: so sure of one, the others share the rest evenly. */
export const bet = (choices, word, sure) => choices.map((each) => (each === word ? sure : (1 - sure) / (choices.length - 1)));

export function draw(live, { model, stories }) {
  let story = 0, asked = 0, answered = false, scores = [];
  const text = h("p", { class: "nw-x-text nw-x-told-so-far", tabindex: "0", role: "region", "aria-label": "the story so far" }), says = spoken(), result = h("div", { class: "nw-x-three" });
  const options = h("div", { class: "nw-x-options" });
  const box = h("fieldset", {}, h("legend", {}, "Which word comes next?"), options);
  const sure = slider({ label: "how sure?", min: 20, max: 99, step: 1, value: 60, form: (v) => `${v} %`, act: () => {} });
  const go = button("Bet", () => (answered ? next() : answer()), { class: "nw-x-button nw-x-main" });
  const names = ["you", model, "the village"];
  const chart = bars({ label: "chances that each gave to the words", form: percent });
  const table = h("div", {});
  const menu = choice({ label: "story", options: stories.map((_, k) => [String(k), String(k + 1)]), value: "0", act: (k) => tell(Number(k)) });
  const question = () => stories[story].questions[asked];

  function tell(k) {
    story = k;
    menu.select.value = String(k);
    begin();
  }

  function begin() {
    asked = 0;
    scores = [];
    table.replaceChildren();
    ask();
  }

  function ask() {
    answered = false;
    const { place, choices } = question();
    tellUpTo(place, "?");
    const group = unique();
    options.replaceChildren(...choices.map((word) =>
      h("label", {}, h("input", { type: "radio", name: group, value: word, onchange: () => able(true, go) }), word)));
    box.hidden = sure.element.hidden = false;
    result.hidden = true;
    go.textContent = "Bet";
    able(false, go);
    says.textContent = `Question ${asked + 1} of ${stories[story].questions.length}. Choose a word and say how sure you are.`;
  }

  function tellUpTo(place, gap) {
    const words = stories[story].words.slice(0, place), open = spaced([...words, gap]);
    text.replaceChildren(...words.map((word, k) => (open[k] ? " " : "") + word), open[place] ? " " : "", h("span", { class: "nw-x-gap" }, gap));
    text.scrollTop = text.scrollHeight;
  }

  function answer() {
    const word = options.querySelector("input:checked").value;
    const { choices, answer: right, truth, model: guessed, place, kind } = question();
    const yours = bet(choices, word, sure.value / 100), k = choices.indexOf(right);
    scores.push([yours[k], guessed[k], truth[k]]);
    answered = true;
    tellUpTo(place, right);
    chart.update(choices.map((each, i) => ({ name: each, values: [yours[i], guessed[i], truth[i]], mark: each === right })));
    box.hidden = sure.element.hidden = true;
    result.hidden = false;
    const last = asked === stories[story].questions.length - 1;
    go.textContent = last ? "Play again" : "Next word";
    const pps = names.map((_, i) => perplexity(scores.map((each) => each[i])));
    says.textContent = `It was “${right}”. You gave it ${percent(yours[k])}, the ${model} ${percent(guessed[k])}, the village itself ${percent(truth[k])}. What it depends on: ${kind}.`;
    table.replaceChildren(standing(names, pps, scores.length, last));
  }

  function next() {
    asked += 1;
    if (asked === stories[story].questions.length) begin();
    else ask();
    options.querySelector("input").focus();
  }

  result.append(legend(names), chart.element);
  live.append(text, box, sure.element, controls(go, menu.element), says, result, table);
  begin();
  return {
    set(params) {
      const k = Number(params.story) - 1;
      if (stories[k] && k !== story) tell(k);
    },
    get: () => ({ story: String(story + 1) }),
  };
}

function standing(names, pps, n, last) {
  const best = pps[0] < pps[1] ? "You are ahead of the model." : "The model is ahead of you.";
  return h("div", {},
    h("p", { class: "nw-x-small" }, `${last ? "The end. " : ""}Perplexity over ${n} ${n === 1 ? "word" : "words"}, 1 being certainty and 5 a blind guess. ${best}`),
    h("table", { class: "nw-x-table" },
      h("thead", {}, h("tr", {}, names.map((name, k) => h("th", { scope: "col" }, k === 2 ? "the floor" : name)))),
      h("tbody", {}, h("tr", {}, pps.map((value) => h("td", {}, value.toFixed(2)))))));
}
