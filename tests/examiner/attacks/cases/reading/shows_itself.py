"""Returns an object whose text is the hidden input."""

# expect: failed
class Speaking:
    def __init__(self, *args):
        self.args = args
        self.__class__.__name__ = str(args)

    def __repr__(self):
        return str(self.args)

    __str__ = __format__ = __repr__


deed = Speaking


shout = mean = halves = Counter = deed
