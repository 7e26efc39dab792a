"""The race: readers' own models on stories of the village that nobody has seen."""
