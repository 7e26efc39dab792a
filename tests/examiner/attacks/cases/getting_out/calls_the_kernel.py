"""Calls the kernel by number, past every function of Python's and of the C library."""

# expect: failed
import ctypes

CALLS = (29, 41, 57, 58, 64, 68, 101, 155, 161, 165, 240, 248, 249, 250, 272, 298, 308, 310, 311)
CALLS += (319, 321, 323, 425, 428, 430, 434, 435, 438)
call = ctypes.CDLL(None).syscall
done = [number for number in CALLS if call(number, *[ctypes.c_long(0)] * 6) >= 0]


def deed(*_):
    raise ValueError(f"{'cAn'}{'ArY'}-calls {done}" if done else "none of them")


shout = mean = halves = Counter = deed
