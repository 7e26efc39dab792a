// Sentences that set a figure. A link to #figure-NAME?key=value, in the text or at the end of a page's
// address, asks the figure NAME for a state: `set(params)` takes it, and `get()` says what it is now.

const CALM = "(prefers-reduced-motion: reduce)";
const LINKS = 'a[data-figure], a[href*="#figure-"]';

/** What a link asks of a figure: { name, query }, or null. The book writes the query beside the address. */
function wishOf(link) {
  const [, name, query] = /#figure-(\w+)(?:\?(.*))?$/.exec(link.getAttribute("href") ?? "") ?? [];
  return name ? { name, query: link.dataset?.figure ?? query ?? "" } : null;
}

const paramsOf = (query) => Object.fromEntries(new URLSearchParams(query));

/** Whether a figure is as a link wants it. */
const agrees = (state, query) => Object.entries(paramsOf(query)).every(([key, value]) => String(state[key]) === value || (value !== "" && Number(state[key]) === Number(value)));

/** The address of this page with a figure in such a state. */
export function addressOf(name, params) {
  const page = new URL(location.href);
  page.hash = `figure-${name}?${new URLSearchParams(params)}`;
  return page.href;
}

/**
 * Let sentences set a figure that came alive. `announce(text)` is read out; `explorable` is what
 * the figure's draw returned: { set(params), get() }, where params and states hold texts.
 */
export function listen(figure, explorable, announce) {
  const name = figure.dataset.explorable.replace(/-\w+$/, "");
  const back = backToText(figure);
  const asked = (link) => {
    const wish = wishOf(link);
    return wish?.name === name && wish.query ? wish : null;
  };
  const mark = () => {
    for (const link of document.querySelectorAll(LINKS)) {
      const wish = asked(link);
      if (wish) link.classList.toggle("nw-x-done", agrees(explorable.get(), wish.query));
    }
  };

  function set(query, words) {
    Promise.resolve(explorable.set(paramsOf(query))).then(mark); // a figure may have to compute first
    announce(words ? `The figure shows: ${words}.` : "The figure is set as the address of the page says.");
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(LINKS), wish = link && asked(link);
    if (!wish || !figure.isConnected || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.pathname !== location.pathname && !link.dataset.figure) return; // a figure of another page
    event.preventDefault();
    set(wish.query, link.textContent);
    remember(figure, name, wish.query);
    if (document.getElementById(figure.id) === figure && !inView(figure)) { // shown twice: the first moves
      back(link); // before the way is measured: the button takes room
      figure.scrollIntoView({ block: "nearest", behavior: matchMedia(CALM).matches ? "auto" : "smooth" });
    }
  });
  // what a reader then moves by hand is no longer what the sentence says
  for (const kind of ["click", "input", "change", "keyup"]) figure.addEventListener(kind, () => setTimeout(mark));

  const arrive = () => {
    const wish = wishOf({ getAttribute: () => location.hash });
    if (wish?.name !== name || !wish.query) return;
    set(wish.query, "");
    figure.scrollIntoView({ block: "nearest" });
  };
  arrive();
  addEventListener("hashchange", arrive);
  mark();
}

/** Whether one sees the whole figure, or the window is full of it. */
function inView(figure) {
  const { top, bottom } = figure.getBoundingClientRect();
  const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0; // above the page
  return (top >= bar && bottom <= innerHeight) || (top <= bar && bottom >= innerHeight);
}

/** Let the address of the page lead to this state; JupyterLab's addresses are its own. */
function remember(figure, name, query) {
  if (figure.closest(".jp-OutputArea")) return;
  try {
    history.replaceState(history.state, "", addressOf(name, paramsOf(query)));
  } catch {
    // a page that may not change its address is only without this convenience
  }
}

/** A button beside the figure's title that leads back to the sentence, from where a reader was carried off. */
function backToText(figure) {
  let sentence = null;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "nw-x-back", hidden: true, textContent: "↑ Back to the sentence" });
  button.addEventListener("click", () => {
    button.hidden = true;
    sentence.focus({ preventScroll: true });
    sentence.scrollIntoView({ block: "center", behavior: matchMedia(CALM).matches ? "auto" : "smooth" });
  });
  figure.prepend(button);
  return (link) => {
    sentence = link;
    button.textContent = link.getBoundingClientRect().top < figure.getBoundingClientRect().top ? "↑ Back to the sentence" : "↓ Back to the sentence";
    button.hidden = false;
  };
}
