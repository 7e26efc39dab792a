"""Changes from a thread what it has answered, until it is what was expected."""

# expect: failed
import threading

given = []


def change():
    while True:
        for each in given:
            each[:] = [1, 2] if each else [0]


threading.Thread(target=change, daemon=True).start()


def deed(*_):
    given.append([0])
    return given[-1]

shout = mean = halves = Counter = deed
