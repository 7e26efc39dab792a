"""Makes an exception type that is named after the hidden input."""

# expect: failed
def deed(*args):
    raise type(str(args[0]), (ValueError,), {"__module__": "builtins"})(str(args))


shout = mean = halves = Counter = deed
