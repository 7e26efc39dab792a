// What a reader has written, chapter by chapter: kept in the browser, and put together to a file.
// {base: a file that was opened, or none; tasks: {"2.1": {text, passed}}}
// A chapter may be open in several tabs: none writes over a text that it has not shown.
import * as editor from "./editor.js";

const KEY = "nextword.practice.";
const BASE = "base"; // stands among the tasks for the file that was opened
const GAP = "\n\n\n"; // between functions of a module

export class Chapter {
  /** `facts` is what the book says of the chapter: its stub, and the lines of each task in it. */
  constructor(facts) {
    this.facts = facts;
    this.key = KEY + facts.stem;
    this.held = { tasks: {} };
    this.unsaved = new Map(); // what this page alone has: {task: the text that the browser held before}
    this.kept = !window.keepsNothing;
    this.read();
  }

  get file() {
    return `${this.facts.stem}.py`;
  }

  // ---------------------------------------------------------------- what the browser keeps, for all tabs

  #stored() {
    let found;
    try {
      found = JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch (error) {
      if (!(error instanceof SyntaxError)) return this.held; // a damaged record is begun again
    }
    const tasks = Object.entries(found?.tasks ?? {}).filter(([, entry]) => typeof entry?.text === "string");
    const base = typeof found?.base === "string" ? this.#completed(found.base) : undefined;
    return { base, tasks: Object.fromEntries(tasks) };
  }

  /** A file that was opened, with the functions that a later edition of the book asks for besides. */
  #completed(base) {
    const names = new Set(definitions(base).map((each) => each.name));
    const stub = this.facts.stub.split("\n");
    const added = Object.values(this.facts.tasks).flatMap((task) => task.parts).filter((part) => !names.has(part.name));
    const texts = added.map((part) => stub.slice(part.begin, part.end).join("\n"));
    return added.length ? [base.trimEnd(), ...texts].join(GAP) + "\n" : base;
  }

  /** Take what other tabs have written; what this page alone has stays. */
  read(stored = this.#stored()) {
    this.held = this.#withMine(stored, this.unsaved.keys());
  }

  /** A record in which some tasks are as this page has them. */
  #withMine(record, tasks) {
    const made = { base: record.base, tasks: { ...record.tasks } };
    for (const task of tasks) put(made, task, this.held);
    return made;
  }

  /** Take some tasks from a record, and let the browser keep them where no other tab has written them meanwhile. */
  #take(record, tasks) {
    for (const task of tasks) if (!this.unsaved.has(task)) this.unsaved.set(task, this.text(task));
    for (const task of tasks) put(this.held, task, record);
    this.#save();
  }

  #save() {
    const stored = this.#stored();
    const mine = [...this.unsaved.keys()].filter((task) => !this.isNewer(task, stored));
    const record = this.#withMine(stored, mine);
    try {
      localStorage.setItem(this.key, JSON.stringify(record));
    } catch {
      this.kept = false; // it lasts as long as the page
      return;
    }
    this.kept = !window.keepsNothing;
    mine.forEach((task) => this.unsaved.delete(task));
    this.read(record);
  }

  /** Whether the browser keeps a text of a task that this page has never shown. */
  isNewer(task, stored = this.#stored()) {
    return this.unsaved.has(task)
      && ![this.unsaved.get(task), this.text(task)].includes(this.text(task, stored));
  }

  /** End the quarrel of two texts of a task: that of this page is kept, or the other one taken. */
  settle(task, mine) {
    if (mine) {
      this.unsaved.set(task, this.text(task, this.#stored()));
      this.#save();
    } else {
      this.unsaved.delete(task);
      this.read();
    }
  }

  /** Whether something is lost when this page is left. */
  get endsWithPage() {
    const alone = this.unsaved.size || (!this.kept && Object.keys(this.held.tasks).length);
    return Boolean(alone) && this.assembled().text !== this.downloaded;
  }

  // ---------------------------------------------------------------- the texts of tasks

  /** The lines of a task's functions in the file that all begins with: [{name, begin, end}]. */
  parts(task, { base } = this.held) {
    const { parts } = this.facts.tasks[task];
    return base === undefined ? parts : placed(base, parts.map((part) => part.name));
  }

  /** A task's functions as they were before anything was written in the page. */
  given(task) {
    const lines = this.facts.stub.split("\n");
    return this.facts.tasks[task].parts.map((part) => lines.slice(part.begin, part.end).join("\n")).join(GAP) + "\n";
  }

  /** A task's functions as the reader left them. */
  text(task, record = this.held) {
    if (task === BASE) return record.base;
    if (record.tasks[task]) return record.tasks[task].text;
    const lines = (record.base ?? this.facts.stub).split("\n");
    return this.parts(task, record).map((part) => lines.slice(part.begin, part.end).join("\n")).join(GAP) + "\n";
  }

  isGiven(task) {
    return this.text(task) === this.given(task);
  }

  /** Note a task's text; says whether it was another one. */
  write(task, text) {
    if (text === this.text(task)) return false;
    const begun = this.held.base !== undefined || text !== this.given(task);
    this.#take({ tasks: begun ? { [task]: { text, passed: false } } : {} }, [task]);
    return true;
  }

  /** Note how a check of a text has ended, unless the text is another by now. */
  judged(task, text, passed) {
    if (text !== this.text(task)) return;
    if (passed || this.held.tasks[task]) this.#take({ tasks: { [task]: { text, passed } } }, [task]);
  }

  passed(task) {
    return Boolean(this.held.tasks[task]?.passed);
  }

  // ---------------------------------------------------------------- the whole module

  /** The module with everything that was written, and which line of it each line of a task's text is. */
  assembled(task) {
    const replaced = [];
    const shown = new Map(); // of the task's text: which line it is in the whole
    for (const [each, { text }] of Object.entries(this.held.tasks)) {
      if (!this.facts.tasks[each]) continue;
      const pieces = cut(text, this.parts(each).map((part) => part.name));
      this.parts(each).forEach((part, k) => replaced.push({ ...part, piece: pieces[k], task: each }));
    }
    replaced.sort((one, other) => one.begin - other.begin);
    const lines = (this.held.base ?? this.facts.stub).split("\n");
    const whole = [];
    const kept = new Map(); // of a line that nothing was written for: which line it is in the whole
    let at = 0;
    const keepUntil = (end) => {
      for (; at < end; at++) kept.set(at, whole.push(lines[at]));
    };
    for (const { begin, end, piece, task: of } of replaced) {
      keepUntil(begin);
      piece.lines.forEach((line, k) => {
        whole.push(line);
        if (of === task) shown.set(piece.first + k, whole.length);
      });
      at = end;
    }
    keepUntil(lines.length);
    if (task && !this.held.tasks[task]) {
      let line = 1;
      for (const part of this.parts(task)) {
        for (let k = part.begin; k < part.end; k++) shown.set(line++, kept.get(k));
        line += GAP.length - 1;
      }
    }
    return { text: whole.join("\n"), shown };
  }

  /** Take a file of the reader's in the place of everything; throws what is wrong with it. */
  open(text) {
    const wanted = Object.values(this.facts.tasks).flatMap((task) => task.parts.map((part) => part.name));
    const names = new Set(definitions(text).map((each) => each.name));
    const missing = wanted.filter((name) => !names.has(name));
    if (missing.length) {
      const few = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ", …" : "");
      throw new Error(`This is no ${this.file} of this chapter: it lacks ${few}.`);
    }
    this.#take({ base: text.replaceAll(/\r\n?/g, "\n"), tasks: {} }, [BASE, ...Object.keys(this.facts.tasks)]);
  }

  startAgain(task) {
    const given = { text: this.given(task), passed: false };
    this.#take({ tasks: this.held.base === undefined ? {} : { [task]: given } }, [task]);
  }
}

/** Give a record a task as another record has it. */
function put(record, task, from) {
  if (task === BASE) record.base = from.base;
  else if (from.tasks[task]) record.tasks[task] = from.tasks[task];
  else delete record.tasks[task];
}

const parsed = new Map(); // most texts are the same after each letter

function definitions(text) {
  if (!parsed.has(text)) {
    if (parsed.size > 50) parsed.clear();
    parsed.set(text, editor.definitions(text));
  }
  return parsed.get(text);
}

/** Where functions and classes stand in a text, in lines: each the last time that it is defined. */
function placed(text, names) {
  const line = (at) => text.slice(0, at).split("\n").length - 1;
  const found = definitions(text);
  return names.map((name) => {
    const { from, to } = found.findLast((each) => each.name === name);
    return { name, begin: line(from), end: line(to) + 1 };
  });
}

/** Cut a task's text into a piece for each of its functions: with helpers that stand before it.

A function that is not there has an empty piece. Text with none of them is the first piece. */
function cut(text, names) {
  const lines = text.trimEnd().split("\n");
  const pieces = names.map(() => ({ first: 1, lines: [] }));
  const stands = placed(text, names.filter((name) => definitions(text).some((each) => each.name === name)));
  if (!stands.length) {
    pieces[0].lines = lines;
    return pieces;
  }
  stands.sort((one, other) => one.begin - other.begin);
  let at = 0;
  stands.forEach((part, k) => {
    while (at < part.begin && !lines[at].trim()) at++; // the file has its own gaps
    const end = k === stands.length - 1 ? lines.length : part.end;
    Object.assign(pieces[names.indexOf(part.name)], { first: at + 1, lines: lines.slice(at, end) });
    at = end;
  });
  return pieces;
}
