"""Connects to the sockets of services: Docker, D-Bus, the X server."""

# expect: failed
import ctypes
import os


def deed(*_):
    libc = ctypes.CDLL(None, use_errno=True)
    number = libc.syscall(41, 1, 1, 0)
    if number >= 0:
        return "canary: this worked"
    raise OSError(os.path.exists("/var/run/docker.sock"))


shout = mean = halves = Counter = deed
