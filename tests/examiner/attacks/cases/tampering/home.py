"""Writes to the home folder: a start-up file would run as the instructor."""

# expect: failed
from pathlib import Path


def deed(*_):
    for home in ("{HOME}", Path.home(), "/root"):
        for name in (".bashrc", ".profile", ".config/x", ".ssh/authorized_keys", ".netrc"):
            Path(home, name).write_text("echo pwned")
    return 0


shout = mean = halves = Counter = deed
