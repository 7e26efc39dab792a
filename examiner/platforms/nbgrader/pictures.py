"""Pictures that students paste into their answers, made safe to show in a marker's browser.

Each is decoded and written anew, so that nothing reaches the browser but its pixels.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Mapping
from typing import Any

from PIL import Image, ImageOps

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG"}
MAX_BYTES = 20 << 20  # of a picture as it was pasted
MAX_PIXELS = 40_000_000  # a photo of a telephone has 12 million
MAX_SIDE = 1600  # pixels; larger ones are shown smaller
MAX_PICTURES = 20  # in a notebook


def redrawn(kind: str, data: Any) -> str | None:
    """Return a picture's pixels in the same format, in base64; None for what is no picture.

    `kind` is image/png or image/jpeg; `data` is what a notebook holds, base64 in text.
    """
    if kind not in FORMATS or not isinstance(data, str) or len(data) > MAX_BYTES * 4 // 3:
        return None
    try:
        raw = base64.b64decode("".join(data.split()), validate=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Pillow warns of damaged metadata and of bombs
            found = Image.open(io.BytesIO(raw), formats=[FORMATS[kind]])
            if found.width * found.height > MAX_PIXELS:
                return None
            pixels = ImageOps.exif_transpose(found)
        pixels = pixels.convert("RGB" if kind == "image/jpeg" else "RGBA")
        pixels.thumbnail((MAX_SIDE, MAX_SIDE))
        written = io.BytesIO()
        pixels.save(written, FORMATS[kind])
    except Exception:  # Pillow raises what it likes, such as struct.error, for damaged metadata
        return None
    return base64.b64encode(written.getvalue()).decode()


class Attachments:
    """Goes over the files in a notebook's text cells; at most MAX_PICTURES of them stay."""

    def __init__(self) -> None:
        self._left = MAX_PICTURES

    def checked(self, files: Any) -> dict[str, dict[str, str]]:
        """Return the pictures among a cell's attachments (by name and type), drawn anew."""
        kept: dict[str, dict[str, str]] = {}
        for name, kinds in files.items() if isinstance(files, Mapping) else ():
            for kind in FORMATS if isinstance(kinds, Mapping) and self._left else ():
                if kind in kinds and (data := redrawn(kind, kinds[kind])) is not None:
                    kept[name] = {kind: data}
                    self._left -= 1
                    break
        return kept
