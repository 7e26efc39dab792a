"""Fills the disk."""

# expect: failed
def deed(*_):
    with open("hoard", "ab") as file:
        while True:
            file.write(bytes(1 << 20))


shout = mean = halves = Counter = deed
