"""Starts a process that outlives it."""

# expect: failed
import os
import subprocess
import sys


def deed(*_):
    try:
        if os.fork() == 0:
            os.setsid()
            os.execlp("sleep", "sleep", "12345", "VAULT-CHILD")
    except OSError:
        pass
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(12345)  # VAULT-CHILD"])
    return 0


shout = mean = halves = Counter = deed
