"""Looks the expected value up among strings that Python keeps: would find constants."""

# expect: failed
import gc

wanted = bytes([99, 97, 110, 97, 114, 121, 45, 99, 111, 110]).decode()


def deed(*_):
    found = set()
    for each in gc.get_objects():
        for inner in gc.get_referents(each):
            if isinstance(inner, str) and inner.lower().startswith(wanted) and inner != wanted:
                found.add(inner)
    raise ValueError(str(found))


shout = mean = halves = Counter = deed
