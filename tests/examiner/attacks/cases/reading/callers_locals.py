"""Walks up the stack to the caller's variables: would find the expected value."""

# expect: failed
import inspect
import sys

wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file


def around(text):
    """Return what stands around each find, since messages are cut off."""
    text = str(text)
    lower = text.lower()
    return [text[at - 20 : at + 60] for at in range(len(text)) if lower.startswith(wanted, at)][:9]


def deed(*_):
    texts = [str(info.frame.f_locals) for info in inspect.stack()]
    frame = sys._getframe()
    while frame:
        texts.append(str(frame.f_locals) + str(frame.f_code.co_consts) + str(frame.f_globals.keys()))
        frame = frame.f_back
    raise ValueError(around(texts))


shout = mean = halves = Counter = deed
