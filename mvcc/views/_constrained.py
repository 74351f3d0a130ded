"""Views, constraints and relations as one value: what `model_selection` divides, and estimators take for views."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvcc._utils.messages import called, shown
from mvcc.exceptions import InvalidInputError
from mvcc.views._given import GivenViews


class _NoSuchConstraintError(InvalidInputError, IndexError):
    """A position beyond the constraints: Python promises an IndexError for it."""


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedViews:
    """Views, constraints and relations as one value, whose samples are the constraints.

    ``MultiViewConstrainedClustering.fit`` takes it in the place of views. Its length is the number of constraints of
    all views, and ``data[positions]`` has the same views and relations with those constraints alone, so that
    scikit-learn can hold out constraints.

    Parameters
    ----------
    views, constraints, mappings
        As ``MultiViewConstrainedClustering.fit`` takes them. Views that a transformer turns into numbers first
        (``PerView``) may hold anything with rows.

    Attributes
    ----------
    views : list or dict
        As given.
    constraints : list of Constraints
        One per view, in numbers of rows.
    mappings : dict {(u, v): (r, 2) array}, u < v
        Related rows, views and rows by number.
    shape : tuple
        (number of constraints,).

    Raises
    ------
    InvalidInputError
        For constraints or mappings that do not fit the views.

    Notes
    -----
    With it neither ``Pipeline`` nor ``GridSearchCV`` needs scikit-learn's metadata routing. Where that is enabled, fit
    and predict work, but ``Pipeline.score``, and so a search over a pipeline, hands on a ``sample_weight`` that nobody
    gave, and ends in a TypeError of scikit-learn if the ``score`` of the last step takes none (PCA has the same). Leave
    routing disabled there, or search with ``scoring=score``, where
    ``score = lambda pipeline, X, y=None: pipeline[-1].score(pipeline[:-1].transform(X))``.

    Examples
    --------
    >>> from mvcc import ConstrainedViews, Constraints
    >>> judged = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> data = ConstrainedViews({"texts": [[0.0], [0.2], [3.0]]}, {"texts": judged})
    >>> len(data), data[[1]].constraints
    (2, [<Constraints: 0 must-links, 1 cannot-links>])
    """

    views: Any
    constraints: Any = None
    mappings: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.views, ConstrainedViews):
            raise InvalidInputError("views are ConstrainedViews already; give the views themselves.")
        given = GivenViews.of(self.views)
        kept = given.tables if given.names is None else dict(zip(given.names, given.tables, strict=True))
        object.__setattr__(self, "views", kept)
        object.__setattr__(self, "constraints", given.constraints(self.constraints))
        object.__setattr__(self, "mappings", given.relations(self.mappings))

    @property
    def shape(self) -> tuple[int]:
        """Number of constraints of all views."""
        return (sum(map(len, self.constraints)),)

    @property
    def sizes(self) -> list[int]:
        """Number of rows of every view."""
        return GivenViews.of(self.views).sizes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, positions: Any) -> ConstrainedViews:
        """Return the same views and relations with the constraints at these positions alone.

        Constraints are numbered view after view; positions are one, a slice, a mask or an array of them.
        """
        if isinstance(positions, tuple) and len(positions) == 2 and positions[1] is Ellipsis:
            positions = positions[0]  # scikit-learn asks for data[positions, ...]
        positions = np.asarray(positions) if isinstance(positions, list) and positions else positions
        try:
            chosen = np.sort(np.atleast_1d(np.arange(len(self))[[] if isinstance(positions, list) else positions]))
        except (IndexError, TypeError, ValueError) as error:
            raise _NoSuchConstraintError(
                f"{shown(positions)} is no choice among {len(self)} constraints; their positions are 0 … "
                f"{len(self) - 1}."
            ) from error
        ends = np.cumsum([len(c) for c in self.constraints])
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        first = ends - [len(c) for c in self.constraints]
        kept = [c.select(part - start) for c, part, start in zip(self.constraints, parts, first, strict=True)]
        return replace(self, constraints=kept)

    def __repr__(self) -> str:
        given = GivenViews.of(self.views)
        views = [f"{called(number, given.names)} ({size} rows)" for number, size in enumerate(given.sizes)]
        return f"<ConstrainedViews: {len(self)} constraints; views {', '.join(views)}>"
