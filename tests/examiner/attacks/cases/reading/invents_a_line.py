"""Compiles a line that quotes the input under its own file's name."""

# expect: failed
def deed(*args):
    code = compile("\n" * 3 + f"raise ValueError  # {args!r}", __file__, "exec")
    exec(code)


shout = mean = halves = Counter = deed
