"""The text of a module as it was saved: UTF-8, and the same text for Python as for us."""

from __future__ import annotations

import codecs
import io
import re
import tokenize

# Python's names of the encodings that editors save text in; others hold no text, run code, or take
# time that grows with the square of the text's length
_OF_TEXT = re.compile(
    r"utf-8(-sig)?|ascii|iso8859-\d+|(pt)?cp\d+|koi8-\w|kz1048|mac-\w+|hp-roman8|tis-620"
    r"|gb\w+|hz|big5\w*|shift_jis\w*|euc_\w+|iso2022_\w+|johab"
)


class EncodingError(ValueError):
    """A module is saved, or declared, in another encoding; the message says what to do."""


def module_text(data: bytes, name: str) -> str:
    """Return a module's text; raises EncodingError.

    >>> module_text(b"x = 1\\n", "tiny.py")
    'x = 1\\n'
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EncodingError(f"{name} is saved as UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise EncodingError(
            f"{name} is not saved as UTF-8 (line {line}); save it as UTF-8"
        ) from None
    if trouble := _trouble_with_declaration(data, text):
        cure = "leave that line out, and save it as UTF-8"
        raise EncodingError(f"{name} declares {trouble}: {cure}")
    if "\0" in text:
        raise EncodingError(f"{name} is not a text file: save it as plain text, in UTF-8")
    return text


def _trouble_with_declaration(data: bytes, text: str) -> str:
    """Return what is wrong with the encoding that a module declares; "" where nothing is.

    Python must read the same text as we do: `# coding: utf-7` may make another one of it. A
    carriage return alone ends a line for Python, too.
    """
    lines = re.sub(rb"\r\n?", b"\n", data)
    try:
        declared, _ = tokenize.detect_encoding(io.BytesIO(lines).readline)
    except SyntaxError:  # there is no such encoding, and so no other text
        return ""
    encoding = codecs.lookup(declared).name
    if not _OF_TEXT.fullmatch(encoding):
        return f"another encoding, in which no module is saved ({encoding})"
    try:
        same = data.decode(encoding) == text
    except UnicodeDecodeError:
        same = False
    return "" if same else f"another encoding than it is saved in ({encoding})"
