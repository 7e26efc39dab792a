"""What a search for telling inputs found is kept: a class is judged under one seed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

import numpy as np

Found = TypeVar("Found")
Rest = ParamSpec("Rest")

MOST = 32  # results of a search that are kept


def found_once(
    search: Callable[Concatenate[np.random.Generator, Rest], Found],
) -> Callable[Concatenate[np.random.Generator, Rest], Found]:
    """Keep what a search finds, for each state of its generator and each of its arguments.

    A test whose inputs are only good if a mistake changes what comes out draws until they are. All
    students of a class get the same inputs, so the search is the same for all of them. What is
    returned is a copy, and the generator goes on from where the search left it.

    For functions of a suite's own that ask nothing of a student's code. What they are given and
    what they return must be plain values, arrays or tensors.

    >>> @found_once
    ... def large(rng):
    ...     print("searching")
    ...     return next(n for n in iter(lambda: int(rng.integers(100)), None) if n > 90)
    >>> rngs = np.random.default_rng(0), np.random.default_rng(0)
    >>> [large(rng) for rng in rngs]
    searching
    [91, 91]
    >>> len({int(rng.integers(10**9)) for rng in rngs})
    1
    """
    kept: dict[bytes, bytes] = {}

    @wraps(search)
    def once(rng: np.random.Generator, /, *args: Rest.args, **named: Rest.kwargs) -> Found:
        key = pickle.dumps((rng.bit_generator.state, args, named))
        if key not in kept:
            value = search(rng, *args, **named)
            if len(kept) >= MOST:
                del kept[next(iter(kept))]
            kept[key] = pickle.dumps((value, rng.bit_generator.state))
        value, rng.bit_generator.state = pickle.loads(kept[key])
        return cast(Found, value)

    return once
