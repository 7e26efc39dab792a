"""Opens files without end."""

# expect: failed
def deed(*_):
    hoard = []
    while True:
        hoard.append(open("/dev/null"))


shout = mean = halves = Counter = deed
