"""Fit the peer's PCK-Means and MPCK-Means, in a process of its own.

    python -m scripts.bench.peer problems.npz

Importing the peer changes NumPy's error state. The file holds ``X``, ``k`` and, for every draw,
``pairs_<number>`` and ``must_link_<number>``. One JSON object a line: the number of the draw, the
algorithm, the seconds of one fit and the labels, or the error.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import numpy as np


def main() -> None:
    """Fit every draw with both algorithms."""
    from active_semi_clustering.semi_supervised.pairwise_constraints import MPCKMeans, PCKMeans

    warnings.simplefilter("ignore")
    file = np.load(sys.argv[1], allow_pickle=False)
    X, k = file["X"], int(file["k"])
    for name in sorted(name for name in file.files if name.startswith("pairs_")):
        draw = int(name.removeprefix("pairs_"))
        pairs, must_link = file[name], file[f"must_link_{draw}"]
        both = pairs[must_link], pairs[~must_link]
        together, apart = ([*map(tuple, some.tolist())] for some in both)
        for algorithm, estimator in (("PCK-Means", PCKMeans), ("MPCK-Means", MPCKMeans)):
            np.random.seed(draw)  # noqa: NPY002, the peer draws from NumPy's global stream
            model = estimator(n_clusters=k)
            outcome = {"draw": draw, "algorithm": algorithm}
            began = time.perf_counter()
            try:
                model.fit(X, ml=together, cl=apart)
                outcome["seconds"] = time.perf_counter() - began
                outcome["labels"] = np.asarray(model.labels_).tolist()
            except Exception as error:  # another's code may fail in any way; the table counts it
                outcome["error"] = repr(error)
            print(json.dumps(outcome))


if __name__ == "__main__":
    main()
