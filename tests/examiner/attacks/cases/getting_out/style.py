"""Closes the style sheet and brings one of its own, to hide its grade."""

# expect: failed
def deed(*_):
    raise ValueError("</style><style>section{display:none}</style><link rel=stylesheet href=//x>")


shout = mean = halves = Counter = deed
