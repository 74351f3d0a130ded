"""Measure `mvcc cluster` on messy tables, as they come, beside pipelines on clean ones.

    python -m scripts.messy                        the four pairs that rules were chosen by
    python -m scripts.messy --pairs forum_de scans_de photos_fr flowers_us
    python -m scripts.messy --show wine_de         what mvcc makes of the files of one draw

Writes ``results/messy.csv``, a line for each pair, draw and method, and prints the table of the
documentation. A draw lacks a tenth of the objects in each table, and knows the matches of half of
those that both have. F is pairwise, ARI that of scikit-learn, both over objects: an object of both
tables counts once, with the label of its row in the first one. Tables clustered alone have the mean
of both. ``questions`` counts the messages that had to be answered first, ``left_out`` the matches
that were left out as wrong, though all are right, ``surplus`` the rows that are none, such as
totals. ``classes left in`` are the same files with a
column of codes of the classes in the first table: ``named`` tells whether that column is named as a
likely label, ``others`` how many other columns are.
"""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from scripts.command import parser
from scripts.field.scores import of_objects
from scripts.messy.pairs import CHOOSING, PAIRS, Drawn, draw
from scripts.messy.pipelines import PIPELINES, each_alone, mvcc
from scripts.studies import f_and_index
from scripts.tables import RESULTS, markdown

OUT = RESULTS / "messy.csv"


def scores_of(drawn: Drawn, labels: list[Ints], *, alone: bool = False) -> dict[str, float]:
    """Return F and ARI over objects."""
    classes = [drawn.y[objects] for objects in drawn.objects]
    if not alone:
        of_object = of_objects(labels, drawn)
        has_label = of_object >= 0
        classes, labels = [drawn.y[has_label]], [of_object[has_label]]
    scores = f_and_index(classes, labels, digits=4)
    return {"f": scores["F"], "ari": scores["ARI"]}


def measured(name: str, seed: int) -> list[dict[str, object]]:
    """Return the lines of one draw of a pair."""
    pair = PAIRS[name]()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        drawn = draw(pair, seed, Path(folder))
        scores = {}
        for way, cluster in PIPELINES.items():
            scores[way] = scores_of(drawn, cluster(drawn, seed), alone=cluster is each_alone)
        scores["mvcc"] = scores_by_mvcc(drawn, Path(folder), pair.answer)
        given_away = draw(pair, seed, Path(other), with_answer=True)
        scores["classes left in"] = scores_by_mvcc(given_away, Path(other), pair.answer)
    return [{"pair": name, "seed": seed, "method": way} | of_way for way, of_way in scores.items()]


def scores_by_mvcc(drawn: Drawn, folder: Path, answer: str) -> dict[str, float]:
    """Return the scores of the files as they come, and what mvcc said of them."""
    clustering, asked = mvcc(drawn, folder / "out")
    columns = [column for view in clustering.views for column in view.columns]
    likely = [column.name for column in columns if "may be a label" in column.note]
    sizes = [len(objects) for objects in drawn.objects]
    # a row of totals that was taken for one of the table is behind all others
    labels = [np.array(view.labels[:n]) for view, n in zip(clustering.views, sizes, strict=True)]
    return scores_of(drawn, labels) | {
        "surplus": sum(view.n_rows for view in clustering.views) - sum(sizes),
        "questions": len(asked),
        "left_out": sum(relation.n_left_out for relation in clustering.relations),
        "named": int(answer in likely),
        "others": len(set(likely) - {answer}),
    }


def show(name: str) -> None:
    """Print what mvcc makes of the files of the first draw."""
    with tempfile.TemporaryDirectory() as folder:
        clustering, asked = mvcc(draw(PAIRS[name](), 0, Path(folder)), Path(folder) / "out")
        print(*asked, sep="\n")
        for view in clustering.views:
            print(f"{view.name}: {view.features}")
            for column in view.columns:
                print(f"  {column.name:24} {column.kind or '–':9} {column.note}")
        print(*clustering.warnings, sep="\n")


def table_of(frame: pd.DataFrame) -> str:
    """Return mean F and ARI of every pair and method, as the documentation shows them."""
    ways = [*PIPELINES, "mvcc"]
    means = frame.groupby(["pair", "method"], sort=False)[["f", "ari"]].mean()
    lines = []
    for name, rows in means.groupby("pair", sort=False):
        scores = rows.droplevel("pair").loc[ways].to_numpy()
        lines.append([name, *(f"{f:.2f} / {ari:.2f}" for f, ari in scores)])
    return markdown(["pair", *ways], lines)


def main() -> None:
    """Measure pairs, and write what was measured."""
    asked = parser(__doc__)
    asked.add_argument("--pairs", nargs="+", choices=list(PAIRS), default=list(CHOOSING))
    asked.add_argument("--draws", type=int, default=10, help="(default: %(default)s)")
    asked.add_argument("--show", choices=list(PAIRS), metavar="PAIR")
    asked.add_argument("--out", type=Path, default=OUT, help="(default: %(default)s)")
    args = asked.parse_args()
    if args.show:
        show(args.show)
        return
    lines: list[dict[str, object]] = []
    for name, seed in product(args.pairs, range(args.draws)):
        lines += measured(name, seed)
    frame = pd.DataFrame(lines).round(4)
    if args.out.exists():
        before = pd.read_csv(args.out)
        frame = pd.concat((before[~before["pair"].isin(args.pairs)], frame))
    frame.to_csv(args.out, index=False)
    print(table_of(frame))


if __name__ == "__main__":
    main()
