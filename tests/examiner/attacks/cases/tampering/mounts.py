"""Mounts folders over others and leaves its namespaces."""

# expect: failed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def deed(*_):
    done = [
        libc.mount(b"/", b"/tmp", b"none", 4096, None),
        libc.umount2(b"/proc", 2),
        libc.unshare(0x10000000),
        libc.setns(3, 0),
        libc.chroot(b"/dev"),
    ]
    return "canary: this worked" if 0 in done else "locked in"


shout = mean = halves = Counter = deed
