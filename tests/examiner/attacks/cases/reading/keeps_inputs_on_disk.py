"""Writes hidden inputs to disk and reads them when it is started again."""

# expect: crashed
import os
from pathlib import Path

places = [Path("seen"), Path("/tmp/seen"), Path("/var/tmp/seen"), Path("/dev/shm/seen")]


def deed(*args):
    texts = []
    for place in places:
        try:
            texts.append(place.read_text())
        except OSError:
            pass
        try:
            place.write_text(str(args))
        except OSError:
            pass
    if "hi" not in args:
        os._exit(0)  # a new process, with which a visible test may go on
    raise ValueError(texts)


shout = mean = halves = Counter = deed
