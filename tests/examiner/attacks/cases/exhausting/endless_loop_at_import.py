"""Loops for ever when it is imported, after it has eaten its signals. (It sleeps: the limit for importing is long.)"""

# expect: timeout
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.alarm(1)


def deed(*_):
    while True:
        signal.pause()


shout = mean = halves = Counter = deed
