"""The tests: of each chapter, with suite and sample class, of the two wings and of the book."""
