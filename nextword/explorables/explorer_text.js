// The text of the explorer: every word a button, coloured; words can be typed, changed and taken away.

import { h, button, spaced, unique } from "./parts.js";
import { d3 } from "./d3.js";
import { wordsOf } from "./explorer_store.js";

const WORDS_OFFERED = 12;

/**
 * `tint()`: { shares, look }, the share of colour of each place, and which colour (or `looks`, one a place).
 * A first place, before all words, is shown as well: models read the begin symbol there.
 */
export function makeText(store, tint) {
  const list = h("div", { class: "nw-e-words", role: "group", "aria-label": "the text; arrow keys go from word to word, Enter changes a word" });
  const offers = h("datalist", { id: unique() });
  const end = h("input", { class: "nw-e-end", list: offers.id, placeholder: "next word …", "aria-label": "type the next word", autocapitalize: "off", autocomplete: "off", spellcheck: "false", size: 11 });
  const area = h("textarea", { class: "nw-e-area", "aria-label": "your own text", spellcheck: "false", autocapitalize: "off", rows: 5 });
  const edit = button("Edit", toggle, { class: "nw-x-button nw-e-small", "aria-pressed": "false" });
  const box = h("div", { class: "nw-e-text" }, list, area, offers);
  area.hidden = true;
  let timer = null, focusOn = null;

  const setWords = (words, pin = null) => store.change({ words, pin });

  // ---- typing at the end, word by word
  function append() {
    const words = wordsOf(end.value);
    end.value = "";
    if (words.length) setWords([...store.state.words, ...words]);
  }
  end.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || (event.key === " " && end.value.trim())) {
      event.preventDefault();
      append();
    } else if (event.key === "Backspace" && !end.value && store.state.words.length) setWords(store.state.words.slice(0, -1));
  });
  end.addEventListener("change", append);

  // ---- typing a whole text
  function toggle() {
    const open = area.hidden;
    area.hidden = !open;
    list.hidden = false;
    edit.setAttribute("aria-pressed", String(open));
    edit.textContent = open ? "Done" : "Edit";
    box.classList.toggle("nw-e-editing", open);
    if (!open) return;
    area.value = joined(store.state.words);
    area.focus();
  }
  area.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => setWords(wordsOf(area.value)), 150);
  });
  area.addEventListener("keydown", (event) => event.key === "Escape" && toggle());

  // ---- changing one word
  function change(element, k) {
    const input = h("input", { class: "nw-e-end", value: store.state.words[k], list: offers.id, "aria-label": `word ${k + 1}`, size: 8, autocapitalize: "off", spellcheck: "false" });
    let open = true;
    const close = (take) => {
      if (!open) return;
      open = false;
      const words = [...store.state.words];
      if (take) words.splice(k, 1, ...wordsOf(input.value));
      input.replaceWith(element);
      focusOn = k;
      if (take && words.join(" ") !== store.state.words.join(" ")) setWords(words, Math.min(k + 1, words.length));
      else element.focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") close(true);
      if (event.key === "Escape") close(false);
    });
    input.addEventListener("blur", () => close(true));
    element.replaceWith(input);
    input.select();
    input.focus();
  }

  function press(element, k) {
    if (store.state.pin === k + 1 && k >= 0) change(element, k);
    else store.change({ pin: k + 1 });
  }

  function walk(event, k) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9 }[event.key];
    if (event.key === "Escape" && store.state.pin !== null) store.change({ pin: null });
    if (!step) return;
    event.preventDefault();
    const to = Math.max(-1, Math.min(k + step, store.readable - 1));
    store.change({ pin: to + 1 });
    list.children[to + 1]?.focus();
  }

  function draw() {
    const { state: now } = store, words = now.words, { shares, look, looks } = tint();
    const blanks = spaced(words), out = store.known.heard.leftAt, unknown = store.unknownAt, at = store.at;
    const data = [{ word: "▸", k: -1 }, ...words.map((word, k) => ({ word, k }))];
    d3.select(list).selectAll("button").data(data).join((enter) =>
      enter.insert("button", "input").attr("type", "button").attr("class", "nw-e-w")
        .on("click", (event, d) => press(event.currentTarget, d.k)).on("keydown", (event, d) => walk(event, d.k)))
      .text((d) => d.word)
      .attr("aria-label", (d) => (d.k < 0 ? "the beginning" : null))
      .attr("tabindex", (d) => (d.k + 1 === at ? 0 : -1))
      .attr("aria-pressed", (d) => String(now.pin !== null && d.k + 1 === at))
      .attr("class", ({ k, word }) => ["nw-e-w", k > 0 && !blanks[k] && "nw-e-tight", k + 1 === at && "nw-e-here", word === "</s>" && "nw-e-mark", k < 0 && "nw-e-mark",
        k === out && !(k === unknown) && "nw-x-out", k === unknown && "nw-e-unknown", k > (out ?? unknown ?? 1e9) && "nw-x-after"].filter(Boolean).join(" "))
      .attr("aria-invalid", ({ k }) => (k >= 0 && (k === out || k === unknown) ? "true" : null))
      .style("--s", ({ k }) => `${Math.round(38 * Math.abs(shares[k + 1] ?? 0))}%`)
      .style("--c", ({ k }) => `var(--x-${looks?.[k + 1] ?? look})`);
    if (end.parentElement !== list) list.append(end);
    else if (list.lastElementChild !== end) list.append(end);
    end.hidden = store.ended;
    const row = store.row(store.readable), best = Array.from(row.keys()).sort((a, b) => row[b] - row[a]).slice(0, WORDS_OFFERED);
    offers.replaceChildren(...[...new Set([...store.truth(store.readable).map(([id]) => id), ...best])].map((id) => h("option", { value: store.vocabulary[id] })));
    const here = list.children[at];
    if (focusOn !== null) list.children[focusOn + 1]?.focus();
    focusOn = null;
    if (!here) return;
    const low = here.offsetTop - list.offsetTop, view = list.clientHeight;
    if (now.pin === null) list.scrollTop = list.scrollHeight;
    else if (low < list.scrollTop || low > list.scrollTop + view - 30) list.scrollTop = low - view / 2;
  }

  return { element: box, edit, draw };
}

/** Words as one writes them. */
export function joined(words) {
  const blanks = spaced(words);
  return words.map((word, k) => (blanks[k] ? ` ${word}` : word)).join("");
}
