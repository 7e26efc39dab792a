"""Changes the gradebook."""

# expect: failed
import sqlite3


def deed(*_):
    with sqlite3.connect("{ROOT}/gradebook.db") as book:
        book.execute("update grades set score = 100")
    return 0


shout = mean = halves = Counter = deed
