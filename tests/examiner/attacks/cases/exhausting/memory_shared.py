"""Takes memory that other processes could share, which some limits do not count."""

# expect: failed
import mmap


def deed(*_):
    hoard = []
    while True:
        hoard.append(mmap.mmap(-1, 1 << 26))
        hoard[-1][0] = 1


shout = mean = halves = Counter = deed
