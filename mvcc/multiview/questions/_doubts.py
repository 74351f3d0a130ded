"""What is in doubt of answers.

Those that what is near contradicts, and groups that may be no clusters.
"""

from __future__ import annotations

import numpy as np

from mvcc.multiview.questions._coverage import Coverage, Kernel
from mvcc.multiview.questions._history import AnswerHistory

_DOUBT = (
    0.2  # of what speaks for another group: with less for its own, an answer is looked at again
)
_LONELY = 20  # answers after which a group of one member is looked at again
_MANY_ANSWERS = 60  # from which on a small group must be nearest to many rows to count
_FEWEST_MEMBERS = 3
_FEWEST_ROWS = 1 / 3  # of the mean over all groups


def contradicted(history: AnswerHistory, kernel: Kernel) -> list[tuple[int, int]]:
    """Return the objects to look at again, each with the group that what is near says.

    That is 0 for one that is alone in its group for long.
    """
    members = history.members()
    numbers = list(members)
    answered = [one for one, says in history.answers.items() if isinstance(says, int)]
    if not answered:
        return []
    own = np.array([numbers.index(int(history.answers[one])) for one in answered])
    sizes = np.array([[len(members[number]) for number in numbers]])
    without = sizes - (own[:, None] == np.arange(len(numbers)))  # the object itself
    sums = kernel.sums(np.array(answered), list(members.values()), others_only=True)
    likeness = sums / np.sqrt(np.maximum(without, 1))
    found = []
    for one, place, left, like in zip(
        answered, own.tolist(), without[np.arange(len(own)), own], likeness, strict=True
    ):
        best = int(like.argmax())
        lonely = not left and len(history.answers) - history.opened_at[numbers[place]] > _LONELY
        if one not in history.looked_at and (
            lonely or (left and like[place] < _DOUBT * like[best])
        ):
            found.append((one, 0 if lonely else numbers[best]))
    return found


def counted_groups(history: AnswerHistory, coverage: Coverage) -> list[int]:
    """Return the groups that count as clusters.

    Of many answers, small ones only if they are nearest to many rows.
    """
    members = history.members()
    if len(history.answers) < _MANY_ANSWERS or not members:
        return list(members)
    places, weights = coverage.nearest_of(list(members.values()))
    rows = np.bincount(places, weights, minlength=len(members))
    least = _FEWEST_ROWS * weights.sum() / len(members)
    return [
        number
        for (number, own), near in zip(members.items(), rows, strict=True)
        if len(own) >= _FEWEST_MEMBERS or near >= least
    ]
