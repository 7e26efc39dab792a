"""Searches every object in memory for tests and their constants: would read what is hidden."""

# expect: failed
import gc
import types

wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file


def around(text):
    """Return what stands around each find, since messages are cut off."""
    text = str(text)
    lower = text.lower()
    return [text[at - 20 : at + 60] for at in range(len(text)) if lower.startswith(wanted, at)][:9]


def deed(*_):
    found = [
        (each.__name__, each.__code__.co_consts)
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType) and each.__name__.startswith("test_")
    ]
    texts = [str(each)[:99] for each in gc.get_objects() if isinstance(each, dict) and "SECRET" in each]
    raise ValueError(around(found) + around(texts))


shout = mean = halves = Counter = deed
