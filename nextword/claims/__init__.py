"""What the pages claim of trained models: each claim with its measured values, checked and stored.

A page calls `claim` beside its assertions; `nextword claims` and the page *What this book claims*
read what was stored. Leaves out: claims of arithmetic, which need no seeds.
"""

from nextword.claims.measured import Claim, claim

__all__ = ["Claim", "claim"]
