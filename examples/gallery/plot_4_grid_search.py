"""
Choosing by held-out constraints
================================

How many clusters, which threshold, which features? Without labels, the
constraints can tell: hold some out, cluster with the others, and count how
many of the held-out constraints the clusters satisfy. scikit-learn's
``GridSearchCV`` does this if the samples are constraints, not rows:
:class:`mvcc.ConstrainedViews`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mvcc import (
    ConstrainedViews,
    ConstraintPropagation,
    Constraints,
    MultiViewConstrainedClustering,
    NeighborhoodKFold,
    PCKMeans,
    PerView,
    pairwise_f_measure,
)

warnings.simplefilter("ignore")  # some of the many fits do not converge

# %%
# The wines that ship with scikit-learn: 178 rows of three cultivars and 13
# columns of chemical measurements, divided between two laboratories. One has
# measured seven columns of the first 120 bottles, the other six of the last
# 120.
wine = load_wine(as_frame=True)
order = np.random.default_rng(0).permutation(len(wine.target))
bottles = wine.data.iloc[order].set_axis([f"bottle {row}" for row in order])
views = {"first": bottles.iloc[:120, :7], "second": bottles.iloc[58:, 7:]}
cultivar = dict(zip(bottles.index, wine.target.iloc[order], strict=True))
both = views["first"].index.intersection(views["second"].index)
matches = np.column_stack(
    [views[name].index.get_indexer(both) for name in views]
)
truth = {
    name: np.array([cultivar[bottle] for bottle in view.index])
    for name, view in views.items()
}
constraints = {
    name: Constraints.from_labels(y, 60, random_state=0)
    for name, y in truth.items()
}
data = ConstrainedViews(views, constraints, {("first", "second"): matches})
print(data)

# %%
# A pipeline with a step for every view, and a grid over both of its steps;
# clusters start from the constrained rows. ``NeighborhoodKFold`` holds out
# whole neighborhoods, so no held-out constraint follows from the others. A
# cannot-link lies between two neighborhoods and is held out with each of them:
# nearly two thirds of the held-out constraints are cannot-links, although half
# of all constraints are. More clusters violate fewer of them. The share of all
# held-out constraints, which ``score`` returns, therefore favors many
# clusters. ``satisfied`` also returns the mean of both kinds, which decides.
# Among settings whose difference may be due to chance, the one with the fewest
# clusters is chosen.
base = PCKMeans(init="neighborhoods")
pipeline = Pipeline(
    [
        ("features", PerView(make_pipeline(StandardScaler(), PCA()))),
        (
            "clusters",
            MultiViewConstrainedClustering(
                base, ConstraintPropagation(), random_state=0
            ),
        ),
    ]
)
grid = {
    "features__transformer__pca__n_components": [2, 4, 6],
    "clusters__base__n_clusters": [2, 3, 4, 5, 6],
    "clusters__transfer__threshold": [0.5, 0.75, 0.9],
}


def satisfied(pipeline, X, y=None):
    """Return the share of satisfied constraints, and the mean of both kinds."""
    labels = pipeline["clusters"].labels_
    together = [
        found[c.pairs[:, 0]] == found[c.pairs[:, 1]]
        for c, found in zip(X.constraints, labels, strict=True)
    ]
    must_link = [c.must_link for c in X.constraints]
    return {
        "all": pipeline.score(X),
        "both_kinds": balanced_accuracy_score(
            np.concatenate(must_link), np.concatenate(together)
        ),
    }


def fewest_clusters(results):
    """Take the fewest clusters within a standard error of the best."""
    mean, spread = (
        results["mean_test_both_kinds"],
        results["std_test_both_kinds"],
    )
    best = np.argmax(mean)
    near = np.flatnonzero(mean >= mean[best] - spread[best] / 5**0.5)
    return min(
        near,
        key=lambda index: (
            results["param_clusters__base__n_clusters"][index],
            -mean[index],
        ),
    )


folds = NeighborhoodKFold(5, random_state=0)
search = GridSearchCV(
    pipeline, grid, cv=folds, scoring=satisfied, refit=fewest_clusters
).fit(data)
held_out = search.cv_results_["mean_test_both_kinds"]
clusters = np.array(
    [
        params["clusters__base__n_clusters"]
        for params in search.cv_results_["params"]
    ]
)
for kind in ("all", "both_kinds"):
    results = search.cv_results_[f"mean_test_{kind}"]
    print(
        f"the highest score of {kind} is {results.max():.1%}, "
        f"with {clusters[np.argmax(results)]} clusters"
    )
chosen = search.best_index_
print(
    f"{len(held_out)} settings; the chosen one satisfies "
    f"{held_out[chosen]:.1%} of the held-out constraints:"
)
for name, value in search.best_params_.items():
    print(f"  {name} = {value}")

# %%
# The chosen setting was fitted again on all constraints. The cultivars, which
# no step has seen, let us check the choice: each point is a setting, and the
# circle marks the chosen one. By the constraints alone, four clusters are
# about as good as three. The share of all held-out constraints is highest with
# four, the mean of both kinds with three.
model = search.best_estimator_["clusters"]
for (name, y), found in zip(truth.items(), model.labels_, strict=True):
    print(f"{name}: F {pairwise_f_measure(y, found):.2f}")

against_truth = []
for params in search.cv_results_["params"]:
    labels = pipeline.set_params(**params).fit(data)["clusters"].labels_
    against_truth.append(
        np.mean(
            [
                pairwise_f_measure(y, found)
                for y, found in zip(truth.values(), labels, strict=True)
            ]
        )
    )

fig, ax = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
looks = {
    2: ("#604020", "v"),
    3: ("#00558f", "o"),
    4: ("#d55e00", "s"),
    5: ("#3fbf95", "^"),
    6: ("black", "D"),
}
for k, (color, marker) in looks.items():
    of_k = clusters == k
    ax.scatter(
        held_out[of_k],
        np.array(against_truth)[of_k],
        color=color,
        marker=marker,
        label=f"{k} clusters",
    )
ax.scatter(
    held_out[chosen],
    against_truth[chosen],
    s=160,
    facecolor="none",
    edgecolor="black",
)
ax.set(
    xlabel="held-out constraints satisfied, mean of both kinds",
    ylabel="pairwise F-measure against the cultivars",
)
ax.grid(color="#e4e4e4")
ax.set_axisbelow(True)
ax.legend(frameon=False)
plt.show()
