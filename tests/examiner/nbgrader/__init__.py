"""Tests of the assignment in nbgrader."""
