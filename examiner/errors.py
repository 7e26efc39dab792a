"""What is wrong with what the user gave, or with a suite: light, since every command loads it."""


class UserError(Exception):
    """Something that the user gave cannot be used; the message says what, and what to do.

    The command line prints the message and exits with 2.
    """


KEPT = "what was graded before is kept"


def unwritable(where: object, error: OSError, *, but: str = "") -> UserError:
    """Return what is raised where a file or folder cannot be written; `but` says what is not lost.

    >>> print(unwritable("a.json", OSError(28, "No space left on device"), but=KEPT))
    a.json cannot be written: No space left on device; what was graded before is kept
    """
    return UserError(
        f"{where} cannot be written: {error.strerror or error}{f'; {but}' if but else ''}"
    )


class MissingPackageError(UserError):
    """A package that the work needs is not installed; `package` is its name."""

    def __init__(self, who: str, package: str) -> None:
        super().__init__(f"{who} needs {package}, which is not installed")
        self.package = package


class SuiteError(Exception):
    """A suite is broken: the maintainers' fault, not the student's."""
