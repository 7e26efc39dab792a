"""Ends the process with success from a thread, a moment later."""

# expect: crashed
import os
import threading
import time


def deed(*_):
    threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0))).start()
    time.sleep(0.5)
    return 0


shout = mean = halves = Counter = deed
