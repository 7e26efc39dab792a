"""Where grades are kept and submissions come from, beside this command: nbgrader, Gradescope."""
