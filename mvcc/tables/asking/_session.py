"""A session of questions about the tables of a job, whose answers are in a folder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.messages import shown
from mvcc.constraints import kind_of, refuse_conflicts
from mvcc.exceptions import ConstraintConflictError, InvalidInputError, MvccError
from mvcc.multiview import Group, Question, Questions
from mvcc.tables._job import Job
from mvcc.tables.asking._card import Card, Shower
from mvcc.tables.asking._folder import GROUPS, AnswersFolder
from mvcc.tables.asking._group_names import check_new_name, handle_of, looks_like_handle
from mvcc.tables.asking._session_types import NearRow, NearRows, Said, Status
from mvcc.tables.fitting._features import features_before_clusters
from mvcc.tables.reading._inputs import Inputs, caller_of

_UNDO, _MERGE, _RENAME, _NEW = "undo", "merge:", "rename:", "new:"
_NO_GROUP = ("unsure", "outlier")
_STEP = 10  # answers after which it is told how much they moved
_BETWEEN_LOOKS = 4  # other questions, at least

_Told = tuple[str, str]  # id and answer
_Looks = dict[str, tuple[Question, str]]  # by id, the question and what speaks against the answer


class AskSession:
    """Questions about the tables of a job; a context manager that holds the folder of the answers.

    Parameters
    ----------
    job : Job
    inputs : Inputs
    folder : Path
        What was said there before is said again.
    base : Path, default=None
        The folder of images, that of the config; without one, where the command was given.
    on_note : callable
        Told what happened to a session before.

    Raises
    ------
    StoreError
        For a folder that holds other things, answers about other tables, or that another process
        writes to.
    """

    def __init__(
        self,
        job: Job,
        inputs: Inputs,
        folder: Path,
        base: Path | None = None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._job, self._inputs, self.base = job, inputs, base or Path()
        read = [
            *(view.path for view in job.views.values()),
            *job.matches.values(),
            *job.constraints.values(),
        ]
        self._folder, self._on_note = AnswersFolder(folder, list(job.views), read, on_note), on_note
        for table in inputs.tables:
            if broken := next((name for name in table.ids if len(name.splitlines()) != 1), None):
                raise InvalidInputError(
                    f"{table.path}: the id {shown(broken)} contains a line break; rename it."
                )
        self._shower = Shower(inputs.tables, self.base)

    def __enter__(self) -> Self:
        self._folder.__enter__()
        try:
            self._questions = self._prepared()
            self._active: list[_Told] = []  # what was said and not taken back
            self._looks: tuple[int, _Looks] = (-1, {})
            self._guesses: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
            for number, entry in enumerate(self._folder.entries):
                try:
                    self._take(entry.id, entry.answer, again=True, stored=[])
                except MvccError as error:
                    raise InvalidInputError(
                        f"{self._folder.line(number)}: {error} If these are answers about other"
                        " tables, choose another folder with --out."
                    ) from error
            self._store([])
            for group in self.groups:
                if looks_like_handle(group.name):
                    self._on_note(
                        f"{self._folder.path}: the group {shown(group.name)} takes all answers "
                        f"{shown(group.name)}, whichever group has this handle. Rename it."
                    )
        except BaseException:
            self._folder.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._folder.__exit__(kind, error, at)

    def next(self, n: int = 1) -> list[Question]:
        """Return the next questions, among them at most one second look in five.

        Fewer where none are left.
        """
        looks = [question for question, _ in self._second_looks().values()]
        asked = self._questions.next(n)
        found: list[Question] = []
        since = self._since_look()
        while len(found) < n and (looks or asked):
            second = looks and (since >= _BETWEEN_LOOKS or not asked)
            found.append((looks if second else asked).pop(0))
            since = 0 if second else since + 1
        return found

    def answer(self, id: str, answer: str, *, again: bool = False) -> Said:
        """Store an answer.

        Parameters
        ----------
        id : str
            Of the question, or of a row as "view:id".
        answer : str
            The name or the handle of a group, "new", "new:NAME", "unsure" or "outlier".
        again : bool
            Whether the answer to a question that was answered before is replaced, or confirmed.

        Raises
        ------
        ConstraintConflictError
            Where it contradicts a given constraint; the message names the chain. Nothing is stored.
        InvalidInputError
            As `Questions.answer`.
        StoreError
            Where it cannot be stored.
        """
        return self.record([(id, answer)], again=again)[0]

    def record(
        self,
        said: list[tuple[str, str]],
        *,
        again: bool = False,
        place: Callable[[int], str] = lambda number: "",
    ) -> list[Said]:
        """Store several answers, also "undo", all of them or none.

        Parameters
        ----------
        said : list of (id, answer)
        again : bool
            As in `answer`; what one of these says is not replaced by a later one.
        place : callable
            What an error of the answer of a number begins with.

        Raises
        ------
        MvccError
            As `answer`.
        """
        before, n_stored, n_kept = list(self._active), len(self._folder.entries), len(self._active)
        stored: list[_Told] = []
        found: list[Said] = []
        try:
            for number, (id, answer) in enumerate(said):
                try:
                    _check_new(answer)
                    mine = {one for one, _ in self._active[n_kept:]} if again else set()
                    found.append(self._take(id, answer, again=again, stored=stored, mine=mine))
                    n_kept = min(n_kept, len(self._active))
                    if answer != _UNDO:
                        self._refuse_contradiction(found[-1])
                except MvccError as error:
                    error.args = (f"{place(number)}{error}",)
                    raise
            self._store(stored)
        except BaseException:
            if len(self._folder.entries) == n_stored:
                self._restore(before)
            raise
        return found

    def undo(self) -> str | None:
        """Take back what was said last.

        Return the id of the question, None where it was something else.
        """
        if not self._active:
            raise InvalidInputError("There is nothing to undo.")
        id, answer = self._active[-1]
        self.record([("", _UNDO)])
        return None if answer.startswith((_MERGE, _RENAME)) else id

    def merge(self, kept: str, gone: str) -> None:
        """Put the members of a group into another; both by name or handle."""
        self.record([(gone, f"{_MERGE}{kept}")])

    def rename(self, group: str, name: str) -> None:
        """Give a group another name."""
        self.record([(group, f"{_RENAME}{name}")])

    def card(self, question: Question) -> Card:
        """Return what a person sees of a question."""
        look = self._second_looks().get(question.id)
        return self._shower.card(question, look[1] if look else None)

    def nearest(self, question: Question) -> list[NearRows]:
        """Return the nearest rows of every view, with the groups that they are in now."""
        return [
            NearRows(
                table.name,
                tuple(NearRow(table.ids[one.row], one.group, one.answered) for one in rows),
            )
            for table, rows in zip(
                self._inputs.tables, self._questions.nearest(question), strict=True
            )
        ]

    def question(self, id: str) -> Question:
        """Return the question about a row, also one that was answered before."""
        return self._questions.question(self._id(id))

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        return self._questions.groups

    @property
    def said(self) -> list[tuple[str, str]]:
        """The present answer to every question: (id, name of the group, "unsure" or "outlier")."""
        ids = dict.fromkeys(
            id for id, answer in self._active if not answer.startswith((_MERGE, _RENAME))
        )
        return [(id, self._questions.said(id) or "") for id in ids]

    @property
    def status(self) -> Status:
        """How far the session is."""
        progress, hint = self._questions.progress, self._hint
        counts = (progress.answered, progress.groups, progress.guessed_of_last_ten)
        return Status(
            *counts, self._moved(), hint.n_clusters, hint.settled, len(self._folder.entries)
        )

    def document(self, n: int) -> dict[str, Any]:
        """Return the next questions as a program takes them."""
        tables = self._inputs.tables

        def ids(of_views: tuple[tuple[int, ...], ...]) -> dict[str, list[str]]:
            return {
                t.name: [t.ids[row] for row in rows]
                for t, rows in zip(tables, of_views, strict=True)
                if rows
            }

        def called(group: Group) -> dict[str, Any]:
            return {"group": handle_of(group), "name": group.name, "size": group.size}

        looks, questions = self._second_looks(), []
        for one in self.next(n):
            offers = [
                called(offer.group) | {"exemplar": ids(offer.exemplar)} for offer in one.offers
            ]
            question = {
                "id": one.id,
                "rows": ids(one.rows),
                "groups": offers,
                "why": self._shower.why(one),
            }
            questions.append(
                question | ({"second_look": looks[one.id][1]} if one.id in looks else {})
            )
        groups = list(map(called, self.groups))
        return {"questions": questions, "groups": groups, "n_clusters_hint": self._hint.n_clusters}

    def _prepared(self) -> Questions:
        job, tables = self._job, self._inputs.tables
        features = features_before_clusters(tables, job)
        self.planes = [of_view.plane()[0] for of_view in features]
        views = {
            table.name: pd.DataFrame(own.X, index=table.ids)
            for table, own in zip(tables, features, strict=True)
        }
        names = list(views)
        relations = {(names[u], names[v]): rows for (u, v), rows in self._inputs.relations.items()}
        return Questions(views, relations, random_state=job.seed)

    def _take(
        self,
        id: str,
        answer: str,
        *,
        again: bool,
        stored: list[_Told],
        mine: Collection[str] = frozenset(),
    ) -> Said:
        """Say one thing to the questions; add what of it is to be stored, if anything is.

        What was said of ``mine`` is not replaced.
        """
        questions = self._questions
        if answer == _UNDO:
            questions.undo()
            last, _ = self._active.pop()
            stored.append((last, _UNDO))
            self._note_guesses()
            return Said(last, _UNDO, None, None)
        if answer.startswith(_MERGE):
            kept, gone = self._group(answer.removeprefix(_MERGE)), self._group(id)
            questions.merge(kept, gone)
            return self._added(stored, gone, f"{_MERGE}{kept}")
        if answer.startswith(_RENAME):
            group = self._group(id)
            questions.rename(group, answer.removeprefix(_RENAME))
            return self._added(stored, group, answer)
        one = self._id(id)
        again = again and one not in mine
        before, opens = questions.said(one), answer == "new" or answer.startswith(_NEW)
        guessed = questions.answer(
            one, answer if opens or answer in _NO_GROUP else self._group(answer), again=again
        )
        says = str(questions.said(one))
        if before is not None and not again:  # said once more
            return Said(one, says, None, None)
        added = self._added(stored, one, f"{_NEW}{says}" if opens else says)
        moved = self._moved() if questions.progress.answered % _STEP == 0 else None
        return replace(added, answer=says, guessed=guessed if before is None else None, moved=moved)

    def _added(self, stored: list[_Told], id: str, answer: str) -> Said:
        self._active.append((id, answer))
        stored.append((id, answer))
        self._note_guesses()
        return Said(id, answer, None, None)

    def _id(self, of: str) -> str:
        """Return the id of the question about a row that is called "view:id"."""
        view, _, name = of.partition(":")
        for number, table in enumerate(self._inputs.tables):
            if table.name == view:
                if name not in table.row:
                    raise InvalidInputError(table.lacks(name))
                return self._questions.id((number, table.row[name]))
        known = ", ".join(f"{table.name}:…" for table in self._inputs.tables)
        raise InvalidInputError(
            f"an id must be a view and a row, such as {known}; got {shown(of)}."
        )

    def _group(self, which: str) -> str:
        """Return the name of a group that is named, or else called by its handle."""
        names = {handle_of(group): group.name for group in self.groups}
        return which if which in names.values() else names.get(which, which)

    def _refuse_contradiction(self, new: Said) -> None:
        given, relations = self._inputs.constraints, self._inputs.relations
        if self._job.on_conflict == "error" and (any(map(len, given)) or relations):
            all_ = [
                own.select(own.weights > 0).joined(said)
                for own, said in zip(given, self._questions.constraints, strict=True)
            ]
            try:
                refuse_conflicts(all_, relations, caller_of(self._inputs.tables))
            except ConstraintConflictError as error:
                error.args = (f"New is the answer {shown(new.answer)} to {new.id}. {error}",)
                raise

    def _restore(self, before: list[_Told]) -> None:
        """Have only that be said which was said before."""
        while self._active != before[: len(self._active)]:
            self._questions.undo()
            self._active.pop()
        for id, answer in before[len(self._active) :]:
            self._take(id, answer, again=True, stored=[])

    def _store(self, said: list[_Told]) -> None:
        """Store what was said, and the files that follow from all that was."""
        self._folder.add(said)
        for table, own in zip(self._inputs.tables, self._questions.constraints, strict=True):
            rows = [
                [table.ids[i], table.ids[j], kind_of(together)] for i, j, together, _ in own.rows()
            ]
            self._folder.derive(f"{table.name}.csv", [["i", "j", "kind"], *rows])
        self._hint = self._questions.n_clusters_hint
        counted = self._hint.counted
        rows = [
            [g.name, "\n".join(g.members), "yes" if g.number in counted else "no"]
            for g in self.groups
        ]
        self._folder.derive(GROUPS, [["name", "members", "counted"], *rows])

    def _second_looks(self) -> _Looks:
        """Return the questions to ask once more."""
        version = len(self._folder.entries)
        if self._looks[0] != version:
            found = {
                look.question.id: (
                    look.question,
                    (
                        f"you said {look.said}; what is near it says {look.near}"
                        if look.near
                        else f"you said {look.said}, which nothing else was put into since"
                    ),
                )
                for look in self._questions.second_looks
            }
            self._looks = version, found
        return self._looks[1]

    def _since_look(self) -> int:
        """Return the number of answers since a question was last answered once more."""
        since, seen = 0, set[str]()
        for id, answer in self._active:
            if not answer.startswith((_MERGE, _RENAME)):
                since = 0 if id in seen else since + 1
                seen.add(id)
        return since

    def _note_guesses(self) -> None:
        """Keep which group every row is most like, after each ten answers."""
        n = self._questions.progress.answered
        self._guesses = {number: guesses for number, guesses in self._guesses.items() if number < n}
        if n % _STEP == 0 and self.groups:
            self._guesses[n] = self._questions.guesses()

    def _moved(self) -> float | None:
        n = self._questions.progress.answered // _STEP * _STEP
        if n not in self._guesses or n - _STEP not in self._guesses:
            return None
        (now, rows), (before, _) = self._guesses[n], self._guesses[n - _STEP]
        return float(rows[now != before].sum() / rows.sum())


def _check_new(answer: str) -> None:
    """Check the name that an answer gives to a group, if it gives one."""
    for gives in (_NEW, _RENAME):
        if answer.startswith(gives):
            check_new_name(answer.removeprefix(gives))
