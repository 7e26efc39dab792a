"""Stops its own process, as Ctrl-Z would."""

# expect: timeout
import os
import signal
import time


def deed(*_):
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(1e6)


shout = mean = halves = Counter = deed
