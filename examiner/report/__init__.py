"""What a class's results say of its students, its tasks and its tests: numbers, and a page."""
