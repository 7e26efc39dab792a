"""Makes a function that is named after the hidden input and fails in it."""

# expect: failed
def deed(*args):
    def inner():
        raise ValueError

    inner.__code__ = inner.__code__.replace(co_name=str(args), co_qualname=str(args))
    inner()


shout = mean = halves = Counter = deed
