"""What clusters the views of a job: one class for each method, with the same three questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mvcc._utils.blocks import LazyRows
from mvcc._utils.types import Floats, Ints
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import separate_problems
from mvcc.tables._job import Job
from mvcc.tables.fitting._given import check_given
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    from mvcc.tables.fitting._fit import Fit

MOST_LISTED = 2000  # entries of a view in the facts; all are in its tables

Labels = list[Ints]
Rows = list[list[Any]]


@dataclass(frozen=True, eq=False)
class Explained:
    """What a method tells of a clustering, beside the clusters."""

    facts: dict[str, Any]  # of the whole, for ``clustering.json``
    views: list[dict[str, Any]]  # of every view, the same
    relations: dict[tuple[int, int], dict[str, Any]]  # of every two views with matches, the same
    tables: list[dict[str, Rows]]  # the tables of every view
    cautions: list[str] = field(default_factory=list)  # what must not be overlooked


class Method(ABC):
    """A way to cluster the views of a job.

    Shapes: `relations` (r, 2).

    `views` (n_v, d_v): in the space that is clustered.
    `call`: says what a message calls a row of a view.
    `job, views, relations`: as given.
    `given, dropped`: what was given, without what was left out since it contradicts heavier
    constraints.
    Raises ConstraintConflictError: when constraints and relations contradict each other, unless
    the job drops such constraints.
    Raises InvalidInputError: when there are too few constraints to cross-validate a threshold.
    """

    def __init__(
        self,
        job: Job,
        views: list[Floats],
        given: list[Constraints],
        relations: Relations,
        call: Callable[[int, int], str],
    ) -> None:
        self.given, self.dropped = check_given(job, given, relations, [len(X) for X in views], call)
        self.job, self.views, self.relations = job, views, relations

    @property
    def settled(self) -> Job:
        """The job, with what was chosen by ``fit``."""
        return self.job

    @abstractmethod
    def fit(self) -> tuple[Any, list[Ints]]:
        """Return a fitted estimator, and per view the number that each of its clusters gets in the
        results.
        """

    @property
    def numbered_alike(self) -> list[list[int]]:
        """Sets of views in which the same number is the same cluster."""
        return [views for views, _ in separate_problems(len(self.views), self.relations)]

    def space(self, view: int) -> Floats | LazyRows:
        """Return the rows of a view where they were clustered, (n, m)."""
        return self.views[view]

    @property
    def probabilities(self) -> list[Any]:
        """How likely every row of a view is in each cluster; none where the method cannot tell."""
        return []

    @abstractmethod
    def again(self, given: list[Constraints], seed: int) -> Labels:
        """Cluster once more, by other constraints and another seed."""

    @abstractmethod
    def explain(self, tables: list[Table], fit: Fit) -> Explained:
        """Say where the clusters come from."""
