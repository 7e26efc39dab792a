"""Words whose sense another word decides: where they stand, what a network's vectors tell of them.

Serves the page on attention: *it* is the animal or the way, a *bank* is a river's or the clerk's.
Leaves out: the networks (nextword.models.attention_only) and their training.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from nextword.corpora.village.scenes.animals import IS_TIRED
from nextword.given.batches import BOS
from nextword.models.attention_only import AttentionOnly, fused, fused_attention
from nextword.models.training import padded

Change = Callable[[Tensor], Tensor]  # from a head's weights to those it shall have, of its shape
Looked = tuple[Tensor, Tensor]  # what a layer's `look` returns: new vectors and weights


@dataclass(frozen=True)
class Case:
    """A word of two senses in a story. Places count the words of the story from 0."""

    words: tuple[str, ...]  # the story up to the end of what follows from the sense
    it: int  # the place of the word in question
    reason: int  # the place of the word that decides: tired, wide, green, busy
    label: bool  # *it* is the animal, the bank is a river's
    right: int | None = None  # the place of the noun that *it* means
    wrong: int | None = None  # the place of the other noun
    again: int | None = None  # the place where that noun is said again, if it is


def crossings(stories: Sequence[Sequence[str]]) -> list[Case]:
    """Each "the hen did not cross the road because it was too tired . so …" of some stories.

    >>> story = "the hen did not cross the road because it was too tired , so bo let the hen rest ."
    >>> (case,) = crossings([story.split()])
    >>> [case.words[k] for k in (case.it, case.reason, case.right, case.wrong, case.again)]
    ['it', 'tired', 'hen', 'road', 'hen']
    """
    found = []
    for story, k in _places(stories, ("did", "not", "cross")):
        animal, way, it, reason = k - 1, k + 4, k + 6, k + 9
        label = story[reason] in IS_TIRED
        right, wrong = (animal, way) if label else (way, animal)
        end = story.index(".", reason + 2)  # not the full stop between the reason and "so"
        again = [j for j in range(reason, end) if story[j] == story[right]]
        words = tuple(story[: end + 1])
        found.append(Case(words, it, reason, label, right, wrong, again[0] if again else None))
    return found


def banks(stories: Sequence[Sequence[str]]) -> list[Case]:
    """Each "the bank was green" or "the bank was busy" of some stories.

    >>> cases = banks(["bo sat on the bank and watched the boats . the bank was steep .".split()])
    >>> [(case.words[case.it - 1 : case.reason + 1], case.label) for case in cases]
    [(('the', 'bank', 'was', 'steep'), True)]
    """
    found = []
    for story, k in _places(stories, ("the", "bank", "was")):
        before = [j for j in range(k) if story[j] == "bank"][-1]
        words = tuple(story[: story.index(".", k) + 1])
        found.append(Case(words, k + 1, k + 3, story[before - 2] == "on"))
    return found


def _places(
    stories: Sequence[Sequence[str]], words: tuple[str, ...]
) -> Iterator[tuple[Sequence[str], int]]:
    """Each story and place where these words stand in a row."""
    for story in stories:
        for k in range(len(story) - len(words)):
            if tuple(story[k : k + len(words)]) == words:
                yield story, k


def balanced(cases: Sequence[Case]) -> list[Case]:
    """The first cases of each label, as many of the one as of the other, by turns."""
    yes, no = ([case for case in cases if case.label == label] for label in (True, False))
    return [case for pair in zip(yes, no, strict=False) for case in pair]


@torch.no_grad()
def vectors(
    net: AttentionOnly, cases: Sequence[Case], number: Mapping[str, int], size: int = 32
) -> list[Tensor]:
    """The vectors of the words in question, (cases, D), before the first layer and after each."""
    parts = []
    shift = int(net.sizes.causal)  # such a network reads BOS first
    for k in range(0, len(cases), size):
        chosen = cases[k : k + size]
        rows = padded([[BOS] * shift + [number[w] for w in case.words] for case in chosen])
        places = torch.tensor([case.it + shift for case in chosen])
        with fused_attention(net):
            found = net.vectors(rows)
        parts.append([x[torch.arange(len(chosen)), places] for x in found])
    return [torch.cat(layer) for layer in zip(*parts, strict=True)]


def direction(x: Tensor, labels: Sequence[bool]) -> tuple[Tensor, Tensor]:
    """w and b such that x @ w + b > 0 says "True": ridge regression on labels of 1 and -1."""
    y, mean = torch.tensor(labels) * 2.0 - 1, x.mean(0)
    centred = x - mean
    w = torch.linalg.solve(centred.T @ centred + torch.eye(x.shape[1]), centred.T @ (y - y.mean()))
    return w, y.mean() - mean @ w


def probe(x: Tensor, labels: Sequence[bool], new: Tensor, new_labels: Sequence[bool]) -> float:
    """The share of new vectors whose label a linear probe tells that was fitted to x.

    >>> x = torch.tensor([[0.0, 2.0], [0.0, 3.0], [1.0, -2.0], [1.0, -1.0]])
    >>> probe(x, [True, True, False, False], torch.tensor([[0.0, 9.0], [3.0, -1.0]]), [True, True])
    0.5
    """
    w, b = direction(x, labels)
    return ((new @ w + b > 0) == torch.tensor(new_labels)).double().mean().item()


@contextmanager
def changed_heads(
    net: AttentionOnly, changes: Mapping[tuple[int, int], Change], places: Tensor | None = None
) -> Iterator[None]:
    """Inside, head h of layer l looks with the weights that `changes[l, h]` makes of its own.

    A function that returns zeros knocks the head out; one that moves a weight tests whether the
    prediction follows. What the layers' `look` was before is put back at the end.

    places: where it happens, one place of each sentence, (B,). A change then gets the weights from
    there, (B, S), and the layers return no weights: all other words look as usual, by torch's one
    call, which is five times as fast. Without it, a change gets a head's whole table, (B, T, S).
    """
    layers: dict[int, Any] = {layer: net.layers[layer] for layer, _ in changes}
    before = {layer: each.look for layer, each in layers.items()}

    def changed(layer: int, weights: Tensor) -> Tensor:
        """The weights of a layer's heads, along the second axis, with the changes of that layer."""
        new = weights.clone()
        for (at, head), change in changes.items():
            if at == layer:
                new[:, head] = change(new[:, head])
        return new

    def everywhere(layer: int, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Looked:
        weights = changed(layer, before[layer](q, k, v, mask)[1])
        return weights @ v, weights

    def there(layer: int, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Looked:
        y, none = fused(q, k, v, mask)
        B, H, T, _ = q.shape
        here = torch.arange(B), slice(None), places
        if mask is not None:  # (B, H, 1, S): what each sentence's place may see
            mask = mask.expand(B, H, T, k.shape[2])[here][:, :, None]
        weights = before[layer](q[here][:, :, None], k, v, mask)[1][:, :, 0]
        y[here] = torch.einsum("bhs, bhsk -> bhk", changed(layer, weights), v)
        return y, none

    try:
        for layer, each in layers.items():
            each.look = partial(everywhere if places is None else there, layer)
        yield
    finally:
        for layer, each in layers.items():
            each.look = before[layer]


@torch.no_grad()
def weights(net: AttentionOnly, tokens: Tensor) -> Tensor:
    """Where all heads look as a network reads: (layers, B, heads, T, T)."""
    seen: list[Tensor] = []
    hooks = [
        layer.register_forward_hook(lambda _, __, found: seen.append(found[1]))
        for layer in net.layers
    ]
    net.vectors(tokens)
    for hook in hooks:
        hook.remove()
    return torch.stack(seen)
