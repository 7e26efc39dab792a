/* What a link leads to, beside it: terms, equations and papers.

The box opens where a mouse rests on a link or the keyboard reaches it. It stays while the mouse is over it, Escape
closes it (WCAG 1.4.13), and a finger follows the link at once. Its texts, of all pages, are loaded when first needed. */
"use strict";

(() => {
  const LINKS = '.bd-article a[href*="#term-"], .bd-article a[href*="#eq-"], .bd-article a[href*="bibliography.html#id"], a.numbered[href*="#eq-"]';
  const REST = 250; // milliseconds that a mouse rests on a link
  const LEAVE = 300; // and that it may take to reach the box
  let box, opener, timer, loading;

  /** The texts, by page and anchor: loaded as a script, because a page on a disk may read no other file. */
  function texts() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = document.documentElement.dataset.content_root + "_static/previews-data.js";
      script.onload = () => resolve(PREVIEWS);
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  }

  function makeBox() {
    box = document.body.appendChild(document.createElement("div"));
    box.className = "preview";
    box.id = "preview";
    box.setAttribute("role", "tooltip");
    box.hidden = true;
    box.addEventListener("mouseenter", () => clearTimeout(timer));
    box.addEventListener("mouseleave", closeSoon);
  }

  function place(link) {
    const room = 8;
    const rect = [...link.getClientRects()].at(-1);
    const { width, height } = box.getBoundingClientRect();
    const page = document.documentElement;
    const left = Math.max(room, Math.min(rect.left, page.clientWidth - width - room));
    const below = rect.bottom + 4 + height < page.clientHeight || rect.top < height + room;
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(below ? rect.bottom + 4 : rect.top - height - 4) + scrollY}px`;
  }

  async function show(link) {
    const url = new URL(link.href);
    const html = (await texts())[decodeURIComponent(url.pathname.split("/").at(-1) + url.hash)];
    // the reader may have gone on while the texts came
    if (!html || (opener !== link)) return;
    if (!box) makeBox();
    box.innerHTML = html;
    // addresses in a preview are those of the pages that lie together
    for (const inner of box.querySelectorAll("a[href]")) {
      const address = inner.getAttribute("href");
      if (address.startsWith("#")) inner.href = url.href.split("#")[0] + address;
      else inner.href = new URL(address, url).href;
    }
    box.hidden = false;
    place(link);
    link.setAttribute("aria-describedby", box.id);
  }

  function close() {
    clearTimeout(timer);
    opener?.removeAttribute("aria-describedby");
    opener = undefined;
    if (box) box.hidden = true;
  }

  function closeSoon() {
    clearTimeout(timer);
    timer = setTimeout(close, LEAVE);
  }

  function openSoon(link, delay) {
    clearTimeout(timer);
    if (opener === link) return;
    close();
    // the browser's own tip would cover the box
    if (link.title) {
      link.dataset.tip = link.title;
      link.removeAttribute("title");
    }
    opener = link;
    timer = setTimeout(() => show(link).catch(() => {}), delay);
  }

  document.addEventListener("pointerover", (event) => {
    const link = event.pointerType === "mouse" && event.target.closest?.(LINKS);
    if (link) openSoon(link, REST);
  });
  document.addEventListener("pointerout", (event) => {
    if (opener && opener.contains(event.target) && !opener.contains(event.relatedTarget)) closeSoon();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(LINKS) && target.matches(":focus-visible")) openSoon(target, 0);
    else if (opener && !box?.contains(target)) close();
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
})();
