"""Cleo's work: the second task drops items that are equal."""


def insert(items, item):
    return sorted([*items, item])


def merge(left, right):
    return sorted(set(left) | set(right))
