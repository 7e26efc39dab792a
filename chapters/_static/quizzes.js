/* Quick questions: choose an option, see why, keep score; and the page that lists what was missed.

Without this script each option opens its explanation (<details>). With it, an option is a button until it was
chosen; then its explanation stands in its place. A question counts as right if the first choice was right.
Answers stay in the browser, and where it keeps nothing, in the page. */
"use strict";

(() => {
  // ---------------------------------------------------------------- what was answered

  /* {question: {tries: [option, …], missed: was the first choice wrong}}. Options are counted in the order of the
  page; a missed question without tries is to be asked again. */
  const answers = {
    KEY: "nextword.quick-questions",
    held: {},
    kept: !window.keepsNothing,

    read() {
      try {
        const stored = JSON.parse(localStorage.getItem(this.KEY) ?? "{}");
        const sound = ([, answer]) => Array.isArray(answer?.tries);
        this.held = Object.fromEntries(Object.entries(stored ?? {}).filter(sound));
      } catch (error) {
        // a browser that keeps nothing throws a SecurityError; a damaged record is begun again
        this.kept = error instanceof SyntaxError;
      }
      return this.held;
    },

    /** Change what is held; `change` gets the newest answers, since another tab may have written some. */
    update(change) {
      change(this.kept ? this.read() : this.held);
      try {
        localStorage.setItem(this.KEY, JSON.stringify(this.held));
      } catch {
        this.kept = false;
      }
    },
  };

  /** How many of some questions were answered, and how many of those were right at the first try. */
  function score(questions) {
    const given = questions.map((id) => answers.held[id]).filter(Boolean);
    return { answered: given.length, right: given.filter((answer) => !answer.missed).length };
  }

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // ---------------------------------------------------------------- a question in its chapter

  const idOf = (quiz) => quiz.id.replace(/^quick-/, "");

  class Quiz {
    constructor(box, chapter) {
      this.id = idOf(box);
      this.chapter = chapter;
      this.options = [...box.querySelectorAll(":scope > details.option")];
      const question = box.querySelector(":scope > p");
      question.id = `${box.id}-text`;
      box.setAttribute("role", "group");
      box.setAttribute("aria-labelledby", question.id);
      box.classList.add("live");
      this.buttons = this.options.map((option, i) => {
        const text = option.querySelector("summary").cloneNode(true).childNodes;
        const button = element("button", { type: "button", className: "option" }, ...text);
        button.addEventListener("click", () => this.choose(i));
        option.before(button);
        return button;
      });
      this.score = element("span");
      const review = element("a", { href: chapter.review, textContent: "Review" });
      this.again = element("button", { type: "button", textContent: "Ask again" });
      this.again.addEventListener("click", () => this.askAgain());
      this.foot = box.appendChild(element("p", { className: "score" }, this.score, review, this.again));
      this.render();
    }

    isRight(i) {
      return this.options[i]?.classList.contains("right");
    }

    choose(i) {
      answers.update((held) => {
        const answer = (held[this.id] ??= { tries: [] });
        if (!answer.tries.length) answer.missed = !this.isRight(i);
        if (!answer.tries.includes(i)) answer.tries.push(i);
      });
      this.chapter.render();
      this.options[i].open = true;
      this.options[i].querySelector("summary").focus();
    }

    askAgain() {
      answers.update((held) => {
        if (held[this.id]) held[this.id].tries = [];
      });
      for (const option of this.options) option.open = false;
      this.chapter.render();
      this.buttons[0].focus();
    }

    /** Show buttons for the options that can be chosen, and explanations in place of the others. */
    render() {
      const tries = answers.held[this.id]?.tries ?? [];
      const solved = tries.some((i) => this.isRight(i));
      this.options.forEach((option, i) => {
        const shown = solved || tries.includes(i);
        this.buttons[i].hidden = shown;
        option.hidden = !shown;
        option.querySelector(".verdict")?.remove();
        if (!tries.includes(i)) return;
        const verdict = this.isRight(i) ? "✓ Right: " : "✗ Not right: ";
        option.querySelector("summary").prepend(
          element("span", { className: "verdict", textContent: verdict }),
        );
      });
      this.foot.hidden = !tries.length;
      const { answered, right } = score(this.chapter.questions);
      const total = this.chapter.questions.length;
      this.score.textContent = `${right} of ${answered} right at the first try · this chapter asks ${total}`;
    }
  }

  function setUpChapter() {
    const data = document.getElementById("quiz-chapter");
    if (!data) return;
    answers.read();
    const chapter = JSON.parse(data.textContent);
    const quizzes = [];
    chapter.render = () => quizzes.forEach((quiz) => quiz.render());
    for (const box of document.querySelectorAll(".bd-article div.quiz"))
      quizzes.push(new Quiz(box, chapter));
    onChangesElsewhere(chapter.render);
  }

  /** Render again when another tab has written, and when the reader comes back by the browser's button. */
  function onChangesElsewhere(render) {
    const fresh = () => {
      answers.read();
      render();
    };
    addEventListener("storage", (event) => event.key === answers.KEY && fresh());
    addEventListener("pageshow", (event) => event.persisted && fresh());
  }

  // ---------------------------------------------------------------- the list of all questions

  const STATES = ["missed", "not answered", "right"];

  const asked = (row) => row.id.replace(/^review-/, "");

  function stateOf(id) {
    const answer = answers.held[id];
    return !answer ? "not answered" : answer.missed ? "missed" : "right";
  }

  /** A button that forgets the answers to some questions, and takes that back when it is pressed again. */
  class Eraser {
    constructor(text, rows, render) {
      this.ids = rows.map(asked);
      this.text = text;
      this.button = element("button", { type: "button" });
      this.button.addEventListener("click", () => {
        answers.update((held) => (this.forgotten ? this.restore(held) : this.forget(held)));
        render();
      });
    }

    forget(held) {
      this.forgotten = {};
      for (const id of this.ids.filter((each) => each in held)) {
        this.forgotten[id] = held[id];
        delete held[id];
      }
    }

    restore(held) {
      Object.assign(held, { ...this.forgotten, ...held }); // what was answered since then stays
      this.forgotten = null;
    }

    render() {
      this.button.textContent = this.forgotten ? "Take that back" : this.text;
      this.button.hidden = !this.forgotten && !this.ids.some((id) => id in answers.held);
    }
  }

  /** The questions of a chapter: the missed ones first, and the right ones only if they are wanted. */
  class Shelf {
    constructor(list, render) {
      this.list = list;
      this.rows = [...list.children];
      this.tally = element("span");
      this.eraser = new Eraser("Start this chapter over", this.rows, render);
      list.before(element("p", { className: "tally" }, this.tally, this.eraser.button));
      for (const row of this.rows) {
        row.prepend(element("span", { className: "state" }));
        row.querySelector(".where a").addEventListener("click", () => this.askAgain(row));
      }
    }

    /** A missed question is asked afresh where its link leads; it counts as missed until it is answered. */
    askAgain(row) {
      answers.update((held) => {
        if (held[asked(row)]?.missed) held[asked(row)].tries = [];
      });
    }

    render(showAll) {
      const { answered, right } = score(this.rows.map(asked));
      this.tally.textContent =
        `${right} right at the first try, ${answered - right} missed, ${this.rows.length - answered} not answered`;
      this.eraser.render();
      const rank = (row) => STATES.indexOf(stateOf(asked(row)));
      for (const row of this.rows.toSorted((a, b) => rank(a) - rank(b))) {
        const state = row.querySelector(".state");
        state.textContent = state.dataset.state = STATES[rank(row)];
        row.hidden = state.textContent === "right" && !showAll;
        this.list.append(row);
      }
    }
  }

  class Review {
    constructor(lists) {
      const render = () => this.render();
      this.shelves = lists.map((list) => new Shelf(list, render));
      this.rows = this.shelves.flatMap((shelf) => shelf.rows);
      this.eraser = new Eraser("Start all chapters over", this.rows, render);
      this.said = element("p");
      this.said.setAttribute("role", "status");
      this.all = element("input", { type: "checkbox" });
      this.all.addEventListener("change", render);
      const label = element("label", {}, this.all, " Show the right ones too");
      const controls = element("div", { className: "controls" }, label, this.eraser.button);
      const panel = element("div", { className: "review" }, this.said, controls);
      lists[0].closest("section").before(panel);
      this.render();
    }

    render() {
      for (const shelf of this.shelves) shelf.render(this.all.checked);
      this.eraser.render();
      const { answered, right } = score(this.rows.map(asked));
      const kept = answers.kept
        ? "Your answers are kept in this browser and sent to nobody."
        : "This browser keeps no answers: they are gone when you leave a page.";
      const given = answered
        ? `You have answered ${answered} of ${this.rows.length} questions, ${right} of them right at the first try. `
        : "You have answered no question yet. ";
      this.said.textContent = given + kept;
    }
  }

  function setUpReview() {
    const lists = [...document.querySelectorAll("ul.questions")];
    if (!lists.length) return;
    answers.read();
    const review = new Review(lists);
    onChangesElsewhere(() => review.render());
  }

  setUpChapter();
  setUpReview();
})(); // the scripts of a page share their names, but for what stands in a function
