/* Tasks that are written and checked in the page: a button in each box.

This script is all that a page loads. When the button is pressed, the rest is fetched from practice/: an editor,
and Python for the browser. What a reader has written stays in the browser (practice/store.js). */
"use strict";

(() => {
  const here = new URL("practice/", document.currentScript.src);
  const FROM_DISK = `This page was opened from a disk, and there a browser runs no Python. Serve the book: in its folder,
    run <code>python -m http.server</code> and open <code>http://localhost:8000</code>. Or
    <a href="setup.html">install the course</a>.`;
  const NOT_LOADED = `The editor could not be loaded. Is the connection gone? Try again, or
    <a href="setup.html">install the course</a>.`;

  /** What was kept of a task: "" or "begun" or "passed". Only reads, in the form that store.js writes. */
  function kept(chapter, task) {
    try {
      const found = JSON.parse(localStorage.getItem(`nextword.practice.${chapter}`) ?? "{}").tasks?.[task];
      return found ? (found.passed ? "passed" : "begun") : "";
    } catch {
      return ""; // a browser that keeps nothing, or a damaged record
    }
  }

  const LABELS = { "": "Write and check it here", begun: "Go on writing here", passed: "See what you wrote here" };

  function prepare(place) {
    const { chapter, task } = place.dataset;
    const button = document.createElement("button");
    const says = document.createElement("p");
    button.type = "button";
    button.className = "practice-open";
    says.className = "practice-says";
    says.setAttribute("role", "status");
    place.append(button, says);

    place.show = () => {
      const state = kept(chapter, task);
      button.textContent = LABELS[state];
      button.setAttribute("aria-label", `${LABELS[state]}: task ${task}`); // a page has several
      says.textContent = state === "passed" ? "✓ Your visible tests pass." : "";
    };
    place.show();

    button.addEventListener("click", async () => {
      if (location.protocol === "file:") {
        says.innerHTML = FROM_DISK;
        return;
      }
      button.setAttribute("aria-busy", "true"); // not disabled: the focus would be lost
      try {
        const files = JSON.parse(document.getElementById("practice-files").textContent);
        const { open } = await import(new URL("box.js", here));
        await open(place, files, here);
      } catch (error) {
        console.warn(error);
        says.innerHTML = NOT_LOADED;
      }
      button.removeAttribute("aria-busy");
    });
  }

  const places = [...document.querySelectorAll(".practice")];
  places.forEach(prepare);
  // another tab may have written, also while this page was left and kept for the browser's Back button
  const show = () => places.forEach((place) => place.show());
  addEventListener("storage", show);
  addEventListener("pageshow", ({ persisted }) => persisted && show());
})();
