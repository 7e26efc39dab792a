"""Keeps hidden inputs and tells them when a visible test runs, whose messages are shown."""

# expect: failed
seen = []


def deed(*args):
    seen.append(args)
    raise ValueError(f"all inputs so far: {seen}")


shout = mean = halves = Counter = deed
