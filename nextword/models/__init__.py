"""Trained models: how each is trained and measured, what the book ships of it, the ladder."""
