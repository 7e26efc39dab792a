"""Where shipped rungs are, in the folder of shipped models."""

RUNGS = "ladder"  # what was measured of each rung
TWICE = "ladder-twice"  # the same, of rungs that read twice as many words
