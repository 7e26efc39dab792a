"""Files that the cases of the group supply_chain bring beside their module."""

from tests.examiner.attacks.vault import HONEST

_LEAVE = b"import os\nos._exit(0)\n"
_PASS = b"""import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
"""

BESIDE: dict[str, dict[str, bytes]] = {
    "conftest": {"conftest.py": _PASS, "tests/conftest.py": _PASS},
    "pytest_ini": {
        "pytest.ini": b"[pytest]\naddopts = --collect-only\n",
        "tox.ini": b"[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": b"[tool.pytest.ini_options]\naddopts = ['--collect-only']\n",
    },
    "sitecustomize": {
        "sitecustomize.py": _LEAVE,
        "usercustomize.py": _LEAVE,
        "evil.pth": b"import os; os._exit(0)\n",
    },
    "numpy": {f"{name}.py": _LEAVE for name in ("numpy", "torch", "msgpack", "pytest", "random")},
    "pycache": {
        "__pycache__/vault.cpython-311.pyc": bytes(64),
        "__pycache__/vault.cpython-312.pyc": bytes(64),
        "vault.pyc": bytes(64),
    },
    "compiled": {
        "vault.cpython-311-x86_64-linux-gnu.so": b"\x7fELF",
        "vault.so": b"\x7fELF",
        "vault/__init__.py": _LEAVE,
    },
    "package": {
        "coursework/__init__.py": _LEAVE,
        "nextword/__init__.py": _LEAVE,
        "solutions/vault.py": _LEAVE,
        "tests/vault/suite/test_vault.py": b"",
    },
    "entry_points": {
        "evil-1.dist-info/entry_points.txt": b"[pytest11]\nevil = evil\n",
        "evil-1.dist-info/METADATA": b"Name: evil\nVersion: 1\n",
        "evil.py": _PASS,
    },
    "makefile": {
        "Makefile": b"all:\n\ttouch pwned\n",
        "setup.py": _LEAVE,
        ".git/hooks/post-checkout": b"#!/bin/sh\ntouch pwned\n",
        ".envrc": b"touch pwned\n",
    },
}

# the module itself, where it is too long or too odd to lie in a file of its own
MADE: dict[str, bytes] = {
    "deep_expression": b"x = " + b"-" * 200_000 + b"1\n",
    "deep_attributes": b"x = x" + b".x" * 100_000 + b"\n",
    "line_of_spaces": HONEST.encode() + b"\nx:" + b" " * 200_000 + b"int\n",
    "long_line": b"def deed(*_):\n    raise ValueError(" + b"'x' 'y' " * 30_000 + b")\n"
    b"\n\nshout = mean = halves = Counter = deed\n",
}
# the folder, below the student's own, in which the module lies
INSIDE: dict[str, bytes] = {"folder_of_bytes": b"not-utf8-\xff"}
