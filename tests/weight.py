"""What a page of the book may weigh, and that it holds still: limits that no machine moves."""

import importlib.util
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.pages import ROOT

SPEC = importlib.util.spec_from_file_location("measure_pages", ROOT / "benchmarks" / "pages.py")
measured = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measured)

KILOBYTES = 1300  # of a page and all that it fetches, uncompressed, without its figures to touch
SEARCHED = 1600  # of the search, which loads the words of all seven chapters
REQUESTS = 22
NODES = 16_000
SHIFT = 0.1
LETTERS = (65, 82)  # in a line of 65 to 80, a page's own words count


def assert_light(page, path):
    """A page that was just opened is small, has not moved, and its lines are of human length."""
    files = [Path(unquote(urlsplit(url).path)) for url in page.fetched if url.startswith("file:")]
    size = sum(file.stat().st_size for file in files)
    size -= measured.carried(path.read_text(encoding="utf-8"))
    most = SEARCHED if path.name == "search.html" else KILOBYTES
    assert size < most * 1000, f"{size} bytes"
    assert len(files) <= REQUESTS, files
    assert page.evaluate("document.querySelectorAll('*').length") < NODES
    assert page.evaluate("window.shifts") < SHIFT
    if page.viewport_size["width"] > 1000 and (lengths := page.evaluate(measured.LINES)):
        letters = measured.statistics.median(lengths)
        assert LETTERS[0] <= letters <= LETTERS[1], letters
