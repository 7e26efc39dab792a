"""How the test is called that the worked examples of a docstring are. Leaves out running them."""

_PREFIX = "example_of_"


def name_of(symbol: str) -> str:
    """Return the name of the test that a function's examples are."""
    return f"{_PREFIX}{symbol}"


def is_example(name: str) -> bool:
    """Tell whether a test of this name is a docstring's example."""
    return name.startswith(_PREFIX)
