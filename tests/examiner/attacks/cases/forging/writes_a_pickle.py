"""Answers with a pickle that runs code where it is read."""

# expect: crashed
import os
import pickle
import struct


class Evil:
    def __reduce__(self):
        return os.system, ("touch {ROOT}/pwned",)


def deed(*_):
    body = pickle.dumps(Evil())
    for number in range(3, 10):
        try:
            os.write(number, struct.pack(">II", len(body), 2) + body)
        except OSError:
            pass
    return Evil()


shout = mean = halves = Counter = deed
