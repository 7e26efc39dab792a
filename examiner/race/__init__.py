"""A race of models on texts that nobody has seen: what each is asked, and how it is judged."""
