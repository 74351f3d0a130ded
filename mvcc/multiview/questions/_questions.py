"""Questions to a person, "which of these groups is this like?", and their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.contexts import one_thread
from mvcc._utils.messages import counted
from mvcc._utils.validation import RandomState, check_count, check_flag
from mvcc.constraints import Constraints
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.questions._chooser import LAST, Chooser
from mvcc.multiview.questions._history import (
    MERGE,
    OUTLIER,
    RENAME,
    UNDO,
    Answer,
    AnswerHistory,
    refuse_handle,
)
from mvcc.multiview.questions._question import Neighbor, Progress, Question, Rows, Untold
from mvcc.views import ConstrainedViews, GivenViews

# a question, its id, or a row: an id, or view and number
Which = Question | str | tuple[int | str, int]


class Questions(Chooser):
    """Ask a person which group an object belongs to, and turn the answers into constraints.

    Matched rows are one object. The next object is the one whose answer covers most rows that
    no answer covers yet and whose group is uncertain: greedy coverage [1]_ of the joint graph of
    ``JointGraphClustering``, weighted by uncertainty, the more so the more answers there are. No
    number of clusters is needed, and nothing is fitted between questions. The same data and answers
    give the same next question, so that a session is resumed by giving its answers again.

    Views are taken as they are: scale the columns of a view before where their units differ, for
    instance by ``PerView(AutoScaler())``.

    Parameters
    ----------
    views : list or dict of array-like or DataFrame of shape (n_v, d_v)
        Instances of every view; the keys of a dict are the names of the views.
    mappings : dict {(u, v): relations}, default=None
        Rows of view u and of view v that are the same object, in the forms that
        ``JointGraphClustering.fit`` takes.
    n_neighbors : int, default=10
        Neighbors of a row in the graph of its view, at most; 5 or more where the smallest view has
        less than 200 rows. Without effect from 15,000 objects on, which are tied to anchors.
    random_state : int, numpy Generator, RandomState or None, default=0
        Draws the objects that are asked about and those that sums are over, if there are more than
        5,000 objects; from 15,000 on anchors and landmarks, too.

    Raises
    ------
    InvalidInputError
        For views or mappings that do not fit together.

    Notes
    -----
    As for ``JointGraphClustering``, one or two matches connect no views. With more than 5,000
    objects, the kernel is that of the 100 leading eigenpairs of the graph, and 1,000 objects are
    candidates for questions. A cannot-link between rows of different views cannot be stored; so
    while a group has no member that matches connect with the other views, objects are asked that
    are matched, the nearest first, until ten answers after the group was opened.

    References
    ----------
    .. [1] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher, "An Analysis of Approximations for
       Maximizing Submodular Set Functions", Mathematical Programming, 1978.

    Examples
    --------
    >>> from mvcc import Questions
    >>> texts = [[0.0], [0.2], [0.3], [5.0], [5.1], [5.3]]
    >>> images = [[8.0], [8.1], [8.3], [1.0], [1.1], [1.2]]
    >>> matches = {("texts", "images"): [(0, 0), (1, 1), (3, 3), (4, 4)]}
    >>> questions = Questions({"texts": texts, "images": images}, matches)
    >>> for _ in range(4):
    ...     (question,) = questions.next()
    ...     of_harbor = int(question.id.split(":")[1]) < 3
    ...     known = [group.name for group in questions.groups]
    ...     name = "harbor" if of_harbor else "street"
    ...     answer = name if name in known else f"new:{name}"
    ...     as_proposed = questions.answer(question, answer)
    >>> sorted((group.name, group.size) for group in questions.groups)
    [('harbor', 2), ('street', 2)]
    >>> questions.constraints[0]
    <Constraints: 2 must-links, 1 cannot-links>
    """

    def __init__(
        self,
        views: Sequence[Any] | Mapping[str, Any],
        mappings: Mapping[Any, Any] | None = None,
        *,
        n_neighbors: int = 10,
        random_state: RandomState = 0,
    ) -> None:
        if isinstance(views, ConstrainedViews):
            raise InvalidInputError(
                "views must be a list or dict of views, got ConstrainedViews; give its views."
            )
        super().__init__(GivenViews.of(views), mappings, n_neighbors, random_state)

    def __repr__(self) -> str:
        progress, views = self.progress, self._objects.views_in_words
        n_groups = counted(progress.groups, "group")
        return f"<Questions: {counted(progress.answered, 'answer')}, {n_groups}; views {views}>"

    @property
    def history(self) -> AnswerHistory:
        """All answers so far, which never change: a shallow copy of the questions has its own."""
        return self._history

    def next(self, n: int = 1, *, later: Iterable[Which] = ()) -> list[Question]:
        """Return the next questions.

        Parameters
        ----------
        n : int, default=1
            How many; fewer are returned where no object is left to ask about.
        later : iterable of Question, str or tuple, default=()
            Objects, as for ``answer``, that are asked about only if no others are left.

        Returns
        -------
        list of Question

        Raises
        ------
        InvalidInputError
            For n below 1, or objects that are not there.
        """
        check_count(n, "n")
        objects = np.array(list(map(self._objects.find, later)), dtype=np.int64)
        return [self._question(obj) for obj in self._next(n, objects)]

    def answer(self, question: Which, answer: str | int, *, again: bool = False) -> bool | None:
        """Take down an answer.

        Parameters
        ----------
        question : Question, str or tuple
            The question or its id; or any row, as an id such as "texts:17" or a tuple (view, number
            of the row).
        answer : str or int
            The name or number of a group, or its handle, such as "g2"; "new" or "new:NAME" opens
            one, whose name must not look like a handle; "unsure"; or "outlier", which fits nowhere.
        again : bool, default=False
            Whether another answer to the same object is replaced. The same answer once more
            confirms it.

        Returns
        -------
        bool or None
            Whether the answer is the group that was offered first; None where it names no group
            that was there.

        Raises
        ------
        InvalidInputError
            For a row or group that is not there, a name that no group may have, and another answer
            to an object that was answered before.
        """
        check_flag(again, "again")
        obj = self._objects.find(question)
        line = Answer(self._objects.id(obj), str(answer), object=obj)
        if line.opens:
            refuse_handle(line.says)
        if line.names_group:
            line = replace(line, answer=self._history.names[self._history.group(answer)])
        return self._extend(line, again).guessed

    def say(
        self, id: str, answer: str, when: str = "", *, again: bool = False, lacking: bool = False
    ) -> Answer:
        """Take down a line of the log: an answer, or a change of groups or of the last line.

        Parameters
        ----------
        id : str
            The object as "view:row", or the group that is renamed or merged into another.
        answer : str
            As for ``answer``, or "rename:NAME", "merge:NAME" or "undo"; names may look like
            handles, as in old logs, and come before these.
        when : str, default=""
        again : bool, default=False
            As for ``answer``.
        lacking : bool, default=False
            Whether it is about an object without rows here, whose answer has no effect.

        Returns
        -------
        Answer
            As it is in the history.

        Raises
        ------
        InvalidInputError
            As ``answer``; or where nothing is there to be undone, renamed or merged.
        """
        line = Answer(id, answer, when)
        if lacking:
            line = replace(line, object=self._objects.lacking(id))
        elif line.is_about_object:
            obj = self._objects.find(id)
            line = Answer(self._objects.id(obj), answer, when, obj)
        return self._extend(line, again)

    def id(self, row: Which) -> str:
        """Return the id of the question about a row, given as for ``answer``."""
        return self._objects.id(self._objects.find(row))

    def question(self, row: Which) -> Question:
        """Return the question about a row, given as for ``answer``, even if it was answered."""
        return self._question(self._objects.find(row))

    def rows(self, question: Which) -> Rows:
        """Return the numbers of all rows of an object, per view; it is given as for ``answer``."""
        return self._objects.rows(self._objects.find(question))

    def said(self, question: Which) -> str | None:
        """Return the answer: the name of a group, "unsure" or "outlier"; None without one."""
        return self._history.said(self._objects.find(question))

    def nearest(self, question: Which, n: int = 5) -> list[list[Neighbor]]:
        """Return the rows nearest to an object, with the groups that they are in now.

        Parameters
        ----------
        question : Question, str or tuple
            As for ``answer``.
        n : int, default=5
            How many of every view, at most.

        Returns
        -------
        list of list of Neighbor
            Per view, the nearest first; none that nothing connects with the object.
        """
        check_count(n, "n")
        return self._nearest(self._objects.find(question), n)

    def guesses(self) -> tuple[Ints, Floats]:
        """Return the likeliest group of every object, and how many rows each object stands for.

        If there are more than 5,000 objects, a part stands for all.
        """
        members = self._history.members()
        if not members:
            raise InvalidInputError("There is no group yet.")
        with one_thread():
            likeliest, rows = self._coverage.likeliest_groups(list(members.values()))
        return np.array(list(members), dtype=np.int64)[likeliest], rows

    def as_of(self, n: int) -> Self:
        """Return the questions as they last were with n objects answered."""
        earlier = copy(self)
        earlier._remember(self._history.as_of(check_count(n, "n", 0)))
        return earlier

    def undo(self) -> str | None:
        """Take back the last answer, merge or new name.

        Returns
        -------
        str or None
            The id of the question that was answered; None where it was something else.

        Raises
        ------
        InvalidInputError
            Where nothing was said.
        """
        last = self._history.standing[-1:]
        self.say("", UNDO)
        return last[0].id if last[0].is_about_object else None

    def merge(self, kept: str | int, gone: str | int) -> None:
        """Put the members of one group into another.

        Parameters
        ----------
        kept, gone : str or int
            Names, numbers or handles of groups.

        Raises
        ------
        InvalidInputError
            For groups that are not there, or the same group twice.
        """
        names, group = self._history.names, self._history.group
        self.say(names[group(gone)], f"{MERGE}{names[group(kept)]}")

    def rename(self, group: str | int, name: str) -> None:
        """Give a group another name.

        Parameters
        ----------
        group : str or int
            Its name, number or handle.
        name : str

        Raises
        ------
        InvalidInputError
            For a group that is not there, or a name that it cannot have.
        """
        number = self._history.group(group)
        self._history.check_name(name, number)
        refuse_handle(name)
        self.say(self._history.names[number], f"{RENAME}{name}")

    @property
    def constraints(self) -> list[Constraints]:
        """What the answers say, as constraints of every view, in its rows.

        A member of a group is must-linked to its first member in a view that both have; the first
        members of two groups are cannot-linked once.
        """
        return self._links().constraints

    @property
    def untold(self) -> list[Untold]:
        """What no constraint of one view can say so far."""
        id = self._objects.id
        untold = self._links().untold
        return [Untold(together, (id(obj), id(other))) for together, obj, other in untold]

    @property
    def outliers(self) -> list[Ints]:
        """The rows of all outliers, per view."""
        outliers = [obj for obj, says in self._history.answers.items() if says == OUTLIER]
        return [np.flatnonzero(np.isin(objects, outliers)) for objects in self._objects.of_rows]

    @property
    def progress(self) -> Progress:
        """What was answered so far."""
        guessed = sum(answer.guessed is True for answer in self._history.first_answers[-LAST:])
        return Progress(len(self._history.answers), len(self._history.names), guessed)
