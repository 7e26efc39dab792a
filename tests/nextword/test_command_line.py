"""The command line as a whole: help that can be read everywhere, wrong use in one line."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from nextword.cli import COMMANDS, app

OPTIONS = {
    name: [option for each in command.params for option in (*each.opts, *each.secondary_opts)]
    for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
}


def said(*command: str, columns: int = 80, status: int = 0) -> str:
    """What a command prints on a terminal of so many columns."""
    done = CliRunner().invoke(app, command, terminal_width=columns, prog_name="nextword")
    assert done.exit_code == status, done.output
    return done.output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option_on_a_narrow_terminal(command):
    help_of = said(command, "--help", columns=50)
    words = help_of.replace(",", " ").split()
    assert [name for name in OPTIONS[command] if name.startswith("-") and name not in words] == []
    assert max(map(len, help_of.splitlines())) <= 50


def test_the_list_of_commands_says_whole_sentences():
    listed = " ".join(said("--help", columns=60).split())
    assert "Say what works on this machine and what to do about the rest." in listed
    assert "Example" not in listed


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["grade"], "Missing argument 'CHAPTER'."),
        (["release", "ngrams"], "Missing option '--to'."),
        (["grade", "ngrams", "x", "--jobs", "-1"], "Invalid value for '--jobs'"),
    ],
)
def test_wrong_use_ends_with_one_line(command, why):
    *_, last = said(*command, status=2).strip().splitlines()
    assert last.startswith(f"Error: {why}")


STOPPED_EARLY = """
import runpy, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "nextword.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
runpy.run_module("nextword", run_name="__main__")
"""


def test_ctrl_c_while_the_commands_are_read_is_no_traceback():
    done = subprocess.run([sys.executable, "-c", STOPPED_EARLY], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "nextword: stopped\n")
