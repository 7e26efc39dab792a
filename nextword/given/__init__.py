"""What students' files may import, and nothing else: checks of arguments, batches, vocabularies."""
