"""What is known of each submission of a class: its result is stored, and read back.

Held in memory is what tells a submission from another; its text and its result are not, but for
the first results that are read back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from examiner.errors import UserError
from examiner.grading.lazily import Lazily
from examiner.grading.outcome import Change
from examiner.grading.same_code import outline
from examiner.grading.store import DRAWS, Kept, Key, Store, draws_of
from examiner.grading.submissions import Submission
from examiner.grading.untold import Before, Untold
from examiner.results import SubmissionResult, Verdict, Whose

AT_HAND = 300  # results that are not read back: a class is walked over more than once


class Records:
    """Stores results as they come, and reads them back one by one, but for the first."""

    def __init__(
        self,
        submissions: Sequence[Submission],
        store: Store,
        common: Key,
        *,
        regrade: bool,
        again: Callable[[str], Collection[str]] = lambda _: (),
    ) -> None:
        """`again`: the tasks of a student that are judged anew; "" stands for all.

        Who is judged anew since a test takes other inputs, `drawn` says.
        """
        self._store, self._common, self._again = store, common, again
        self._first = common  # without draws
        self._untold = Untold(store.folder)
        self._replaced = self._untold.read()  # by a run that was killed, for each student
        self._before: dict[int, Before] = {}
        self._changes: dict[int, Change] = {}
        self._whose: list[Whose] = []
        self.unreadable: list[str] = []  # students whose kept result is none
        self.digests: list[str] = []
        # of those that are judged anew, to find who may have the same code
        self.outlines: dict[int, bytes] = {}
        self.todo: list[int] = []
        self._draws: dict[int, str] = {}  # by which the others were judged
        self._at_hand: dict[int, SubmissionResult] = {}
        for index, submission in enumerate(submissions):
            self._whose.append(submission.whose)
            self.digests.append(submission.digest)
            kept = store.load(submission.student)
            draws = kept.key.pop(DRAWS, "") if kept else ""
            if kept is None and store.holds(submission.student):
                self.unreadable.append(submission.student)
            anew = regrade or again(submission.student)
            if anew or kept is None or kept.key != self._key(index) or kept.result.provisional:
                self.outlines[index] = outline(submission)
                self._judge_anew(index, kept)
                continue
            self._draws[index] = draws
            before = self._replaced.get(submission.student)
            if before and (change := before.change(kept.result)):
                self._changes[index] = change

    def _judge_anew(self, index: int, kept: Kept | None) -> None:
        self.todo.append(index)
        if kept is not None:
            before = self._replaced.get(kept.result.student)
            self._before[index] = Before.of(kept, self._key(index), before)

    def drawn(self, attempts: Mapping[str, int]) -> list[int]:
        """Take note of which draw of its inputs each test takes; return who is to be judged.

        Also who was judged on others: a class is judged on the same.
        """
        self._common = self._first | draws_of(attempts)
        for index, draws in list(self._draws.items()):
            if draws != self._common.get(DRAWS, ""):
                del self._draws[index]
                self._judge_anew(index, self._store.load(self._whose[index].student))
        return self.todo

    def _key(self, index: int) -> Key:
        return self._common | {"submission": self.digests[index]}

    @property
    def known(self) -> Iterator[SubmissionResult]:
        """The results of those whose work has not changed."""
        new = set(self.todo)
        return (self._load(index) for index in range(len(self.digests)) if index not in new)

    def add(self, index: int, result: SubmissionResult) -> SubmissionResult:
        """Keep a result; return it with what is known of its student.

        The last one counts, where a submission was judged again. Where that was asked for some of
        its tasks, the others stay as they were judged, if they were.
        """
        result = replace(result, of=self._whose[index])
        anew = self._again(result.student)
        kept = self._store.load(result.student) if anew and "" not in anew else None
        if kept and kept.key == self._key(index):
            tasks = tuple(
                new if new.task.id in anew or old.verdict is Verdict.NOT_JUDGED else old
                for old, new in zip(kept.result.tasks, result.tasks, strict=True)
            )
            result = replace(result, tasks=tasks)
        self._changes.pop(index, None)
        if index in self._before and (change := self._before[index].change(result)):
            self._changes[index] = change
            self._untold.note(result.student, self._before[index])
        self._store.save(self._key(index), result)
        self._at_hand.pop(index, None)  # what is read back counts, as in the next run
        return result

    @property
    def results(self) -> Sequence[SubmissionResult]:
        """All results, in the order of the class; each is read back when it is asked for."""
        return Lazily(len(self.digests), self._load)

    @property
    def keys(self) -> Sequence[Key]:
        """What each result depends on."""
        return Lazily(len(self.digests), self._key)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Whose score is another one than last time, and why."""
        return tuple(self._changes[index] for index in sorted(self._changes))

    def told(self) -> None:
        """Take note that the changes have been told: the next run does not tell them again.

        What is untold of students who were not graded now, stays so.
        """
        self._untold.told({whose.student for whose in self._whose})

    def _load(self, index: int) -> SubmissionResult:
        if index in self._at_hand:
            return self._at_hand[index]
        whose = self._whose[index]
        kept = self._store.load(whose.student)
        if kept is None:
            raise UserError(
                f"the result of {whose.student} is gone from {self._store.folder}, or cannot be "
                "read: call the command again"
            )
        result = replace(kept.result, of=whose)
        if len(self._at_hand) < AT_HAND:
            self._at_hand[index] = result
        return result
