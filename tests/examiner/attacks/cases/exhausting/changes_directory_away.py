"""Removes its folder and changes its root while it runs."""

# expect: failed
import os
import shutil


def deed(*_):
    shutil.rmtree(os.getcwd(), ignore_errors=True)
    os.chroot("/tmp")
    return "canary: this worked"


shout = mean = halves = Counter = deed
