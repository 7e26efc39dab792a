"""The tests of what judges: `examiner`."""
