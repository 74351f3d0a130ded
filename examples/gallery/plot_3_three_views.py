"""
Three views without a common row
================================

Texts, images and sounds of four topics. Some texts are matched with images,
some images with sounds, no text with a sound. Only texts have constraints. Do
the sounds benefit from them?

They do, through the images: matches are followed through a third view (§5.3;
Algorithm 2, step 2), and the images transfer the constraints that they have
received.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from mvcc import (
    ConstraintPropagation,
    Constraints,
    MultiViewConstrainedClustering,
    PCKMeans,
    SingleView,
    match_clusters,
    pairwise_f_measure,
)

# clusters overlap: that is the point of the example
warnings.simplefilter("ignore")
colors = np.array(["#00558f", "#d55e00", "#3fbf95", "#8000e0"])
sizes = {"texts": 160, "images": 220, "sounds": 120}
corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])

# %%
# Texts separate all topics. Images separate left from right, but hardly top
# from bottom; sounds the other way round.
shapes = {"texts": (3.0, 3.0), "images": (3.0, 1.2), "sounds": (1.4, 3.0)}


def draw(seed):
    """Draw the views, their topics, the matches between rows of the same topic,
    and 80 constraints on texts.
    """
    rng = np.random.default_rng(seed)
    topics = {name: rng.integers(4, size=n) for name, n in sizes.items()}
    views = {
        name: corners[topics[name]] * shapes[name] + rng.normal(size=(n, 2))
        for name, n in sizes.items()
    }
    matches = {}
    for (one, other), number in {
        ("texts", "images"): 100,
        ("images", "sounds"): 80,
    }.items():
        rows = [
            [
                rng.permutation(np.flatnonzero(topics[name] == topic))[
                    : number // 4
                ]
                for name in (one, other)
            ]
            for topic in range(4)
        ]
        matches[one, other] = np.concatenate(
            [np.column_stack([a[: len(b)], b[: len(a)]]) for a, b in rows]
        )
    return (
        topics,
        views,
        matches,
        {
            "texts": Constraints.from_labels(
                topics["texts"], 80, random_state=seed
            )
        },
    )


# %%
# A view whose topics overlap may infer wrong constraints. Thresholds can
# therefore differ by view: with the last method, texts propagate freely, and
# the other views transfer only what is nearly certain.
methods = {
    "each view alone": SingleView(),
    "one threshold": ConstraintPropagation(0.75),
    "one for each view": ConstraintPropagation([0.5, 0.95, 0.95]),
}
models = {name: [] for name in methods}
draws = [draw(seed) for seed in range(10)]
for seed, (_, views, matches, constraints) in enumerate(draws):
    for name, transfer in methods.items():
        model = MultiViewConstrainedClustering(
            PCKMeans(4), transfer, random_state=seed
        )
        models[name].append(
            model.fit(views, constraints=constraints, mappings=matches)
        )

F = {
    name: np.array([
        [
            pairwise_f_measure(topics[view], found)
            for view, found in zip(sizes, model.labels_, strict=True)
        ]
        for (topics, *_), model in zip(draws, fitted, strict=True)
    ])
    for name, fitted in models.items()
}  # fmt: skip
for name, values in F.items():
    spread = values.std(axis=0, ddof=1) / len(draws) ** 0.5
    of_views = [
        f"{view} F {mean:.2f} ± {error:.2f}"
        for view, mean, error in zip(
            sizes, values.mean(axis=0), spread, strict=True
        )
    ]
    print(f"{name:<18}", ", ".join(of_views))

# %%
# Images and sounds gain more than chance explains, sounds through two matches.
# The draws do not show which thresholds are better. Below is the draw with the
# median gain. Clusters have the same color in all views:
# :func:`mvcc.match_clusters` has aligned their numbers. Crosses are rows whose
# topic is not the most frequent one of their cluster.
shown = np.argsort((F["one for each view"] - F["each view alone"]).sum(axis=1))[
    len(draws) // 2
]
topics, views, matches, _ = draws[shown]
numbered = {
    (0, 1): matches["texts", "images"],
    (1, 2): matches["images", "sounds"],
}
fig, axes = plt.subplots(2, 3, figsize=(8.5, 5.4), layout="constrained")
for row, name in zip(
    axes, ("each view alone", "one for each view"), strict=True
):
    labels = models[name][shown].labels_
    for ax, (view, X), found, new in zip(
        row,
        views.items(),
        labels,
        match_clusters(labels, numbered, 4),
        strict=True,
    ):
        usual = np.array(
            [
                np.bincount(topics[view][found == c], minlength=4).argmax()
                for c in range(4)
            ]
        )
        wrong = usual[found] != topics[view]
        ax.scatter(*X[~wrong].T, s=12, color=colors[new[found[~wrong]]])
        ax.scatter(
            *X[wrong].T, s=24, color=colors[new[found[wrong]]], marker="x"
        )
        ax.set(
            title=f"{view}: {wrong.sum()} of {len(X)} wrong",
            xticks=[],
            yticks=[],
        )
    row[0].set_ylabel(
        name if name == "each view alone" else "together, a threshold for each"
    )
plt.show()
