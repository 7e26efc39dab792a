"""Runs a suite on one submission and says what became of each test, and why."""
