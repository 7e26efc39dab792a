"""Fills pipes and sends descriptors to itself: memory of the kernel that no process is charged."""

# expect: failed|crashed
import array
import contextlib
import fcntl
import os
import socket

ends = []


def deed(*_):
    with contextlib.suppress(OSError):
        while True:
            ends.append(os.pipe())
            fcntl.fcntl(ends[-1][1], 1031, 1 << 20)
            os.set_blocking(ends[-1][1], False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(ends[-1][1], bytes(1 << 16))
    for end in ends[-1:]:
        os.close(end[0])
        os.close(end[1])
    with contextlib.suppress(OSError):
        left, right = socket.socketpair()
        for _ in range(10_000):
            rights = array.array("i", [left.fileno()] * 200)
            left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    return 0

shout = mean = halves = Counter = deed
