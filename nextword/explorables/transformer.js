// The explorer: the trained transformer in the page, opened up, beside two other models and the truth.
// numbers: { world, stories: [[word]], network (network.js), lstm (lstm.js), ngrams (kneser_ney.js), measured: { model: share } }

import { h, button, spoken, unique } from "./parts.js";
import { KINDS } from "./stories.js";
import { addressOf } from "./sentences.js";
import { connect } from "./explorer_port.js";
import { Store, VIEWS, FIRST_WORDS, written, understood } from "./explorer_store.js";
import { makeText } from "./explorer_text.js";
import { makeNext } from "./explorer_next.js";
import { makeHeads } from "./explorer_heads.js";
import { makeInside } from "./explorer_inside.js";
import { makeLens } from "./explorer_lens.js";
import { makeModels } from "./explorer_models.js";
import { makeWrites } from "./explorer_writes.js";
import { reshaped, drawnId } from "./explorer_sampling.js";

const WIDE = 840, NARROW = 560; // pixels: from here on two columns; below, a phone
const PACE = 260; // milliseconds a word when it plays

export function draw(live, numbers) {
  let port = null, playing = null, started = false;
  const scriptOf = () => live.closest("figure").querySelector('script[type="module"]').textContent;
  const store = new Store(numbers, (name, args) => (port ??= connect(numbers, scriptOf(), (asks) => root.setAttribute("aria-busy", String(asks)))).ask(name, args));
  const set = (patch) => store.change(patch);
  const says = spoken();

  // ---- the tool bar
  const menu = h("select", { class: "nw-e-story", "aria-label": "begin with", onchange: () => restart() },
    numbers.stories.map((story, k) => h("option", { value: String(k) }, `${k + 1}: ${story.slice(0, 6).join(" ")} …`)), h("option", { value: "-1" }, "an empty page"));
  const play = button("▶ Play", () => (playing ? stop() : start()), { class: "nw-x-button nw-x-main" });
  const one = button("Step", () => { stop(); step(); }, { title: "draw the next word" });
  const undo = button("Back", () => { stop(); set({ words: store.state.words.slice(0, -1) }); }, { title: "take the last word back" });
  const again = button("Restart", () => restart(), { title: "begin this story again" });
  const copy = button("Copy link", copyLink, { class: "nw-x-button nw-e-copy" });
  const full = button("Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : live.closest("figure").requestFullscreen?.()), { class: "nw-x-button nw-e-full" });
  full.hidden = !document.fullscreenEnabled;

  const text = makeText(store, () => panels[shownView()].tint?.() ?? surprise());
  const next = makeNext(store, { add: (...words) => { stop(); set({ words: [...store.readWords.slice(0, store.at), ...words] }); } });
  const panels = { next, heads: makeHeads(store), inside: makeInside(store), lens: makeLens(store), models: makeModels(store), writes: makeWrites(store, numbers) };

  // ---- tabs
  const ids = Object.fromEntries(Object.keys(VIEWS).map((name) => [name, unique()]));
  const tabs = Object.fromEntries(Object.entries(VIEWS).filter(([name]) => panels[name]).map(([name, label]) => [name,
    h("button", { type: "button", role: "tab", class: "nw-e-tab", id: `${ids[name]}-tab`, "aria-controls": ids[name], onclick: () => set({ view: name }), onkeydown: turn }, label)]));
  const tablist = h("div", { class: "nw-e-tabs", role: "tablist", "aria-label": "what to look at" }, Object.values(tabs));
  const boxes = Object.fromEntries(Object.keys(tabs).map((name) => [name,
    h("div", { class: `nw-e-panel nw-e-panel-${name}`, role: "tabpanel", id: ids[name], "aria-labelledby": `${ids[name]}-tab` }, panels[name].element)]));
  const side = h("div", { class: "nw-e-side" });
  const root = h("div", { class: "nw-e" },
    h("div", { class: "nw-e-bar" }, menu, play, one, undo, again, h("span", { class: "nw-e-gap" }), text.edit, copy, full),
    h("div", { class: "nw-e-left" }, text.element, says, side),
    h("div", { class: "nw-e-right" }, tablist, h("div", { class: "nw-e-stage" }, Object.values(boxes))));

  function turn(event) {
    const names = Object.keys(tabs).filter((name) => !tabs[name].hidden), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const name = names[(names.indexOf(shownView()) + step + names.length) % names.length];
    set({ view: name });
    tabs[name].focus();
  }

  // ---- writing
  function step() {
    if (stuck()) return null;
    const { state } = store, row = store.row(store.readable);
    const word = store.vocabulary[drawnId(reshaped(row, state))];
    return set({ words: [...store.readWords, word], pin: null });
  }

  /** Nothing can be drawn: nothing is known yet, the story is over, or a word is none. */
  const stuck = () => !store.known || store.ended || store.unknownAt !== null;

  function start() {
    if (store.known && store.ended) restart();
    playing = { stop: false };
    const wasOut = store.known?.heard.leftAt ?? null;
    play.textContent = "❚❚ Pause";
    const turnOf = playing;
    (async () => {
      await store.running;
      while (!turnOf.stop && !stuck() && store.known.heard.leftAt === wasOut) { // it stops where it leaves the language
        await step();
        await new Promise((go) => setTimeout(go, PACE));
        if (!inView()) break;
      }
      if (playing === turnOf) stop();
    })();
  }

  function stop() {
    if (playing) playing.stop = true;
    playing = null;
    play.textContent = "▶ Play";
  }

  function restart() {
    stop();
    const story = Number(menu.value);
    set({ story: Math.max(story, 0), words: story < 0 ? [] : numbers.stories[story].slice(0, story ? 12 : FIRST_WORDS) });
  }

  const inView = () => {
    const { top, bottom } = live.getBoundingClientRect();
    return live.isConnected && bottom > 0 && top < innerHeight;
  };

  async function copyLink() {
    const address = addressOf("transformer", written(store));
    try {
      await navigator.clipboard.writeText(address);
      copy.textContent = "Copied";
    } catch { // a page from a disk may not write there: the address bar then holds the link
      history.replaceState(null, "", address);
      copy.textContent = "In the address bar";
    }
    setTimeout(() => (copy.textContent = "Copy link"), 2500);
  }

  // ---- drawing
  function surprise() {
    return { shares: [0, ...store.surprises().map((bits) => Math.min(bits / 8, 1))], look: 0 };
  }

  const wide = () => root.classList.contains("nw-e-wide");
  const shownView = () => (wide() && store.state.view === "next" ? "heads" : store.state.view);

  function show() {
    if (root.style.visibility) requestAnimationFrame(() => root.style.removeProperty("visibility"));
    const view = shownView();
    for (const [name, tab] of Object.entries(tabs)) {
      tab.setAttribute("aria-selected", String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
      boxes[name].hidden = name !== view;
    }
    text.draw();
    if (wide() || view === "next") next.draw();
    if (view !== "next") panels[view].draw(store);
    one.setAttribute("aria-disabled", String(stuck()));
    undo.setAttribute("aria-disabled", String(!store.state.words.length));
    says.replaceChildren(...verdict());
  }

  function verdict() {
    const { readWords: words, leftAt, unknownAt, known: { heard } } = store;
    const quoted = (ids) => ids.slice(0, 3).map(([id]) => `“${store.vocabulary[id]}”`).join(", ");
    if (unknownAt !== null && (heard.leftAt === null || unknownAt <= heard.leftAt)) {
      const could = heard.places[unknownAt];
      return [`“${words[unknownAt]}” is none of the village's ${store.vocabulary.length - 3} words, so nobody can read on. ${could ? `Here the village could say ${quoted(could.possible)}.` : ""}`];
    }
    if (leftAt !== null) {
      const { possible, kind } = heard.places[leftAt];
      return [`Word ${leftAt + 1}, “${words[leftAt]}”, cannot stand here; the village would say ${quoted(possible)}. What decides it: ${KINDS.get(kind).split(":")[0]}.`];
    }
    if (store.state.pin === null && words.at(-1) === "</s>") return ["The story is at its end, and the village could have told it."];
    const bits = store.surprises(), place = store.at, sum = bits.reduce((a, b) => a + b, 0);
    if (store.state.pin === null || place === 0)
      return words.length ? [`${words.length} words, all possible; perplexity ${(2 ** (sum / words.length)).toFixed(2)}; with the true chances it is ${truePerplexity().toFixed(2)}.`] : ["Nothing is written yet."];
    const truth = -Math.log2(heard.chances[place - 1]);
    return [`Word ${place}, “${words[place - 1]}”: ${bits[place - 1].toFixed(2)} bits of surprise for the ${store.state.model}, ${truth.toFixed(2)} in truth (${kindAt(place - 1)}).`];
  }

  const kindAt = (k) => store.known.heard.places[k].kind;
  const truePerplexity = () => Math.exp(-store.known.heard.chances.reduce((a, p) => a + Math.log(p), 0) / store.known.heard.chances.length);

  function arrange() {
    const isWide = root.clientWidth >= WIDE;
    root.classList.toggle("nw-e-narrow", root.clientWidth < NARROW);
    if (isWide === wide() && next.element.parentElement) return store.draw();
    root.classList.toggle("nw-e-wide", isWide);
    tabs.next.hidden = isWide;
    (isWide ? side : boxes.next).append(next.element);
    store.draw();
  }

  function begin() {
    if (started) return;
    started = true;
    store.views.push({ draw: show });
    store.refresh();
  }

  root.style.visibility = "hidden"; // until it knows its width, so that nobody sees its parts move
  live.append(root);
  new ResizeObserver(arrange).observe(root);
  arrange();
  new IntersectionObserver((seen, watch) => {
    if (!seen.some((each) => each.isIntersecting)) return;
    watch.disconnect();
    begin();
  }, { rootMargin: "400px" }).observe(root);

  return {
    set(params) {
      stop();
      begin();
      const patch = understood(params, store);
      if ("story" in patch) menu.value = String(patch.story);
      return set(patch);
    },
    get: () => written(store, true),
  };
}
