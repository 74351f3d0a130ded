"""Contradictions among constraints: put into words, or resolved by leaving out what contradicts the heavier ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mvcc._messages import called
from mvcc.exceptions import ConstraintConflictError

CallRow = Callable[[int, int], str]  # view, row → what a message calls the row

_MOST_STEPS = 20  # of a chain that are shown
_REMEDY = "Correct or remove one of these, or have drop_conflicts (--on-conflict drop) leave out the weakest."


def call_rows(names: Sequence[str] | None = None) -> CallRow:
    """Return a function that calls a row by its number and the name of its view, where views have names."""
    return lambda view, row: f"row {row} of view {called(view, names)}"


CALL_BY_NUMBER = call_rows()


def conflict(names: Sequence[str], kinds: Sequence[str], lines: Sequence[str]) -> ConstraintConflictError:
    """Say how constraints, and relations, contradict each other.

    Parameters
    ----------
    names : sequence of str
        The rows of the shortest chain, whose ends a cannot-link keeps apart.
    kinds : sequence of str
        What each of its links is: ``"must-link"`` or ``"relation"``.
    lines : sequence of str
        Where each of them was read, and last the cannot-link; empty where that is not known, and for relations.
    """
    what = "constraints and relations" if "relation" in kinds else "constraints"
    steps = [
        f"= {name} ({', '.join(filter(None, (kind, line)))})"
        for name, kind, line in zip(names[1:], kinds, lines, strict=False)
    ]
    last = ", ".join(filter(None, ("cannot-link", lines[-1])))
    chain = " ".join(_shortened([names[0], *steps]))
    return ConstraintConflictError(
        f"The {what} contradict each other: {chain}, but {names[0]} ≠ {names[-1]} ({last}). {_REMEDY}"
    )


def _shortened(steps: list[str]) -> list[str]:
    """Leave out the middle of a chain that nobody would read to its end."""
    if len(steps) <= _MOST_STEPS:
        return steps
    half = _MOST_STEPS // 2
    return [*steps[:half], f"… {len(steps) - 2 * half} more …", *steps[-half:]]


def without_conflicts(
    ends: NDArray[np.int64], must_link: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which links to keep so that none contradicts the others: all that do not contradict heavier ones kept.

    Of equal weights, must-links come before cannot-links, and earlier ones before later ones. A link of infinite weight
    is always kept, unless infinite ones contradict each other.

    Parameters
    ----------
    ends : (m, 2) array
        The two nodes of every link, any numbers.
    must_link : (m,) array
    weights : (m,) array

    Returns
    -------
    (m,) array of bool
    """
    together: dict[int, int] = {}  # the parent of a node, where it has one
    apart: dict[int, set[int]] = {}  # by root: the roots that it must stay apart from

    def root(node: int) -> int:
        while (above := together.get(node, node)) != node:
            together[node] = together.get(above, above)
            node = above
        return node

    keep = np.zeros(len(ends), np.bool_)
    for link in np.lexsort((~must_link, -weights)).tolist():
        a, b = sorted(map(root, ends[link].tolist()), key=lambda node: len(apart.get(node, ())))
        if must_link[link]:
            keep[link] = b not in apart.get(a, ())
            if keep[link] and a != b:
                together[a] = b
                for other in apart.pop(a, set()):
                    apart[other].remove(a)
                    apart[other].add(b)
                    apart.setdefault(b, set()).add(other)
        elif a != b:
            keep[link] = True
            apart.setdefault(a, set()).add(b)
            apart.setdefault(b, set()).add(a)
    return keep
