"""Doubtful answers, which their neighborhood contradicts, and doubtful groups."""

from __future__ import annotations

import numpy as np

from mvcc.multiview.questions._coverage import Coverage, Kernel
from mvcc.multiview.questions._history import FEWEST_MEMBERS, MANY_ANSWERS, AnswerHistory

# share of the evidence for another group: with less for its own, an answer is looked at again
_DOUBT = 0.2
_LONELY = 20  # answers after which a group of one member is looked at again
_FEWEST_ROWS = 1 / 3  # of the mean over all groups


def contradicted(history: AnswerHistory, kernel: Kernel) -> list[tuple[int, int]]:
    """Return the objects to look at again, each with the group that what is near says.

    That group is 0 for an object that has long been alone in its group.
    """
    members = history.members()
    numbers = list(members)
    says = history.answers.items()
    grouped = [(one, numbers.index(group)) for one, group in says if isinstance(group, int)]
    if not grouped:
        return []
    objects, groups = np.array(grouped).T
    sizes = np.array([len(own) for own in members.values()])
    # members but for the object itself
    others = sizes - (groups[:, None] == np.arange(len(numbers)))
    sums = kernel.sums(objects, list(members.values()), others_only=True)
    likeness = sums / np.sqrt(np.maximum(others, 1))
    looks = []
    for (one, group), n_others, like in zip(grouped, others, likeness, strict=True):
        if one in history.looked_at:
            continue
        nearest = int(like.argmax())
        n_since_opened = len(history.answers) - history.opened_at[numbers[group]]
        if n_others[group] == 0 and n_since_opened > _LONELY:
            looks.append((one, 0))
        elif n_others[group] > 0 and like[group] < _DOUBT * like[nearest]:
            looks.append((one, numbers[nearest]))
    return looks


def counted_groups(history: AnswerHistory, coverage: Coverage) -> list[int]:
    """Return the groups that count as clusters.

    After many answers, small groups count only if they are nearest to many rows.
    """
    members = history.members()
    if len(history.answers) < MANY_ANSWERS or not members:
        return list(members)
    places, weights = coverage.nearest_of(list(members.values()))
    rows = np.bincount(places, weights, minlength=len(members))
    least = _FEWEST_ROWS * weights.sum() / len(members)
    return [
        number
        for (number, own), near in zip(members.items(), rows, strict=True)
        if len(own) >= FEWEST_MEMBERS or near >= least
    ]
