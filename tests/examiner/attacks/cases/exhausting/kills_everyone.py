"""Kills its process group, its parent and every process it may."""

# expect: failed
import os
import signal


def deed(*_):
    for target in (os.getppid(), -1, *range(2, 5000)):
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            pass
    try:
        os.killpg(os.getpgrp(), signal.SIGKILL)
    except OSError:
        pass
    return 0


shout = mean = halves = Counter = deed
