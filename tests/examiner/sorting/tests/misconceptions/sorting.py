"""Plausible mistakes in the course on sorting."""

from examiner.judge.misconceptions import misconception


@misconception("1.1", replaces="insert", says="You put the item at the end: find its place first.")
def appends(items, item):
    return [*items, item]


@misconception("1.2", replaces="merge", says="You dropped equal items: a list may hold them twice.")
def drops_equal_items(left, right):
    return sorted({*left, *right})
