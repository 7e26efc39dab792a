"""What a stored result depends on: the grader's own files and how this machine computes."""

import pytest

from examiner.grading import store


def grader_key() -> str:
    return store.run_key([], {}, "s", "p")["grader"]


@pytest.mark.parametrize(
    "room", ["boundary", "candidate", "check", "corpora", "grading", "judge", "sandbox"]
)
def test_another_text_of_any_room_is_another_grader(
    room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = grader_key(), store.Path.read_bytes

    def changed(path: store.Path) -> bytes:
        return read(path) + b"#" * (path.parent.name == room)

    monkeypatch.setattr(store.Path, "read_bytes", changed)
    assert grader_key() != before


def test_another_processor_or_setting_of_torch_is_another_grader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    before = grader_key()
    assert grader_key() == before
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    with_setting = grader_key()
    features = {"SIMD Extensions": {"found": ["NONE"]}}
    monkeypatch.setattr(store.np, "show_config", lambda mode: features)
    assert len({before, with_setting, grader_key()}) == 3
