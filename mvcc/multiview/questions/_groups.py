"""Groups of objects: as constraints of the views, and those of several people as one history."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mvcc.multiview.questions._history import OPENS, OUTLIER, UNSURE, Answer, AnswerHistory
from mvcc.multiview.questions._question import Rows
from mvcc.results import AgreementFacts

if TYPE_CHECKING:
    from mvcc.constraints import Constraints

MANY_ANSWERS = 60  # from which on a small group may not count as a cluster
FEWEST_MEMBERS = 3  # of a group that is not small
_FEWEST = 2  # common objects that make groups of different names one

_Link = tuple[list[int], bool, str]  # two rows, whether they belong together, and its source


@dataclass(eq=False)
class _Component:
    """Members of a group that constraints and matches hold together."""

    first: int  # the object that was the first of them
    first_rows: dict[int, int]  # of each view that it has rows of
    # those that a cannot-link of either tells apart from this one
    apart: set[_Component] = field(default_factory=set)

    def take(self, other: _Component) -> None:
        """Become one component with a younger one."""
        self.first_rows = other.first_rows | self.first_rows
        for third in other.apart:
            third.apart.discard(other)
            third.apart.add(self)
        self.apart |= other.apart


class GroupLinks:
    """What constraints can say of the members of groups.

    A member is must-linked to the first member of its group in a view that both have; the first
    members of two groups are cannot-linked once, in the first view that they share. While two
    components of a group, or two groups, have no view in common, nothing can be said of them.

    `rows` are those of each answered object; `apart` are the pairs of groups that are told apart,
    by default all. The source of a constraint is where the last answer was read that it needs.
    """

    def __init__(
        self,
        history: AnswerHistory,
        rows: dict[int, Rows],
        n_views: int,
        apart: Collection[frozenset[int]] | None = None,
    ) -> None:
        self._told_apart = apart
        self._links: list[list[_Link]] = [[] for _ in range(n_views)]
        self._components: dict[int, list[_Component]] = {}
        sources = {line.object: line.where for line in history.standing}
        for obj, group in history.answers.items():
            if isinstance(group, int):
                first_rows = {view: of_view[0] for view, of_view in enumerate(rows[obj]) if of_view}
                self._add(_Component(obj, first_rows), group, sources[obj])

    @property
    def constraints(self) -> list[Constraints]:
        from mvcc.constraints import Constraints  # numba, which takes half a second to import

        constraints = []
        for links in self._links:
            pairs = np.array([rows for rows, _, _ in links], np.int64).reshape(-1, 2)
            must_link = np.array([kind for _, kind, _ in links], np.bool_)
            listed = pairs, must_link, np.ones(len(links))
            constraints.append(Constraints.from_lines(listed, [source for _, _, source in links]))
        return constraints

    @property
    def untold(self) -> list[tuple[bool, int, int]]:
        """What no constraint says: whether two objects belong together, and the objects."""
        together = [
            (True, components[0].first, other.first)
            for components in self._components.values()
            for other in components[1:]
        ]
        apart = [
            (False, components[0].first, others[0].first)
            for components, others in combinations(self._components.values(), 2)
            if not any(component.apart & set(others) for component in components)
        ]
        return together + apart

    def views_of(self, group: int) -> set[int]:
        """Return the views that the first component of a group has rows of."""
        return set(self._components[group][0].first_rows)

    def _add(self, new: _Component, group: int, source: str) -> None:
        """Add a member, whose answer is the source of all constraints that it brings."""
        components = self._components.setdefault(group, [])
        touched = [old for old in components if self._link(old, new, source, must_link=True)]
        if not touched:
            components.append(new)
            self._cannot_link(new, group, source)
            return
        joined, *others = [*touched, new]
        n_views = len(joined.first_rows)
        for old in others:
            joined.take(old)
        components[:] = [old for old in components if old not in others]
        if len(joined.first_rows) > n_views:
            self._cannot_link(joined, group, source)

    def _cannot_link(self, joined: _Component, group: int, source: str) -> None:
        for other_group, others in self._components.items():
            pair = frozenset((group, other_group))
            if len(pair) == 1 or not (self._told_apart is None or pair in self._told_apart):
                continue
            for other in others:
                if other not in joined.apart and self._link(other, joined, source, must_link=False):
                    joined.apart.add(other)
                    other.apart.add(joined)

    def _link(self, left: _Component, right: _Component, source: str, *, must_link: bool) -> bool:
        """Add a link in the first view that both have rows of; return whether there is one."""
        shared = left.first_rows.keys() & right.first_rows.keys()
        if shared:
            view = min(shared)
            rows = sorted((left.first_rows[view], right.first_rows[view]))
            self._links[view].append((rows, must_link, source))
        return bool(shared)


@dataclass(eq=False)
class SharedGroup:
    """A group of one person or more."""

    name: str  # that of the first person; no other shared group has it
    names: dict[str, str] = field(default_factory=dict)  # dict {who: name}
    members: set[int] = field(default_factory=set)  # all objects that somebody put into it


@dataclass(frozen=True)
class Agreement:
    """What several people answered."""

    # what nobody disputes, in the order of time; of one person alone, their own history
    history: AnswerHistory
    groups: list[SharedGroup]  # all groups, also those whose members are all disputed
    said: dict[int, dict[str, str]]  # without unsure answers
    disputed: list[int]  # objects with two different answers
    apart: set[frozenset[str]]  # names of two groups that one person has told apart
    pairs: list[AgreementFacts]

    @property
    def counted(self) -> set[str]:
        """The groups that count as clusters."""
        # after many answers, a small group counts only if several people have it
        few = len(self.said) < MANY_ANSWERS
        people = {group.name: len(group.names) for group in self.groups}
        members = self.history.members().items()
        sizes = {self.history.names[group]: len(objects) for group, objects in members}
        return {name for name, n in sizes.items() if few or people[name] > 1 or n >= FEWEST_MEMBERS}


def agreement(histories: Mapping[str, AnswerHistory]) -> Agreement:
    """Merge the answers of several people."""
    # groups are the same if they have the same name, or else if each has most of the other's
    # objects among those that both people answered
    groups: list[SharedGroup] = []
    said: dict[int, dict[str, str]] = {}
    apart: set[frozenset[str]] = set()
    for who, history in histories.items():
        names: dict[int | str, str] = {
            group: shared.name for group, shared in _shared(who, history, groups).items()
        }
        apart |= set(map(frozenset, combinations(names.values(), 2)))
        names[OUTLIER] = OUTLIER
        for obj, says in history.answers.items():
            if says != UNSURE:
                said.setdefault(obj, {})[who] = names[says]
    disputed = [obj for obj, answers in said.items() if len(set(answers.values())) > 1]
    pairs = [_agreement_of(who, other, said) for who, other in combinations(histories, 2)]
    return Agreement(_merged([*histories.values()], said), groups, said, disputed, apart, pairs)


def _shared(who: str, history: AnswerHistory, groups: list[SharedGroup]) -> dict[int, SharedGroup]:
    """Return the shared group of every group of a person; those that nobody else has are added."""
    members = {group: set(objects.tolist()) for group, objects in history.members().items()}
    grouped = set[int]().union(*members.values())
    grouped_before = set[int]().union(*(shared.members for shared in groups))

    def has_the_name(group: int, shared: SharedGroup) -> bool:
        return history.names[group] == shared.name

    def is_called_so(group: int, shared: SharedGroup) -> bool:
        names = {name.casefold() for name in shared.names.values()}
        return history.names[group].casefold() in names

    def has_its_objects(group: int, shared: SharedGroup) -> bool:
        n_both = len(members[group] & shared.members)
        n_most = max(len(members[group] & grouped_before), len(shared.members & grouped))
        return n_both >= _FEWEST and 2 * n_both > n_most

    shared_of: dict[int, SharedGroup] = {}
    for is_same in (has_the_name, is_called_so, has_its_objects):
        for group in [group for group in members if group not in shared_of]:
            free = [shared for shared in groups if shared not in shared_of.values()]
            if same := next((shared for shared in free if is_same(group, shared)), None):
                shared_of[group] = same
    for group, objects in members.items():
        if group not in shared_of:
            shared_of[group] = SharedGroup(history.names[group])
            groups.append(shared_of[group])
        shared_of[group].names[who] = history.names[group]
        shared_of[group].members |= objects
    return shared_of


def _merged(histories: list[AnswerHistory], said: Mapping[int, Mapping[str, str]]) -> AnswerHistory:
    """Return the answers that nobody disputes: the first sure one of each, in the order of time."""
    if len(histories) == 1:
        return histories[0]
    lines: dict[int, Answer] = {}
    for history in histories:
        last = {line.object: line for line in history.standing if line.object is not None}
        for obj, line in last.items():
            both = (lines.get(obj, line), line)
            lines[obj] = min(both, key=lambda line: (line.answer == UNSURE, line.when))
    merged, known = list[Answer](), {UNSURE, OUTLIER}
    for obj, line in sorted(lines.items(), key=lambda item: item[1].when):
        answer, *others = set(said.get(obj, {}).values()) or {UNSURE}
        if others:
            continue
        if answer not in known:
            known.add(answer)
            answer = f"{OPENS}{answer}"
        merged.append(replace(line, answer=answer))
    return AnswerHistory().followed_by(merged)


def _agreement_of(person: str, other: str, said: dict[int, dict[str, str]]) -> AgreementFacts:
    from sklearn.metrics import cohen_kappa_score  # scikit-learn takes a second to import

    common = [answers for answers in said.values() if person in answers and other in answers]
    first, second = ([answers[who] for answers in common] for who in (person, other))
    n_same = sum(answers[person] == answers[other] for answers in common)
    kappa = float(cohen_kappa_score(first, second)) if len({*first, *second}) > 1 else None
    return AgreementFacts(people=(person, other), n_objects=len(common), n_same=n_same, kappa=kappa)
