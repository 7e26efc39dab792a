"""What is wrong with what the user gave, or with a suite: light, since every command loads it."""


class UserError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do.

    The command line prints the message and exits with 2.
    """


class MissingPackageError(UserError):
    """A package that the work needs is not installed; `package` is its name."""

    def __init__(self, who: str, package: str) -> None:
        super().__init__(f"{who} needs {package}, which is not installed")
        self.package = package


class SuiteError(Exception):
    """A suite is broken: the maintainers' fault, not the student's."""
