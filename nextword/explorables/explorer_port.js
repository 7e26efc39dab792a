// The way to the engine: ask(name, args) is a promise of its answer. The engine runs in a Web Worker made of the
// figure's own script, so nothing is fetched and it works from a disk; without workers it runs in the page.

import { Engine } from "./explorer_engine.js";

/** In the worker: answer what is asked, one question after the other. */
export function serve(port) {
  let engine = null, last = Promise.resolve();
  port.onmessage = ({ data: { id, name, args } }) => {
    last = last.then(async () => {
      try {
        if (name === "begin") engine = new Engine(args);
        const answer = name === "begin" ? null : await engine[name](args);
        port.postMessage({ id, answer }, answer?.probs?.buffer ? [answer.probs.buffer] : []);
      } catch (error) {
        port.postMessage({ id, error: String(error) });
      }
    });
  };
}

/** In the page: an engine that knows these numbers. `script`: the text of the figure's own script; `asks` is told
 * whether any question is open. */
export function connect(numbers, script, asks) {
  const waiting = new Map();
  let count = 0, port = null;

  function inPage() {
    const engine = new Engine(numbers);
    let last = Promise.resolve();
    return {
      postMessage({ id, name, args }) {
        last = last.then(() => new Promise((go) => setTimeout(go))) // the page may draw between two answers
          .then(() => engine[name](args))
          .then((answer) => settle({ data: { id, answer } }), (error) => settle({ data: { id, error: String(error) } }));
      },
    };
  }

  function settle({ data: { id, answer, error } }) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(error));
    else asked?.resolve(answer);
    asks(waiting.size > 0); // what waited draws before anything else happens: an answer is drawn when this is seen
  }

  function open() {
    try {
      const body = script.slice(0, script.lastIndexOf("file_parts.mount("));
      const address = URL.createObjectURL(new Blob([`${body}\nfile_explorer_port.serve(self);`], { type: "text/javascript" }));
      const worker = new Worker(address);
      worker.onmessage = settle;
      worker.onerror = () => { // a page that forbids workers of this kind
        port = inPage();
        for (const [id, { name, args }] of waiting) if (name !== "begin") port.postMessage({ id, name, args });
          else settle({ data: { id, answer: null } });
      };
      port = worker;
      ask("begin", numbers).catch(() => {});
    } catch {
      port = inPage();
    }
  }

  /** A promise of the answer. */
  function ask(name, args = {}) {
    if (!port) open();
    return new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject, name, args });
      asks(true);
      port.postMessage({ id: count, name, args });
    });
  }
  return { ask };
}
