"""Starts threads without end."""

# expect: failed
import threading
import time


def deed(*_):
    threading.stack_size(1 << 15)
    while True:
        threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()


shout = mean = halves = Counter = deed
