"""Files of JSON lines as other programs write them."""

import pytest

from examiner.errors import UserError
from nextword.models.tuner import lines


def read(path):
    return lines.read(path, lambda value: lines.words(value, "prompt"))


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"prompt": "who?"}\n',
        b'{"prompt": "who?"}\r\n\r\n',
        '{"prompt": "who\u2028?"}\n'.encode(),
        '{"prompt": "who\x85?"}\n'.encode(),
    ],
)
def test_valid_lines_are_read(data, tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(data)
    assert read(path) == [["who", "?"]]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[" * 100_000, "line 1: it is nested too deeply"),
        (b'{"prompt": "a"}\n[1]', "line 2: expected an object"),
        ('{"prompt": "a"}'.encode("utf-16"), "it is not UTF-8 text"),
        (b"\n\n", "is empty"),
    ],
)
def test_others_are_one_line(data, says, tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(data)
    with pytest.raises(UserError, match=says):
        read(path)
