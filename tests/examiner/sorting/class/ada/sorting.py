"""Ada's work: right, in another way than the reference."""

import bisect
import heapq


def insert(items, item):
    items = list(items)
    bisect.insort(items, item)
    return items


def merge(left, right):
    return list(heapq.merge(left, right))
