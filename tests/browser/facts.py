"""Facts of made-up clusterings: blobs, rows matched by their order, random constraints."""

from itertools import combinations

import numpy as np

NAMES = ("texts", "images", "sounds", "sensors", "notes")


def make_facts(rows=(400, 300), n_clusters=5, n_given=40, seed=0, **changes):
    """Make the facts of one view for each number of rows."""
    rng = np.random.default_rng(seed)
    names = [NAMES[number] for number in range(len(rows))]
    truth = rng.integers(n_clusters, size=max(rows))  # a row has its counterpart at the same place
    sized = zip(names, rows, strict=True)
    views = [_view(name, truth[:n], n_clusters, n_given, rng) for name, n in sized]
    relations = [_relation(views, pair) for pair in combinations(range(len(rows)), 2)][: len(rows)]
    return {
        "schema": 1,
        "kind": "clustering",
        "title": " and ".join(names),
        "n_clusters": n_clusters,
        "views": views,
        "relations": relations,
        "co_em": {
            "iterations": 4,
            "converged": True,
            "objectives": [[round(1000.0 / step, 4)] * len(rows) for step in range(1, 5)],
            "propagates": True,
            "threshold": 0.75,
            "transfer": "constraint-propagation",
            "base": "mpck-means",
        },
        "profiles": [
            [_profile(view, cluster, n_clusters) for cluster in range(n_clusters)] for view in views
        ],
        "stability_runs": {
            "count": 10,
            "agreement": [0.97 - 0.2 * number for number in range(len(rows))],
        },
        "warnings": [],
        "settings": {"n_clusters": n_clusters, "base": {"name": "mpck-means"}, "seed": 0},
        "inputs": [
            {"path": view["source"], "sha256": "ab" * 32, "rows": view["n_rows"]} for view in views
        ],
        "command": f"mvcc cluster {' '.join(f'{name}.csv' for name in names)} -k {n_clusters}",
        "versions": {"mvcc": "0.1.0", "python": "3.11.7", "numpy": "2.4.6"},
        "machine": {"system": "Linux", "processor": "x86_64", "cores": 2},
        "finished": "2026-11-21T19:00:00+00:00",
        "seconds": 12.3,
    } | changes


def _view(name, truth, n_clusters, n_given, rng):
    n_rows = len(truth)
    centers = rng.normal(scale=4.0, size=(n_clusters, 2))
    points = centers[truth] + rng.normal(size=(n_rows, 2))
    labels = np.where(rng.random(n_rows) < 0.05, rng.integers(n_clusters, size=n_rows), truth)
    stability = np.where(rng.random(n_rows) < 0.15, rng.integers(3, 10, size=n_rows) / 10, 1.0)
    given = [
        _given(i, j, truth, labels, line)
        for line, (i, j) in enumerate(_pairs(rng, n_rows, n_given), 2)
    ]
    propagated, received = (
        [
            _transferred(i, j, truth, rank, name)
            for rank, (i, j) in enumerate(_pairs(rng, n_rows, 3 * n_given))
        ]
        for _ in range(2)
    )
    return {
        "name": name,
        "source": f"{name}.csv",
        "n_rows": n_rows,
        "n_features": 20,
        "features": "spectral, 5 components",
        "n_components": 5,
        "ids": [f"{name[0]}{row}" for row in range(n_rows)],
        "labels": labels.tolist(),
        "reference": [f"class {chr(97 + number)}" for number in truth],
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "axes": ["1st component (43 % of the variance)", "2nd component (12 %)"],
        "stability": stability.tolist(),
        "values": [
            ["height", [f"{100 + row}" for row in range(n_rows)]],
            ["note", [f"said {'so ' * 30}"] * n_rows],
        ],
        "given": given,
        "violated": [[*one[:4], one[5]] for one in given if not one[4]],
        "dropped": [],
        "propagated": propagated,
        "received": received,
        "n_propagated": _count(propagated),
        "n_inferred": _count(propagated[::2]),
        "n_received": _count(received),
        "disagreement": 0.02,
        "divergence": 9.1,
        "suspicious": False,
        "reference_f": 0.91,
        "reference_ari": 0.88,
    }


def _profile(view, cluster, n_clusters):
    rows = [row for row, label in enumerate(view["labels"]) if label == cluster]
    height = {"column": "height", "kind": "number", "rule": "≥ 120", "words": "high height"}
    shop = {"column": "shop", "kind": "category", "rule": "= Rome", "words": "shop = Rome"}
    height |= {"quantiles": [[110, 120, 130, 140, 150], [90, 95, 100, 110, 120]]}
    shop |= {"shares": [["Rome", 0.75, 0.25], ["Oslo", 0.25, 0.75]]}
    return {
        "size": len(rows),
        "name": f"high height, shop = Rome {cluster}",
        "columns": [
            height | {"inside": 0.9, "outside": 0.2, "medians": ["130", "100"]},
            shop | {"inside": 0.75, "outside": 0.25},
        ],
        "words": [["harbor", 0.5, 0.1], ["crane", 0.25, 0.0]],
        "typical": rows[:5],
        "borderline": [[row, (cluster + 1) % n_clusters] for row in rows[5:7]],
        "misfits": rows[7:8],
    }


def _pairs(rng, n_rows, n_pairs):
    first = rng.integers(n_rows, size=n_pairs)
    return [
        (int(i), int((i + step) % n_rows))
        for i, step in zip(first, rng.integers(1, n_rows, n_pairs), strict=True)
    ]


def _given(i, j, truth, labels, line):
    must_link = bool(truth[i] == truth[j])
    satisfied = bool((labels[i] == labels[j]) == must_link)
    return [i, j, must_link, 1.0, satisfied, f"line {line} of pairs.csv"]


def _transferred(i, j, truth, rank, name):
    weight = round(0.99 - 0.001 * rank, 3)
    return [i, j, bool(truth[i] == truth[j]), weight, f"because {name}{i} was judged (line 7)"]


def _count(links):
    must_links = sum(link[2] for link in links)
    return {"must_link": must_links, "cannot_link": len(links) - must_links}


def _relation(views, pair):
    first, second = (views[number] for number in pair)
    pairs = [[row, row] for row in range(min(first["n_rows"], second["n_rows"]) // 2)]
    differing = [[i, j] for i, j in pairs if first["labels"][i] != second["labels"][j]]
    return {
        "views": list(pair),
        "source": f"{first['name']}-{second['name']}.csv",
        "pairs": pairs,
        "agreement": 1 - len(differing) / len(pairs),
        "by_chance": 0.31,
        "differing": differing,
    }
