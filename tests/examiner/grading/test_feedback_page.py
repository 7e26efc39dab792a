"""A student's page in Chromium: on a phone, by keyboard and on paper, also with odd answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from examiner.grading.page import Page, Part
from examiner.results import SmallestExample, TestResult, Verdict
from tests.browser import NEEDS_CHROMIUM, violations

pytestmark = NEEDS_CHROMIUM
ODD = "</pre><script>document.title = 'run'</script> שלום 👩‍👩‍👧 " + "long" * 400


def test_an_odd_answer_is_read_on_a_phone_by_keys_and_on_paper(
    browser: Any, tmp_path: Path
) -> None:
    example = SmallestExample("pad", "pad(['a'], 2)", ODD, "['<s>', 'a']", where=ODD)
    test = TestResult("test_pad", "It pads.", Verdict.FAILED, message=ODD)
    with_message = Part("one", "1 Padding", 0.0, 2.0, verdict=Verdict.FAILED, tests=(test,))
    with_example = replace(with_message, anchor="two", heading="2 Windows", examples=(example,))
    whole = Page(ODD, "N-grams", "A course", 0.0, 4.0, [with_message, with_example])
    path = tmp_path / "page.html"
    path.write_text(whole.to_html(), encoding="utf-8")
    with browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark") as phone:
        page = phone.new_page()
        page.goto(path.as_uri())
        assert page.title().startswith("</pre>")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        gives = page.locator(".example dd pre").first
        assert gives.evaluate("(e) => e.scrollWidth > e.clientWidth && e.tabIndex === 0")
        assert violations(page) == {}
        on_screen = gives.evaluate("(e) => getComputedStyle(e).color")
        page.emulate_media(media="print")
        assert gives.evaluate("(e) => e.scrollWidth <= e.clientWidth")
        assert gives.evaluate("(e) => getComputedStyle(e).color") != on_screen  # not pale
