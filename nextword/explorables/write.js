// Let an n-gram model write, word by word, while the village listens.
// numbers: { world, amounts: [words to read], starts: [[word]] }

import { able, button, choice, controls, spoken } from "./parts.js";
import { makeDesk } from "./desk.js";
import { Counts } from "./ngrams.js";
import { makeWorld, tell } from "./village.js";

const ORDERS = [1, 2, 3, 4, 5];
const BREATH = 20; // stories between two looks at the page

export function draw(live, { world: lists, amounts, starts }) {
  const world = makeWorld(lists);
  let models = ORDERS.map((n) => new Counts(n)), n = 3, known = 0, reading = false;
  const model = () => models[n - 1];
  const says = spoken();
  const amount = choice({ label: "words to read", options: amounts.map((a) => [String(a), a.toLocaleString("en")]), value: String(amounts.at(-1)), act: () => {} });
  const load = button("Read the stories", read, { class: "nw-x-button nw-x-main" });
  const order = choice({ label: "n", options: ORDERS.map((each) => [String(each), String(each)]), value: "3", act: (value) => { n = Number(value); desk.show(); } });
  const desk = makeDesk({
    world, starts, name: "n-gram model", more: [order.element],
    after: (words) => model().after(words),
    stuck: (words) => `The model never met “${model().context(words).join(" ")}”, so it has nothing to say.`,
  });
  desk.element.hidden = true;

  async function read() {
    if (reading) return;
    reading = true;
    able(false, load);
    const made = ORDERS.map((each) => new Counts(each));
    let heard = 0;
    for (let number = 0n; heard < Number(amount.select.value); number += 1n) {
      const story = tell(world, number); // the village's training text begins with story 0
      made.forEach((counts) => counts.read(story));
      heard += story.length;
      if (number % BigInt(BREATH) === 0n) {
        says.textContent = `Reading: ${heard.toLocaleString("en")} words …`;
        await new Promise((go) => setTimeout(go));
      }
    }
    models = made;
    known = Number(amount.select.value);
    reading = false;
    able(true, load);
    says.textContent = `${heard.toLocaleString("en")} words are read, and their n-grams counted.`;
    desk.element.hidden = false;
    desk.begin();
  }

  live.append(controls(load, amount.element), says, desk.element);
  says.textContent = "The model has read nothing yet.";
  return {
    async set(params) {
      if (ORDERS.includes(Number(params.n))) order.select.value = String((n = Number(params.n)));
      if (amounts.includes(Number(params.read)) && !reading) {
        amount.select.value = params.read;
        if (Number(params.read) !== known) await read();
      }
      desk.show();
    },
    get: () => ({ n: String(n), read: String(known) }),
  };
}
