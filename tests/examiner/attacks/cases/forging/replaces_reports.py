"""Replaces pytest's reports by ones that passed."""

# expect: failed
import _pytest.reports
import _pytest.runner

_pytest.reports.TestReport.outcome = property(lambda _: "passed", lambda *_: None)
_pytest.reports.TestReport.passed = True
_pytest.runner.call_runtest_hook = lambda *_, **__: None


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
