"""A study of the ladder: is it the architecture, the size, or the training?"""
