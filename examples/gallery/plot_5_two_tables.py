"""
Two tables, a few questions, clusters with names
================================================

Two laboratories have analyzed wines. One has measured alcohol, acids and
minerals, the other phenols and color. Only some bottles have been in both, and
neither knows from which grapes a wine was made. This page goes from two
DataFrames to clusters that are checked, named, explained and exported.
"""

import tempfile
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from mvcc import (
    AutoScaler,
    PerView,
    Questions,
    cluster_views,
    pairwise_f_measure,
)

wine = load_wine(as_frame=True)
rng = np.random.default_rng(1)
bottles = pd.Index(
    [f"bottle {number}" for number in range(len(wine.data))], name="id"
)
measured = wine.data.set_axis(bottles)
first, second = (
    np.sort(rng.choice(len(bottles), 120, replace=False)) for _ in range(2)
)
minerals = measured.iloc[first, :5].copy()
phenols = measured.iloc[second, 5:].copy()
minerals.iloc[7, 1] = np.nan  # tables may have holes
minerals.head()

# %%
# The same bottle has the same name in both tables here. In general the ids of
# two tables are different, and a table of matches says which are the same
# object. We pretend to know it of 40 bottles only.

both = rng.permutation(minerals.index.intersection(phenols.index))[:40]
matches = {
    ("minerals", "phenols"): pd.DataFrame({"minerals": both, "phenols": both})
}
views = {"minerals": minerals, "phenols": phenols}
grapes = pd.Series(
    wine.target_names[wine.target], index=bottles
)  # nobody knows them; we only compare


def agreement(labels):
    """Return the pairwise F-measure of each view."""
    return {
        name: round(pairwise_f_measure(grapes[found.index], found), 2)
        for name, found in labels.items()
    }


before = cluster_views(views, matches=matches, n_clusters=3)
before.sizes()

# %%
# Can a person help? ``Questions`` asks which group a bottle belongs to, and
# chooses the bottle so that an answer says much of the others. In a terminal,
# ``mvcc ask`` does this. Here, the true grapes answer in place of a person.

scaled = PerView(AutoScaler()).fit_transform(
    {"minerals": minerals.fillna(minerals.mean()), "phenols": phenols}
)
questions = Questions(scaled, matches)
for _ in range(25):
    (question,) = questions.next()
    grape = grapes[question.id.split(":")[1]]
    known = [group.name for group in questions.groups]
    questions.answer(question, grape if grape in known else f"new:{grape}")
print(f"{questions.n_clusters_hint.n_clusters} groups were named")

# %%
# The answers are constraints. With them, the same call gives other clusters.
# Figures of so few bottles differ from draw to draw; ``docs/how-well.md`` has
# those of ten draws.

constraints = dict(zip(views, questions.constraints, strict=True))
after = cluster_views(
    views, matches=matches, constraints=constraints, n_clusters=3
)
pd.DataFrame(
    {"before": agreement(before.labels), "after": agreement(after.labels)}
)

# %%
# Nobody has the true grapes. But there are other signs: do matched rows still
# share their cluster where their match is cut, and is the clustering stable?
# Every result says so, beside k-means and the same without the answers.

after

# %%
figure = after.plot()

# %%
# **What is in a cluster?** ``profile`` has the columns that set it apart, and
# the rows to look at first.

profile = after.profile(1)["phenols"]
profile["columns"].round(2)

# %%
print("typical:", ", ".join(profile["typical"]))
print("might be in another cluster:", profile["borderline"].to_dict())

# %%
# **What have the answers changed?** ``compare`` lists the rows that moved, and
# ``explain`` says why one did.

moved = after.compare(before)["views"][0]["moved"]
print(
    f"{len(moved)} of {len(minerals)} rows of minerals are in another cluster"
)
print(textwrap.fill(after.explain("minerals", moved[0]["id"]), 80))

# %%
# **To go on**, the clusters stand beside the columns of the tables, and
# ``report`` writes a page to look around in.

folder = Path(tempfile.mkdtemp())
found = {
    "cluster": after.labels,
    "stability": after.stability,
    "fit": after.fit,
}
for view, table in views.items():
    table.assign(
        **{column: of_view[view] for column, of_view in found.items()}
    ).to_csv(folder / f"{view}.csv")
after.report(folder / "report.html")
sorted(path.name for path in folder.iterdir())
