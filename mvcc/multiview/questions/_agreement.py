"""Answers of several people as one history, and where people disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from mvcc.multiview.questions._history import (
    OPENS,
    OUTLIER,
    UNSURE,
    Answer,
    AnswerHistory,
)
from mvcc.results import AgreementFacts

MANY_ANSWERS = 60  # from which on a small group may not count as a cluster
FEWEST_MEMBERS = 3  # of a group that is not small
_FEWEST = 2  # common objects that make groups of different names one


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
