"""A hand, by keyboard or by touch, on a page that holds all explorables."""

import pytest

from tests.browser import THOROUGH
from tests.explorable_pages import Keyboard, Touch, context_of, gathered

HANDS = {f"{hand.__name__} at {width}": (hand, width)
         for hand in (Keyboard, Touch) for width in (1300, 390)
         if THOROUGH or width == {Keyboard: 1300, Touch: 390}[hand]}  # fmt: skip


@pytest.fixture(scope="module", params=HANDS.values(), ids=HANDS)
def hand(request, browser, site, tmp_path_factory):
    """A hand on a page with all explorables, which is opened once for all tests."""
    kind, width = request.param
    path = tmp_path_factory.mktemp("gathered") / "all.html"
    gathered(site, path)
    with context_of(browser, viewport={"width": width, "height": 1000}, has_touch=True) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine
        complaints = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: m.type == "error" and complaints.append(m.text))
        page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
        page.goto(path.as_uri())
        yield kind(page)
        assert complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def opened(hand):
    """A function that gives the live part of an explorable, and the hand."""
    return lambda name: (hand.page.locator(f"[data-explorable^={name}-] .nw-x-live"), hand)
