"""Runs a chapter's suite on the student's code in the student's own process."""
