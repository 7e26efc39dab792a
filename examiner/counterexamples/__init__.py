"""Finds the smallest input on which a wrong answer differs from the reference, and shows it.

A suite's `small.py` says for each function how its inputs are made small and simple (small.py).
From that follows a pool of short programs, the simplest first, the same for everybody (pool.py).
The reference answers all of them once. A student's module answers them where it is, a few at a
time, until one differs (search.py): in order of size, so the first is the smallest and nothing has
to be shrunk. What a student reads of it is written by telling.py; which known mistake gives the
same answers, by naming.py.
"""

from examiner.counterexamples.small import Example, Small, example, small

__all__ = ["Example", "Small", "example", "small"]
