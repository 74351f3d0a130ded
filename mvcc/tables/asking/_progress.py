"""How far a session of questions is, and how much the last answers changed."""

from __future__ import annotations

from mvcc._utils.types import Floats, Ints
from mvcc.multiview import Answer, ClustersHint, Questions
from mvcc.tables.asking._session_types import Status

_STEP = 10  # answers after which the share of rows that they moved is reported

_Guesses = tuple[Ints, Floats]  # groups, and the rows each stands for


class ProgressMeter:
    """Measure how far a session is; the last guesses are kept, since every card needs them."""

    def __init__(self) -> None:
        self._guesses: dict[int, tuple[tuple[Answer, ...], _Guesses | None]] = {}

    def status(self, questions: Questions, hint: ClustersHint) -> Status:
        """Return the status of a session."""
        progress = questions.progress
        return Status(
            progress.answered,
            progress.groups,
            progress.guessed_of_last_ten,
            self._moved(questions),
            hint.n_clusters,
            hint.settled,
            len(questions.history.lines),
        )

    def _moved(self, questions: Questions) -> float | None:
        """Return the share of rows whose group changed between the last two multiples of ten."""
        last = questions.progress.answered // _STEP * _STEP
        if last < 2 * _STEP:
            return None
        before, now = self._guesses_at(questions, last - _STEP), self._guesses_at(questions, last)
        if before is None or now is None:
            return None
        groups, n_rows = now
        return float(n_rows[groups != before[0]].sum() / n_rows.sum())

    def _guesses_at(self, questions: Questions, n: int) -> _Guesses | None:
        """Return the likeliest groups with n objects answered; None without a group."""
        then = questions.as_of(n)
        answers = then.history.standing
        if n not in self._guesses or self._guesses[n][0] != answers:
            self._guesses[n] = answers, then.guesses() if then.groups else None
        return self._guesses[n][1]


def n_since_second_look(answers: tuple[Answer, ...]) -> int:
    """Return the number of answers since an object was last answered once more."""
    n, seen = 0, set[int | None]()
    for answer in answers:
        if answer.is_about_object:
            n = 0 if answer.object in seen else n + 1
            seen.add(answer.object)
    return n
