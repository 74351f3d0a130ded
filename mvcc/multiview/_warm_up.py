"""Compiling all kernels beforehand, once, instead of by all workers at the same time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Literal

import numpy as np

from mvcc._utils import kernels
from mvcc._utils.arrays import Ints
from mvcc.constraints import Constraints, Neighborhoods
from mvcc.multiview.co_em._algorithm_2 import MultiViewConstrainedClustering
from mvcc.multiview.co_em._methods import (
    make_base,
    make_without_base,
    takes_threshold,
    transfer_class,
)
from mvcc.results import BASES, JOINT, TRANSFERS

_ROWS = 12
_MATCHES = {(0, 1): np.column_stack((np.arange(_ROWS), np.arange(_ROWS)))}
_GIVEN = [(0, 2), (2, 4), (1, 3), (0, 1)], [True, True, True, False]


def compile_all_kernels() -> None:
    """Compile, or load, every kernel that trials and clusterings of tables call."""
    compile_kernels(product(BASES, TRANSFERS, [None]))
    _compile_joint("anchors")
    # shared among threads, by kernels that are else called by kernels
    many = np.zeros((kernels._WORTH_SHARING, 1))
    for constraints in (None, _held(np.zeros(_ROWS, np.int64), np.empty((0, 2), np.int64))):
        make_base("pck-means", 1).fit(many, constraints=constraints).predict(many)
        make_base("pck-means", 2).set_params(init="auto").fit(many[:_ROWS], constraints=constraints)


def compile_kernels(used: Iterable[tuple[str | None, str, str | None]]) -> None:
    """Compile, or load, the kernels of some methods: names of base (or None) and method, start."""
    for base, method, init in used:
        if base is not None:
            _compile(base, method, init)
        elif method == JOINT:
            _compile_joint()


@cache
def _compile_joint(graph: str = "exact") -> None:
    """Cluster a few points jointly, once in a process."""
    X = np.random.default_rng(0).normal(size=(_ROWS, 2))
    dense = Constraints.from_pairs([(0, 2), (2, 4), (4, 6), (6, 8)], [(0, 1)]).closure()
    weighted = Constraints(dense.pairs, dense.must_link, 1.0 + np.arange(len(dense)))
    for given in (None, Constraints(*_GIVEN), dense, weighted):
        model = make_without_base(JOINT, 2, random_state=0).set_params(graph=graph)
        model.fit([X, X], constraints=[given, given], mappings=_MATCHES)


@cache
def _compile(base: str, method: str, init: str | None) -> None:
    """Fit a few points with a base and a transfer method, once in a process."""
    y = np.arange(_ROWS) % 2
    X = np.random.default_rng(0).normal(size=(_ROWS, 2)) + 9 * y[:, None]
    problems: list[tuple[Constraints, Literal["full", "none"], float | str]] = [
        (Constraints(*_GIVEN), "full", 0.5),
        (Constraints(*_GIVEN, [1.0, 0.8, 0.7, 0.9]), "full", "cv"),
        (_held(y, np.array([[0, 1]])), "none", 0.5),
    ]
    for given, closure, threshold in problems:
        transfer = transfer_class(method)()
        if takes_threshold(method):
            transfer.set_params(threshold=threshold)
        model = MultiViewConstrainedClustering(
            make_base(base, 2, init), transfer, closure=closure, random_state=0
        )
        model.fit([X, X], constraints=[given, given], mappings=_MATCHES)


def _held(group: Ints, apart: Ints) -> Constraints:
    """Return constraints that stay neighborhoods."""
    return Constraints.from_neighborhoods(
        Neighborhoods(np.arange(_ROWS), group, apart, 1.0), Constraints.empty()
    )
