"""Questions to a person, whose answers become constraints.

"which of these groups is this like?".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController, threadpool_limits

from mvcc._utils.messages import shown
from mvcc._utils.validation import RandomState, as_generator, check_count
from mvcc.constraints import Constraints
from mvcc.embedding import any_graph, neighbors_for, separate_problems
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.questions._coverage import Coverage
from mvcc.multiview.questions._doubts import contradicted, counted_groups
from mvcc.multiview.questions._group_links import GroupLinks
from mvcc.multiview.questions._history import (
    LAST,
    NEW,
    OUTLIER,
    UNSURE,
    Answer,
    AnswerHistory,
    Merge,
    Rename,
)
from mvcc.multiview.questions._named_objects import NamedObjects
from mvcc.multiview.questions._types import (
    ClustersHint,
    Group,
    Neighbor,
    Offer,
    Progress,
    Question,
    SecondLook,
    Untold,
)
from mvcc.views import ConstrainedViews, GivenViews

_EXPECTED_GROUPS = 10  # for the number of neighbors, before anything is known of the groups
_EXEMPLARS = 2
_SOUGHT = 10  # answers after which no matched member of a group is sought any longer
_RUNNER_UP = (
    0.5  # of the likeliest group: so likely must the next one be for an object to be undecided
)

Ints = NDArray[np.int64]


@cache
def _threads() -> ThreadpoolController:
    """Return what limits the threads of BLAS.

    To find its libraries takes as long as a question may.
    """
    return ThreadpoolController()


class Questions:
    """Ask a person which group an object belongs to, and turn the answers into constraints.

    Matched rows are one object. The next object is the one whose answer speaks for most rows that
    no answer speaks for yet and whose group is uncertain: greedy coverage of the joint graph of
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
        Neighbors of a row in the graph of its view, at most; 5 or more where a view has less than
        200 rows.
    random_state : int, numpy Generator, RandomState or None, default=0
        Of more than 5,000 objects it draws those that are asked about, and those that sums are
        over.

    Raises
    ------
    InvalidInputError
        For views or mappings that do not fit together.

    Notes
    -----
    As for ``JointGraphClustering``, one or two matches connect no views. Of more than 5,000
    objects, the kernel is that of the 100 leading eigenpairs of the graph, and 1,000 objects are
    candidates for questions. A cannot-link between rows of different views cannot be stored; so
    while a group has no member that matches connect with the other views, objects are asked that
    are matched, the nearest first, until ten answers after the group was opened.

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
    ...     questions.answer(question, name if name in known else f"new:{name}")
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
        given = GivenViews.of(views)
        data = given.arrays()
        problems = separate_problems(len(data), given.relations(mappings))
        relations = {
            (own[u], own[v]): rows for own, inside in problems for (u, v), rows in inside.items()
        }
        q = neighbors_for(data, _EXPECTED_GROUPS, check_count(n_neighbors, "n_neighbors"))
        rng = as_generator(random_state)
        with threadpool_limits(1):  # sums are in another order on more threads
            graph = any_graph(data, relations, q, 0, _EXPECTED_GROUPS, rng)
            self._objects = NamedObjects(given, graph.objects, graph.n_objects)
            self._coverage = Coverage(graph, self._objects.n_rows, rng)
        self._matched = (self._objects.n_rows > 0).sum(axis=1) > 1
        self._history = AnswerHistory()

    def next(self, n: int = 1) -> list[Question]:
        """Return the next questions.

        Parameters
        ----------
        n : int, default=1
            How many; fewer are returned where no object is left to ask about.

        Returns
        -------
        list of Question
        """
        check_count(n, "n")
        members, asked = self._history.members(), self._history.asked()
        with _threads().limit(limits=1):
            bridges = self._bridges(members, asked)[:n]
            told = np.concatenate((asked, np.array(bridges, dtype=np.int64)))
            matched = self._matched[self._coverage.candidates]
            preferred = matched if bridges else np.ones_like(matched)
            chosen = self._coverage.choose(
                n - len(bridges), list(members.values()), told, preferred
            )
            return [self._question(one, members, asked) for one in bridges + chosen]

    def answer(
        self,
        question: Question | str | tuple[int | str, int],
        answer: str | int,
        *,
        again: bool = False,
    ) -> bool | None:
        """Take down an answer.

        Parameters
        ----------
        question : Question, str or tuple
            The question or its id; or any row, as an id such as "texts:17" or a tuple (view, number
            of the row).
        answer : str or int
            The name or number of a group; "new" or "new:NAME" opens one; "unsure"; or "outlier",
            which fits nowhere.
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
        one = self._objects.find(question)
        entry = self._meant(one, answer)
        before = self._history.answers.get(one)
        if before is not None and not again:
            if before == entry.says:
                return None
            raise InvalidInputError(
                f"{self._objects.id(one)} was answered before: {self._in_words(before)}, got"
                f" {self._in_words(entry.says)}. Undo that answer first, or replace it by"
                " again=True."
            )
        self._history.say(entry)
        return entry.guessed if isinstance(entry.says, int) and not entry.opens else None

    def id(self, row: Question | str | tuple[int | str, int]) -> str:
        """Return the id of the question about a row, given as for ``answer``."""
        return self._objects.id(self._objects.find(row))

    def question(self, row: Question | str | tuple[int | str, int]) -> Question:
        """Return the question about a row, given as for ``answer``, also where it was answered
        before.
        """
        with _threads().limit(limits=1):
            return self._question(
                self._objects.find(row), self._history.members(), self._history.asked()
            )

    def said(self, question: Question | str | tuple[int | str, int]) -> str | None:
        """Return what was answered: the name of a group, "unsure" or "outlier".

        None where nothing was.
        """
        says = self._history.answers.get(self._objects.find(question))
        return self._history.names[says] if isinstance(says, int) else says

    def nearest(
        self, question: Question | str | tuple[int | str, int], n: int = 5
    ) -> list[list[Neighbor]]:
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
        one, members, history = self._objects.find(question), self._history.members(), self._history
        with _threads().limit(limits=1):
            near = self._coverage.kernel.near(np.arange(len(self._matched)), np.array([one]))[:, 0]
            near[one] = 0
            found: list[list[Neighbor]] = []
            for of_rows in self._objects.of_rows:
                rows = np.argsort(-near[of_rows], kind="stable")[:n]
                found.append([])
                for row in rows[near[of_rows[rows]] > 0].tolist():
                    other = int(of_rows[row])
                    says = history.answers.get(other) or (
                        self._likeness(other, members)[0][0] if members else ""
                    )
                    group = history.names[says] if isinstance(says, int) else says
                    found[-1].append(Neighbor(row, group, other in history.answers))
        return found

    def guesses(self) -> tuple[Ints, NDArray[np.float64]]:
        """Return the number of the group that every object is most like, and how many rows each
        object stands for.

        Of more than 5,000 objects, a part stands for all.
        """
        members = self._history.members()
        if not members:
            raise InvalidInputError("There is no group yet.")
        with _threads().limit(limits=1):
            places, rows = self._coverage.nearest_of(list(members.values()))
        return np.array(list(members), dtype=np.int64)[places], rows

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
        last = self._history.undo()
        return self._objects.id(last.of) if isinstance(last, Answer) else None

    def merge(self, kept: str | int, gone: str | int) -> None:
        """Put the members of one group into another.

        Parameters
        ----------
        kept, gone : str or int
            Names or numbers of groups.

        Raises
        ------
        InvalidInputError
            For groups that are not there, or the same group twice.
        """
        one, other = self._history.group(kept), self._history.group(gone)
        if one == other:
            raise InvalidInputError(
                f"kept and gone must be two groups, got {shown(kept)} and {shown(gone)}."
            )
        self._history.say(Merge(one, other))

    def rename(self, group: str | int, name: str) -> None:
        """Give a group another name.

        Parameters
        ----------
        group : str or int
            Its name or number.
        name : str

        Raises
        ------
        InvalidInputError
            For a group that is not there, or a name that it cannot have.
        """
        number = self._history.group(group)
        self._history.say(Rename(number, self._history.check_name(name, number)))

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        names = self._history.names
        return [
            Group(number, names[number], tuple(map(self._objects.id, own)))
            for number, own in self._history.members().items()
        ]

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
        return [
            Untold(kind, (self._objects.id(one), self._objects.id(other)))
            for kind, one, other in self._links().untold
        ]

    @property
    def outliers(self) -> list[Ints]:
        """The rows of all outliers, per view."""
        found = [one for one, says in self._history.answers.items() if says == OUTLIER]
        return [np.flatnonzero(np.isin(own, found)) for own in self._objects.of_rows]

    @property
    def n_clusters_hint(self) -> ClustersHint:
        """The number of clusters that the answers propose."""
        with _threads().limit(limits=1):
            counted = counted_groups(self._history, self._coverage)
        return ClustersHint(len(counted), self._history.is_settled(), tuple(counted))

    @property
    def second_looks(self) -> list[SecondLook]:
        """Answers that what is near contradicts, and groups that have had one member for long.

        Once each.

        An answer is contradicted where less than a fifth of what speaks for another group speaks
        for its own. Ask once more, and give the answer with ``again=True``.
        """
        history, members, asked = self._history, self._history.members(), self._history.asked()
        looks = []
        with _threads().limit(limits=1):
            for one, near in contradicted(history, self._coverage.kernel):
                question, own = self._question(one, members, asked), history.answers[one]
                assert isinstance(own, int)
                looks.append(SecondLook(question, history.names[own], history.names.get(near, "")))
        return looks

    @property
    def progress(self) -> Progress:
        """What was answered so far."""
        guessed = sum(answer.guessed for answer in self._history.first_answers[-LAST:])
        return Progress(len(self._history.answers), len(self._history.names), guessed)

    def _meant(self, one: int, answer: Any) -> Answer:
        """Return what an answer says of an object."""
        history = self._history
        if isinstance(answer, str) and answer in (UNSURE, OUTLIER):
            return Answer(one, answer)
        if isinstance(answer, str) and (answer == NEW or answer.startswith(f"{NEW}:")):
            name = (
                history.next_name()
                if answer == NEW
                else history.check_name(answer.removeprefix(f"{NEW}:"))
            )
            return Answer(one, history.next_number(), name)
        group, members = history.group(answer), history.members()
        return Answer(one, group, guessed=self._likeness(one, members)[0][0] == group)

    def _in_words(self, says: int | str) -> str:
        return shown(self._history.names.get(says, NEW)) if isinstance(says, int) else shown(says)

    def _likeness(self, one: int, members: dict[int, Ints]) -> list[tuple[int, float]]:
        """Return how like every group an object is, the likeliest first."""
        sums = self._coverage.kernel.sums(np.array([one]), list(members.values()))[0]
        likeness = sums / np.sqrt([len(own) for own in members.values()])
        numbers = list(members)
        return [
            (numbers[place], float(likeness[place]))
            for place in np.argsort(-likeness, kind="stable")
        ]

    def _bridges(self, members: dict[int, Ints], asked: Ints) -> list[int]:
        """Return, for every group whose members lack a view, the nearest object that would connect
        it.
        """
        links = self._links()
        found: list[int] = []
        for number, own in members.items():
            seen = links.views_of(number)
            missing = set(range(self._objects.n_rows.shape[1])) - seen
            if len(asked) - self._history.opened_at[number] > _SOUGHT:
                continue
            here, there = (
                self._objects.n_rows[:, list(views)].any(axis=1) for views in (seen, missing)
            )
            open_ = np.setdiff1d(
                np.flatnonzero(here & there), np.concatenate((asked, np.array(found, np.int64)))
            )
            if len(open_):
                near = self._coverage.kernel.near(open_, own).max(axis=1)
                found.append(int(open_[near.argmax()]))
        return found

    def _question(self, one: int, members: dict[int, Ints], asked: Ints) -> Question:
        likeness = self._likeness(one, members) if members else []
        groups = {group.number: group for group in self.groups}
        offers = tuple(
            Offer(
                groups[number],
                tuple(map(self._objects.rows, self._exemplars(one, members[number]))),
            )
            for number, _ in likeness
        )
        undecided = len(offers) > 1 and likeness[1][1] > _RUNNER_UP * likeness[0][1]
        return Question(
            self._objects.id(one),
            self._objects.rows(one),
            offers,
            tuple(
                round(rows) for rows in self._coverage.speaks_for(one, asked[asked != one]).tolist()
            ),
            tuple(offer.group.name for offer in offers[:2]) if undecided else (),
        )

    def _exemplars(self, one: int, members: Ints) -> list[int]:
        """Return members that are most like an object.

        In a view that the object has, matched ones first.
        """
        near = self._coverage.kernel.near(np.array([one]), members)[0]
        views = [view for view, own in enumerate(self._objects.rows(one)) if own]
        shared = np.array(
            [any(self._objects.rows(int(other))[view] for view in views) for other in members]
        )
        order = np.lexsort((-near, ~self._matched[members], ~shared, members == one))
        exemplars: list[int] = members[order[:_EXEMPLARS]].tolist()
        return exemplars

    def _links(self) -> GroupLinks:
        members = [
            (one, says) for one, says in self._history.answers.items() if isinstance(says, int)
        ]
        return GroupLinks(
            members,
            {one: self._objects.rows(one) for one, _ in members},
            self._objects.n_rows.shape[1],
        )
