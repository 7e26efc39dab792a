// What all explorables share: elements, sliders, choices, bars, and how one comes alive.

import { listen } from "./sentences.js";

/** An element: h("p", { class: "note", onclick: act }, "text", child). */
export const h = (tag, attributes = {}, ...children) => dressed(document.createElement(tag), attributes, children);

/** The same of a drawing: svg("circle", { r: 3 }). */
export const svg = (tag, attributes = {}, ...children) => dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function dressed(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  element.append(...children.flat(2).filter((child) => child != null));
  return element;
}

/** Call `paint(width)` when an element is first laid out, and when its width changes. */
export function fitted(element, paint) {
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.round(contentRect.width) !== width && contentRect.width) paint((width = Math.round(contentRect.width)));
  }).observe(element);
  return element;
}

let counter = 0;
/** An id that no other element of the page has. */
export const unique = () => `nw-x-${Math.random().toString(36).slice(2, 8)}-${(counter += 1)}`;

/** A button. One that is not `able` to act is grey, keeps the focus, and does nothing. */
export const button = (text, act, more = {}) =>
  h("button", { type: "button", class: "nw-x-button", onclick: (event) => isAble(event.currentTarget) && act(event), ...more }, text);

/** Let buttons act or not. A `disabled` one would throw whoever stands on it to the top of the page. */
export const able = (on, ...buttons) => buttons.forEach((each) => each.setAttribute("aria-disabled", String(!on)));
const isAble = (element) => element.getAttribute("aria-disabled") !== "true";

/** A slider with its name and value; `form` writes the value. `slider.value` can be read and set. */
export function slider({ label, min, max, step, value, form = String, act }) {
  const id = unique();
  const shown = h("output", { for: id });
  const input = h("input", { type: "range", id, min, max, step, value });
  const say = () => {
    shown.textContent = form(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", () => {
    say();
    act(Number(input.value));
  });
  say();
  const element = h("div", { class: "nw-x-slider" }, h("label", { for: id }, label), input, shown);
  return {
    element,
    input,
    get value() {
      return Number(input.value);
    },
    set value(number) {
      input.value = number;
      say();
    },
  };
}

/** A menu with its name. `options`: [[value, text], ...]. */
export function choice({ label, options, value, act }) {
  const id = unique();
  const select = h("select", { id, onchange: () => act(select.value) },
    options.map(([each, text]) => h("option", { value: each, selected: each === value }, text)));
  return { element: h("div", { class: "nw-x-choice" }, h("label", { for: id }, label), select), select };
}

/** `act` when a mouse moves over an element; a page that scrolls below a resting mouse moves nothing. */
export const hover = (act) => (event) => event.pointerType === "mouse" && (event.movementX || event.movementY) && act();

/**
 * Choosing by pointing: to hover or to focus shows a thing for the moment, a click or Enter pins it, a second
 * click or Escape lets it go; while one is pinned, nothing else is shown by hovering. `show(k, pinned)` draws.
 */
export function pins(show, start) {
  let at = start, pinned = false;
  const turn = (k, hold) => {
    [at, pinned] = [k, hold];
    show(at, pinned);
  };
  return {
    get at() {
      return at;
    },
    get pinned() {
      return pinned;
    },
    preview: (k) => pinned || k === at || turn(k, false),
    toggle: (k) => turn(k, !(pinned && k === at)),
    pin: (k) => turn(k, true),
    release: () => turn(at, false),
    /** A button that stands for thing k. */
    attach(element, k) {
      element.addEventListener("click", () => this.toggle(k));
      element.addEventListener("focus", () => this.preview(k));
      element.addEventListener("pointermove", hover(() => this.preview(k)));
      return element;
    },
    /** Where Escape lets go. */
    within(element) {
      element.addEventListener("keydown", (event) => event.key === "Escape" && pinned && turn(at, false));
      return element;
    },
  };
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const ICONS = { start: "M3 3h2v10H3zM14 3v10L6 8z", back: "M11.5 3v10L4 8z", play: "M4 2.5v11L13.5 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z", step: "M4.5 3v10L12 8z", end: "M11 3h2v10h-2zM2 3v10l8-5z" };
const icon = (name) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "nw-x-icon" }, svg("path", { d: ICONS[name] }));

/**
 * Play, pause and step, over the places 0 to `last()`. The figure knows where it stands, `at()`; `go(k)` takes it
 * there, and at the end of its drawing it calls `refresh()`. Playing stops at the end, at a step by hand, and when
 * the figure is off the screen. Who wants less motion gets the steps alone. `ends` adds buttons for both ends;
 * `names` gives other words for `step` and `end`.
 */
export function player({ label, last, at, go, pace = 900, ends = true, names = {} }) {
  let timer = null;
  const item = (name, text, act, look = null) => button([icon(name), h("span", { class: look }, text)], act);
  const byHand = (to) => () => {
    stop();
    go(Math.max(0, Math.min(to(), last())));
  };
  const start = item("start", "Start again", byHand(() => 0), "nw-x-aside");
  const back = item("back", "Back", byHand(() => at() - 1));
  const play = item("play", "Play", () => (timer ? stop() : begin()));
  const step = item("step", names.step ?? "Step", byHand(() => at() + 1));
  const end = item("end", names.end ?? "To the end", byHand(last), names.end ? null : "nw-x-aside");
  start.title = "Start again";
  end.title = "To the end";
  const element = h("div", { class: "nw-x-player", role: "group", "aria-label": label },
    ends ? start : null, back, calm() ? null : play, step, ends ? end : null);

  function begin() {
    if (at() >= last()) go(0);
    timer = setInterval(() => (inView(element) && at() < last() ? go(at() + 1) : stop()), pace);
    refresh();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    refresh();
  }
  function refresh() {
    able(at() > 0, start, back);
    able(at() < last(), step, end);
    if (timer && at() >= last()) stop();
    else play.replaceChildren(icon(timer ? "pause" : "play"), h("span", {}, timer ? "Pause" : "Play"));
  }
  return { element, stop, refresh };
}

function inView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return element.isConnected && bottom > 0 && top < innerHeight;
}

/** A box to tick. */
export function tick({ label, checked = false, act }) {
  const input = h("input", { type: "checkbox", checked, onchange: () => act(input.checked) });
  return { element: h("label", { class: "nw-x-tick" }, input, label), input };
}

/** A line whose changes are read out. */
export const spoken = () => h("p", { class: "nw-x-spoken", role: "status", "aria-live": "polite" });

export const controls = (...children) => h("div", { class: "nw-x-controls" }, ...children);

/** Which colour and pattern stands for what. */
export const legend = (names) =>
  h("p", { class: "nw-x-legend" },
    names.map((name, k) => h("span", {}, h("i", { class: `nw-x-swatch nw-x-s${k}`, "aria-hidden": "true" }), name)));

/**
 * Horizontal bars: for each row a name and one bar per series. update(rows, top) draws
 * [{ name, values, note, mark }]; a value [a, b] is a bar in two parts. A row can be chosen where
 * `pick`, a function of its place, is given.
 */
export function bars({ label, form = (v) => v.toFixed(2), pick = null }) {
  const element = h("ul", { class: "nw-x-bars", "aria-label": label });
  const made = [];
  const update = (rows, top = 1) => {
    while (made.length > rows.length) made.pop().item.remove();
    rows.forEach((row, k) => {
      const old = made[k];
      const bar = old && old.values.length === row.values.length ? old : makeRow(row.values.length, pick, (r) => made.indexOf(r));
      if (old && old !== bar) old.item.replaceWith(bar.item);
      else if (!old) element.append(bar.item);
      made[k] = bar;
      fill(bar, row, top, form);
    });
  };
  return { element, update };
}

function makeRow(n, pick, placeOf) {
  const name = h("span", { class: "nw-x-name" });
  const values = Array.from({ length: n }, () => h("span", { class: "nw-x-value" }));
  const fills = values.map((_, k) => [k, n].map((look) => h("i", { class: `nw-x-fill nw-x-s${look}` })));
  const tracks = h("span", { class: "nw-x-tracks" },
    fills.map((each, k) => h("span", { class: "nw-x-track" }, h("span", { class: "nw-x-rail", "aria-hidden": "true" }, each), values[k])));
  const row = { name, values, fills };
  const inside = [name, tracks];
  row.body = pick ? h("button", { type: "button", class: "nw-x-row", onclick: () => pick(placeOf(row)) }, inside)
                  : h("span", { class: "nw-x-row" }, inside);
  row.item = h("li", {}, row.body);
  return row;
}

/**
 * Points on a line instead of bars, one series filled and one hollow, joined where they differ: for what
 * is compared. With `stems`, the first is a bar, and the second a mark on its way. `heads(names)` names the two
 * in their colours. Rows as those of `bars`.
 */
export function dots({ label, form = (v) => v.toFixed(2), pick = null, stems = false }) {
  const rows = h("ul", { class: `nw-x-bars nw-x-dots${stems ? " nw-x-stems" : ""}`, "aria-label": label });
  const head = h("p", { class: "nw-x-heads" });
  const made = [];
  const make = (k) => {
    const name = h("span", { class: "nw-x-name" }), join = h("i", { class: "nw-x-join" });
    const points = [1, 0].map((look) => h("i", { class: `nw-x-point nw-x-p${look}` })).reverse();
    const values = [0, 1].map((look) => h("span", { class: `nw-x-value nw-x-v${look}` }));
    const inside = [name, h("span", { class: "nw-x-line", "aria-hidden": "true" }, join, points[1], points[0]), values];
    const body = pick ? h("button", { type: "button", class: "nw-x-row", onclick: () => pick(k) }, inside) : h("span", { class: "nw-x-row" }, inside);
    const item = h("li", {}, body);
    rows.append(item);
    return { name, join, points, values, item };
  };
  const update = (given, top = 1) => {
    while (made.length > given.length) made.pop().item.remove();
    given.forEach((row, k) => {
      const bar = (made[k] ??= make(k));
      const at = row.values.map((value) => Math.max(0, Math.min((100 * value) / top, 100)));
      bar.name.textContent = row.name;
      bar.points.forEach((point, i) => {
        point.hidden = at[i] === undefined || Number.isNaN(at[i]);
        point.style.left = `${at[i]}%`;
      });
      bar.values.forEach((value, i) => (value.textContent = row.values[i] === undefined ? "" : form(row.values[i])));
      const [a, b] = stems ? [0, at[0]] : [Math.min(...at), Math.max(...at)];
      Object.assign(bar.join.style, { left: `${a}%`, width: `${b - a}%` });
    });
  };
  const heads = (names) => head.replaceChildren(...names.map((name, k) => h("span", { class: `nw-x-v${k}` }, h("i", { class: `nw-x-point nw-x-p${k}`, "aria-hidden": "true" }), name)));
  return { element: h("div", {}, head, rows), update, heads };
}

function fill(bar, row, top, form) {
  bar.name.textContent = row.name;
  bar.body.classList.toggle("nw-x-marked", Boolean(row.mark));
  row.values.forEach((value, k) => {
    const [first, more] = Array.isArray(value) ? value : [value, 0];
    const share = (part) => Math.min(100 * (part / top), 100);
    bar.fills[k][0].style.width = `${share(first)}%`;
    bar.fills[k][1].style.width = `${Math.min(share(more), 100 - share(first))}%`;
    bar.values[k].textContent = form(first + more) + (k === row.values.length - 1 && row.note ? ` ${row.note}` : "");
  });
}

/** A place of {word: chance} drawn by a number from [0, 1). */
export function drawn(chances, uniform = Math.random()) {
  let left = uniform;
  let last = null;
  for (const [word, chance] of chances) {
    last = word;
    if ((left -= chance) < 0) break;
  }
  return last;
}

/** Words with the blanks of a printed text between them. */
export const blank = (word) => (/^[.,?]$/.test(word) ? "" : " ");

/** For each word of a text, whether a blank stands before it: none before a full stop, none inside quotation marks. */
export function spaced(words) {
  let inside = false, afterOpening = true;
  return words.map((word) => {
    const closes = word === '"' && inside;
    const before = !(afterOpening || closes || /^[.,?!;:]$/.test(word));
    if (word === '"') inside = !inside;
    afterOpening = word === '"' && inside;
    return before;
  });
}

/**
 * Let every figure with this key come alive that is not alive yet; if that fails, it stands still.
 * Where `draw` returns { set(params), get() }, sentences set the figure (sentences.js). Both hold texts
 * by name; `set` leaves alone what is not named, and what it does not know.
 */
export function mount(key, draw) {
  for (const figure of document.querySelectorAll(`figure[data-explorable="${key}"]`)) {
    if (figure.querySelector(".nw-x-live")) continue;
    // JupyterLab would take an arrow or Enter for its own
    const keep = (event) => event.ctrlKey || event.metaKey || event.stopPropagation();
    const live = h("div", { class: "nw-x-live", "data-lm-suppress-shortcuts": "true", onkeydown: keep });
    const explorable = draw(live, JSON.parse(figure.querySelector(".nw-x-numbers").textContent));
    const said = h("p", { class: "nw-x-aside", role: "status" });
    figure.append(live, said);
    figure.classList.add("nw-x-alive");
    if (!explorable?.set) continue;
    figure.explorable = explorable;
    listen(figure, explorable, (text) => (said.textContent = text));
  }
}
