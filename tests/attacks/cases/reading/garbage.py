"""Searches every object in memory for tests and their constants: would read what is hidden."""

# expect: failed
import gc
import types


def deed(*_):
    found = [
        (each.__name__, each.__code__.co_consts)
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType) and each.__name__.startswith("test_")
    ]
    texts = [str(each)[:99] for each in gc.get_objects() if isinstance(each, dict) and "SECRET" in each]
    raise ValueError(str(found) + str(texts))


shout = mean = halves = Counter = deed
