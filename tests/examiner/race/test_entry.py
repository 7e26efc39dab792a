"""Entries as they are handed in: what is read of them, what is refused, how weights are counted."""

import errno
import json
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from safetensors.numpy import save

from examiner.grading import works
from examiner.grading.entries import find_entries
from examiner.race.entry import About, Handed, count_numbers, read
from examiner.race.rules import Rules

ABOUT = 'name = "Ann\'s model"\nby = "Ann"\ntrack = "small"\nwords = 1000\nweights = 6\n'
WEIGHTS = save({"w": np.ones((2, 3), np.float16)})
GOOD = {"model.py": "x = 1", "about.toml": ABOUT, "weights.safetensors": WEIGHTS}


def handed(tmp_path: Path, **files: str | bytes | None) -> Handed:
    """The entry of these files over good ones; None leaves one out."""
    named = {name.replace("__", "."): data for name, data in files.items()}
    for name, data in {**GOOD, **named}.items():
        if data is not None:
            path = tmp_path / "ann" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
    (entry,) = find_entries(tmp_path)
    return read(entry, Rules())


def test_a_good_entry_is_read_whole(tmp_path: Path) -> None:
    found = handed(tmp_path)
    assert (found.problem, found.remarks) == ("", ())
    assert found.about.name == "Ann's model"
    assert found.weights == 6
    assert set(found.files) == set(GOOD)


def test_what_systems_leave_in_a_folder_is_no_part_of_an_entry(tmp_path: Path) -> None:
    found = handed(tmp_path, **{"Thumbs.db": b"x" * 999, "__pycache__/model.pyc": b"x" * 999})
    assert found.weights == 6
    assert set(found.files) == set(GOOD)


@pytest.mark.parametrize("name", ["about.toml", "weights.safetensors"])
def test_what_this_machine_cannot_read_is_no_fault_of_the_entry(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = works.open_file

    def closed(path: Path, inside: tuple[str, ...] = ()) -> IO[bytes]:
        if name in inside:
            raise OSError(errno.EIO, "Input/output error")
        return opened(path, inside)

    monkeypatch.setattr(works, "open_file", closed)
    found = handed(tmp_path)
    assert (found.problem, found.fault) == (f"{name} cannot be read: Input/output error", True)


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        for name, data in GOOD.items():
            archive.writestr(f"wrapped/{name}", data)
    (entry,) = find_entries(tmp_path)
    other = tmp_path / "other"
    assert read(entry, Rules()).digest == handed(other).digest


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"model__py": None}, "there is no model.py; found instead: about.toml"),
        ({"about__toml": None}, "there is no about.toml"),
        ({"about__toml": "name = "}, "about.toml is no TOML"),
        ({"about__toml": b"\xff\xfe"}, "about.toml is no TOML"),
        ({"about__toml": "name = 3"}, "name should be a text, it is 3"),
        ({"about__toml": "words = true"}, "words should be a whole number, it is True"),
        ({"about__toml": "words = -1"}, "words should be a whole number"),
        ({"about__toml": 'colour = "red"'}, "unknown key 'colour'; the keys are name, by, track"),
        ({"about__toml": 'track = "fast"'}, "track should be small, open, ten-minutes; it is"),
        ({"about__toml": "x" * 20_000}, "about.toml is longer than 16 kB"),
        ({"about__toml": 'track = "small"'}, "says nothing of its words"),
        ({"about__toml": 'track = "small"\nwords = 2000000'}, "says 2,000,000 words"),
        ({"big": bytes(5 << 20)}, "holds more than 4 MB"),
        ({"numbers": bytes(200_001)}, "its files hold 200,007 numbers"),
        ({"model__py": "#" * 70_000}, "model.py is longer than 64 kB in the track small"),
        (
            {"about__toml": 'track = "ten-minutes"'},
            "the track ten-minutes takes model.py and about.toml alone, not weights.safetensors",
        ),
    ],
)
def test_what_is_wrong_with_an_entry_is_said_in_one_line(
    tmp_path: Path, files: dict[str, str | bytes | None], said: str
) -> None:
    found = handed(tmp_path, **files)
    assert said in found.problem
    assert "\n" not in found.problem


def test_a_wrong_number_of_weights_is_told_beside_the_right_one(tmp_path: Path) -> None:
    found = handed(tmp_path, about__toml=ABOUT.replace("weights = 6", "weights = 5"))
    assert found.remarks == ("says 5 weights; its files hold 6 numbers",)


def test_a_file_whose_name_is_not_utf8_ends_no_race() -> None:
    odd = Handed("ann", About("ann"), {"w\udcff.bin": b"123"})  # as Linux gives the byte 0xff
    assert odd.weights == 3
    assert odd.digest != replace(odd, files={}).digest


def test_what_an_entry_says_of_itself_is_shown_on_one_line(tmp_path: Path) -> None:
    found = handed(tmp_path, about__toml='name = "a\\nb\\u001b[31m"\nabout = "<b>"\n')
    assert found.about.name.isprintable()


def safetensors(**header: object) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(64)


EMPTY = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}


@pytest.mark.parametrize(
    ("data", "n"),
    [
        (save({"w": np.ones(10, np.float32)}), 10),
        (save({"w": np.ones(10, np.int8)}), 10),
        (save({"w": np.ones(10, np.float64)}), 20),  # room for twice as many numbers
        (save({"w": np.ones(10, np.float32)}) + bytes(100), 110),  # what no tensor names
        (safetensors(w={"dtype": "F32", "shape": [4], "data_offsets": [0, 64]}), 16),
        (
            safetensors(**{"x" * 4000: {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]}}),
            981,
        ),
        (safetensors(__metadata__={"x": "y" * 4000}), 1020),
        (safetensors(**{f"{n:0145}": EMPTY for n in range(1000)}), 46_314),  # names that are many
        (b"\x00" * 7, 7),
        (b"", 0),
    ],
)
def test_all_numbers_in_a_file_are_counted(data: bytes, n: int) -> None:
    assert count_numbers({"weights.safetensors": data}) == n


def test_a_file_s_name_may_be_long_and_counts() -> None:
    """Folders and files that are named by numbers hold them as well as a file does."""
    name = "/".join(["3" * 200] * 10)
    assert count_numbers({name: b"", "parts/weights.bin": bytes(3)}) == len(name) - 50 + 3


@pytest.mark.parametrize(
    "header",
    [
        {"w": {"shape": [4]}},
        {"w": {"shape": [4], "data_offsets": [0, 10**9]}},
        {"w": {"shape": [4], "data_offsets": [8, 0]}},
        {"w": {"shape": [-4], "data_offsets": [0, 4]}},
        {"w": {"shape": "xy", "data_offsets": [0, 4]}},
        {"w": {"shape": [1.5], "data_offsets": [0, 4]}},
        {"w": {"shape": [float("inf")], "data_offsets": [0, 4]}},
        {"w": {"shape": [10**4000, 10**4000], "data_offsets": [0, 4]}},  # too long to write
        {"w": {"shape": [1 << 40], "data_offsets": [0, 4]}},
        {"w": {"shape": [9] * 1_000_000, "data_offsets": [0, 4]}},  # whose product takes minutes
        {"w": 3},
    ],
)
def test_of_a_broken_file_every_byte_counts(header: dict[str, object]) -> None:
    data = safetensors(**header)
    assert count_numbers({"weights.safetensors": data}) == len(data)
