"""Answers with a list that holds itself."""

# expect: failed
def deed(*_):
    nest = []
    nest.append(nest)
    return nest


shout = mean = halves = Counter = deed
