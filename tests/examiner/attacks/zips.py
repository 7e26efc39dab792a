"""Archives that try to get out, to explode, or to be something else."""

from __future__ import annotations

import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.examiner.attacks.vault import HONEST


def _zip(path: Path, *names: str, content: str | bytes = HONEST) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # two files of one name are the point
        for name in names:
            archive.writestr(name, content)


def _linked(path: Path, target: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("vault.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, target)


def _patched(path: Path, old: bytes, new: bytes) -> None:
    _zip(path, "vault.py", content=b"0" * (2 << 20))
    path.write_bytes(path.read_bytes().replace(old, new))


def _short(path: Path) -> None:
    _zip(path, "vault.py")
    path.write_bytes(path.read_bytes()[:-40])


def _spoiled(path: Path) -> None:
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes())
    data[60:70] = bytes(10)
    path.write_bytes(data)


def _encrypted(path: Path) -> None:
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)


def _liar(path: Path) -> None:
    """Its table of contents claims a million files."""
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<2H2L", data, end + 8, 0xFFFE, 0xFFFE, 1 << 30, 0)
    path.write_bytes(data)


def _lzma(path: Path) -> None:
    """Claims a dictionary of 4 GB, in a stream that is broken."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("vault.py", HONEST)
    data = bytearray(path.read_bytes())
    at = data.index(b"vault.py") + len(b"vault.py")
    data[at + 5 : at + 9] = b"\xff" * 4
    data[at + 9 : at + 40] = bytes(range(31))
    path.write_bytes(data)


def _two_names(path: Path) -> None:
    """Its file has another name, which is no UTF-8, than its table of contents says."""
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes().replace(b"vault.py", b"vaul\xff.py", 1))
    data[data.index(b"PK\x01\x02") + 9] |= 8  # the flag that says that names are UTF-8
    path.write_bytes(data)


def _backwards(path: Path) -> None:
    """Its table of contents begins before the file does."""
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<L", data, end + 16, 1 << 31)
    path.write_bytes(data)


def _flag_of_names(path: Path) -> None:
    """Says that a name is UTF-8 which is not."""
    _zip(path, "vault.py")
    data = bytearray(path.read_bytes()).replace(b"vault.py", b"vault.p\xff")
    data[7] |= 8
    data[data.index(b"PK\x01\x02") + 9] |= 8
    path.write_bytes(data)


_TERABYTE = struct.pack("<L", 0xFFFFFFFE)

ZIPS: dict[str, Callable[[Path], None]] = {
    "parent": lambda path: _zip(path, "../zzz-honest/vault.py"),
    "parent-inside": lambda path: _zip(path, "a/../../zzz-honest/vault.py", "vault.py"),
    "absolute": lambda path: _zip(path, "/tmp/vault.py", "vault.py"),
    "backslash": lambda path: _zip(path, "..\\..\\vault.py", "vault.py"),
    "drive": lambda path: _zip(path, "C:\\vault.py", "vault.py"),
    "link-to-solution": lambda path: _linked(path, "../../solutions/vault.py"),
    "link-to-passwd": lambda path: _linked(path, "/etc/passwd"),
    "bomb": lambda path: _zip(path, "vault.py", content=b"0" * (300 << 20)),
    "bomb-that-lies": lambda path: _patched(path, struct.pack("<L", 2 << 20), b"\x10\0\0\0"),
    "terabyte": lambda path: _patched(path, struct.pack("<L", 2 << 20), _TERABYTE),
    "many-files": lambda path: _zip(path, *(f"{n}.py" for n in range(6000)), content=b""),
    "claims-many": _liar,
    "twice": lambda path: _zip(path, "vault.py", "vault.py"),
    "encrypted": _encrypted,
    "cut-off": _short,
    "spoiled": _spoiled,
    "empty": lambda path: path.write_bytes(b"") and None,
    "text": lambda path: path.write_text(HONEST) and None,
    "lzma": _lzma,
    "two-names": _two_names,
    "backwards": _backwards,
    "names-that-are-no-text": _flag_of_names,
    "html-in-a-name": lambda path: _zip(path, "<script>\x1b[2J\n.py"),
    "folder-for-a-file": lambda path: _zip(path, "vault.py/"),
    "nested": lambda path: _zip(path, "vault.zip"),
    "notebook": lambda path: _zip(path, "vault.ipynb", content="{}"),
}
