"""Changes its own dictionary while it is read."""

# expect: failed
class Deed:
    __dir__ = lambda self: iter(int, 1)
    __getattribute__ = lambda self, name: self
    __call__ = lambda self, *_: self


deed = Deed()


shout = mean = halves = Counter = deed
