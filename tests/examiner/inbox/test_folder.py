"""An inbox that is a folder: what is taken, in which order, and what a kill leaves behind."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.inbox.arrivals import MOST_WAITING, Arrival, InboxError
from examiner.inbox.folder import DONE, INCOMING, QUIET, REFUSED, WORK, FolderInbox


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An inbox without anything in it."""
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


def opened(folder: Path, rate: int = 100) -> FolderInbox:
    """Open it; nothing that is renamed into it need wait."""
    return FolderInbox(folder, rate)


def hand_in(folder: Path, name: str, text: str = "x") -> None:
    """Hand a file in as a program does: under another name first."""
    part = folder / INCOMING / f".{name}.part"
    part.write_text(text)
    time.sleep(0.02)  # the clock of a file system ticks slowly
    part.rename(folder / INCOMING / name)


def claimed(inbox: FolderInbox, most: int = 10) -> list[Arrival]:
    """Return what is claimed when it has been looked at twice."""
    found = inbox.claim(most)
    time.sleep(QUIET + 0.05)
    return found + inbox.claim(most - len(found))


def record(arrival: Arrival) -> dict:
    now = time.time()
    return {"ticket": arrival.ticket, "student": arrival.student, "claimed": now, "graded": now}


def names(folder: Path, where: str) -> list[str]:
    return sorted(path.name.partition("-")[2] for path in (folder / where).iterdir())


def test_what_is_handed_in_is_claimed_once_and_put_away(folder: Path) -> None:
    inbox = opened(folder)
    hand_in(folder, "ada.py", "one")
    (arrival,) = claimed(inbox)
    assert (arrival.student, arrival.path.read_text()) == ("ada", "one")
    assert claimed(inbox) == []
    assert [(each.student, each.state) for each in inbox.overview().waiting] == [("ada", "in hand")]
    inbox.finish(arrival, record(arrival), {})
    assert names(folder, WORK) == []
    assert names(folder, DONE) == ["ada"]
    assert (
        json.loads((folder / DONE / arrival.ticket / "record.json").read_text())["student"] == "ada"
    )
    assert inbox.overview().done == 1


def test_one_students_wait_for_each_other_and_keep_their_order(folder: Path) -> None:
    inbox = opened(folder)
    for text in ("1", "2", "3"):
        hand_in(folder, f"ada--{text}.py", text)
    hand_in(folder, "ben.py", "b")
    seen = []
    for _ in range(3):
        found = claimed(inbox)
        assert len({each.student for each in found}) == len(found)
        seen += [each.path.read_text() for each in found]
        for each in found:
            inbox.finish(each, record(each), {})
    assert [text for text in seen if text != "b"] == ["1", "2", "3"]
    assert seen.count("b") == 1


def test_a_half_written_file_waits_until_it_is_whole(folder: Path) -> None:
    inbox = FolderInbox(folder, 100, settled=0.5)
    path = folder / INCOMING / "ada.zip"
    path.write_bytes(b"PK")
    assert claimed(inbox) == []
    path.write_bytes(b"PK and more")
    assert claimed(inbox) == []
    time.sleep(0.5)
    (arrival,) = claimed(inbox)
    assert arrival.path.read_bytes() == b"PK and more"


@pytest.mark.parametrize("name", [".ada.zip", "ada.zip.part", "ada.py~", "ada.tmp", "Thumbs.db"])
def test_what_is_under_way_is_left_alone(folder: Path, name: str) -> None:
    inbox = opened(folder)
    (folder / INCOMING / name).write_text("x")
    os.utime(folder / INCOMING / name, (1, 1))
    assert claimed(inbox) == []
    assert (folder / INCOMING / name).exists()


@pytest.mark.parametrize(
    ("name", "said"), [("ada.txt", "expected STUDENT.zip"), (" --1.py", "nobody's name")]
)
def test_a_wrong_name_is_refused_with_the_reason(folder: Path, name: str, said: str) -> None:
    inbox = opened(folder)
    hand_in(folder, name)
    assert claimed(inbox) == []
    (place,) = (folder / REFUSED).iterdir()
    assert said in (place / "reason.txt").read_text()
    assert (place / name).exists()
    (line,) = inbox.said
    assert said in line
    assert inbox.overview().refused == 1


def test_a_link_is_refused_and_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    inbox = opened(folder)
    (folder / INCOMING / "ada.py").symlink_to(tmp_path / "secret.py")
    os.utime(folder / INCOMING / "ada.py", (1, 1), follow_symlinks=False)
    assert claimed(inbox) == []
    assert names(folder, REFUSED) == ["ada"]


def test_the_rate_of_one_student_holds_nobody_else_up(folder: Path) -> None:
    inbox = opened(folder, rate=1)
    for name in ("ada--1.py", "ada--2.py", "ben.py"):
        hand_in(folder, name)
    first = claimed(inbox)
    assert sorted(each.student for each in first) == ["ada", "ben"]
    for each in first:
        inbox.finish(each, record(each), {})
    assert claimed(inbox) == []
    assert [(w.student, w.state) for w in inbox.overview().waiting] == [("ada", "later")]
    inbox.close()
    again = opened(folder, rate=1)  # a restart gives nobody another go
    assert claimed(again) == []


def test_who_hands_in_without_end_is_stopped(folder: Path) -> None:
    inbox = opened(folder)
    for n in range(MOST_WAITING + 3):
        hand_in(folder, f"ada--{n:03d}.py")
    claimed(inbox)
    assert inbox.overview().refused == 3
    assert inbox.overview().count == MOST_WAITING


def killed(inbox: FolderInbox) -> None:
    """Let go of the lock as the system does when a process ends."""
    inbox._held.close()


def test_what_a_killed_process_had_in_hand_waits_again(folder: Path) -> None:
    inbox = opened(folder)
    for name in ("ada--1.py", "ada--2.py", "ben.py"):
        hand_in(folder, name, name)
    before = claimed(inbox)
    killed(inbox)
    after = claimed(opened(folder))
    assert [each.ticket for each in after] == [each.ticket for each in before]
    assert [each.path.read_text() for each in after] == ["ada--1.py", "ben.py"]


def test_a_kill_while_the_record_is_written_loses_nothing(folder: Path) -> None:
    inbox = opened(folder)
    hand_in(folder, "ada.py", "text")
    (before,) = claimed(inbox)
    (before.path.parent / ".abc.part").write_text("{")  # as -9 leaves it
    killed(inbox)
    inbox = opened(folder)
    (after,) = claimed(inbox)
    assert (after.ticket, after.path.read_text()) == (before.ticket, "text")
    inbox.finish(after, record(after), {})
    assert {path.name for path in (folder / DONE / after.ticket).iterdir()} == {
        "ada.py", "arrived.txt", "record.json", "student.txt",
    }  # fmt: skip


@pytest.mark.slow
def test_a_kill_between_any_two_renames_loses_nothing(folder: Path, monkeypatch) -> None:
    """Each step of taking and of putting away is the last one of a process, in turn."""
    steps = []
    rename = Path.rename

    class Killed(BaseException):
        pass

    def counted(self, target):
        steps.append(self)
        if len(steps) == fatal:
            raise Killed
        return rename(self, target)

    for fatal in range(1, 6):
        steps.clear()
        place = folder.parent / f"inbox-{fatal}"
        place.mkdir()
        inbox = opened(place)
        hand_in(place, "ada.py", "text")
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", counted)
            try:
                for arrival in claimed(inbox):
                    inbox.finish(arrival, record(arrival), {})
            except Killed:
                pass
        killed(inbox)
        inbox = opened(place)
        for arrival in claimed(inbox):
            assert arrival.path.read_text() == "text"
            inbox.finish(arrival, record(arrival), {})
        assert (names(place, DONE), names(place, WORK)) == (["ada"], [])


def test_a_folder_that_is_gone_is_one_line_and_comes_back(folder: Path) -> None:
    inbox = opened(folder)
    (folder / INCOMING).rename(folder / "away")
    with pytest.raises(InboxError, match="cannot be used"):
        inbox.claim(1)
    (folder / "away").rename(folder / INCOMING)
    hand_in(folder, "ada.py")
    assert [each.student for each in claimed(inbox)] == ["ada"]


@pytest.mark.parametrize("is_within", [False, True])
def test_an_inbox_that_is_deleted_and_made_anew_is_used_again(
    tmp_path: Path, *, is_within: bool
) -> None:
    """It was tried every five seconds for ever, since only the start made what is in it."""
    place = tmp_path / "inbox"
    folder = place / "ngrams" if is_within else place
    folder.mkdir(parents=True)
    inbox = FolderInbox(folder, 100, is_within=is_within)
    for name in ("ada.py", "ben--1.py", "ben--2.py"):
        hand_in(folder, name)
    first, second = claimed(inbox)
    shutil.rmtree(place)
    with pytest.raises(InboxError, match="cannot be used: No such file"):
        inbox.claim(9)
    inbox.finish(first, record(first), {})  # its result is stored already
    place.mkdir()
    assert inbox.claim(9) == [], "what was deleted is not graded, as if it were empty"
    assert inbox.said == [f"{folder} is another folder now: it has what it needs again"]
    assert [each.student for each in inbox.overview().waiting] == [second.student], "in hand"
    hand_in(folder, "ada.py", "again")
    (arrival,) = claimed(inbox)
    assert arrival.path.read_text() == "again"
    with pytest.raises(UserError, match="another process works on"):
        opened(folder)


def test_a_disk_that_is_mounted_again_is_taken_up_where_it_was(folder: Path) -> None:
    inbox = opened(folder, rate=2)
    for name in ("ada--1.py", "ada--2.py", "ben.py"):
        hand_in(folder, name)
    in_hand = claimed(inbox)
    assert [each.student for each in in_hand] == ["ada", "ben"]
    folder.rename(folder.parent / "away")
    folder.mkdir()
    assert claimed(inbox) == []
    shutil.rmtree(folder)
    (folder.parent / "away").rename(folder)
    assert claimed(inbox) == [], "two are in hand, and the third is of one of them"
    for each in in_hand:
        inbox.finish(each, record(each), {})
    (later,) = claimed(inbox)
    inbox.finish(later, record(later), {})
    assert (names(folder, DONE), names(folder, WORK)) == (["ada", "ada", "ben"], [])


def test_no_folder_and_a_second_process_are_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no folder .*: make it, or name another one$"):
        opened(tmp_path / "nowhere")
    inbox = opened(folder)
    with pytest.raises(UserError, match="another process works on"):
        opened(folder)
    inbox.close()
    opened(folder)


@pytest.mark.slow
def test_put_hands_in(folder: Path) -> None:
    inbox = opened(folder)
    inbox.put("ada", "x.PY", b"text")
    time.sleep(2.1)
    (arrival,) = claimed(inbox)
    assert (arrival.student, arrival.path.read_bytes()) == ("ada", b"text")


def test_a_clock_that_is_set_back_changes_no_order_and_holds_nobody_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, now = time.time_ns() + 86400 * 10**9, time.time
    inbox = opened(folder, rate=1)
    for name in ("ada--1.py", "ben.py"):
        hand_in(folder, name, name)
    with monkeypatch.context() as patched:
        patched.setattr(time, "time_ns", lambda: later)
        patched.setattr(time, "time", lambda: now() + 86400)
        for each in claimed(inbox):
            if each.student == "ben":
                inbox.finish(each, record(each), {})
    hand_in(folder, "ben.py")
    assert [each.student for each in claimed(inbox)] == ["ben"]
    inbox.close()
    for _ in range(2):
        inbox = opened(folder, rate=1)
        hand_in(folder, "ada--2.py", "ada--2.py")
        first = next(each for each in claimed(inbox) if each.student == "ada")
        assert first.path.name == "ada--1.py"
        inbox.close()


def test_a_file_of_a_date_that_is_to_come_is_taken_once_it_is_whole(folder: Path) -> None:
    inbox = FolderInbox(folder, 100, settled=0.3)
    path = folder / INCOMING / "ada.zip"
    path.write_bytes(b"PK")
    os.utime(path, (4e9, 4e9))  # as copies of files do that keep the dates of another machine
    assert claimed(inbox) == []
    time.sleep(0.4)
    assert [each.student for each in claimed(inbox)] == ["ada"]
