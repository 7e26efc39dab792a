"""Rewrites its own file and the line cache, so that the quoted line shows the input."""

# expect: failed
import linecache
from pathlib import Path


def deed(*args):
    lines = Path(__file__).read_text().splitlines()
    lines = [f"# {args!r}" for _ in lines]
    Path(__file__).write_text("\n".join(lines))
    linecache.cache[__file__] = (1, None, lines, __file__)
    raise ValueError


shout = mean = halves = Counter = deed
