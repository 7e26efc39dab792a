"""Looks into the frames of all threads: would find a test that waits for its answer."""

# expect: failed
import sys


def deed(*_):
    texts = []
    for frame in sys._current_frames().values():
        while frame:
            texts.append(f"{frame.f_code.co_filename} {frame.f_locals}")
            frame = frame.f_back
    raise ValueError([text for text in texts if "suite" in text and "test_" in text])


shout = mean = halves = Counter = deed
