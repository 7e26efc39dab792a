"""Ben's work: the first task is done, the second is not begun."""


def insert(items, item):
    return sorted([*items, item])


def merge(left, right):
    raise NotImplementedError("1.2 merge: see section 1.2")
