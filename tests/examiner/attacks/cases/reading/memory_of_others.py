"""Reads the memory of the server and of the grader: would find everything."""

# expect: failed
import ctypes
import os


def deed(*_):
    libc = ctypes.CDLL(None, use_errno=True)
    texts = []
    for pid in [os.getppid(), *range(1, 2000)]:
        if libc.ptrace(16, pid, 0, 0) == 0:
            texts.append(f"canary: {pid}")
        try:
            with open(f"/proc/{pid}/mem", "rb") as file:
                texts.append(f"canary: {file.read(10)}")
        except OSError:
            pass
    raise ValueError(str(texts) if texts else "nothing")


shout = mean = halves = Counter = deed
