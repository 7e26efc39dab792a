// Python as the page sees it: one worker, which is ended when code in it never comes back.
// What is left of a check goes on in another worker, as `nextword check` does it with processes.
const GRACE = 3; // seconds beyond a test's limit that a worker may be silent: nothing of Python's can end it then
const SHOWING = "(smallest examples)"; // in place of a test's name: what is done after all tests
const WRONG = ["failed", "timeout", "memory", "crashed"]; // verdicts that call for an example
const SLEPT = "waited for more than";

export class Stopped extends Error {}

export class Python {
  /** `tell` is given what Python is doing, in words. */
  constructor(here, files) {
    this.start = { python: new URL(`${files.python}/`, here).href, course: new URL(files.course, here).href };
    this.script = new URL("worker.js", here);
    this.tell = () => {};
    this.queue = Promise.resolve();
  }

  /** Load Python, if that was not done yet; resolves when it is ready. */
  ready() {
    this.begun ??= this.#begin().catch((error) => {
      this.end(); // so that one can try again
      throw error;
    });
    return this.begun;
  }

  async #begin() {
    this.tell("Loading Python (13 MB, once) …");
    this.worker = new Worker(this.script, { type: "module" });
    await this.#ask({ start: this.start }, Infinity, (said) => said.step && this.tell(said.step), "ready");
    this.tell("Python is ready.");
  }

  /** Send a message; resolves with what comes under `last`. `heard` is told of all before, and may set the time. */
  #ask(message, seconds, heard = () => {}, last = "done", signal = undefined) {
    const { worker } = this;
    return new Promise((resolve, reject) => {
      let timer;
      let allowed;
      const limit = (within = allowed) => {
        allowed = within;
        clearTimeout(timer);
        if (within < Infinity) timer = setTimeout(() => reject(new Late()), (within + GRACE) * 1000);
      };
      signal?.addEventListener("abort", () => reject(new Stopped()));
      worker.onmessage = ({ data }) => {
        if (data.beat) limit(); // its own clock ends what runs too long
        else if (data.failed !== undefined) reject(new Error(data.failed));
        else if (last in data) resolve(data[last]);
        else heard(data, limit);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || "the worker could not be started"));
      };
      limit(seconds);
      worker.postMessage(message);
      this.settle = () => clearTimeout(timer);
    }).finally(() => this.settle());
  }

  /** End the worker, whatever it does. The next one begins with nothing of it. */
  end() {
    this.worker?.terminate();
    this.worker = this.begun = undefined;
  }

  /** One thing after the other: a worker does not listen while Python computes. */
  #inTurn(work) {
    const done = this.queue.then(work);
    this.queue = done.catch(() => {});
    return done;
  }

  /**
   * Check a task: {tests, examples, printed}. `running` is told of each test that begins; `signal` stops this check
   * and no other, also while it waits for its turn.
   */
  check(stem, task, text, running = () => {}, signal = new AbortController().signal) {
    const stopped = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Stopped()));
    });
    return Promise.race([this.#inTurn(() => this.#check(stem, task, text, running, signal)), stopped]);
  }

  async #check(stem, task, text, running, signal) {
    const planned = new Map();
    const found = new Map(); // results by the names of tests
    const examples = [];
    let printed = "";
    for (;;) {
      await this.ready();
      if (signal.aborted) throw new Stopped();
      const wrong = [...found.values()].some((r) => WRONG.includes(r.verdict) && !r.message.startsWith(SLEPT));
      const before = { skip: [...found.keys()], wrong: wrong ? [task] : [] };
      let now = "", seconds = 30, problem = "";
      const hear = ({ line }, limit) => {
        if (!line) return;
        if (line.planned) line.planned.forEach(({ result }) => planned.set(result.name, result));
        else if (line.begins !== undefined) {
          [now, seconds] = [line.begins, line.seconds];
          limit(seconds);
          running(now === SHOWING ? "Looking for the smallest example …" : planned.get(now)?.behaviour ?? "");
        } else if (line.example) examples.push(line.example);
        else if (line.result) found.set(line.result.name, line.result);
        else if (line.problem) problem = line.problem;
      };
      try {
        printed ||= await this.#ask({ check: { stem, task, text, before } }, seconds, hear, "done", signal);
        if (problem) throw new Error(problem);
        break;
      } catch (error) {
        if (problem) throw error;
        this.end();
        if (error instanceof Stopped || !planned.size) throw error;
        if (now === SHOWING) break;
        const [verdict, message] = error instanceof Late
          ? ["timeout", `took more than ${seconds} s of computing time: an endless loop, or a much slower way than needed`]
          : ["crashed", `your code ended the program (${error.message.split("\n", 1)[0]})`];
        const left = now ? [now] : [...planned.keys()].filter((name) => !found.has(name));
        left.forEach((name) => found.set(name, { ...planned.get(name), verdict, message }));
        if (!now) break; // the module cannot be imported
      }
    }
    this.ready().catch(() => {}); // another worker, if the last one had to be ended
    const isExample = (result) => result.name.startsWith("example_of_");
    const tests = [...found.values()].sort((one, other) => isExample(other) - isExample(one));
    return { tests, examples, printed };
  }

  /** Run lines at the prompt of the module: {said, failed}. */
  run(stem, text, lines, seconds = 10) {
    return this.#inTurn(async () => {
      await this.ready();
      try {
        return await this.#ask({ run: { stem, text, lines, seconds } }, seconds);
      } catch (error) {
        this.end();
        if (error instanceof Late) return { said: `took more than ${seconds} s: it was stopped`, failed: true };
        throw error;
      }
    });
  }
}

class Late extends Error {}
