"""Resolves a name: the question alone carries data out."""

# expect: failed
import socket


def deed(*args):
    return socket.gethostbyname(f"{args}.example.org")


shout = mean = halves = Counter = deed
