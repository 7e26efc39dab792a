"""Leaves a thread behind that has the answers to the next requests ready before they are asked."""

# expect: failed|crashed
import os
import struct
import threading


def ahead():
    body = b"\x92\xa2ok\xc3"
    for number in range(1, 60):
        for descriptor in range(3, 8):
            try:
                os.write(descriptor, struct.pack(">II", len(body), number) + body)
            except OSError:
                pass


def deed(*_):
    threading.Thread(target=ahead, daemon=True).start()
    return True

shout = mean = halves = Counter = deed
