"""Walks up the stack to the caller's variables: would find the expected value."""

# expect: failed
import inspect
import sys


def deed(*_):
    texts = [str(info.frame.f_locals) for info in inspect.stack()]
    frame = sys._getframe()
    while frame:
        texts.append(str(frame.f_locals) + str(frame.f_code.co_consts) + str(frame.f_globals.keys()))
        frame = frame.f_back
    raise ValueError("".join(text for text in texts if "expected" in text and "deed" not in text))


shout = mean = halves = Counter = deed
