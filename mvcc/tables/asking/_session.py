"""A session of questions about the tables of a job, whose answers are in a folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from mvcc._utils.environment import now
from mvcc._utils.files import csv_bytes
from mvcc._utils.messages import about, agreeing, counted, shown
from mvcc._utils.outputs import OutputFolder
from mvcc.constraints import kind_of, refuse_conflicts
from mvcc.exceptions import ConfigError, InvalidInputError, MvccError, StoreError
from mvcc.multiview import (
    OPENS,
    RENAME,
    UNDO,
    Answer,
    Group,
    Question,
    Questions,
    is_handle,
    refuse_handle,
)
from mvcc.tables._job import Job
from mvcc.tables.asking._card import Card, GivenAnswer, NearRow, Status, told_group
from mvcc.tables.asking._log import LoggedSession
from mvcc.tables.correcting._corrections import MOST_LETTERS
from mvcc.tables.fitting._features import features_before_clusters
from mvcc.tables.output._folder import given_files, refuse_others
from mvcc.tables.reading._inputs import Inputs, caller_of
from mvcc.tables.reading._people import GROUP_COLUMNS, GROUPS, LOG, read_groups

_BETWEEN_LOOKS = 4  # other questions, at least
_FIRST = 20  # answers, before which rows with little text are not asked about
_STEP = 10  # answers after which the share of rows that they moved is reported


class AskSession(LoggedSession):
    """Questions about the tables of a job; a context manager that holds the folder of the answers.

    Answers that the folder holds are given again; `on_note` gets notes on an earlier session.
    """

    def __init__(
        self,
        job: Job,
        inputs: Inputs,
        folder: Path,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._job = job
        self._names = {LOG, GROUPS, *(f"{view}.csv" for view in job.views)}
        if len({name.casefold() for name in self._names}) < 2 + len(job.views):
            raise ConfigError(
                "No view may be called asked or groups: files of answers would have one name, on"
                " some disks. Rename the view."
            )
        read, elsewhere = given_files(job), "choose another folder with --out"
        out = OutputFolder(
            folder, "answers", fresh=True, inputs=read, elsewhere=elsewhere, on_note=on_note
        )
        super().__init__(out, LOG, inputs)

    def _begin(self) -> None:
        if not self._log.exists():
            refuse_others(self._out, "answers")
        self._out.refuse_inputs(self._names)
        self._questions = self._prepared()
        self._later = self._shower.hard_to_judge(self._questions)
        self._resume()
        if not self._is_cut:
            self._refuse_lost()
        self._take(self._questions)

    def next(self, n: int = 1) -> list[Question]:
        """Return the next questions; at most one in five is a second look, if others are left."""
        looks = [question for question, _ in self._second_looks.values()]
        later = self._later
        if self._questions.progress.answered >= _FIRST:
            later = []
        asked = self._questions.next(n, later=later)
        since = self._questions.history.n_since_again
        questions: list[Question] = []
        while len(questions) < n and (looks or asked):
            since += 1
            if looks and (since > _BETWEEN_LOOKS or not asked):
                questions.append(looks.pop(0))
                since = 0
            else:
                questions.append(asked.pop(0))
        return questions

    def answer(self, id: str, answer: str, *, again: bool = False) -> Answer:
        """Store an answer about a question, or "view:id"; only `again` may replace a former one."""
        return self.record([(id, answer)], again=again)[0]

    def record(
        self, answers: list[tuple[str, str]], *, again: bool = True, where: Sequence[str] = ()
    ) -> list[Answer]:
        """Store several answers with their ids, all of them or none.

        With `again`, they replace former ones, but not each other. Errors begin with `where` an
        answer comes from.
        """
        questions, lines = copy(self._questions), list[Answer]()
        n_former = len(questions.history.standing)
        locations = where or [""] * len(answers)
        for location, (id, answer) in zip(locations, answers, strict=True):
            with about(location):
                _check_new_name(answer)
                last = questions.history.standing[-1:]
                if answer == UNDO and last and last == questions.history.lacking[-1:]:
                    raise InvalidInputError(
                        f"the last answer is about {last[0].id}, which is not in these tables."
                        " Take it back with the tables that have it."
                    )
                # the first ones of those that stand are from before these and may be replaced
                since = {line.id for line in questions.history.standing[n_former:]}
                line = self._say(questions, Answer(id, answer, now()), again, since)
                if answer != UNDO:
                    self._refuse_contradiction(questions, line)
            n_former = min(n_former, len(questions.history.standing))
            lines.append(line)
        self._take(questions)
        return lines

    def undo(self) -> str | None:
        """Take back the last answer; return the id of the question, None if it was about groups."""
        last = self._questions.history.standing[-1:]
        self.record([("", UNDO)])
        return last[0].id if last[0].is_about_object else None

    def card(self, question: Question) -> Card:
        """Return what a person sees of a question."""
        _, reason = self._second_looks.get(question.id, (question, None))
        return self._shower.card(question, reason, self._questions.said(question))

    def nearest(self, question: Question) -> dict[str, list[NearRow]]:
        """Return the nearest rows of every view, with the groups that they are in now."""
        title = self._shower.title
        views = enumerate(zip(self._inputs.tables, self._questions.nearest(question), strict=True))
        return {
            table.name: [
                NearRow(table.ids[near.row], title(view, near.row), near.group, near.answered)
                for near in rows
            ]
            for view, (table, rows) in views
        }

    def question(self, id: str) -> Question:
        """Return the question about a row, also one that was answered before."""
        return self._questions.question(self._id(id))

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        return self._questions.groups

    @property
    def said(self) -> list[GivenAnswer]:
        """The present answer to every question, in the order of the answers."""
        history = self._questions.history
        ids = {line.object: line.id for line in history.standing if line.object in history.answers}
        return [
            GivenAnswer(id, self._shower.title_of(self._questions.rows(id)), str(history.said(key)))
            for key, id in ids.items()
        ]

    @property
    def status(self) -> Status:
        """How far the session is."""
        progress = self._questions.progress
        return Status(
            progress.answered,
            progress.groups,
            progress.guessed_of_last_ten,
            self._moved(progress.answered),
            self._hint.n_clusters,
            self._hint.settled,
            self.version,
        )

    def document(self, n: int) -> dict[str, Any]:
        """Return the next questions as a program takes them."""

        def ids(of_views: tuple[tuple[int, ...], ...]) -> dict[str, list[str]]:
            views = zip(self._inputs.tables, of_views, strict=True)
            return {table.name: [table.ids[row] for row in rows] for table, rows in views if rows}

        looks, entries = self._second_looks, []
        for question in self.next(n):
            offers = [
                told_group(offer.group) | {"exemplar": ids(offer.exemplar)}
                for offer in question.offers
            ]
            entry = {"id": question.id, "rows": ids(question.rows), "groups": offers}
            entry["why"] = self._shower.why(question)
            if question.id in looks:
                entry["second_look"] = looks[question.id][1]
            entries.append(entry)
        groups = list(map(told_group, self.groups))
        return {"questions": entries, "groups": groups, "n_clusters_hint": self._hint.n_clusters}

    def _prepared(self) -> Questions:
        job, tables = self._job, self._inputs.tables
        features = features_before_clusters(tables, job)
        self.planes = [of_view.plane()[0] for of_view in features]
        views = {
            table.name: pd.DataFrame(of_view.X, index=table.ids)
            for table, of_view in zip(tables, features, strict=True)
        }
        return Questions(views, self._inputs.relations, random_state=job.seed)

    def _resume(self) -> None:
        """Give the questions the answers that the folder holds."""
        questions, may_lack = self._questions, self._job.unknown == "skip"
        for lineno, (id, answer, when) in self._records:
            line = Answer(id, answer, when)
            try:
                if may_lack and line.is_about_object and not self._inputs.find(id):
                    questions.say(id, answer, when, again=True, lacking=True)
                else:
                    self._say(questions, line, True)
            except MvccError as error:
                raise InvalidInputError(
                    f"{self._log}:{lineno}: {error} If these are answers about other tables, or"
                    " rows that are gone, choose another folder with --out; `mvcc cluster` takes"
                    " several, each with --asked. --unknown skip leaves out answers about rows that"
                    " are gone."
                ) from error
        if n := len({line.id for line in questions.history.lacking}):
            self.on_note(
                f"{self._log}: {counted(n, 'answered row')} cannot be found in these tables. What"
                f" was answered of {agreeing(n, 'it', 'them')} stays there, and has no effect."
            )
        for group in questions.groups:
            if is_handle(group.name):
                self.on_note(
                    f"{self._out.path}: the group {shown(group.name)} takes all answers "
                    f"{shown(group.name)}, whichever group has this handle. Rename it."
                )

    def _refuse_lost(self) -> None:
        """Refuse a log without lines that the groups came from, which would be lost for good."""
        groups, members = self._out.path / GROUPS, set[str]()
        with suppress(MvccError):  # there are none yet, or somebody changed them
            cells = (cell for _, (_, cell, *_) in read_groups(groups, []))
            members = self._ids(row for cell in cells for row in cell.splitlines())
        answers = [Answer(id, answer) for _, (id, answer, _) in self._records]
        if lost := members - self._ids(line.id for line in answers if line.is_about_object):
            raise StoreError(
                f"{self._log} lacks answers about {counted(len(lost), 'object')} of {GROUPS}."
                f" Restore it; or, to drop them, remove {groups}."
            )

    def _say(
        self, questions: Questions, line: Answer, again: bool, but_for: Collection[str] = ()
    ) -> Answer:
        """Give questions a line of the log; only a first answer has a guess."""
        if not line.is_about_object:
            return questions.say(line.id, line.answer, line.when)
        id = self._id(line.id)
        before = questions.said(id)
        said = questions.say(id, line.answer, line.when, again=again and id not in but_for)
        if before is not None:
            said = replace(said, guessed=None)
        return said

    def _id(self, name: str) -> str:
        """Return the id of the question about a row, given as "view:id"."""
        row = self._inputs.find(name)
        if row is None:
            raise InvalidInputError(self._inputs.lacks(name))
        return self._questions.id(row)

    def _ids(self, names: Iterable[str]) -> set[str]:
        """Return the ids of the questions about rows, without names that no row has."""
        return {self._questions.id(row) for row in map(self._inputs.find, names) if row}

    def _refuse_contradiction(self, questions: Questions, new: Answer) -> None:
        given, relations = self._inputs.constraints, self._inputs.relations
        if self._job.on_conflict != "error" or not (any(map(len, given)) or relations):
            return
        constraints = [
            of_view.of_some_weight().joined(answered)
            for of_view, answered in zip(given, questions.constraints, strict=True)
        ]
        with about(f"New is the answer {shown(new.says)} to {new.id}. "):
            refuse_conflicts(constraints, relations, caller_of(self._inputs.tables))

    def _moved(self, n_answered: int) -> float | None:
        """Return the share of rows whose group changed between the last two multiples of ten."""
        last = n_answered // _STEP * _STEP
        if last < 2 * _STEP:
            return None
        times = [self._questions.as_of(n) for n in (last - _STEP, last)]
        if not all(then.history.names for then in times):
            return None
        (before, _), (groups, n_rows) = [then.guesses() for then in times]
        return float(n_rows[groups != before].sum() / n_rows.sum())

    def _take(self, questions: Questions) -> None:
        """Store what questions know, and make them those of the session."""
        hint = questions.n_clusters_hint
        files = self._files_of(questions, hint.counted)
        if not self._out.was_used():  # the folder was copied without hidden files
            self._out.adopt(files, self.kinds)
        self._store(questions.history.lines, files)
        self._questions, self._hint = questions, hint
        self._second_looks = {}
        for look in questions.second_looks:
            reason = f"you said {look.said}, which nothing else was put into since"
            if look.near:
                reason = f"you said {look.said}; what is near it says {look.near}"
            self._second_looks[look.question.id] = look.question, reason

    def _files_of(self, questions: Questions, counted: Collection[int]) -> dict[str, bytes]:
        """Return the files that follow from the log: the constraints of every view, and groups."""
        files = {}
        for table, constraints in zip(self._inputs.tables, questions.constraints, strict=True):
            ids, links = table.ids, constraints.rows()
            rows = [[ids[i], ids[j], kind_of(together)] for i, j, together, _ in links]
            files[f"{table.name}.csv"] = csv_bytes([["i", "j", "kind"], *rows])
        rows = [
            [group.name, "\n".join(group.members), "yes" if group.number in counted else "no"]
            for group in questions.groups
        ]
        files[GROUPS] = csv_bytes([GROUP_COLUMNS, *rows])
        return files


def _check_new_name(answer: str) -> None:
    """Refuse a new name that is too long, or looks like a handle; those in former logs stay."""
    if not answer.startswith((OPENS, RENAME)):
        return
    name = answer.partition(":")[2]
    refuse_handle(name)
    if len(name) > MOST_LETTERS:
        raise InvalidInputError(
            f"The name {shown(name)} has {len(name)} letters; a group's name has at most "
            f"{MOST_LETTERS}."
        )
