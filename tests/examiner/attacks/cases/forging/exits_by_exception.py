"""Raises what ends programs: SystemExit, KeyboardInterrupt, GeneratorExit."""

# expect: crashed
count = 0


def deed(*_):
    global count
    count += 1
    raise (SystemExit(0), KeyboardInterrupt(), GeneratorExit())[count % 3]


shout = mean = halves = Counter = deed
