"""How sure the cluster of a row is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

_UNDECIDED = 0.5  # of the probability of its cluster: the second choice is nearly as likely
_WORST_FIT = 0.05  # a twentieth of all rows fits worse


class Sureness(StrEnum):
    """Every row is exactly one of these."""

    SURE = "sure"
    BETWEEN = "between"  # two clusters
    NOWHERE = "nowhere"  # it fits its cluster worst, and there is no better one


def sureness_of(
    fit: Sequence[float],
    stability: Sequence[float | None],
    probability: Sequence[float],
    second_probability: Sequence[float],
) -> list[Sureness]:
    """Tell for every row of a view how sure its cluster is.

    Without probabilities, which only the joint method has, a row is between two clusters if a
    stability run puts it into another one. What former versions did not store is empty.
    """
    if probability:
        chances = zip(probability, second_probability, strict=True)
        between = [second > _UNDECIDED * first for first, second in chances]
    else:
        between = [share is not None and share < 1 for share in stability]
    found = [Sureness.BETWEEN if undecided else Sureness.SURE for undecided in between]
    for row, share in enumerate(fit):
        if share < _WORST_FIT:
            found[row] = Sureness.NOWHERE
    return found
