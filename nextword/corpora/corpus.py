"""What a corpus with a known probability is: its tokens, and the log-probability of each."""

from dataclasses import dataclass, field

import numpy as np

EOS = "</s>"


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text as a flat list of tokens, with the true log-probability of each of them.

    `log_probs[t]` is ln P(tokens[t] | the earlier tokens of its story), so the perplexity of the
    process that made the text, exp(-mean of log_probs), is the best that any model can hope for.
    Every story ends with the token `</s>`, which is predicted like any other.

    >>> corpus = Corpus(["hello", "</s>", "hi", "</s>"], np.log([0.5, 1.0, 0.5, 1.0]))
    >>> corpus.stories()
    [['hello'], ['hi']]
    >>> round(corpus.perplexity, 4)
    1.4142
    """

    tokens: list[str]
    log_probs: np.ndarray  # one per token, natural logarithms
    kinds: list[str] = field(default_factory=list)  # of fact each token depends on, where known

    def stories(self) -> list[list[str]]:
        """The stories in order, each without its final `</s>`."""
        found: list[list[str]] = []
        story: list[str] = []
        for token in self.tokens:
            if token == EOS:
                found.append(story)
                story = []
            else:
                story.append(token)
        return [*found, story] if story else found

    @property
    def perplexity(self) -> float:
        """The perplexity of the true process on this text: exp(-mean log-probability)."""
        return float(np.exp(-np.mean(self.log_probs)))

    def __len__(self) -> int:
        return len(self.tokens)
