"""Removes its folder and changes its root while it runs."""

# expect: failed
import os
import shutil


def deed(*_):
    shutil.rmtree(os.getcwd(), ignore_errors=True)
    os.chroot("/tmp")
    return 0


shout = mean = halves = Counter = deed
