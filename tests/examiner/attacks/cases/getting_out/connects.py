"""Opens a connection to another machine."""

# expect: failed
import socket


def deed(*args):
    with socket.create_connection(("1.1.1.1", 80), timeout=0.5) as sock:
        sock.sendall(str(args).encode())
    return "canary: this worked"


shout = mean = halves = Counter = deed
