"""The library of the course Next Word: corpora, plots, the ladder, checking and grading."""

__version__ = "0.1.0"
