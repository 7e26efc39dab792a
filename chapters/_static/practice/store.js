// What a reader has written, chapter by chapter: kept in the browser, and put together to a file.
// {base: a file that was opened, or none; tasks: {"2.1": {text, passed}}}
import { definitions } from "./editor.js";

const KEY = "nextword.practice.";
const GAP = "\n\n\n"; // between functions of a module

export class Chapter {
  /** `facts` is what the book says of the chapter: its stub, and the lines of each task in it. */
  constructor(facts) {
    this.facts = facts;
    this.held = {};
    this.kept = !window.keepsNothing;
    this.read();
  }

  get file() {
    return `${this.facts.stem}.py`;
  }

  read() {
    try {
      const found = JSON.parse(localStorage.getItem(KEY + this.facts.stem) ?? "{}");
      this.held = { base: typeof found?.base === "string" ? found.base : undefined, tasks: { ...found?.tasks } };
    } catch (error) {
      this.kept = error instanceof SyntaxError; // a damaged record is begun again
      this.held.tasks ??= {};
    }
    return this.held;
  }

  /** Change what is held; another tab may have written some of it meanwhile. */
  update(change) {
    if (this.kept) this.read();
    change(this.held);
    try {
      localStorage.setItem(KEY + this.facts.stem, JSON.stringify(this.held));
    } catch {
      this.kept = false; // it lasts as long as the page
    }
  }

  /** The lines of a task's functions in the file that all begins with: [{name, begin, end}]. */
  parts(task) {
    const { parts } = this.facts.tasks[task];
    return this.held.base === undefined ? parts : placed(this.held.base, parts.map((part) => part.name));
  }

  /** A task's functions as they were before anything was written in the page. */
  given(task) {
    const lines = this.facts.stub.split("\n");
    return this.facts.tasks[task].parts.map((part) => lines.slice(part.begin, part.end).join("\n")).join(GAP) + "\n";
  }

  /** A task's functions as the reader left them. */
  text(task) {
    if (this.held.tasks[task]) return this.held.tasks[task].text;
    const lines = (this.held.base ?? this.facts.stub).split("\n");
    return this.parts(task).map((part) => lines.slice(part.begin, part.end).join("\n")).join(GAP) + "\n";
  }

  isGiven(task) {
    return this.text(task) === this.given(task);
  }

  write(task, text) {
    if (text === this.text(task)) return;
    this.update((held) => {
      if (text === this.given(task) && held.base === undefined) delete held.tasks[task];
      else held.tasks[task] = { text, passed: false };
    });
  }

  /** Note how a check of a text has ended, unless the text is another by now. */
  judged(task, text, passed) {
    if (text !== this.text(task)) return;
    this.update((held) => {
      if (passed || held.tasks[task]) held.tasks[task] = { text, passed };
    });
  }

  passed(task) {
    return Boolean(this.held.tasks[task]?.passed);
  }

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
    let at = 0;
    for (const { begin, end, piece, task: of } of replaced) {
      whole.push(...lines.slice(at, begin));
      piece.lines.forEach((line, k) => {
        if (of === task) shown.set(piece.first + k, whole.length + 1);
        whole.push(line);
      });
      at = end;
    }
    whole.push(...lines.slice(at));
    if (task && !shown.size) {
      let line = 1;
      for (const part of this.parts(task)) {
        for (let k = part.begin; k < part.end; k++) shown.set(line++, k + 1);
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
    this.update((held) => {
      held.base = text.replaceAll("\r\n", "\n");
      held.tasks = {};
    });
  }

  startAgain(task) {
    this.update((held) => {
      if (held.base === undefined) delete held.tasks[task];
      else held.tasks[task] = { text: this.given(task), passed: false };
    });
  }
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
