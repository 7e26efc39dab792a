"""Where shipped models are, in a course folder."""

FOLDER = "checkpoints"
RUNGS = "ladder"  # the folder in it that holds what was measured of each rung
TWICE = "ladder-twice"  # the same, of rungs that read twice as many words
