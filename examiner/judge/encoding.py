"""The text of a module as it was saved: UTF-8, and the same text for Python as for us."""

from __future__ import annotations

import codecs
import re

# Python's names of the encodings that editors save text in; others hold no text, run code, or take
# time that grows with the square of the text's length
_OF_TEXT = re.compile(
    r"utf-8(-sig)?|ascii|iso8859-\d+|(pt)?cp\d+|koi8-\w|kz1048|mac-\w+|hp-roman8|tis-620"
    r"|gb\w+|hz|big5\w*|shift_jis\w*|euc_\w+|iso2022_\w+|johab"
)
# as the Language Reference has it (2.1.4, Encoding declarations): in the first line, or in the
# second one after a line without code
_DECLARED = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_WITHOUT_CODE = re.compile(rb"[ \t\f]*(#|$)")


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

    Python must read the same text as we do: `# coding: utf-7` may make another one of it.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        encoding = codecs.lookup(_declared(data)).name
    except LookupError:  # there is no such encoding, and so no other text
        return ""
    if not _OF_TEXT.fullmatch(encoding):
        return f"another encoding, in which no module is saved ({encoding})"
    try:
        same = data.decode(encoding) == text
    except UnicodeDecodeError:
        same = False
    return "" if same else f"another encoding than it is saved in ({encoding})"


def _declared(data: bytes) -> str:
    """Return the name of the encoding that a module declares, or Python's own.

    A carriage return alone ends a line for Python, too. subtle: `tokenize.detect_encoding` reads
    the first lines in that encoding since Python 3.14, which may take all the time there is.
    """
    for line in re.split(rb"\r\n?|\n", data, maxsplit=2)[:2]:
        if found := _DECLARED.match(line):
            return found[1].decode()
        if not _WITHOUT_CODE.match(line):
            break
    return "utf-8"
