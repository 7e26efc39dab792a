"""Answers with an earlier answer, byte by byte."""

# expect: failed
from examiner.candidate import host as candidate

original, kept = candidate.Host.handle, []


def handle(self, *request):
    kept.append(original(self, *request))
    return kept[0]


candidate.Host.handle = handle


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
