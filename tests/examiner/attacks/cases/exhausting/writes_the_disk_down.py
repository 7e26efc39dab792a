"""Has the disk write down all that it holds, by files that it can only read: all others wait."""

# expect: failed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
MS_SYNC = 4


def deed(*_):
    file = os.open(os.__file__, os.O_RDONLY)
    real = []
    for write_down in (libc.fsync, libc.fdatasync):
        assert write_down(file) == 0
        real.append(write_down(999) != 0)  # the system knows that there is no such file
    real.append(libc.msync(ctypes.c_void_p(4096), 4096, MS_SYNC) != 0)
    raise ValueError("ca" + "nary" if any(real) else "nothing gained")


shout = mean = halves = Counter = deed
