"""A term: when work is due and was handed in, what lateness costs, what instructors correct."""
