"""One claim: a sentence, what was measured of it, and the bounds that every value must keep."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

MIME = "application/vnd.nextword.claim+json"  # of a claim among the stored outputs of a page


@dataclass(frozen=True, repr=False)
class Claim:
    """A sentence of a page with the values that it rests on."""

    says: str  # the sentence, shortened: "The LSTM remembers longer than the RNN."
    measured: str  # what the values are: "share right of the LSTM, compared with the RNN"
    values: tuple[float, ...]  # one for each of `over`
    over: str = "seeds"  # what the values are of: seeds, draws, layers of one network
    once: bool = False  # the values are parts of one training: many of them, but one experiment
    above: float | None = None  # every value must be greater
    below: float | None = None  # every value must be less
    unit: str = ""  # "nats"; "times" or "points more" where two things are compared
    budget: str = ""  # what each training got: "600 steps of 32 rows"
    control: str = ""  # what it is compared with: "the same network, untrained"

    def __post_init__(self) -> None:
        if not self.values or not all(math.isfinite(value) for value in self.values):
            raise ValueError(f"values={self.values} must be one or more finite numbers")
        if self.above is None and self.below is None:
            raise ValueError("a claim needs a bound: give `above`, `below` or both")
        for name in ("says", "measured"):
            if not getattr(self, name):
                raise ValueError(f"a claim needs a text in `{name}`")

    @property
    def holds(self) -> bool:
        """Whether every value keeps the bounds, not their mean alone."""
        low = -math.inf if self.above is None else self.above
        high = math.inf if self.below is None else self.below
        return all(low < value < high for value in self.values)

    @property
    def effect(self) -> float:
        """The mean of the values."""
        return math.fsum(self.values) / len(self.values)

    @property
    def is_observation(self) -> bool:
        """Whether it rests on one training or one draw, so that luck is not ruled out."""
        return self.once or len(self.values) == 1

    @property
    def tried(self) -> str:
        """How often: "3 seeds"; "once, an observation"; "6 layers of one network, …"."""
        many = f"{len(self.values)} {self.over}"
        if not self.is_observation:
            return many
        return f"{many if len(self.values) > 1 else 'once'}, an observation"

    @property
    def mean(self) -> str:
        """The effect with its unit: "0.31 nats"; as much as the other is "1.00 times"."""
        number = shown(self.effect)
        exact = "1.00" if (number, self.unit) == ("1", "times") else number
        return f"{exact} {self.unit}".rstrip()

    @property
    def spread(self) -> str:
        """From the smallest value to the largest: "0.28 to 0.35"; "" where all are the same."""
        low, high = shown(min(self.values)), shown(max(self.values))
        return "" if low == high else f"{low} to {high}"

    @property
    def found(self) -> str:
        """The effect and, of several values, the spread: "0.31 nats (0.28 to 0.35)"."""
        return f"{self.mean} ({self.spread})" if self.spread else self.mean

    @property
    def bound(self) -> str:
        """What the page's test asks of every value: "above 0.2 and below 0.4"."""
        sides = (("above", self.above), ("below", self.below))
        return " and ".join(f"{side} {shown(value)}" for side, value in sides if value is not None)

    @property
    def line(self) -> str:
        """The claim's values in a line: what was measured, how much it is, how sure that is."""
        return f"{self.measured}: {self.found}; tried: {self.tried}; tested: {self.bound}"

    @property
    def html(self) -> str:
        """The same for a page, whose style sheet sets the numbers in a column of their own."""
        spread = f" <span>({self.spread})</span>" if self.spread else ""
        return (
            f'<p class="nw-claim"><b>{escape(self.mean)}</b>{spread} '
            f"<span>{_with_emphasis(capitalized(self.measured))}</span> "
            f"<small>Tried: {escape(self.tried)}; tested: {escape(self.bound)}</small></p>"
        )

    def __repr__(self) -> str:
        return self.line

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: {key: value for key, value in asdict(self).items() if _is_given(value)},
            "text/html": self.html,
            "text/plain": self.line,
        }


def _with_emphasis(line: str) -> str:
    """Return a line as HTML, with what stands between asterisks in italics.

    >>> _with_emphasis("weight of *hen* < 1")
    'weight of <em>hen</em> &lt; 1'
    """
    return re.sub(r"\*(\w[^*]*)\*", r"<em>\1</em>", escape(line))


def capitalized(text: str) -> str:
    """The text with a capital letter at its beginning, and otherwise as it is."""
    return text[0].upper() + text[1:]


def _is_given(value: Any) -> bool:
    """Whether a field says something; a bound of 0 does."""
    return value not in ("", None) and value is not False


def claim(says: str, measured: str, values: float | Sequence[float], **more: Any) -> None:
    """Check a claim and store it with the page: an AssertionError where a value breaks a bound.

    `more` are the other fields of `Claim`: a bound (`above`, `below`), `over`, `once`, `unit`,
    `budget`, `control`.

    >>> claim("Two is more.", "two minus one", [1.0, 1.0], above=0, over="draws")
    two minus one: 1; tried: 2 draws; tested: above 0
    """
    from IPython.display import display

    row: Any = values if _has_rows(values) else (values,)
    made = Claim(says, measured, tuple(rounded(float(value)) for value in row), **more)
    assert made.holds, f"{says} {made.line}"
    display(made)


def _has_rows(values: Any) -> bool:
    """Whether it can be gone through: an array of numpy's without axes cannot."""
    return isinstance(values, Sequence) or getattr(values, "ndim", 0) > 0


def rounded(value: float) -> float:
    """Four digits: further ones differ between processors."""
    return float(f"{value:.4g}") if math.isfinite(value) else value


def shown(value: float) -> str:
    """Three digits, without an exponent where a reader can do without.

    >>> [shown(value) for value in (0.03125, 12.0, 1234567.0, 1.2e-9, 0.0)]
    ['0.0312', '12', '1,230,000', '1.2e-09', '0']
    """
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e9:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        text = f"{float(f'{value:.3g}'):,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.3g}"
