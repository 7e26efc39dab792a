"""Where the command begins, also as `python -m nextword`: Ctrl-C is heard while it is read, too."""

import sys

STOPPED = 130  # what shells know an interrupted program by


def main() -> None:
    """Run the command line."""
    try:
        from nextword.cli import main as run

        run()
    except KeyboardInterrupt:
        print("nextword: stopped", file=sys.stderr)
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
