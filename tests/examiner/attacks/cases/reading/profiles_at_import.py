"""Watches every later import, call and warning from hooks that it sets while it is imported."""

# expect: failed
import builtins
import sys
import threading
import warnings

seen = []
wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file
original = builtins.__build_class__


def watch(frame, event, argument):
    seen.append((frame.f_code.co_filename, str(frame.f_globals.get("SECRET"))))


def build(*args, **kwargs):
    seen.append(str(args))
    return original(*args, **kwargs)


sys.setprofile(watch)
threading.setprofile(watch)
builtins.__build_class__ = build
warnings.showwarning = lambda *args: seen.append(str(args))
sys.excepthook = sys.unraisablehook = lambda *args: seen.append(str(args))


def deed(*_):
    sys.setprofile(None)
    raise ValueError([each for each in map(str, seen) if wanted in each.lower()][:9])

shout = mean = halves = Counter = deed
