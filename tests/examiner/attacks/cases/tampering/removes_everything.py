"""Removes every file that it can reach."""

# expect: failed|timeout
import os
import shutil


def deed(*_):
    for folder in ("{ROOT}", "{HOME}", "/tmp", "/dev", "/proc", "/var"):
        shutil.rmtree(folder, ignore_errors=True)
    raise OSError(os.listdir("/"))


shout = mean = halves = Counter = deed
