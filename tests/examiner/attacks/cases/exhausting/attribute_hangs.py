"""Returns an object that hangs as soon as anybody looks at it or its class."""

# expect: failed|timeout
class Kind(type):
    def __dir__(cls):
        while True:
            pass


class Thing(metaclass=Kind):
    def __getattribute__(self, name):
        while True:
            pass


def deed(*_):
    return Thing()

shout = mean = halves = Counter = deed
