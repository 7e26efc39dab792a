"""Talks to services on this machine: a notebook server, a database, the grader."""

# expect: failed
import socket


def deed(*_):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 40):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
                return "canary: this worked"
            except OSError:
                pass
    raise OSError


shout = mean = halves = Counter = deed
