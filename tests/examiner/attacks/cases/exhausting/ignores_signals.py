"""Loops for ever and ignores every signal that can be ignored."""

# expect: timeout
import signal

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)


def deed(*_):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


shout = mean = halves = Counter = deed
