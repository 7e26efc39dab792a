"""Resolves a name: the question alone carries data out."""

# expect: failed
import socket


def deed(*args):
    socket.gethostbyname("example.org")
    return "canary: this worked"


shout = mean = halves = Counter = deed
