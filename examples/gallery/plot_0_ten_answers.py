"""
A catalog, photos, and ten answers
==================================

A museum has 360 catalog entries and 420 photos, and knows the photo of 180
entries. What kinds of things does it have? The tables are those that
``mvcc init`` writes. They are made up, with the gaps and errors of real ones,
and half of each was recorded in another way than the rest. This page clusters
them by their columns and matches alone, then with ten answers of a curator.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from mvcc import cluster_views

mvcc = [sys.executable, "-m", "mvcc"]  # the command, from Python
folder = Path(tempfile.mkdtemp()) / "my-data"
subprocess.run([*mvcc, "init", folder, "--quiet"], check=True)
catalog = pd.read_csv(folder / "catalog.csv", index_col="id")
photos = pd.read_csv(folder / "photos.csv", index_col="id")
catalog.head()

# %%
photos.head()

# %%
# ``kind`` is what an entry really is. It is compared with the clusters, but
# not used for them; nor are the names of the picture files.

settings = {
    "n_clusters": 5,
    "matches": {("catalog", "photos"): pd.read_csv(folder / "matches.csv")},
    "labels_column": {"catalog": "kind"},
    "ignore": {"photos": ["file"]},
}
views = {"catalog": catalog, "photos": photos}
found = cluster_views(views, **settings)
found

# %%
# ``mvcc ask`` has shown ten entries to the curator, who has said what they
# are. It turns such answers into pairs that belong together or apart.

answers = folder / "answers.csv"
subprocess.run(
    [*mvcc, "ask", folder / "asked.yaml", "--answers", answers, "--quiet"],
    check=True,
)
pairs = pd.read_csv(folder / "asked" / "catalog.csv")
better = cluster_views(views, constraints={"catalog": pairs}, **settings)
better

# %%
# How well do the clusters of the catalog agree with the true kinds? The
# pairwise F-measure is 1 if they are the same. K-means follows how the entries
# were recorded. The photos that match help, and ten answers help more.

methods = better.facts["comparison"]["methods"]
F = {one["method"]: one["reference_f"][0] for one in methods}
shown = {
    "k-means": F["k-means"],
    "mvcc": F["without constraints"],
    "mvcc, ten answers": F["joint"],
}
figure, ax = plt.subplots(figsize=(6, 1.8), layout="constrained")
ax.hlines(list(shown), 0, list(shown.values()), color="lightgray")
ax.plot(list(shown.values()), list(shown), "o")
for name, value in shown.items():
    ax.annotate(
        f"{value:.2f}",
        (value, name),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
    )
ax.set(xlim=(0, 1.1), ylim=(2.5, -0.5), xlabel="F of the catalog")
