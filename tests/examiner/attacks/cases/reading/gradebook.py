"""Reads the gradebook with sqlite3: would know everyone's grades."""

# expect: failed
import sqlite3


def deed(*_):
    book = sqlite3.connect("file:{ROOT}/gradebook.db?mode=ro", uri=True)
    raise ValueError(str(book.execute("select * from grades").fetchall()))


shout = mean = halves = Counter = deed
