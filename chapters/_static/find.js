/* Finding a section, a task, a function or a term: in the window of Ctrl+K and on the search page, while one types.

SECTIONS holds [page, anchor, title, text, kind]. It is loaded, with the stemmer of Sphinx's own search, when
the reader first goes to the field. Words that every question has ("how do i") are left out; a section that holds more
of the others comes first; a word that no page has stands for one that differs from it by a letter. */
"use strict";

(() => {
  const SHOWN = { window: 8, page: 25 };
  const BEFORE = 60; // letters of a quotation before the first word that was found
  const QUOTED = 180; // letters of a quotation
  const ASKING = new Set(
    ("a about an and any are as at be by can could do does explain find for from give has have how i if in into is it its " +
      "me mean means my of on or please show so tell than that the their them then there these this to use used using was " +
      "we what when where which who why will with work works would you your").split(" "),
  );
  const WORD = /[\p{L}\p{N}]+(?:[._][\p{L}\p{N}]+)*/gu;
  const root = document.documentElement.dataset.content_root;

  // ---------------------------------------------------------------- the index, made once

  let stemmer, index;
  const stemsSeen = new Map();

  function stem(word) {
    let found = stemsSeen.get(word);
    if (found === undefined) stemsSeen.set(word, (found = /^[a-z]+$/.test(word) ? stemmer.stemWord(word) : word));
    return found;
  }

  /** The words of a text as they are looked up; a name of several parts counts whole and in parts. */
  function terms(text) {
    return (text.toLowerCase().match(WORD) ?? []).flatMap((word) =>
      word.includes("_") ? [word, ...word.split("_").map(stem)] : [stem(word)],
    );
  }

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      Object.assign(script, { src: `${root}_static/${name}`, onload: resolve, onerror: reject });
      document.head.append(script);
    });
  }

  async function makeIndex() {
    await Promise.all([load("language_data.js"), load("sections.js")]);
    stemmer = new Stemmer();
    const held = new Map(); // {term: Map {section: [times in its text, in its title?]}}
    const note = (term, i, inTitle) => {
      if (!held.has(term)) held.set(term, new Map());
      const entry = held.get(term).get(i) ?? [0, false];
      held.get(term).set(i, inTitle ? [entry[0], true] : [entry[0] + 1, entry[1]]);
    };
    const sections = SECTIONS.map(([page, anchor, title, text, kind], i) => {
      for (const term of terms(text)) note(term, i, false);
      for (const term of terms(title)) note(term, i, true);
      return { page, anchor, title, text, kind, lower: text.toLowerCase() };
    });
    const titles = new Map(sections.filter((s) => !s.anchor).map((s) => [s.page, s.title]));
    return { held, sections, titles };
  }

  const ready = () =>
    (index ??= makeIndex().catch((error) => {
      index = undefined; // so that the next letter tries again
      throw error;
    }));

  // ---------------------------------------------------------------- what fits a question

  /** Whether two words differ by one letter: another one, one more, or two exchanged. */
  function near(a, b) {
    if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false;
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    if (a.slice(i + 1) === b.slice(i + 1) || a.slice(i) === b.slice(i + 1) || a.slice(i + 1) === b.slice(i)) return true;
    return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
  }

  /** The terms of the index that a word of the question stands for; the last one may be half written. */
  function meant(word, last, held) {
    const exact = stem(word);
    const found = held.has(exact) ? [exact] : [];
    if (last && word.length > 1)
      for (const term of held.keys()) if (term.startsWith(word) && term !== exact && found.length < 30) found.push(term);
    if (!found.length && word.length > 3)
      for (const [other, term] of stemsSeen) if (held.has(term) && near(word, other)) found.push(term);
    return [...new Set(found)];
  }

  /** The sections that answer a question, the best first, each with the terms that it holds. */
  async function find(question, typing) {
    const { held, sections } = await ready();
    const words = (question.toLowerCase().match(WORD) ?? [])
      .flatMap((word) => (word.includes("_") && !held.has(word) ? word.split("_") : [word]))
      .filter(Boolean);
    const asked = words.some((word) => !ASKING.has(word)) ? words.filter((word) => !ASKING.has(word)) : words;
    const phrase = question.toLowerCase().trim().replace(/\s+/g, " ");
    const name = phrase.replace(/\(.*$/, "");
    const hits = new Map(); // {section: [points, how much of the question, terms]}
    let all = 0;
    asked.forEach((word, k) => {
      const best = new Map();
      const found = meant(word, typing && k === asked.length - 1, held);
      const rare = Math.log(1 + sections.length / Math.max(1, ...found.map((term) => held.get(term).size)));
      all += rare;
      for (const term of found)
        for (const [i, [times, inTitle]] of held.get(term)) {
          const points = rare * (Math.log(1 + times) + (inTitle ? 3 : 0)) * (term === stem(word) ? 1 : 0.6);
          if (points > (best.get(i)?.[0] ?? 0)) best.set(i, [points, term]);
        }
      for (const [i, [points, term]] of best) {
        const hit = hits.get(i) ?? [0, 0, new Set()];
        hits.set(i, [hit[0] + points, hit[1] + rare, hit[2].add(term)]);
      }
    });
    const score = (i, [points, held]) => {
      const { page, title, lower, kind } = sections[i];
      const whole = Math.log(1 + lower.split(phrase).length - 1) * 3 + (title.toLowerCase().includes(phrase) ? 4 : 0);
      const named = kind && title.toLowerCase().split(/[\s(:.]+/).includes(name) ? 15 : 0;
      const explains = /\/\d\d-/.test(page) ? 2 : 1; // other pages only name it
      return ((points + whole) * explains + named) * (held / all) ** 2;
    };
    const ranked = [...hits].map(([i, hit]) => [score(i, hit), sections[i], hit[2]]);
    return ranked.sort((a, b) => b[0] - a[0]).map(([, section, terms]) => ({ section, terms }));
  }

  // ---------------------------------------------------------------- what is shown

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** A piece of a section's text around the first place that was found, its words marked. */
  function quotation({ text }, terms) {
    const found = [...text.matchAll(WORD)].filter(([word]) => terms.has(stem(word.toLowerCase())));
    let start = Math.max(0, (found[0]?.index ?? 0) - BEFORE);
    if (start > 0) start = text.indexOf(" ", start) + 1;
    const cut = text.indexOf(" ", start + QUOTED);
    const end = cut < 0 ? text.length : cut;
    const line = element("p", {}, start > 0 ? "… " : "");
    let at = start;
    for (const { 0: word, index } of found.filter((w) => w.index >= start && w.index + w[0].length <= end)) {
      line.append(text.slice(at, index), element("mark", { textContent: word }));
      at = index + word.length;
    }
    line.append(text.slice(at, end) + (end < text.length ? " …" : ""));
    return line;
  }

  function entry({ section, terms }, titles) {
    const { page, anchor, title, kind } = section;
    const link = element("a", { href: `${root}${page}.html${anchor ? "#" + anchor : ""}`, textContent: title });
    const where = titles.get(page);
    const item = element("li", {}, link);
    if (kind) link.className = kind;
    if (where && where !== title) item.append(element("span", { className: "where", textContent: ` in ${where}` }));
    if (section.text) item.append(quotation(section, terms));
    return item;
  }

  /** Show what answers the words of a field below it, again with each letter. */
  function attach(field, place, most) {
    const says = element("p", { className: "found" });
    says.setAttribute("role", "status");
    const list = element("ul", { className: "search" });
    place.append(says, list);
    let latest = 0;

    async function show(typing) {
      const question = field.value.trim();
      const mine = ++latest;
      let answers, titles;
      try {
        answers = question ? await find(question, typing) : [];
        ({ titles } = await ready());
      } catch {
        if (mine !== latest) return;
        list.replaceChildren();
        says.textContent = "The index could not be loaded. Is the connection gone? Type on to try again.";
        return;
      }
      if (mine !== latest) return; // a later letter was quicker
      list.replaceChildren(...answers.slice(0, most).map((answer) => entry(answer, titles)));
      const n = answers.length;
      const places = n === 1 ? "One place" : n <= most ? `${n} places` : `The best ${most} of ${n} places`;
      if (!question) says.textContent = "";
      else if (n) says.textContent = `${places} for “${question}”`;
      else says.textContent = `Nothing in the book fits “${question}”. Try fewer or other words.`;
    }

    field.addEventListener("focus", () => ready().catch(() => {}), { once: true });
    field.addEventListener("input", () => show(true));
    // arrows go through the list and back to the field
    place.parentElement.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const stops = [field, ...list.querySelectorAll("a")];
      const at = stops.indexOf(document.activeElement);
      if (at < 0) return;
      event.preventDefault();
      stops[(at + step + stops.length) % stops.length].focus();
    });
    return show;
  }

  const dialog = document.getElementById("pst-search-dialog");
  if (dialog) {
    const field = dialog.querySelector("input");
    field.autocomplete = "off";
    attach(field, dialog.appendChild(element("div", { className: "finding" })), SHOWN.window);
    // a place on the same page is reached when the window is gone
    dialog.addEventListener("click", ({ target }) => target.closest("a") && dialog.close());
  }
  const place = document.getElementById("search-results");
  if (place) {
    const field = document.querySelector(".bd-search-container form.bd-search input");
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    const show = attach(field, place, SHOWN.page);
    if (field.value) show(false);
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
      show(false);
    });
  }
})();
