"""Count what memoization and early stopping save in the E-step (§5.4).

    python -m scripts.count_evaluations results/evaluations.csv

Slow and obvious, on the Gaussians of the slow reference: one number after the other, and a counter
beside each. The E-steps are those after the first clustering of every view, on the draws of the
experiments: constraints and relations closed over all views, the largest part of the mapping, and
t_V of the config. One row is one E-step of one view:

candidates, endpoints
    |X̂| and |X̄|.
naive
    Evaluations of Eq. 15 without a memory: each constraint at each ordered pair of candidates, two
    factors each. This one is a product, not a count, which would take hours.
memoized
    Evaluations when each factor is remembered.
early_stopped
    Those of them whose sum (Eq. 18) comes to its end without exceeding −2 ln t_V.
terms_full, terms_early
    Terms that are added up in all sums, without and with early stopping. A full covariance has no
    such terms in the features as they are, so that they are counted in whitened coordinates, where
    it is the identity.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mvcc import close_views
from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.files import write_whole
from mvcc.constraints import mapped_rows
from mvcc.experiments import Config, load_config
from mvcc.experiments._trial import clustering_seed, draw_trial
from mvcc.multiview.co_em._methods import make_base
from scripts.command import parser
from scripts.tables import ROOT
from tests.reference.gaussians import covariances, means, membership

NUMBERS = (10, 50)
TRIALS = range(3)


class CountedGaussians:
    """G(x_i, x_u) of Eq. 15 for points of one clustering, remembered and counted.

    Parameters
    ----------
    X : (n, d) array
    labels : (n,) array
    metrics : (k, d) or (k, d, d) array, or None
        Learned metrics; without them the covariances are the empirical ones.
    threshold : float
        Stop a sum once the value is certain to be below this, and take 0 for it (Eq. 18); 0 never
        stops.

    Attributes
    ----------
    values : dict {(i, u): G(x_i, x_u)}
    evaluations, completed, terms : int
        Sums begun, sums that came to their end, and terms added up in all of them.
    """

    def __init__(self, X: Floats, labels: Ints, metrics: Floats | None, threshold: float) -> None:
        k = int(labels.max()) + 1 if metrics is None else len(metrics)
        sigma = covariances(X, labels, k, metrics)
        self.confidence = membership(X, labels, means(X, labels, k), sigma).tolist()
        self.whitened = [np.linalg.solve(np.linalg.cholesky(s), X.T).T.tolist() for s in sigma]
        self.labels = labels.tolist()
        self.limit = -2 * math.log(threshold) if threshold else math.inf
        self.values: dict[tuple[int, int], float] = {}
        self.evaluations = self.completed = self.terms = 0

    def __call__(self, i: int, u: int) -> float:
        """Return G(x_i, x_u), evaluated when it is asked for the first time."""
        if (i, u) not in self.values:
            self.values[i, u] = self._evaluate(i, u)
        return self.values[i, u]

    def _evaluate(self, i: int, u: int) -> float:
        self.evaluations += 1
        points = self.whitened[self.labels[u]]
        total = 0.0
        for a, b in zip(points[i], points[u], strict=True):
            self.terms += 1
            # where the confidence underflows to 0, only the point and its duplicates are near
            if a != b:
                total += (a - b) ** 2 / self.confidence[u] if self.confidence[u] else math.inf
            if total > self.limit:
                return 0.0
        self.completed += 1
        return math.exp(-0.5 * total)


def naive_evaluations(n_constraints: int, n_candidates: int) -> int:
    """Count two factors (Eq. 11) for each constraint and ordered pair of candidates (Eq. 10)."""
    return 2 * n_constraints * n_candidates * (n_candidates - 1)


def count_step(
    X: Floats,
    labels: Ints,
    pairs: Ints,
    threshold: float,
    candidates: Ints,
    metrics: Floats | None = None,
) -> dict[str, int]:
    """Count one E-step: both ends of every constraint at every candidate, as Eq. 10 needs."""
    full, early = (CountedGaussians(X, labels, metrics, t) for t in (0.0, threshold))
    for pair in pairs.tolist():
        for u in pair:
            for i in candidates.tolist():
                full(i, u)
                early(i, u)
    return {
        "candidates": len(candidates),
        "endpoints": len(np.unique(pairs)),
        "naive": naive_evaluations(len(pairs), len(candidates)),
        "memoized": full.evaluations,
        "early_stopped": early.completed,
        "terms_full": full.terms,
        "terms_early": early.terms,
    }


def count_trial(config: Config, trial: int) -> Iterable[dict[str, Any]]:
    """Count the E-steps of all views, bases and numbers of constraints of one trial."""
    plan = config.multi_view
    assert plan is not None  # `main` asks for its constraints
    threshold = next(t for t in plan.threshold if not isinstance(t, str))
    draw, seed = draw_trial(config, trial), clustering_seed(config, trial)
    n_clusters = 1 + max(int(view.y.max()) for view in draw.views)
    for n in plan.constraints:
        given = [view.constraints[n] for view in draw.views]
        closed, relations = close_views(given, draw.relations[max(plan.mapped), min(plan.rewired)])
        for index, (view, constraints) in enumerate(zip(draw.views, closed, strict=True)):
            candidates = mapped_rows(relations, index)
            for base in plan.bases:
                model = make_base(base, n_clusters).set_params(random_state=seed)
                model.fit(view.X, constraints=constraints)
                metrics = getattr(model, "metrics_", None)
                counts = count_step(
                    view.X, model.labels_, constraints.pairs, threshold, candidates, metrics
                )
                key = {"dataset": config.dataset, "view": view.name, "base": base, "trial": trial}
                key |= {"n_constraints": n, "threshold": threshold}
                yield {**key, "constraints": len(constraints), **counts}


def measure(
    paths: Iterable[Path], numbers: Sequence[int] = NUMBERS, trials: Iterable[int] = TRIALS
) -> pd.DataFrame:
    """Count the E-steps of all trials of some configs: one row per E-step of one view."""
    rows: list[dict[str, Any]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        # a clustering at its limit propagates as any other
        warnings.simplefilter("ignore", ConvergenceWarning)
        for path in paths:
            config = load_config(path, [f"multi_view.constraints={list(numbers)}"])
            for trial in trials:
                rows += count_trial(config, trial)
    return pd.DataFrame(rows)


def all_data_sets() -> list[Path]:
    """List one config for each data set: the paper's own experiments, and the shapes."""
    paths = sorted((ROOT / "configs").glob("*.yaml"))
    return [path for path in paths if load_config(path).study in ("main", "shapes")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, write the table, and print what it says of each data set."""
    asked = parser(__doc__)
    asked.add_argument("path", type=Path, help="where the table goes, as CSV")
    path = asked.parse_args(arguments).path
    table = measure(all_data_sets())
    write_whole(path, table.to_csv(index=False, lineterminator="\n").encode())
    sums = table.groupby(["dataset", "base", "n_constraints"], sort=False).sum(numeric_only=True)
    shares = {
        "memoized / naive": sums["memoized"] / sums["naive"],
        "early_stopped / memoized": sums["early_stopped"] / sums["memoized"],
        "terms_early / terms_full": sums["terms_early"] / sums["terms_full"],
    }
    print(pd.DataFrame(shares).to_string(float_format=lambda x: f"{x:.2%}"))
    print(f"Written to {path}")


if __name__ == "__main__":
    main()
