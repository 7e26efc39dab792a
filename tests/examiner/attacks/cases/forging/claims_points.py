"""Prints and returns what looks like a result with all points."""

# expect: failed
import json
import sys

RESULT = json.dumps({"student": "me", "score": 1e9, "max_score": 12, "verdict": "passed"})


def deed(*_):
    print("\n" + RESULT)
    print(RESULT, file=sys.stderr)
    return {"verdict": "passed", "score": 1e9}


shout = mean = halves = Counter = deed
