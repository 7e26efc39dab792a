"""What a page of the book weighs, and what a browser does for it.

    python benchmarks/pages.py _build/html [--width 1300] [--rounds 3] [--json FILE] [page …]

For each page: the bytes that are fetched (uncompressed; of these, what figures to touch carry in
the page), requests, processor time of the tab until it is at rest, elements, layout shift, and
letters in a line. Chromium opens the files themselves. `tests/book/test_weight.py` holds the limits
that do not depend on the machine.
"""

import argparse
import json
import re
import shutil
import statistics
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HEIGHT = 1000  # pixels of the window
SETTLED = 200  # milliseconds after loading, in which nothing should move
REST = 500  # milliseconds without work: the page is at rest
FIGURE = re.compile(r'<figure class="nw-x" .*?</figure>', re.S)
CARRIED = re.compile(r"<(?:script|style).*?</(?:script|style)>", re.S)
# shifts that follow an answer to the reader do not count
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
}).observe({ type: 'layout-shift', buffered: true });"""
# letters in the lines of long paragraphs without formulas and code
LINES = """() => [...document.querySelectorAll('.bd-article section > p')]
    .filter((p) => p.offsetParent && p.textContent.length > 400 && !p.querySelector('math, code'))
    .slice(0, 12)
    .map((p) => {
        const lines = p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight);
        // the last line is half full on average
        return p.textContent.replace(/\\s+/g, ' ').length / (Math.round(lines) - 0.5);
    })"""


def processor(session: CDPSession) -> float:
    """Return the seconds of processor that the tab's main thread has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def rest(page: Page, session: CDPSession) -> float:
    """Wait until the tab does next to nothing; return the seconds that were taken till then."""
    taken = -1.0
    while (now := processor(session)) - taken > 0.005:
        taken = now
        page.wait_for_timeout(REST)
    return now


def carried(html: str) -> int:
    """Return the bytes of the figures to touch in a page: numbers, scripts, styles."""
    pieces = [piece for figure in FIGURE.findall(html) for piece in CARRIED.findall(figure)]
    return sum(len(piece.encode()) for piece in pieces)


def measure(browser: Browser, path: Path, width: int, *, at_rest: bool = True) -> dict[str, float]:
    """Measure one page once; without `at_rest`, when it is loaded, and no seconds."""
    page = browser.new_page(viewport={"width": width, "height": HEIGHT})
    page.goto(path.parent.as_uri())  # the list of a folder: the same process shows the page then
    page.add_init_script(SHIFTS)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before, asked = rest(page, session) if at_rest else 0.0, []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("document.fonts.ready.then(() => true)")
    if at_rest:
        seconds = rest(page, session) - before
    else:
        seconds = 0.0
        page.wait_for_timeout(SETTLED)
    found = {"seconds": seconds, "requests": len(asked)}
    files = [Path(unquote(urlsplit(url).path)) for url in asked if url.startswith("file:")]
    sizes = {file: file.stat().st_size for file in files}
    html = path.read_text(encoding="utf-8")
    found["kB"] = sum(sizes.values()) / 1000
    found["figures kB"] = carried(html) / 1000
    found["nodes"] = page.evaluate("document.querySelectorAll('*').length")
    found["shift"] = page.evaluate("window.shifts")
    lengths = page.evaluate(LINES)
    found["letters"] = statistics.median(lengths) if lengths else 0
    page.close()
    return found


def table(site: Path, names: list[str], width: int, rounds: int) -> dict[str, dict[str, float]]:
    """Measure pages several times; return the median of each number."""
    with sync_playwright() as started:
        path = next(p for p in map(shutil.which, BROWSERS) if p)
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        result = {}
        for name in names:
            runs = [measure(browser, site / name, width) for _ in range(rounds)]
            result[name] = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        browser.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--width", type=int, default=1300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_intermixed_args()
    site = given.site.resolve()
    names = given.pages or [
        f"chapters/{p.name}" for p in sorted((site / "chapters").glob("*.html"))
    ]
    found = table(site, names, given.width, given.rounds)
    heads = ("kB", "figures kB", "requests", "seconds", "nodes", "shift", "letters")
    print(f"{'page':38}" + "".join(f"{head:>11}" for head in heads))
    for name, row in found.items():
        cells = (
            f"{row[h]:11.2f}" if h in ("seconds", "shift") else f"{row[h]:11.0f}" for h in heads
        )
        print(f"{name.removeprefix('chapters/'):38}" + "".join(cells))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
