"""Sorting by insertion and by merging. Leaves out: sorting in place."""


def insert(items: list[int], item: int) -> list[int]:
    """Return a sorted list with one item more, still sorted. About 2 lines.

    >>> insert([1, 3], 2)
    [1, 2, 3]
    """
    # BEGIN SOLUTION
    smaller = sum(each <= item for each in items)
    return [*items[:smaller], item, *items[smaller:]]
    # END SOLUTION


def merge(left: list[int], right: list[int]) -> list[int]:
    """Return the items of two sorted lists as one sorted list. About 3 lines.

    >>> merge([1, 4], [2, 3])
    [1, 2, 3, 4]
    """
    # BEGIN SOLUTION
    for item in right:
        left = insert(left, item)
    return left
    # END SOLUTION


def merge_sort(items: list[int]) -> list[int]:
    """Return the items in order, by merging the sorted halves. It is given."""
    if len(items) < 2:
        return items
    middle = len(items) // 2
    return merge(merge_sort(items[:middle]), merge_sort(items[middle:]))
