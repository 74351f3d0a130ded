"""A made-up world in which the paper is right in everything: results of all its studies."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from mvcc.reporting.claims._evidence import Evidence, prepare
from mvcc.reporting.claims._scorecard import evaluate

TRIALS = 12
SCHEDULE = (10, 50, 100, 200)
FRACTIONS = (0.2, 0.4, 1.0)
BASES = ("pck-means", "mpck-means")
THRESHOLDS = {"four_quadrants": "0.75", "protein": "0.5"}
THRESHOLDS |= {"letters_digits": "0.95", "rec_talk": "0.75"}
SWEEP = ("0.05", "0.5", "0.75", "0.95", "1", "cv")
CP, DM, CM, SV = "constraint-propagation", "direct-mapping", "cluster-membership", "single-view"
METHODS = (CP, DM, CM, SV)

Row = dict[str, object]


def _row(study, dataset, base, method, n, **more):
    row = {"study": study, "dataset": dataset, "base": base, "method": method}
    row |= {"n_constraints": n, "experiment": "multi-view", "view": None, "closure": "full"}
    row |= {"threshold": None, "mapped": None, "rewired": None, "features": "spectral", **more}
    if row["mapped"] is not None and row["rewired"] is None:
        row["rewired"] = 0.0
    return row


def _grid(study, datasets, fractions=FRACTIONS, **more):
    for dataset, base, n, method in product(datasets, BASES, SCHEDULE, METHODS):
        of_cp = {"threshold": THRESHOLDS.get(dataset, "0.75")} if method == CP else {}
        for mapped in (None,) if method == SV else fractions:
            yield _row(study, dataset, base, method, n, mapped=mapped, **(of_cp | more))


def _rows():
    yield from _grid("main", THRESHOLDS)
    for closure in ("view", "none"):
        yield from _grid("closure", THRESHOLDS, closure=closure)
    yield from _grid("shapes", ("half_moons", "rings"), features="none")
    yield from _grid("views", ("four_quadrants", "protein"), (0.2, 0.4))
    for share in (0.0, 0.5):
        for row in _grid("rewired", THRESHOLDS, (1.0,), rewired=share):
            if row["method"] != SV:
                yield row
    for row in _grid("thresholds", THRESHOLDS, (0.4,)):
        if row["method"] == CP:
            yield from ({**row, "threshold": threshold} for threshold in SWEEP)
        elif row["method"] == DM:
            yield row
    for row in _grid("embedding", ("protein", "letters_digits"), (1.0,), features="none"):
        if row["method"] == CP:
            yield from ({**row, "threshold": threshold} for threshold in ("0.01", row["threshold"]))
    views = [("protein", "all"), ("letters_digits", "letters"), ("letters_digits", "digits")]
    alone = {"experiment": "single-view"}
    for (dataset, view), base, n, method in product(views, BASES, SCHEDULE, (CP, SV)):
        yield _row("main", dataset, base, method, n, view=view, **alone)


def _build():
    cells = pd.DataFrame(list(_rows())).astype({"mapped": float, "rewired": float})
    table = cells.merge(pd.DataFrame({"trial": range(TRIALS)}), how="cross")
    table["view"] = table["view"].astype(object)
    rng = np.random.default_rng(0)
    noise = pd.Series(rng.normal(0, 0.002, len(table)), table.index)
    # a lucky draw is lucky for all methods: hence the pairing
    of_trial = rng.normal(0, 0.03, TRIALS)[table["trial"]]
    mapped, n = table["mapped"].fillna(0), table["n_constraints"]

    of_method = table["method"].map({CP: 0.06, DM: 0.03, CM: 0.01, SV: 0.0})
    f = 0.5 + n / 2000 + of_trial + of_method + 0.03 * mapped
    quadrants = table["study"].eq("main") & table["dataset"].eq("four_quadrants")
    quadrants &= table["base"].eq("pck-means")
    gain = n.map({10: 0.20, 50: 0.31, 100: 0.20, 200: 0.142})  # 21.3 % on average
    f = f.mask(quadrants & table["method"].eq(CP), (f - 0.03) * (1 + gain))
    f += 0.05 * (table["study"].eq("shapes") & table["method"].eq(DM))
    f -= 0.10 * (table["rewired"].eq(0.5) & table["method"].eq(CP))
    swept = table["study"].eq("thresholds") & table["method"].eq(CP)
    chosen = table["dataset"].map(THRESHOLDS).astype(float)
    away = (pd.to_numeric(table["threshold"], errors="coerce") - chosen).abs()
    f -= 0.05 * away.where(swept).fillna(0)
    alone = table["experiment"].eq("single-view") & table["method"].eq(CP)
    f += alone * n.map({10: -0.05, 50: 0.0, 100: 0.0, 200: -0.05})
    table["f_measure"] = f + noise

    count = (10 * n * mapped.where(mapped > 0, 1) + rng.integers(0, 3, len(table))).astype(float)
    for kind, precision in (("must_link", 0.985), ("cannot_link", 0.995)):
        inferred = count / 2 * table["method"].eq(CP)
        table[f"propagated_{kind}s"], table[f"inferred_{kind}s"] = count, inferred
        table[f"weight_{kind}s"], table[f"inferred_weight_{kind}s"] = count * 0.9, inferred * 0.8
        table[f"precision_{kind}"] = precision + noise / 2
        table[f"inferred_precision_{kind}"] = (precision - 0.01 + noise / 2).where(inferred > 0)
    table["iterations"], table["converged"], table["chosen_threshold"] = 3.0, 1.0, np.nan
    table.loc[table["threshold"].eq("cv"), "chosen_threshold"] = 0.9
    table["disagreement"], table["divergence"] = 0.02, 8.0
    table.loc[table["study"].eq("shapes"), ["disagreement", "divergence"]] = 0.4, 0.05

    raw, lowest = table["study"].eq("embedding"), table["threshold"].eq("0.01")
    for kind in ("must_link", "cannot_link"):
        table.loc[raw & ~lowest, f"inferred_{kind}s"] = 0.0
        table.loc[raw & lowest, f"inferred_weight_{kind}s"] *= 0.02

    # at t_V = 1 nothing is inferred: the same runs as Direct Mapping's
    same = ["dataset", "base", "n_constraints", "trial"]
    direct = table[table["study"].eq("thresholds") & table["method"].eq(DM)].set_index(same)
    too_high = table.index[swept & table["threshold"].eq("1")]
    places = pd.MultiIndex.from_frame(table.loc[too_high, same])
    for column in ("f_measure", "propagated_must_links", "propagated_cannot_links"):
        table.loc[too_high, column] = direct.loc[places, column].to_numpy()
    return table.assign(folder=table["study"] + "_" + table["dataset"])


@pytest.fixture(scope="session")
def whole_world():
    return _build()


@pytest.fixture
def world(whole_world):
    return whole_world.copy()


def count():
    """Make up how often memberships are evaluated."""
    table = pd.DataFrame({"dataset": ["protein", "rec_talk"], "candidates": [20, 30]})
    table = table.assign(endpoints=[12, 14], memoized=[240, 420], early_stopped=[90, 80])
    return table.assign(base="pck-means", trial=0, n_constraints=10, naive=9000)


@pytest.fixture(scope="session")
def testify():
    """Turn scores into evidence as reading them from disk would."""

    def make(scores, evaluations=None):
        return Evidence(prepare(scores), evaluations)

    return make


@pytest.fixture(scope="session")
def whole_scorecard(whole_world, testify):
    return evaluate(testify(whole_world, count()))
