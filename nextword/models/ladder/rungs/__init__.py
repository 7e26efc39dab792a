"""One file per kind of model; each says in `RUNGS` which steps it adds to the ladder."""
