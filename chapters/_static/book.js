/* What the pages do: a bar of progress, figures opened large, boxes that scroll by keyboard, light paper. */
"use strict";

/** A thin bar above the page that says how far one has read. */
function showProgress() {
  const bar = document.body.appendChild(document.createElement("div"));
  bar.className = "reading-progress";
  bar.setAttribute("aria-hidden", "true");
  const update = () => {
    const page = document.documentElement;
    const length = page.scrollHeight - page.clientHeight;
    bar.style.transform = `scaleX(${length > 0 ? page.scrollTop / length : 0})`;
  };
  addEventListener("scroll", update, { passive: true });
  addEventListener("resize", update);
  update();
}

/** The one window in which figures are shown large. */
function makeDialog() {
  const dialog = document.body.appendChild(document.createElement("dialog"));
  dialog.className = "large";
  const close = dialog.appendChild(document.createElement("button"));
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

/** Move a drawing or picture into the window, and back when it closes. */
function open(dialog, drawing) {
  const place = document.createComment("figure");
  drawing.replaceWith(place);
  dialog.append(drawing);
  dialog.setAttribute("aria-label", drawing.getAttribute("aria-label") || drawing.alt);
  dialog.addEventListener("close", () => place.replaceWith(drawing), { once: true });
  dialog.showModal();
}

function makeFiguresOpen() {
  const figures = document.querySelectorAll(".bd-article figure.drawing");
  if (!figures.length) return;
  const dialog = makeDialog();
  for (const figure of figures) {
    const drawing = figure.querySelector("svg");
    const button = figure.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "enlarge";
    button.textContent = "larger";
    button.setAttribute("aria-label", "larger: open this figure over the whole window");
    for (const target of [button, drawing])
      target.addEventListener("click", () => dialog.open || open(dialog, drawing));
  }
}

/** Lines of a printed table have gaps of two blanks, most or three in a row: it keeps its columns also on a phone. */
function markPrintedTables() {
  for (const box of document.querySelectorAll("div.cell_output pre, div.highlight-console pre")) {
    const inColumns = box.textContent.trim().split("\n").map((line) => /\S {2,}\S/.test(line.trim()));
    const most = inColumns.length > 2 && inColumns.filter(Boolean).length >= 0.6 * inColumns.length;
    const inARow = inColumns.some((it, i) => it && inColumns[i + 1] && inColumns[i + 2]);
    box.classList.toggle("columns", most || inARow);
  }
}

/** A box that scrolls sideways can be reached by the keyboard; one that does not needs no stop. */
function makeBoxesReachable() {
  const boxes = "pre, div.math, .pst-scrollable-table-container, .output.text_html";
  for (const box of document.querySelectorAll(boxes))
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
}

/** Formulas are copied as TeX between dollars, as one writes them into a text. */
function copyFormulas(event) {
  const selection = getSelection();
  if (selection.isCollapsed || !document.body.contains(selection.anchorNode)) return;
  const piece = document.createElement("div");
  for (let i = 0; i < selection.rangeCount; i++) piece.append(selection.getRangeAt(i).cloneContents());
  const formulas = piece.querySelectorAll("[data-tex]");
  if (!formulas.length) return;
  event.clipboardData.setData("text/html", piece.innerHTML);
  for (const formula of formulas)
    formula.replaceWith(formula.matches("div") ? `$$${formula.dataset.tex}$$` : `$${formula.dataset.tex}$`);
  // as text, blocks are lines: only an element in the page knows that
  piece.style.cssText = "position: fixed; left: -9999px; width: 40rem";
  document.body.append(piece);
  event.clipboardData.setData("text/plain", piece.innerText);
  piece.remove();
  event.preventDefault();
}

/** Buttons that open a menu, such as that of downloads. */
function makeMenus() {
  for (const button of document.querySelectorAll('[data-bs-toggle="dropdown"]')) {
    const menu = button.parentElement.querySelector(".dropdown-menu");
    const links = [...menu.querySelectorAll("a, button")];
    const show = (open) => {
      menu.classList.toggle("show", open);
      button.setAttribute("aria-expanded", open);
    };
    button.addEventListener("click", () => show(!menu.classList.contains("show")));
    button.parentElement.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.classList.contains("show")) {
        show(false);
        button.focus();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(true);
      const at = links.indexOf(document.activeElement);
      links[at < 0 ? (step > 0 ? 0 : links.length - 1) : (at + step + links.length) % links.length].focus();
    });
    const outside = ({ target }) => target.isConnected && !button.parentElement.contains(target) && show(false);
    document.addEventListener("click", outside);
    button.parentElement.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && outside({ target: relatedTarget }));
  }
}

/** The section that one reads is marked in the left menu. */
function markSection() {
  const links = new Map();
  for (const link of document.querySelectorAll(".bd-links ul.sections a")) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section) links.set(section, link);
  }
  if (!links.size) return;
  const seen = new Set();
  const mark = (entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
    const current = [...links.keys()].find((section) => seen.has(section));
    for (const [section, link] of links)
      if (section === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  const watcher = new IntersectionObserver(mark, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of links.keys()) watcher.observe(section);
}

/** On paper a page is light, whatever it is on the screen. */
function printLight() {
  const { dataset } = document.documentElement;
  let theme;
  addEventListener("beforeprint", () => {
    theme ??= dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    dataset.theme = theme;
    theme = undefined;
  });
}

showProgress();
printLight();
makeMenus();
markSection();
document.addEventListener("copy", copyFormulas);
makeFiguresOpen();
markPrintedTables();
makeBoxesReachable();
addEventListener("load", makeBoxesReachable);
addEventListener("resize", makeBoxesReachable);
