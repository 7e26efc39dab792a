// A task in the page: its editor, its buttons and what came of a check.
import { edit } from "./editor.js";
import { Python, Stopped } from "./python.js";
import { element, linesNamed, report } from "./results.js";
import { Chapter } from "./store.js";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const chapters = new Map(); // those whose facts were fetched, by stem
export let python; // one for all boxes of a page

async function chapterOf(stem, files, here) {
  if (!chapters.has(stem)) {
    const answer = await fetch(new URL(files[stem], here));
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    const facts = await answer.json();
    if (!chapters.has(stem)) chapters.set(stem, new Chapter(facts)); // another box may have been quicker
  }
  return chapters.get(stem);
}

/** Open the editor of a place in the page, and begin to load Python. */
export async function open(place, files, here) {
  const chapter = await chapterOf(place.dataset.chapter, files, here);
  python ??= new Python(here, files);
  place.box ??= new Box(place, chapter);
  place.box.show();
}

/** Show in all boxes what other tabs have written meanwhile; `key` names the record that has changed, if only one has. */
function follow(key) {
  for (const chapter of chapters.values()) {
    if (key && key !== chapter.key) continue;
    chapter.read();
    boxesOf(chapter).forEach((box) => box.follow());
  }
}

function boxesOf(chapter) {
  return [...document.querySelectorAll(".practice")].map((place) => place.box).filter((box) => box?.chapter === chapter);
}

addEventListener("storage", ({ key }) => follow(key));
// a page to which one comes back by the browser's button is as one left it, and heard of nothing
addEventListener("pageshow", ({ persisted }) => persisted && follow());
addEventListener("beforeunload", (event) => {
  if ([...chapters.values()].some((chapter) => chapter.endsWithPage)) event.preventDefault();
});

class Box {
  constructor(place, chapter) {
    this.place = place;
    this.chapter = chapter;
    this.task = place.dataset.task;
    this.title = chapter.facts.tasks[this.task].title;
    this.#build();
  }

  // ---------------------------------------------------------------- what stands in the box

  #build() {
    const { task, chapter } = this;
    const help = `practice-help-${task.replace(".", "-")}`;
    const key = MAC ? "⌘ Enter" : "Ctrl+Enter";
    this.status = element("p", { className: "practice-status" });
    this.status.setAttribute("role", "status");
    this.writing = element("div", { className: "practice-editor" });
    this.results = element("div", { className: "practice-results" });
    this.results.setAttribute("aria-live", "polite");
    this.checkButton = this.#button("Check", () => this.check(), "practice-main");
    this.element = element("div", { className: "practice-box" },
      element("div", { className: "practice-head" }, element("code", {}, chapter.file)),
      this.writing,
      this.#choice(),
      element("p", { className: "practice-help", id: help },
        `${key} checks. Tab indents; press Escape and then Tab to leave the editor. What you write stays in this browser.`),
      element("div", { className: "practice-buttons" },
        this.checkButton,
        this.#button("Start again", () => this.#startAgain()),
        this.#button(`Download ${chapter.file}`, () => this.#download()),
        this.#opener(),
        this.#button("Close", () => this.hide()),
        this.status),
      this.results,
      this.#prompt());
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", `Task ${task} ${this.title}`);
    this.place.append(this.element);
    this.editor = edit({
      parent: this.writing,
      text: chapter.text(task),
      label: `Your code of task ${task}, Python`,
      help,
      numbered: (line) => this.#lines().get(line) ?? "",
      changed: (text) => this.#changed(text),
      check: () => this.checking || this.check(), // a second press must not stop the first
    });
    this.editor.go("raise NotImplementedError");
  }

  #button(words, press, kind = "") {
    const made = element("button", { type: "button", className: kind }, words);
    made.addEventListener("click", press);
    return made;
  }

  #opener() {
    const chosen = element("input", { type: "file", accept: ".py", hidden: true });
    chosen.addEventListener("change", async () => {
      const [file] = chosen.files;
      chosen.value = "";
      if (file) this.#take(await file.text());
    });
    return element("span", {}, chosen, this.#button("Open a file …", () => chosen.click()));
  }

  /** The question that is asked when a text would be written over one that this page has not shown. */
  #choice() {
    const settle = (mine) => {
      this.chapter.settle(this.task, mine);
      this.follow();
      this.editor.focus();
    };
    this.choice = element("div", { className: "practice-choice", hidden: true },
      element("p", {}, "Another tab has changed this task meanwhile. What stands here is not kept yet."),
      this.#button("Take the other text", () => settle(false)),
      this.#button("Keep this text", () => settle(true)));
    this.choice.setAttribute("role", "alert");
    return this.choice;
  }

  /** A line to try one's functions with. */
  #prompt() {
    const name = `practice-line-${this.task.replace(".", "-")}`;
    const said = element("pre", { className: "practice-message", hidden: true, tabIndex: 0 });
    said.setAttribute("aria-live", "polite");
    const { example } = this.chapter.facts.tasks[this.task];
    const line = element("textarea", {
      id: name, value: example, rows: example.split("\n").length, spellcheck: false, autocapitalize: "off", autocomplete: "off",
    });
    const run = async () => {
      said.hidden = false;
      said.textContent = "…";
      try {
        const answer = await python.run(this.chapter.facts.stem, this.chapter.assembled().text, line.value);
        said.textContent = answer.said.trimEnd() || "(nothing was printed)";
        said.classList.toggle("failed", answer.failed);
      } catch (error) {
        said.textContent = error.message;
      }
    };
    line.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        run();
      }
    });
    line.addEventListener("input", () => { line.rows = line.value.split("\n").length; });
    const form = element("div", { className: "practice-line" },
      element("label", { htmlFor: name }, "Try your functions:"), line, this.#button("Run", run));
    return element("div", { className: "practice-prompt" }, form, said);
  }

  // ---------------------------------------------------------------- opening and closing

  show() {
    this.place.classList.add("open");
    this.element.hidden = false;
    python.tell = (words) => { this.status.textContent = words; };
    this.editor.focus();
    python.ready().then(() => this.#say(""), (error) => error instanceof Stopped || this.#failed(error));
  }

  hide() {
    this.place.classList.remove("open");
    this.element.hidden = true;
    this.place.show();
    this.place.querySelector(".practice-open").focus();
  }

  #say(words) {
    const passed = this.chapter.passed(this.task) && "✓ Your visible tests pass.";
    const warning = this.chapter.endsWithPage && !this.chapter.kept
      && "This browser keeps nothing: download your file before you leave.";
    this.status.textContent = words || [passed, warning].filter(Boolean).join(" ");
  }

  #failed(error) {
    if (error) console.warn(error);
    this.status.textContent = "";
    this.results.replaceChildren(element("p", {},
      "Python could not be loaded. Is the connection gone? Try again, or ",
      element("a", { href: "setup.html" }, "install the course"), "."));
  }

  // ---------------------------------------------------------------- writing

  #changed(text) {
    const another = this.chapter.write(this.task, text);
    if (!this.checking) this.#say("");
    if (another) boxesOf(this.chapter).forEach((box) => box.follow()); // lines of all tasks have moved
    else this.#renumber();
  }

  /** Show the text that is held, if it is not the one that stands here, and the lines' numbers in the file. */
  follow() {
    const text = this.chapter.text(this.task);
    if (text !== this.editor.text()) {
      this.editor.set(text);
      this.results.replaceChildren();
    }
    this.choice.hidden = !this.chapter.isNewer(this.task);
    this.#renumber();
  }

  /** Which line of the file each line of the editor is. */
  #lines() {
    this.known ??= this.chapter.assembled(this.task).shown;
    return this.known;
  }

  #renumber() {
    const before = JSON.stringify([...this.known ?? []]);
    this.known = undefined;
    if (before !== JSON.stringify([...this.#lines()])) this.editor.renumber();
  }

  #startAgain() {
    if (!this.chapter.isGiven(this.task)
      && !confirm(`Throw away what you wrote for task ${this.task}, and begin with the empty functions?`)) return;
    this.chapter.startAgain(this.task);
    boxesOf(this.chapter).forEach((box) => box.follow());
    this.results.replaceChildren();
    this.editor.go("raise NotImplementedError");
    this.editor.focus();
  }

  #download() {
    follow(this.chapter.key);
    this.chapter.downloaded = this.chapter.assembled().text;
    const file = new Blob([this.chapter.downloaded], { type: "text/x-python" });
    const link = element("a", { href: URL.createObjectURL(file), download: this.chapter.file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.results.replaceChildren(element("p", {}, "Put the file into the folder ", element("code", {}, "coursework"),
      " of the course: there ", element("code", {}, `nextword check ${this.task}`), " reads it."));
  }

  #take(text) {
    const written = Object.keys(this.chapter.held.tasks).length;
    try {
      if (written && !confirm(`Put this file in the place of all that you wrote for this chapter in the page?`)) return;
      this.chapter.open(text);
    } catch (error) {
      this.results.replaceChildren(element("p", { className: "practice-verdict failed" }, error.message));
      return;
    }
    boxesOf(this.chapter).forEach((box) => box.follow());
    this.results.replaceChildren(element("p", {}, "Your file is in place, for every task of this chapter."));
  }

  // ---------------------------------------------------------------- checking

  async check() {
    if (this.checking) {
      this.checking.abort();
      return;
    }
    follow(this.chapter.key);
    this.checking = new AbortController();
    this.checkButton.textContent = "Stop";
    this.results.replaceChildren();
    this.editor.mark([]);
    const text = this.editor.text();
    const { text: whole, shown } = this.chapter.assembled(this.task);
    python.tell = (words) => { this.status.textContent = words; };
    try {
      this.status.textContent = "Checking …";
      const found = await python.check(this.chapter.facts.stem, this.task, whole, (behaviour) => {
        if (behaviour) this.status.textContent = `Running: ${behaviour}`;
      }, this.checking.signal);
      this.#judged(text, found, shown);
    } catch (error) {
      if (error instanceof Stopped) this.results.replaceChildren(element("p", {}, "Stopped."));
      else this.#failed(error);
    }
    this.checking = undefined;
    this.checkButton.textContent = "Check";
    this.#say("");
  }

  #judged(text, found, shown) {
    const { parts, passed } = report(found, this.chapter.facts.looks);
    this.chapter.judged(this.task, text, passed);
    if (passed) parts.push(this.#next());
    this.results.replaceChildren(...parts);
    const messages = [...found.tests.map((test) => test.message), ...found.examples.map((each) => each.where)];
    const wrong = linesNamed(messages, this.chapter.file);
    if (text === this.editor.text()) { // else these lines are others by now
      this.editor.mark([...shown].filter(([, line]) => wrong.includes(line)).map(([line]) => line));
    }
  }

  /** Where to go on: the next task that is not done. */
  #next() {
    const order = Object.keys(this.chapter.facts.tasks);
    const after = [...order.slice(order.indexOf(this.task) + 1), ...order];
    const next = after.find((task) => !this.chapter.passed(task));
    const done = order.filter((task) => this.chapter.passed(task)).length;
    const line = element("p", { className: "practice-next" }, `${done} of ${order.length} tasks that this page can check. `);
    if (next) {
      const { title, page } = this.chapter.facts.tasks[next];
      line.append("Next: ", element("a", { href: `${page}#task-${next.replace(".", "-")}` }, `${next} ${title}`));
    } else line.append("All done: download the file, and hand it in or go on with the next chapter.");
    return line;
  }
}
