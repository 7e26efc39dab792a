"""Pages from jinja2 templates: every value is escaped, and one that is missing is an error.

A page may load nothing: its style sheet stands in it, and its policy lets through that sheet alone.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def environment(*packages: str) -> Environment:
    """Return the templates of packages, the first of a name."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def style_sheet(package: str, name: str) -> tuple[str, str]:
    """Return a style sheet and its hash, which is all that a page's policy lets through."""
    css = resources.files(package).joinpath("templates", name).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return css, f"sha256-{digest}"


def marked(text: str) -> Markup:
    """Return text as HTML in which what differs from the right answer is marked.

    >>> marked("[0.5 «0.7»]")
    Markup('[0.5 <mark>0.7</mark>]')
    """
    return Markup(re.sub("«(.*?)»", r"<mark>\1</mark>", str(escape(text))))


def unmarked(text: str) -> str:
    """Return text without the signs by which a part of it is marked.

    >>> unmarked("[0.5 «0.7»]")
    '[0.5 0.7]'
    """
    return re.sub("[«»]", "", text)
