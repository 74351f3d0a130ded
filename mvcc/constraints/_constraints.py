"""Pairwise must-link and cannot-link constraints within one view (§3.1, §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.ids import number_rows
from mvcc._utils.outputs import replace_file
from mvcc._utils.reading import StrPath
from mvcc._utils.validation import RandomState
from mvcc.constraints._arrays import (
    MAX_ROW,
    check_kinds,
    check_pairs,
    check_weights,
    concatenated,
    heaviest,
    in_order,
    keys_of,
    sample_pairs,
)
from mvcc.constraints._closure import Graph, Neighborhoods, conflict, without_conflicts
from mvcc.constraints._csv import ConstraintFile, bytes_of
from mvcc.constraints._pair_list import PairList
from mvcc.exceptions import ConstraintConflictError, InvalidInputError

# pairs of a closure that are listed at once; more stay neighborhoods until they are asked for
MOST_LISTED = 2**20


class Constraints(PairList):
    """A frozen, sorted list of weighted pairwise constraints.

    What ``closure`` returns may hold neighborhoods of rows instead, which take far less memory; it
    behaves the same, and makes the pairs when they are asked for.

    Parameters
    ----------
    pairs : array-like of shape (m, 2)
        Row numbers of the two instances of each constraint, in either order. A repeated row counts
        again.
    must_link : array-like of shape (m,), bool
        True where the two belong together (must-link), False where they belong apart (cannot-link).
    weights : array-like of shape (m,), default=None
        Penalty w >= 0 of violating each constraint (§3.1); 1 when left out.

    Raises
    ------
    InvalidInputError
        For a self-pair, a negative row number, a negative or non-finite weight, or arrays that do
        not fit together.

    See Also
    --------
    close_views : Closes constraints of several views.
    ConstrainedViews : Views with their constraints, for scikit-learn.

    Examples
    --------
    >>> from mvcc import Constraints
    >>> c = Constraints.from_pairs(must_link=[(1, 0)], cannot_link=[(1, 2)])
    >>> c.closure().pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """

    __slots__ = ()

    def __init__(
        self, pairs: ArrayLike, must_link: ArrayLike, weights: ArrayLike | None = None
    ) -> None:
        checked = check_pairs(pairs)
        kinds = check_kinds(must_link, len(checked))
        self._keep(*in_order(checked, kinds, check_weights(weights, len(checked))))

    @classmethod
    def empty(cls) -> Constraints:
        """Return no constraints."""
        return cls([], [])

    def __repr__(self) -> str:
        n_must_links = self.n_must_links()
        return f"<Constraints: {n_must_links} must-links, {len(self) - n_must_links} cannot-links>"

    @classmethod
    def from_pairs(
        cls, must_link: Iterable[tuple[int, int]] = (), cannot_link: Iterable[tuple[int, int]] = ()
    ) -> Constraints:
        """Make constraints of weight 1 from two lists of pairs of row numbers.

        Parameters
        ----------
        must_link, cannot_link : iterable of (int, int), default=()
            Rows that belong together, and rows that do not; an array has the shape (m, 2).

        Raises
        ------
        InvalidInputError
            As the constructor does.
        """
        given: list[Any] = [
            list(pairs) if isinstance(pairs, Iterator | Set) else pairs
            for pairs in (must_link, cannot_link)
        ]
        together, apart = map(check_pairs, given)
        return cls(
            np.concatenate((together, apart)), np.arange(len(together) + len(apart)) < len(together)
        )

    @classmethod
    def from_labels(
        cls, y: ArrayLike, n_constraints: int, random_state: RandomState = None
    ) -> Constraints:
        """Sample constraints of weight 1 from known labels (§6.2).

        Half must-links, half cannot-links; must-links get the odd one. No pair is
        repeated, and for one seed a larger number contains the smaller. The time grows with the
        number of rows and of constraints, not of pairs.

        Parameters
        ----------
        y : array-like of shape (n,)
            True labels.
        n_constraints : int
            How many constraints to draw, 0 or more.
        random_state : int, numpy Generator, RandomState or None, default=None
            Seed of the draw.

        Raises
        ------
        InvalidInputError
            When there are too few pairs of either kind, or ``n_constraints`` is below 0.
        """
        return cls(*sample_pairs(y, n_constraints, random_state))

    def closure(self) -> Constraints:
        """Add every constraint that follows from these (§5, steps 1–2 of Algorithm 2 for one view).

        An inferred constraint weighs as much as the weakest link of its strongest chain; given ones
        keep their weight, the heaviest where a pair is repeated.

        Returns
        -------
        Constraints

        Raises
        ------
        ConstraintConflictError
            When a cannot-link contradicts a chain of must-links; the message names the shortest
            such chain.
        """
        return self._closed("row {}".format)

    def _closed(self, call: Callable[[int], str]) -> Constraints:
        """Return the closure; ``call`` says what the message of a contradiction calls a row."""
        pairs, must_link, weights = self.spanning()
        if not len(pairs):
            return self

        def explain(chain: list[int], links: list[int]) -> ConstraintConflictError:
            kinds = ["must-link"] * (len(chain) - 1)
            return conflict(list(map(call, chain)), kinds, [self.source_of(link) for link in links])

        graph = Graph(pairs, must_link, explain)
        if weights[0] > 0 and (weights == weights[0]).all():
            return closed_constraints(graph.neighborhoods(0, MAX_ROW + 1, float(weights[0])))
        return with_weights_of(Constraints.from_repeated(*graph.closed(weights)), self)

    def drop_conflicts(self) -> tuple[Constraints, Constraints]:
        """Leave out constraints that contradict heavier ones, so that ``closure`` is possible.

        Constraints are taken from the heaviest to the lightest, of equal weights must-links first,
        then in their order; one that contradicts those taken before is dropped.
        ``mvcc.drop_conflicts`` does the same over several views.

        Returns
        -------
        kept : Constraints
        dropped : Constraints
        """
        keep = without_conflicts(*self.listed())
        return self.select(keep), self.select(~keep)

    def max_union(self, other: Constraints) -> Constraints:
        """Unite two lists, keeping the heaviest constraint of each pair and type (Eq. 13).

        Parameters
        ----------
        other : Constraints

        Returns
        -------
        Constraints

        Raises
        ------
        InvalidInputError
            For what is no Constraints.
        """
        if not isinstance(other, Constraints):
            raise InvalidInputError(f"other must be Constraints, not {type(other).__name__}.")
        return Constraints.from_repeated(*concatenated(self.listed(), other.listed()))

    @classmethod
    def read_csv(cls, path: StrPath, *, ids: Sequence[str] | None = None) -> Constraints:
        """Read constraints from a CSV file with the columns i, j, kind and (optional) weight.

        ``kind`` is ``must-link`` (or must, ML, 1) or ``cannot-link`` (or cannot, CL, 0, -1).

        Parameters
        ----------
        path : str or path-like
        ids : sequence of str, default=None
            The id of every row of the view, distinct; i and j are then ids. When left out they are
            row numbers from 0.

        Raises
        ------
        InvalidInputError
            Names file, line and what is wrong; or the id that two rows have, and both rows.
        """
        return cls._of_file(ConstraintFile.read(path, is_exact=True), ids)

    @classmethod
    def _of_file(cls, file: ConstraintFile, ids: Sequence[str] | None) -> Constraints:
        """Make constraints of a file that was read; ``ids`` as for ``read_csv``."""
        source = [f"line {line} of {file.name}" for line in file.records]
        return cls.from_lines(file.arrays(None if ids is None else number_rows(ids)), source)

    def to_csv(self, path: StrPath, *, ids: Sequence[str] | None = None) -> None:
        """Write the constraints so that ``read_csv``, with the same ids, gives the same ones back.

        A file is there as a whole or not at all, and its folder is made where it does not exist; a
        link or a pipe stays what it is. What goes to /dev/stdout is added to what is there. A pipe
        that nobody reads is an error.

        Parameters
        ----------
        path : str or path-like
        ids : sequence of str, default=None
            The id of every row of the view, distinct; i and j are then ids. When left out they are
            row numbers from 0.

        Raises
        ------
        InvalidInputError
            For an id that two rows have or that no text file can hold, and for rows that have none.
        OSError
            When the file cannot be written; then it is as it was.
        """
        ids = None if ids is None else [*ids]  # a Series has entries by its index, not by row
        if ids is not None and self.largest_row() >= len(number_rows(ids)):
            raise InvalidInputError(
                f"ids are those of {len(ids)} rows, but a constraint names row "
                f"{self.largest_row()}; give the id of every row of the view."
            )
        replace_file(Path(path), bytes_of(self.rows(), ids))


def closed_constraints(neighborhoods: Neighborhoods) -> Constraints:
    """Make constraints from neighborhoods: a list of pairs, unless that would be long."""
    if sum(neighborhoods.count()) > MOST_LISTED:
        return Constraints.from_neighborhoods(neighborhoods, Constraints.empty())
    return Constraints.from_sorted(*neighborhoods.listed())


def with_weights_of(closed: Constraints, given: Constraints) -> Constraints:
    """Give the given constraints among the closed ones their own weight back."""
    weights = closed.weights.copy()
    pairs, must_link, given_weights = heaviest(*given.listed())
    position = np.searchsorted(keys_of(closed.pairs, closed.must_link), keys_of(pairs, must_link))
    weights[position] = given_weights
    return Constraints.from_sorted(closed.pairs, closed.must_link, weights)
