// The game of the first page: one story; the visitor bets on the next word against two models and the truth.
// numbers: { stories: [{ words, questions: [{ place, kind, answer, choices, bets: { name: [share] } }] }], start: address }

import { h, button, spoken, unique } from "./parts.js";

const MODELS = ["5-gram", "transformer", "village"];
const PLAYERS = ["you", "5-gram", "transformer", "truth"];
const SURE = [["a guess", 0.4], ["fairly sure", 0.75], ["certain", 0.97]];
const bits = (share) => -Math.log2(share);
const percent = (share) => `${share > 0 && share < 0.005 ? "<1" : Math.round(100 * share)} %`;

/** What a bet says of each choice: so sure of one, the others share the rest evenly. */
export const bet = (choices, word, sure) => choices.map((each) => (each === word ? sure : (1 - sure) / (choices.length - 1)));

/** The blank before each word of a printed text: none before a full stop, none inside of quotes. */
export function blanks(words) {
  let open = false, bare = true;
  return words.map((word) => {
    const closes = word === '"' && open;
    const none = bare || closes || /^[.,?]$/.test(word);
    if (word === '"') open = !open;
    bare = word === '"' && open;
    return none ? "" : " ";
  });
}

export function draw(live, { stories, start }) {
  let told = 0, asked = 0, answered = false, lost = PLAYERS.map(() => 0), right = [];
  const question = () => stories[told].questions[asked];
  const text = h("p", { class: "front-story" }), says = spoken(), far = h("span", { class: "front-far" });
  const group = unique();
  const sure = SURE.map(([name, share], k) => h("input", { type: "radio", name: group, value: share, checked: k === 1 }));
  const bets = h("fieldset", { class: "front-sure" }, h("legend", {}, "How sure?"),
    SURE.map(([name], k) => h("label", {}, sure[k], h("span", {}, name))));
  const next = button("Next word", () => goOn(), { class: "nw-x-button nw-x-main" });
  const link = h("a", { class: "front-start", href: start }, "Start chapter 1");
  const body = h("tbody", {}), sums = PLAYERS.map((name, k) => h("td", { class: `front-p${k}` }));
  const heads = [h("th", { scope: "col" }, "pick a word"), ...PLAYERS.map((name, k) => h("th", { scope: "col", class: `front-p${k}` }, name))];
  const board = h("table", { class: "front-board", "aria-label": "bets on the next word, in percent, and the bits that each has lost" },
    h("thead", {}, h("tr", {}, heads)), body,
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "bits lost", h("small", {}, "fewest wins")), sums)));
  let rows = [];

  function begin(story) {
    [told, asked, lost, right] = [story, 0, PLAYERS.map(() => 0), []];
    ask(0);
  }

  /** To the next question, or to the next story; the button goes, so the focus moves to the words. */
  function goOn() {
    const from = question().place + 1;
    if (asked === stories[told].questions.length - 1) begin((told + 1) % stories.length);
    else {
      asked += 1;
      ask(from);
    }
    rows[0].pick.focus({ preventScroll: true });
  }

  /** Tell the story up to the question; the words from place `from` on appear one by one. */
  function ask(from) {
    answered = false;
    tell(from);
    rows = question().choices.map((word, k) => {
      const cells = PLAYERS.map((name, p) => h("td", { class: `front-p${p}` }));
      const pick = h("button", { type: "button", class: "front-word", "aria-keyshortcuts": String(k + 1), onclick: () => answer(word) }, word);
      return { word, cells, pick, row: h("tr", {}, h("th", { scope: "row" }, pick), cells) };
    });
    body.replaceChildren(...rows.map((each) => each.row));
    far.textContent = `${asked + 1} of ${stories[told].questions.length}`;
    next.classList.add("front-away");
    bets.hidden = false;
    // who hears the page hears the new words, too
    const heard = stories[told].words.slice(from, question().place).join(" ");
    says.replaceChildren(h("span", { class: "front-heard" }, `${heard} …`), asked ? "And now?" : "Pick the word that you think comes next.");
    total();
  }

  /** The story so far: guessed words keep their mark, the rest is veiled. */
  function tell(from = Infinity) {
    const { words, questions } = stories[told], { place } = question(), gap = blanks(words);
    const end = answered && asked === questions.length - 1;
    const shown = words.slice(0, end ? words.length : answered ? place + 1 : place).map((word, k) => {
      const q = questions.findIndex((each) => each.place === k);
      const look = q < 0 ? "" : right[q] ? "front-right" : "front-wrong";
      const fresh = k >= from ? ` animation-delay: ${40 * (k - from)}ms` : null;
      return [gap[k], look || fresh ? h("span", { class: fresh ? `front-new ${look}` : look, style: fresh }, word) : word];
    });
    const rest = end ? 0 : words.length - place - 1;
    const veil = Array.from({ length: rest }, () => [" ", h("i", { class: "front-veil" })]);
    const hole = answered ? [] : [gap[place], h("span", { class: "nw-x-gap" }, "?")];
    text.replaceChildren(...[...shown, hole].flat(), h("span", { "aria-hidden": "true" }, veil.flat()));
  }

  function answer(word) {
    if (answered) return;
    answered = true;
    const { choices, answer: truly, bets: given, kind } = question(), k = choices.indexOf(truly);
    const yours = bet(choices, word, Number(sure.find((each) => each.checked).value));
    const shares = [yours, ...MODELS.map((name) => given[name])];
    lost = lost.map((sum, p) => sum + bits(shares[p][k]));
    right[asked] = word === truly;
    rows.forEach((each, i) => {
      each.pick.setAttribute("aria-disabled", "true");
      each.row.classList.toggle("front-truly", i === k);
      each.row.classList.toggle("front-chosen", each.word === word);
      each.cells.forEach((cell, p) => fill(cell, shares[p][i], percent(shares[p][i])));
    });
    tell();
    total();
    const last = asked === stories[told].questions.length - 1;
    says.replaceChildren(h("strong", {}, word === truly ? "Right: " : "It was "), `“${truly}”. `, last ? verdict(lost) : why(kind, given.village[k]));
    bets.hidden = last;
    next.textContent = last ? "Another story" : "Next word";
    next.classList.remove("front-away");
    next.focus({ preventScroll: true });
  }

  function total() {
    const top = Math.max(...lost, 1), least = Math.min(...lost.slice(0, 3));
    sums.forEach((cell, p) => {
      fill(cell, lost[p] / top, lost[p].toFixed(1));
      cell.classList.toggle("front-best", asked + answered > 0 && p < 3 && lost[p] === least);
    });
  }

  // digits choose a word wherever the focus is inside the game
  live.addEventListener("keydown", (event) => {
    const row = rows[Number(event.key) - 1];
    if (row && !event.ctrlKey && !event.metaKey && !event.altKey) row.pick.click();
  });
  live.append(
    h("div", { class: "front-play" },
      h("div", { class: "front-left" }, text),
      h("div", { class: "front-right-side" }, board, bets)),
    h("div", { class: "front-foot" }, far, says, h("div", { class: "front-go" }, next, link)));
  begin(0);
}

/** A number on a bar of its share; a bar that is there already grows. */
function fill(cell, share, shown) {
  if (!cell.firstChild) cell.append(h("i", { class: "front-bar" }), h("span", {}));
  cell.firstChild.style.width = `${(100 * share).toFixed(1)}%`;
  cell.lastChild.textContent = shown;
}

/** What decides a word, or that nothing told so far does. */
const why = (kind, truth) => (truth < 1 ? `Nobody could be sure: its true chance was ${percent(truth)}.` : `What decides it: ${kind}.`);

/** Who won, and what it means. */
function verdict([you, five, network, truth]) {
  const floor = `The truth itself lost ${truth.toFixed(1)} bits: that is the floor.`;
  if (you < truth) return `You are even below the floor, ${truth.toFixed(1)} bits. That is luck, and no luck lasts a million words.`;
  if (you < network) return `You beat both machines! ${floor}`;
  if (you < five) return `You beat the 5-gram, which sees four words; you know the story. ${floor}`;
  return `Both machines beat you: where you are not sure, bet less. ${floor}`;
}
