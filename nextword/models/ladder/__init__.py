"""The ladder: every model of the course on the same text, above the floor no model can go below."""
