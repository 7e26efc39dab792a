"""Submissions that are alike: a class, and classes of years past. Leaves out any judgement."""
