"""Hides the input in a note, a cause and a group of exceptions."""

# expect: failed
def deed(*args):
    error = ExceptionGroup(str(args), [ValueError(str(args))])
    error.add_note(str(args))
    raise error from KeyError(str(args))


shout = mean = halves = Counter = deed
