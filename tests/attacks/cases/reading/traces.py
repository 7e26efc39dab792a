"""Traces every call: would see the test that calls it."""

# expect: failed
import sys
import threading

seen = []


def trace(frame, event, argument):
    if "suite" in frame.f_code.co_filename:
        seen.append(str(frame.f_locals))
    return trace


sys.settrace(trace)
sys.setprofile(trace)
threading.settrace(trace)
sys.addaudithook(lambda *event: seen.append(event) if "suite" in str(event) else None)


def deed(*_):
    raise ValueError(seen)


shout = mean = halves = Counter = deed
