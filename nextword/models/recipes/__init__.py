"""How the models that the book ships are trained, a file per chapter; each lists its `RECIPES`."""
