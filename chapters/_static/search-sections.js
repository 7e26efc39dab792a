/* The search page: finds sections in SECTIONS ([page, anchor, title, text]) and quotes them.

Words are parsed and stemmed by Sphinx's own search, which this stands in for. */
"use strict";

const SHOWN = 20;
const BEFORE = 60; // letters of a quotation before the first word that was found
const QUOTED = 220; // letters of a quotation

const stems = (text) => {
  const stemmer = new Stemmer();
  return splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
};

const chapter = (page) => /\/\d\d-/.test(page); // explains what other pages only name

/** How well a section fits the words, 0 if one of them is missing. */
function score(section, phrase, terms) {
  const titles = section.titleStems;
  let sum = 0;
  for (const term of terms) {
    const times = section.counts.get(term) || 0;
    if (!times && !titles.includes(term)) return 0;
    sum += Math.log(1 + times) + (titles.includes(term) ? 3 : 0);
  }
  const together = section.lower.split(phrase).length - 1;
  if (section.title.toLowerCase().includes(phrase)) sum += 4;
  return (sum + 3 * Math.log(1 + together)) * (chapter(section.page) ? 2 : 1);
}

function prepare([page, anchor, title, text]) {
  const counts = new Map();
  for (const stem of stems(text)) counts.set(stem, (counts.get(stem) || 0) + 1);
  return { page, anchor, title, text, counts, lower: text.toLowerCase(), titleStems: stems(title) };
}

/** A piece of a section's text around the first place that was found, its words marked. */
function quotation(section, phrase, terms) {
  const words = [...section.text.matchAll(/[\p{L}\p{N}]+/gu)];
  const stemmer = new Stemmer();
  const found = words.filter((word) => terms.has(stemmer.stemWord(word[0].toLowerCase())));
  const whole = section.lower.indexOf(phrase);
  const place = whole >= 0 ? whole : found.length ? found[0].index : 0;
  let start = Math.max(0, place - BEFORE);
  if (start > 0) start = section.text.indexOf(" ", start) + 1;
  const cut = section.text.indexOf(" ", start + QUOTED);
  const end = cut < 0 ? section.text.length : cut;
  const line = document.createElement("p");
  line.append(start > 0 ? "… " : "");
  let at = start;
  for (const word of found.filter((w) => w.index >= start && w.index + w[0].length <= end)) {
    line.append(section.text.slice(at, word.index));
    line.appendChild(document.createElement("mark")).textContent = word[0];
    at = word.index + word[0].length;
  }
  line.append(section.text.slice(at, end) + (end < section.text.length ? " …" : ""));
  return line;
}

function entry(section, phrase, terms, pageTitle) {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  const { page, anchor } = section;
  const root = document.documentElement.dataset.content_root;
  link.href = root + page + DOCUMENTATION_OPTIONS.LINK_SUFFIX + (anchor ? "#" + anchor : "");
  link.textContent = section.title;
  if (pageTitle !== section.title) {
    const where = item.appendChild(document.createElement("span"));
    where.className = "where";
    where.textContent = " in " + pageTitle;
  }
  item.append(quotation(section, phrase, terms));
  return item;
}

Search.query = (query) => {
  const [, terms] = Search._parseQuery(query);
  const phrase = query.toLowerCase().trim().replace(/\s+/g, " ");
  const titles = new Map(SECTIONS.filter((s) => !s[1]).map((s) => [s[0], s[2]]));
  const found = terms.size
    ? SECTIONS.map(prepare)
        .map((section) => [score(section, phrase, terms), section])
        .filter(([points]) => points > 0)
        .sort((a, b) => b[0] - a[0])
        .slice(0, SHOWN)
    : [];
  Search.stopPulse();
  document.getElementById("search-progress")?.replaceChildren();
  Search.title.innerText = "Search results";
  const n = found.length;
  const places = n === 1 ? "One place" : n < SHOWN ? `${n} places` : `The best ${n} places`;
  Search.status.innerText = n
    ? `${places} for “${query}”, the best first.`
    : `Nothing in the book holds all of these words: “${query}”. Try fewer or other words.`;
  for (const [, section] of found)
    Search.output.append(entry(section, phrase, terms, titles.get(section.page)));
};
