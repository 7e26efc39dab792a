"""Where shipped models are, in a course folder."""

FOLDER = "checkpoints"
RUNGS = "ladder"  # the folder in it that holds what was measured of each rung
