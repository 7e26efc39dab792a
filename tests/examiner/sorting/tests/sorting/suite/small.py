"""Small inputs of the course on sorting: what a wrong answer is shown on."""

from examiner.counterexamples import Example, Small, example, small


@small("1.1", "insert")
def short_lists(draw: Small) -> Example:
    items = sorted(draw.integer(0, 4) for _ in range(draw.length(0, 3)))
    return example("insert(items, item)", items=items, item=draw.integer(0, 4))


@small("1.2", "merge")
def two_short_lists(draw: Small) -> Example:
    left, right = (sorted(draw.integer(0, 4) for _ in range(draw.length(0, 3))) for _ in range(2))
    return example("merge(left, right)", left=left, right=right)
