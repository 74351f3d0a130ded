"""Problems of several views, and all that a fit has learned, to compare bit by bit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from mvcc import Constraints


@dataclass(frozen=True)
class Problem:
    """The arguments of ``fit``; all numbers are small integers, which every dtype can hold."""

    views: Any
    constraints: Any
    mappings: Any

    def fit(self, model):
        return model.fit(self.views, constraints=self.constraints, mappings=self.mappings)


def make_problem(seed=3, sizes=(16, 13), n_features=(2, 3)):
    """Draw views that overlap so much that every argument and the seed matter."""
    rng = np.random.default_rng(seed)
    views = []
    for n, d in zip(sizes, n_features, strict=True):
        kind = np.arange(n) % 3
        views.append(np.rint(2.0 * np.eye(3, d)[kind] + rng.normal(size=(n, d))))
    constraints = [
        Constraints([(0, 3), (3, 9), (1, 4), (0, 1), (2, 6)], [1, 1, 1, 0, 0], [1, 0.9, 1, 2, 0.8]),
        *[Constraints([(2, 5), (4, 8)], [True, False])] * (len(sizes) - 1),
    ]
    mappings = {
        (0, v): np.array([(0, 0), (1, 1), (2, 2), (5, 5), (4, 4), (7, 10)])
        for v in range(1, len(sizes))
    }
    return Problem(views, constraints, mappings)


def listed(constraints):
    return [part.tolist() for part in constraints.listed()]


def learned(estimator):
    parameters = estimator.get_params(deep=False)
    return {name: value for name, value in vars(estimator).items() if name not in parameters}


def outcome(model):
    """Write down all that a fit has learned, so that == compares every bit."""
    found = learned(model)
    return found | {
        "labels_": [labels.tolist() for labels in found["labels_"]],
        "clusterers_": [
            {name: np.asarray(value).tolist() for name, value in learned(c).items()}
            for c in found["clusterers_"]
        ],
        "propagated_": [listed(constraints) for constraints in found["propagated_"]],
        "constraints_": [listed(constraints) for constraints in found["constraints_"]],
        "mappings_": {views: rows.tolist() for views, rows in found["mappings_"].items()},
        "mapping_weights_": {
            views: weights.tolist() for views, weights in found["mapping_weights_"].items()
        },
        "history_": [
            [(r.objective, listed(r.propagated)) for r in records] for records in found["history_"]
        ],
        "transfer_": repr(found["transfer_"]),
        "diagnostics_": list(found["diagnostics_"]),
    }


def fitted(model, problem):
    return outcome(problem.fit(clone(model)))
