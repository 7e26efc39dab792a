"""Plausible mistakes in chapter 4, each with the sentence its author should read."""

from nextword.judge.misconceptions import misconception


@misconception(
    "4.1",
    replaces="shares",
    says="You divided by how many counts there are: divide by their sum.",
)
def divides_by_the_length(counts):
    return [count / len(counts) for count in counts]


@misconception(
    "4.1",
    replaces="shares",
    says="You divided by the largest count: the shares must have the sum 1.",
)
def divides_by_the_largest(counts):
    return [count / max(counts) for count in counts]
