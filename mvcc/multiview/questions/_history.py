"""The history of answers, and the groups that follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any

import numpy as np

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.validation import is_integer
from mvcc.exceptions import InvalidInputError

UNSURE, OUTLIER, NEW, UNDO = "unsure", "outlier", "new", "undo"
OPENS, MERGE, RENAME = "new:", "merge:", "rename:"  # before the name of a group
_HANDLE = re.compile("g[0-9]+")


@dataclass(frozen=True)
class Answer:
    """A line of the log of answers."""

    id: str  # the object that it is about, as "view:row"; or the name of the group that it changes
    # the name of a group, "new:NAME", "unsure" or "outlier" for an object; "rename:NAME" or
    # "merge:NAME" for a group; "undo" takes back the line before
    answer: str
    when: str = ""
    object: int | None = None  # the number of the object. It is not stored.
    # whether the group was the likeliest one; None for other answers. It is not stored.
    guessed: bool | None = None
    where: str = field(default="", compare=False)  # it was read. It is not stored.

    @property
    def is_about_object(self) -> bool:
        """Whether it is about an object, not about groups or the line before."""
        return self.answer != UNDO and not self.answer.startswith((MERGE, RENAME))

    @property
    def opens(self) -> bool:
        return self.answer == NEW or self.answer.startswith(OPENS)

    @property
    def names_group(self) -> bool:
        """Whether it puts an object into an open group."""
        return not self.opens and self.answer not in (UNSURE, OUTLIER)

    @property
    def says(self) -> str:
        """The name of the group of an object, "unsure" or "outlier"."""
        return self.answer.removeprefix(OPENS)


@dataclass(frozen=True)
class AnswerHistory:
    """All answers in their order, and what follows from them. It never changes."""

    lines: tuple[Answer, ...] = ()  # all answers, also those that were taken back
    # without those that were taken back. Everything below follows from them alone.
    standing: tuple[Answer, ...] = ()
    # dict {object: number of a group, "unsure" or "outlier"}
    answers: dict[int, int | str] = field(default_factory=dict)
    # of all groups, in the order in which they were opened
    names: dict[int, str] = field(default_factory=dict)
    # how many objects had been answered when a group was opened
    opened_at: dict[int, int] = field(default_factory=dict)
    # the first answer to every object, if it names a group
    first_answers: list[Answer] = field(default_factory=list)
    looked_at: set[int] = field(default_factory=set)  # objects that were answered again

    def extended(self, answer: Answer, *, again: bool = False) -> AnswerHistory:
        """Return the history with one more answer, or refuse the answer.

        Only with `again` may an object have another answer than before. The same answer once more,
        without `again`, adds nothing.
        """
        if checked := self._checked(answer, again):
            return self.followed_by([checked])
        return self

    def followed_by(self, answers: Iterable[Answer]) -> AnswerHistory:
        """Return the history with more answers, unchecked: unknown groups are opened."""
        lines = (*self.lines, *answers)
        standing = answers_standing(lines)
        known = self if standing[: len(self.standing)] == self.standing else AnswerHistory()
        follows = {name: copy(value) for name, value in vars(known).items()}
        history = AnswerHistory(**follows | {"lines": lines, "standing": standing})
        for answer in standing[len(known.standing) :]:
            history._apply(answer)
        return history

    def among(self, n_objects: int) -> AnswerHistory:
        """Return all lines, but what follows from answers about the first objects alone."""
        answers = {obj: says for obj, says in self.answers.items() if obj < n_objects}
        used = set(answers.values())
        names = {group: name for group, name in self.names.items() if group in used}
        first_answers = [line for line in self.first_answers if line.object in answers]
        return replace(self, answers=answers, names=names, first_answers=first_answers)

    @property
    def lacking(self) -> tuple[Answer, ...]:
        """The answers about other objects that stand."""
        answers = (line for line in self.standing if line.is_about_object)
        return tuple(line for line in answers if line.object not in self.answers)

    def as_of(self, n: int) -> AnswerHistory:
        """Return the history as it last was with n objects answered."""
        first = dict.fromkeys(line.object for line in self.standing if line.object in self.answers)
        late = set(islice(first, n, None))
        early = takewhile(lambda line: line.object not in late, self.standing)
        return AnswerHistory().followed_by(early)

    def said(self, one: int) -> str | None:
        """Return the answer to an object: the name of its group, "unsure" or "outlier"."""
        says = self.answers.get(one)
        return self.names[says] if isinstance(says, int) else says

    def members(self) -> dict[int, Ints]:
        """Return the objects of every group, in the order of the answers."""
        members: dict[int, list[int]] = {group: [] for group in self.names}
        for obj, says in self.answers.items():
            if isinstance(says, int):
                members[says].append(obj)
        return {group: np.array(objects, dtype=np.int64) for group, objects in members.items()}

    def asked(self) -> Ints:
        return np.array(list(self.answers), dtype=np.int64)

    @property
    def n_since_new(self) -> int:
        """How many first answers in a row have opened no group."""
        return len(list(takewhile(lambda answer: not answer.opens, reversed(self.first_answers))))

    @property
    def n_since_again(self) -> int:
        """How many answers there were since an object was last answered once more."""
        n, met = 0, set[int | None]()
        for line in filter(lambda line: line.is_about_object, self.standing):
            n += 1
            if line.object in met:
                n = 0
            met.add(line.object)
        return n

    def number(self, name: str) -> int | None:
        """Return the number of the group of a name; None if there is none."""
        return next((group for group, group_name in self.names.items() if group_name == name), None)

    def next_number(self) -> int:
        return 1 + max(self.opened_at, default=0)

    def group(self, which: Any) -> int:
        """Return the number of a group, given by its name, number or handle, such as "g1"."""
        guess = "."
        if isinstance(which, str):
            by_handle = {f"g{group}": group for group in self.names}
            if group := self.number(which) or by_handle.get(which):
                return group
            guess = nearest(which, self.names.values())
        elif is_integer(which) and which in self.names:
            return int(which)
        known = ", ".join(map(shown, self.names.values())) or "none so far"
        raise InvalidInputError(
            f"There is no group {shown(which)}; the groups are {clipped(known, 200)}{guess}"
        )

    def check_name(self, name: Any, group: int | None = None) -> None:
        """Refuse what may not be the name of a group, or is that of another one."""
        is_text = isinstance(name, str) and name.strip() and name == name.strip()
        if not is_text or not name.isprintable():
            raise InvalidInputError(
                "The name of a group must be a text without blanks at its ends or invisible"
                f" characters, got {shown(name)}."
            )
        answers = (NEW, UNSURE, OUTLIER, UNDO, "none")
        if name in answers or name.startswith((OPENS, MERGE, RENAME)):
            raise InvalidInputError(
                f"{shown(name)} must not be the name of a group: it is an answer of its own."
            )
        if self.number(name) not in (None, group):
            raise InvalidInputError(f"There is a group {shown(name)} already; give another name.")

    def _checked(self, answer: Answer, again: bool) -> Answer | None:
        """Return an answer as it is stored, with names of groups; None if it was given before."""
        text = answer.answer
        if text == UNDO:
            return replace(answer, id=(answer, *self.standing)[-1].id)
        if text.startswith(RENAME):
            group = self.group(answer.id)
            self.check_name(text.removeprefix(RENAME), group)
            return replace(answer, id=self.names[group])
        if text.startswith(MERGE):
            kept = self.names[self.group(text.removeprefix(MERGE))]
            gone = self.names[self.group(answer.id)]
            if kept == gone:
                raise InvalidInputError(
                    f"kept and gone must be two groups, got {shown(kept)} and {shown(gone)}."
                )
            return replace(answer, id=gone, answer=f"{MERGE}{kept}")
        return self._checked_for_object(answer, again)

    def _checked_for_object(self, answer: Answer, again: bool) -> Answer | None:
        assert answer.object is not None
        says = self._next_name() if answer.answer == NEW else answer.says
        stored = wanted = says
        if answer.opens:
            self.check_name(says)
            stored, wanted = f"{OPENS}{says}", NEW
        elif answer.names_group:
            stored = wanted = says = self.names[self.group(says)]
        before = self.said(answer.object)
        if before is not None and not again:
            if before == says:
                return None
            raise InvalidInputError(
                f"{answer.id} was answered before: {shown(before)}, got {shown(wanted)}. Undo that "
                "answer first, or replace it: with again=True in Python, else by `mvcc ask`, key l."
            )
        return replace(answer, answer=stored)

    def _next_name(self) -> str:
        number, taken = self.next_number(), set(self.names.values())
        while f"group {number}" in taken:
            number += 1
        return f"group {number}"

    # what follows changes a history that nobody has seen yet

    def _apply(self, answer: Answer) -> None:
        if answer.is_about_object:
            self._place(answer)
            return
        group = self.number(answer.id)
        if group is None:
            return
        if answer.answer.startswith(RENAME):
            self.names[group] = answer.answer.removeprefix(RENAME)
            return
        kept = self.number(answer.answer.removeprefix(MERGE))
        if kept not in (None, group):
            gone = [obj for obj, says in self.answers.items() if says == group]
            self.answers.update(dict.fromkeys(gone, kept))
            del self.names[group]

    def _place(self, answer: Answer) -> None:
        """Put an object into its group, which is opened if it is new, or let it be in none."""
        obj = answer.object
        assert obj is not None
        before = self.answers.get(obj)
        says: int | str | None = answer.says
        if says not in (UNSURE, OUTLIER):
            says = self.number(answer.says)
            if says is None:
                says = self.next_number()
                self.opened_at[says] = len(self.answers)
                self.names[says] = answer.says
            if before is None:
                self.first_answers.append(answer)
        if before is not None:
            self.looked_at.add(obj)
        if before == says:
            return
        self.answers.pop(obj, None)  # the last answers come last
        self.answers[obj] = says
        if isinstance(before, int) and before not in self.answers.values():
            del self.names[before]


def answers_standing(lines: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return lines without those that were taken back."""
    standing: list[Answer] = []
    for answer in lines:
        if answer.answer != UNDO:
            standing.append(answer)
        elif standing:
            standing.pop()
        else:
            raise InvalidInputError("There is nothing to undo.")
    return tuple(standing)


def is_handle(name: str) -> bool:
    return bool(_HANDLE.fullmatch(name))


def refuse_handle(name: str) -> None:
    """Refuse a new name that looks like a handle; those in former logs stay."""
    if is_handle(name):
        raise InvalidInputError(
            f"{shown(name)} must not be the name of a group: g with a number stands for the group "
            f"of this number. Choose another name."
        )
