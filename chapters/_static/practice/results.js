// What came of a check, as `nextword check` says it: the smallest example first, then each test.

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** The verdict on a task, from those of its tests: the gravest. `order` lists them so. */
function combined(tests, order) {
  const found = new Set(tests.map((test) => test.verdict));
  if (found.size === 2 && found.has("passed") && found.has("missing")) return "failed";
  return order.find((verdict) => found.has(verdict)) ?? "not_judged";
}

function exampleOf({ call, gives, right, where, says }) {
  const box = element("div", { className: "practice-example" });
  if (says) box.append(element("p", { className: "practice-looks" }, `This looks like: ${says}`));
  box.append(element("pre", { className: "practice-call", tabIndex: 0 }, call));
  const rows = element("dl");
  for (const [word, text] of [["gives", gives], ["right is", right]]) {
    rows.append(element("dt", {}, word), element("dd", {}, element("pre", { tabIndex: 0 }, text)));
  }
  box.append(rows);
  if (where) box.append(element("p", { className: "practice-where" }, where));
  return box;
}

/** Lines of the module that messages name: "in line 48 of ngrams.py". */
export function linesNamed(texts, file) {
  const named = new RegExp(`line (\\d+) of ${file.replace(".", "\\.")}|\\(${file.replace(".", "\\.")}, line (\\d+)\\)`, "g");
  return [...new Set(texts.flatMap((text) => [...text.matchAll(named)].map((m) => Number(m[1] ?? m[2]))))];
}

/** The list of tests with what each says; `looks` has a sign and a word for each verdict, the gravest first. */
export function report({ tests, examples, printed }, looks) {
  const verdict = combined(tests, Object.keys(looks));
  const passed = tests.filter((test) => test.verdict === "passed").length;
  const messages = new Set(tests.map((test) => test.message));
  const shared = messages.size === 1 && tests.length > 1 ? [...messages][0] : "";
  const [sign, word] = looks[verdict];
  const parts = [element("p", { className: `practice-verdict ${verdict}` },
    element("strong", {}, `${sign} ${word}`), `, ${passed} of ${tests.length} tests`)];
  if (shared && verdict !== "missing") parts.push(element("pre", { className: "practice-message", tabIndex: 0 }, shared));
  const shown = !shared && verdict !== "missing" ? examples : [];
  parts.push(...shown.map(exampleOf));
  const list = element("ul", { className: `practice-tests ${verdict}` });
  for (const test of tests) {
    const [own, says] = looks[test.verdict];
    const row = element("li", { className: test.verdict },
      element("span", { className: "practice-sign", ariaHidden: "true" }, own),
      element("span", { className: "practice-behaviour" },
        element("span", { className: "practice-word" }, `${says}: `), test.behaviour));
    // an example says more than the message of a failed test
    const silent = shared || test.verdict === "missing" || (shown.length && test.verdict === "failed");
    if (test.message && !silent && test.verdict !== "passed") {
      row.append(element("pre", { className: "practice-message", tabIndex: 0 }, test.message));
    }
    list.append(row);
  }
  parts.push(list);
  if (printed) {
    parts.push(element("p", { className: "practice-printed" }, "Your code printed, while the tests ran:"),
      element("pre", { className: "practice-message", tabIndex: 0 }, printed));
  }
  return { parts, verdict, passed: verdict === "passed" };
}
