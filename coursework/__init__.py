"""The functions and classes that you write, one module per chapter."""
