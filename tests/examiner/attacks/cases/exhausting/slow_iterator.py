"""Returns an iterator each of whose steps is slow."""

# expect: failed timeout timeout
import time


class Deed:
    def __init__(self, *_):
        pass

    def __iter__(self):
        while True:
            time.sleep(0.3)
            yield 1

    step = count = property(lambda self: list(self))


shout = mean = halves = Counter = Deed
