"""Prints a document with Chromium, and writes into it on which page everything stands."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from examiner.errors import UserError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SETTLED = "() => document.fonts.ready.then(() => true)"
FILL = """(pages) => {
    for (const number of document.querySelectorAll('.page-number'))
        number.textContent = pages[number.dataset.of] ?? '';
}"""
ROUNDS = 4  # numbers have room in the first print, so the second is as a rule the last
MINUTES = 10


@contextmanager
def printer() -> Iterator[Browser]:
    """Start Chromium. Raises UserError where it, or the package that drives it, is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise UserError("printing needs playwright and pypdf: pip install '.[print]'") from None
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise UserError("printing needs Chromium: install it, for instance with apt-get")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def typeset(browser: Browser, document: str, to: Path) -> int:
    """Print a document as PDF with page numbers and an outline; return how many pages it has."""
    to.parent.mkdir(parents=True, exist_ok=True)
    source = to.with_suffix(".html")
    source.write_text(document, encoding="utf-8")
    page = browser.new_page()
    page.set_default_timeout(MINUTES * 60_000)
    page.goto(source.resolve().as_uri())
    page.wait_for_function(SETTLED)
    pdf, places = _print(page)
    for _ in range(ROUNDS):
        page.evaluate(FILL, places)
        before = places
        pdf, places = _print(page)
        if places == before:
            break
    page.close()
    source.unlink()
    to.write_bytes(pdf)
    return max(places.values(), default=0)


def _print(page: Page) -> tuple[bytes, dict[str, int]]:
    """Return a PDF, and the page on which each place that is linked to stands."""
    from pypdf import PdfReader

    pdf = page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    reader = PdfReader(io.BytesIO(pdf))
    places = {
        name.removeprefix("/"): 1 + (reader.get_destination_page_number(destination) or 0)
        for name, destination in reader.named_destinations.items()
    }
    return pdf, places
