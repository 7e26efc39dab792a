"""How long tasks in the page take, in Chromium: from the click to the first check, and each check.

    python benchmarks/practice.py [BOOK]

BOOK is a built book, _build/html if left out. Seconds of the clock depend on what else the machine
does; seconds of processor, of all that Chromium runs, hardly do.
"""

import functools
import http.server
import shutil
import sys
import threading
import time
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from examiner.project import Project
from nextword.practice.offered import STEMS, is_offered

ROOT = Path(__file__).parents[1]
BOOK = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "_build" / "html")
PATIENCE = 600_000  # milliseconds
CHECK = """async (given) => {
    const { python } = await import('/_static/practice/box.js');
    const { tests } = await python.check(...given);
    return [tests.filter((test) => test.verdict === 'passed').length, tests.length];
}"""


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def computed() -> float:
    """Seconds of processor that the browser has used."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def first_check(page: Page) -> None:
    """Press the button, and Check as soon as it is there."""
    box = page.locator('.practice[data-task="2.1"]')
    box.locator(".practice-open").click()
    box.locator(".practice-main").click()
    box.locator(".practice-verdict").wait_for()


def weigh() -> None:
    folder = BOOK / "_static" / "practice"
    page = [folder.with_suffix(".js"), folder.with_suffix(".css")]
    print(f"a page loads at once: {sum(p.stat().st_size for p in page):,} bytes")
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".js", ".mjs", ".zip", ".json", ".wasm"):
            print(f"{path.stat().st_size:>12,} {path.name}")


def main() -> None:
    weigh()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Silent, directory=BOOK)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    project = Project(ROOT)
    with sync_playwright() as started:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        page = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page()
        page.set_default_timeout(PATIENCE)
        for visit in ("first visit", "second visit"):
            page.goto(f"http://127.0.0.1:{server.server_port}/chapters/02-ngrams.html")
            page.wait_for_timeout(3000)
            began, used = time.monotonic(), computed()
            first_check(page)
            took = f"{time.monotonic() - began:.1f} s, {computed() - used:.1f} s of processor"
            print(f"{visit}, from the click to the end of the first check: {took}")
        for chapter in project.catalogue.chapters:
            for task in chapter.tasks if chapter.stem in STEMS else ():
                if is_offered(chapter, task.id):
                    text = project.module("solutions", chapter.stem).read_text("utf-8")
                    began, used = time.monotonic(), computed()
                    passed, n_tests = page.evaluate(CHECK, [chapter.stem, task.id, text])
                    took = (
                        f"{time.monotonic() - began:.2f} s, {computed() - used:.2f} s of processor"
                    )
                    print(f"{task.id:>5} {passed} of {n_tests} tests: {took}")


if __name__ == "__main__":
    main()
