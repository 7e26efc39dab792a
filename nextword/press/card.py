"""The picture that stands beside a shared link to the book: its promise above the falling ladder.

Run `python -m nextword.press.card` where the ladder has changed; a test says so. Leaves out: the
elements in a page's head that name the picture (`chapters/_ext/shared_links.py`).
"""

from __future__ import annotations

import struct
import zlib
from html import escape
from pathlib import Path

from examiner.project import find_project
from nextword.plots import falling
from nextword.press.typeset import printer
from nextword.products import shipped_ladder

PICTURE = Path("chapters", "_static", "card.png")
WIDTH, HEIGHT = 1200, 630
PROMISE = "Build language models, and know exactly how far each of them is from perfect."
KEY = b"Description"  # what PNG calls a text about the picture
SHEET = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><style>
@font-face {{ font-family: "Book"; src: url("{font}") format("woff2"); font-weight: 200 900; }}
body {{ margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 34px 44px 0; background: #fdfcf9; color: #173a42; font-family: Book; }}
header {{ display: flex; align-items: center; gap: 28px; }}
header img {{ height: 76px; }}
p {{ margin: 0; font-size: 33px; line-height: 1.2; font-weight: 600; text-wrap: balance; }}
svg {{ display: block; width: 860px; margin: 14px auto 0; font-family: "DejaVu Sans", sans-serif;
  --fig-ink: #22292b; --fig-muted: #56605f; --fig-faint: #d9d6ce; --fig-floor: #a84a14; --fig-line-0: #005f96; }}
</style><body><header><img alt="" src="{logo}"><p>{promise}</p></header>{ladder}</body></html>
"""  # noqa: E501 - a rule of a style sheet is one line


def facts(ladder: falling.Ladder) -> str:
    """What the picture shows, in words: the file says it too, so that a test can compare."""
    return f"{PROMISE} {ladder.alt}"


def sheet(root: Path, ladder: falling.Ladder) -> str:
    """The page of which the picture is taken."""
    static = root / "chapters" / "_static"
    return SHEET.format(
        font=(static / "fonts" / "source-serif-4-latin-wght-normal.woff2").as_uri(),
        logo=(static / "logo-light.svg").as_uri(),
        promise=escape(PROMISE),
        ladder=falling.wide(ladder),
    )


def described(png: bytes, text: str) -> bytes:
    """A PNG with a text about it, after its head."""
    head = 8 + 25  # the signature, and the first chunk
    body = KEY + b"\0\0\0\0\0" + text.encode()  # not compressed, in no language
    chunk = struct.pack(">I", len(body)) + b"iTXt" + body
    return png[:head] + chunk + struct.pack(">I", zlib.crc32(b"iTXt" + body)) + png[head:]


def description(png: bytes) -> str:
    """The text about a PNG; empty where it has none.

    >>> description(described(b"x" * 33, "A stair."))
    'A stair.'
    """
    place = png.find(b"iTXt" + KEY)
    if place < 0:
        return ""
    length = struct.unpack(">I", png[place - 4 : place])[0]
    return png[place + 4 : place + 4 + length].removeprefix(KEY + b"\0\0\0\0\0").decode()


def main() -> None:
    """Take the picture and write it."""
    root = find_project().root
    ladder = shipped_ladder(root)
    path = root / PICTURE
    page_file = path.with_suffix(".html")
    page_file.write_text(sheet(root, ladder), encoding="utf-8")
    try:
        with printer() as browser:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(page_file.as_uri())
            page.evaluate("document.fonts.ready")
            path.write_bytes(described(page.screenshot(), facts(ladder)))
    finally:
        page_file.unlink()


if __name__ == "__main__":
    main()
