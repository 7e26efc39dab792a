"""The one exception that means "wrong use": its text is printed as a line, without a traceback."""


class UserError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do.

    The command line prints the message and exits with 2.
    """


class MissingPackageError(UserError):
    """A package that the work needs is not installed; `package` is its name."""

    def __init__(self, who: str, package: str) -> None:
        super().__init__(f"{who} needs {package}, which is not installed")
        self.package = package
