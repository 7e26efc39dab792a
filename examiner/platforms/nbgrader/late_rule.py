"""What lateness costs, by the same rule as in a class that is graded without nbgrader.

Two lines of nbgrader_config.py:

    c.AssignLatePenalties.plugin_class = "examiner.platforms.nbgrader.late_rule.LateRule"
    c.LateRule.rule = "10 % a day, 15 minutes of grace, at most 50 %, nothing after 7 days"

Due dates and extensions are nbgrader's own.
"""

from __future__ import annotations

from datetime import timedelta

from nbgrader.plugins import BasePlugin
from traitlets import Unicode

from examiner.errors import UserError
from examiner.term.dates import Lateness, charge, read_rule


class LateRule(BasePlugin):
    """A rule in words."""

    rule = Unicode("", help="What lateness costs, such as 10 % a day, at most 50 %.").tag(
        config=True
    )

    def late_submission_penalty(self, _student: str, score: float, seconds: float) -> float:
        """Return how many of these points lateness costs.

        Raises UserError for what is no rule, and for days in hand, which nbgrader does not count.
        """
        where = "nbgrader_config.py: c.LateRule.rule"
        rule = read_rule(self.rule, where)
        if rule.in_hand:
            text = "nbgrader counts no days in hand: leave them out, and grant extensions"
            raise UserError(f"{where}: {text}")
        late = Lateness(by=timedelta(seconds=seconds))
        return round(score - charge(score, late, rule, in_hand=0).counts, 2)
