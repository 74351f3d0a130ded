"""What claims are tested on: the scores of all experiments, in one reading of the closure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from mvcc._utils.messages import in_brief
from mvcc._utils.reading import content_of
from mvcc.exceptions import StoreError
from mvcc.results import CELL, CROSS_VALIDATED, PROPAGATION, parse_table

# The claims of the main experiments are about these (Table 1); a user's own data are no evidence
# for or against them.
DATASETS = ("four_quadrants", "protein", "letters_digits", "rec_talk")

# the columns of evaluations.csv
_OF_RUNS = ("dataset", "base")
_COUNTS = ("candidates", "endpoints", "naive", "memoized", "early_stopped")

READINGS: Mapping[str, str] = {
    "full": "closed over all views (Algorithm 2)",
    "view": "closed inside each view",
    "none": "not closed",
    "own": "each as its own description: CP closed over all views, the others inside each view",
}


@dataclass(frozen=True)
class Evidence:
    """All rows that claims may be tested on."""

    scores: pd.DataFrame  # as `prepare` makes them
    evaluations: pd.DataFrame | None = None  # the counted Gaussian evaluations of §5.4
    gaps: Sequence[str] = ()  # experiments that are left out or lack trials

    def reading(self, name: str) -> Evidence:
        """Return the evidence where the main experiments are those of a reading of the closure."""
        scores = self.scores
        multi_view = scores["experiment"] == "multi-view"
        main = multi_view & (scores["study"] == "main") & (scores["closure"] == "full")
        others = multi_view & (scores["study"] == "closure")
        if name == "full":
            chosen = main
        elif name == "own":
            propagation = scores["method"] == PROPAGATION
            chosen = (main & propagation) | (others & ~propagation & (scores["closure"] == "view"))
        else:
            chosen = others & (scores["closure"] == name)
        rest = ~multi_view | ~scores["study"].isin(["main", "closure"])
        parts = [scores[rest], scores[chosen].assign(study="main")]
        return replace(self, scores=pd.concat(parts, ignore_index=True))


def prepare(scores: pd.DataFrame) -> pd.DataFrame:
    """Add the sums, marks of thresholds and warnings that claims need to `Results.scores`."""
    # ``copies`` are inferred constraints on exact duplicate rows, where they were counted without
    # the embedding; ``inferred_anew`` are the others, and ``inferred_weight`` is their mean weight
    from mvcc.propagation import is_suspicious

    foreign = scores["study"].isin(["main", "closure"]) & ~scores["dataset"].isin(DATASETS)
    scores = scores[~foreign].reset_index(drop=True)
    _refuse_doubles(scores)
    marks = _marks_of_thresholds(scores)
    inferred = scores["inferred_must_links"] + scores["inferred_cannot_links"]
    weight = scores[["inferred_weight_must_links", "inferred_weight_cannot_links"]].sum(axis=1)
    copies = _copies(scores.assign(inferred=inferred), marks["threshold_one"])
    anew = inferred - copies.fillna(0)  # a copy weighs 1
    examined = scores["disagreement"].notna() & scores["divergence"].notna()
    indicators = (scores[name].to_numpy() for name in ("disagreement", "divergence"))
    warns = pd.Series(is_suspicious(*indicators), scores.index)
    return scores.assign(
        propagated=scores["propagated_must_links"] + scores["propagated_cannot_links"],
        inferred=inferred,
        copies=copies,
        inferred_anew=anew,
        inferred_weight=(weight - copies.fillna(0)) / anew.where(anew > 0),
        not_converged=1 - scores["converged"],
        warns=warns.astype(float).where(examined),
        **marks,
    )


def _copies(scores: pd.DataFrame, at_one: pd.Series) -> pd.Series:
    """Return what a trial infers without the embedding at t_V = 1: copies to duplicate rows."""
    same = ["experiment", "dataset", "base", "mapped", "n_constraints", "trial"]
    counted = scores.loc[at_one & (scores["study"] == "embedding"), [*same, "inferred"]]
    copies = joined(scores[[*same, "study"]], counted, same, how="left")["inferred"]
    return copies.where(scores["study"].isin(["embedding", "main"])).astype(float)


def joined(
    left: pd.DataFrame,
    right: pd.DataFrame,
    keys: list[str],
    how: Literal["left", "inner"] = "inner",
) -> pd.DataFrame:
    """Join to every run of one side the one run of the other with the same keys; refuse several."""
    if (double := right.duplicated(keys)).any():
        row = right[double].iloc[0]
        raise StoreError(
            f"trial {row['trial']:g} of {row['dataset']} was run with several thresholds or "
            "closures, and claims compare one run with one. Give these runs a study of their own, "
            "`study: thresholds` or `study: closure`, or move them elsewhere."
        )
    return left.merge(right, on=keys, how=how, suffixes=("", "_of_other"))


def _refuse_doubles(scores: pd.DataFrame) -> None:
    double = scores.duplicated(["study", *CELL, "trial"], keep=False)
    if double.any():
        row = scores[double].iloc[0]
        folders = ", ".join(sorted(scores.loc[double, "folder"].astype(str).unique()))
        raise StoreError(
            "runs of the same settings, perhaps with other seeds, lie in the results more than "
            f"once, for instance trial {row['trial']:g} of {row['dataset']}, study {row['study']}, "
            f"in the folders {folders}. Claims take one run per data set and study: move the other "
            "folders elsewhere."
        )


def _marks_of_thresholds(scores: pd.DataFrame) -> dict[str, pd.Series]:
    """Mark the thresholds that claims name by what they are, since each data set has its own."""
    propagation = scores["method"] == PROPAGATION
    thresholds = pd.to_numeric(scores["threshold"].where(propagation), errors="coerce")
    per = [scores["dataset"], scores["base"]]

    main = propagation & (scores["study"] == "main") & (scores["experiment"] == "multi-view")
    of_main = thresholds.where(main).groupby(per)
    table_1 = of_main.transform("min").where(of_main.transform("nunique") == 1)

    sweep = thresholds.groupby([scores["study"], scores["experiment"], *per])
    lowest = sweep.transform("min").where(sweep.transform("nunique") > 1)

    swept = scores[thresholds.notna() & (scores["study"] == "thresholds")].assign(number=thresholds)
    means = swept.groupby(["dataset", "base", "number"])["f_measure"].mean()
    best: dict[tuple[str, str], float] = {}
    for dataset, base, threshold in means.sort_values(ascending=False, kind="stable").index:
        best.setdefault((dataset, base), threshold)
    of_best = [best.get(key) for key in zip(*(column.to_numpy() for column in per), strict=True)]
    return {
        "threshold_table_1": thresholds == table_1,
        "threshold_lowest": thresholds == lowest,
        "threshold_best": thresholds == pd.Series(of_best, scores.index, dtype=float),
        "threshold_one": thresholds == 1,
        "threshold_cv": propagation & (scores["threshold"] == CROSS_VALIDATED),
    }


def read_evaluations(path: Path) -> pd.DataFrame | None:
    """Read the counts of evaluations, if there are any."""
    if not path.is_file():
        return None
    try:
        runs = parse_table(content_of(path), _OF_RUNS)
        counts = runs[list(_COUNTS)].apply(pd.to_numeric, errors="coerce")
        runs = runs[list(_OF_RUNS)].join(counts)
        if not counts.ge(0).all(axis=None) or runs.isna().any(axis=None):
            raise ValueError("a line lacks a name or a number of 0 or more")
    except (OSError, LookupError, ValueError) as error:
        raise StoreError(
            f"cannot read {path}: {in_brief(error, 300)}. Write it anew with `python -m "
            f"scripts.count_evaluations {path}`."
        ) from error
    return runs
