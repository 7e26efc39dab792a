"""Leaves files in every folder for temporary files."""

# expect: failed
from pathlib import Path


def deed(*_):
    for folder in ("/var/tmp", "/dev/shm", "/run", "/tmp/..", "{ROOT}/.."):
        try:
            Path(folder, "left-by-a-candidate").write_text("x")
        except OSError:
            continue
    raise OSError


shout = mean = halves = Counter = deed
