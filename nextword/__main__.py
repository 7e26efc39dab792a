"""Lets `python -m nextword` stand for the command."""

from nextword.cli import main

main()
