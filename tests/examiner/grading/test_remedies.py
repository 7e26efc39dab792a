"""What to do where bubblewrap fails: the flag that was missing is named."""

import pytest

from examiner.errors import UserError
from examiner.sandbox import trial
from examiner.sandbox.remedies import OTHERWISE, remedy
from examiner.sandbox.servers import ServerError

SAID = {  # what bubblewrap said in containers, and the flag that was missing
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted": "unmask=ALL",
    "bwrap: Creating new namespace failed: Function not implemented": "seccomp=FILE",
    "bwrap: No permissions to create a new namespace, likely because the kernel": "seccomp=FILE",
    "namespaces: [Errno 1] unshare: Operation not permitted": "seccomp=FILE",
    "bwrap: setting up uid map: Permission denied": "apparmor_restrict_unprivileged_userns=0",
    "bwrap: Failed to make / slave: Permission denied": "apparmor=unconfined",
    "bwrap: Unexpected capabilities but not setuid, old file caps config?": "--cap-add",
}


@pytest.mark.parametrize("said", SAID)
def test_the_missing_flag_is_named(said: str) -> None:
    assert SAID[said] in remedy(said, root=False)


def test_what_was_never_heard_is_not_explained_away() -> None:
    assert remedy("bwrap: something new", root=False) == OTHERWISE


@pytest.mark.parametrize(
    "said",
    ["setting up uid map: Operation not permitted", "new namespace: Operation not permitted"],
)
def test_root_in_a_container_should_be_another_user(said: str) -> None:
    assert "--user 1000" in remedy(said, root=True)


def test_doctor_and_grade_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        """A server in a container whose /proc is covered."""

        def __init__(self, plan: object) -> None:
            """Take any plan."""

        def wait(self) -> None:
            raise ServerError("bwrap: Can't mount proc on /newroot/proc: Operation not permitted")

        def close(self) -> None:
            """End nothing."""

    monkeypatch.setattr(trial, "CandidateServer", Broken)
    monkeypatch.setattr(trial.bubblewrap, "program", lambda: "/usr/bin/bwrap")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    (found,) = trial.protections()
    assert not found.good
    assert "systempaths=unconfined" in found.detail
    with pytest.raises(UserError, match=r"systempaths=unconfined.*--sandbox none"):
        trial.require(trial.plan_for([], confined=True))
