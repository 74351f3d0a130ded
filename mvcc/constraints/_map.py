"""What views give each other: f_{U→V} of Eq. 12, unified sets (Eq. 13–14), mapped rows, samples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc.constraints._arrays import pairs_of_spans
from mvcc.constraints._constraints import Constraints
from mvcc.constraints._given import NO_RELATIONS, Relations


class ConstraintMap:
    """f_{U→V}, prepared once for many lists of constraints."""

    def __init__(self, relations: Ints, strengths: Floats | None = None) -> None:
        # Relations (r, 2) are distinct rows of U and V. A constraint goes to every pair of
        # counterparts, and the heaviest of each pair and type stays. ``strengths`` (r,) cap its
        # weight: a relation has that of the weakest must-link which it follows from.
        if strengths is None:
            strengths = np.full(len(relations), np.inf)
        caps = [*np.unique(np.append(strengths, np.inf))[::-1].tolist(), -1.0]
        self._by = [
            (_StrongMap(relations[strengths >= cap]), cap, below) for cap, below in pairwise(caps)
        ]

    def __call__(self, constraints: Constraints) -> Constraints:
        """Return the constraints, given in rows of U, in rows of V."""
        listed = constraints.listed()
        mapped = []
        # by ever more relations; what does not exceed the next cap loses nothing by waiting
        for strong_map, cap, below in self._by:
            pairs, must_link, weights = (array[constraints.weights > below] for array in listed)
            mapped.append(strong_map(pairs, must_link, np.minimum(weights, cap)))
        return reduce(Constraints.max_union, mapped)


class _StrongMap:
    """f_{U→V} by relations that take no weight away."""

    def __init__(self, relations: Ints) -> None:
        order = np.lexsort((relations[:, 1], relations[:, 0]))
        rows, self._start, self._size = np.unique(
            relations[order, 0], return_index=True, return_counts=True
        )
        self._images = relations[order, 1]
        # rows of the same counterparts are one place, as neighborhoods are after a full closure
        index_of: dict[bytes, int] = {}
        everything = self._images.tobytes()
        bounds = self._images.itemsize * np.append(self._start, len(self._images))
        counterparts = [everything[begin:end] for begin, end in pairwise(bounds.tolist())]
        self._place = np.full(int(rows.max(initial=-1)) + 2, -1)  # the last is that of all beyond
        self._place[rows] = [
            index_of.setdefault(images, index) for index, images in enumerate(counterparts)
        ]

    def __call__(self, pairs: Ints, must_link: Bools, weights: Floats) -> Constraints:
        places = np.sort(self._place[np.minimum(pairs, len(self._place) - 1)], axis=1)
        is_known = places[:, 0] >= 0
        # merged before they are expanded
        merged = Constraints.from_repeated(places[is_known], must_link[is_known], weights[is_known])
        which, first, second = pairs_of_spans(self._start, self._size, merged.pairs)
        images = np.sort(np.column_stack((self._images[first], self._images[second])), axis=1)
        differ = images[:, 0] != images[:, 1]
        which = which[differ]
        return Constraints.from_repeated(
            images[differ], merged.must_link[which], merged.weights[which]
        )


def unify(given: Constraints, transferred: Constraints) -> Constraints:
    """Make the unified set C̃ of Eq. 13–14: a given constraint wins, then the heavier one."""
    # if both types of a pair are equal in this, both are dropped
    if given._parts is not None:
        neighborhoods, others = given._parts
        together, apart = neighborhoods.kinds_of(transferred.pairs)
        is_known = np.where(transferred.must_link, together, apart)
        if not (is_known & (transferred.weights > neighborhoods.weight)).any():
            return Constraints.from_neighborhoods(
                neighborhoods, unify(others, transferred.select(~(together | apart)))
            )
    united = given.max_union(transferred)
    # a pair that has both types has its must-link right before its cannot-link
    must = np.flatnonzero((united.pairs[1:] == united.pairs[:-1]).all(axis=1))
    is_given, weights = united.is_among(given), united.weights
    undecided = is_given[must] == is_given[must + 1]
    keep = np.ones(len(united), np.bool_)
    keep[must] = np.where(undecided, weights[must] > weights[must + 1], is_given[must])
    keep[must + 1] = np.where(undecided, weights[must + 1] > weights[must], is_given[must + 1])
    return united.select(keep)


def mapped_rows(relations: Relations, view: int) -> Ints:
    """Return X̂ of a view: its rows with a counterpart in another (step 3 of Algorithm 2)."""
    columns = [rows[:, key.index(view)] for key, rows in relations.items() if view in key]
    return np.unique(np.concatenate([np.empty(0, np.int64), *columns]))


def relations_between(relations: Relations, source: int, target: int) -> Ints:
    """Return the related rows (row of source, row of target), shape (r, 2)."""
    if source < target:
        return relations.get((source, target), NO_RELATIONS)
    return relations.get((target, source), NO_RELATIONS)[:, ::-1]


def sample_relations(
    relations: Ints, portions: Sequence[float], rng: np.random.Generator
) -> list[Ints]:
    """Draw ``round(portion · r)`` of r relations for each portion, nested (§6.2)."""
    order = rng.permutation(len(relations))
    return [relations[np.sort(order[: round(portion * len(relations))])] for portion in portions]


def rewire_relations(relations: Ints, share: float, rng: np.random.Generator) -> Ints:
    """Give a share of the relations another one's partner; a larger one contains it (§6.3)."""
    chosen = rng.permutation(len(relations))[: round(share * len(relations))]
    rewired = relations.copy()
    rewired[chosen, 1] = relations[np.roll(chosen, 1), 1]
    return rewired
