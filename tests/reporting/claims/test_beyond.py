"""The scorecard beyond the paper names where it fails, and leaves the paper's alone."""

import json

import numpy as np
import pandas as pd
import pytest

from mvcc.reporting.claims import Verdict, _scorecard, to_json, to_markdown, write_markdown
from mvcc.reporting.figures._style import METHODS, PEERS
from mvcc.results import BASES
from mvcc.results._format import MEASURES
from tests.reports import few_claims, printed

SCHEDULE, FRACTIONS = (0, 40, 160), (0.1, 0.3, 1.0)
DATASETS = ("protein", "wine")
TRIALS = 12


def rows_of(study, method, bases, fractions):
    table = pd.MultiIndex.from_product(
        [DATASETS, bases, fractions, SCHEDULE, range(TRIALS)],
        names=["dataset", "base", "mapped", "n_constraints", "trial"],
    ).to_frame(index=False)
    table["mapped"] = table["mapped"].astype(float)
    return table.assign(study=study, method=method, rewired=table["mapped"] * 0)


@pytest.fixture(scope="module")
def beyond():
    """Make joint better by .1 than all others, and by more with pairs and matches."""
    mapped = dict.fromkeys(METHODS, FRACTIONS) | {"single-view": [None]}
    parts = [rows_of("beyond", name, BASES, fractions) for name, fractions in mapped.items()]
    parts += [rows_of("beyond", "joint", [None], FRACTIONS)]
    parts += [rows_of("beyond", "k-means", [None], [None])]
    parts += [rows_of("peers", name, [None], [None]) for name in PEERS]
    table = pd.concat(parts, ignore_index=True)
    rng = np.random.default_rng(0)
    f = 0.5 + rng.normal(0, 0.03, TRIALS)[table["trial"]] + rng.normal(0, 0.002, len(table))
    joint = table["method"] == "joint"
    f += joint * (0.1 + 0.05 * table["mapped"].fillna(0) + table["n_constraints"] / 2000)
    f += ~joint * table["n_constraints"] / 2000
    table = table.assign(f_measure=f, folder=table["study"], **dict.fromkeys(MEASURES, np.nan))
    table = table.assign(experiment="multi-view", features="auto")
    return table.assign(view=None, closure=None, threshold=None).astype({"view": object})


def evaluate(evidence, of_paper=()):
    """Test what is claimed beyond the paper, and no more of the paper's claims than are named."""
    with few_claims(*of_paper):
        return _scorecard.evaluate(evidence)


@pytest.fixture(scope="module")
def as_made(beyond, testify):
    return evaluate(testify(beyond))


def verdicts(scorecard):
    return {row.number: row.result.verdict for row in scorecard.beyond.rows}


def test_a_world_in_which_all_is_true(as_made):
    assert set(verdicts(as_made).values()) == {Verdict.HOLDS}


@pytest.mark.parametrize(
    ("numbers", "of"),
    [
        ({1}, {"method": "k-means", "n_constraints": 40}),
        ({1, 2}, {"method": "k-means", "n_constraints": 0}),
        ({3, 5}, {"method": "direct-mapping", "base": "pck-means", "mapped": 0.3}),
        ({4, 5}, {"method": "single-view", "base": "mpck-means", "n_constraints": 160}),
        ({6, 7}, {"method": "mvlearn"}),
    ],
)
def test_one_that_is_better_on_one_data_set_is_named(beyond, testify, numbers, of):
    better = beyond["dataset"] == "wine"
    for column, value in of.items():
        better &= beyond[column] == value
    scorecard = evaluate(testify(beyond.assign(f_measure=beyond["f_measure"] + 0.3 * better)))
    found = verdicts(scorecard)
    assert {number for number, verdict in found.items() if verdict.failed} == numbers
    table = dict(enumerate(page(scorecard).split("\n|--:")[1].splitlines()))
    for number in numbers:
        assert "Wine (" in table[number]
        assert "Protein (" not in table[number]


def test_cells_that_may_be_a_loss_are_named(beyond, testify):
    """Claims of a margin hold while no loss is shown: where one is possible stands beside them."""
    cell = beyond.eval("method == 'joint' and dataset == 'wine' and mapped == 0.1")
    cell &= beyond["n_constraints"] == 0
    lost = 0.105 + 0.06 * (-1.0) ** beyond["trial"]
    scorecard = evaluate(testify(beyond.assign(f_measure=beyond["f_measure"] - lost * cell)))
    assert verdicts(scorecard)[7] is Verdict.HOLDS
    part = page(scorecard).partition("### 7.")[2].partition("###")[0]
    assert f"**Undecided in {len(PEERS)} of 90 cells**" in part
    assert "\n  - Wine, 10% mapped, n = 0, against k-means, spectral: " in part


def test_pairs_and_matches_that_hurt_are_found(beyond, testify):
    joint = beyond["method"] == "joint"
    pairs = joint & (beyond["n_constraints"] == 40)
    scorecard = evaluate(testify(beyond.assign(f_measure=beyond["f_measure"] - 0.2 * pairs)))
    assert verdicts(scorecard)[9] is not Verdict.HOLDS
    assert "n = 0 → 40" in page(scorecard)
    matches = joint & (beyond["mapped"] == 1)
    scorecard = evaluate(testify(beyond.assign(f_measure=beyond["f_measure"] - 0.1 * matches)))
    found = verdicts(scorecard)
    assert (found[10], found[11]) == (Verdict.DOES_NOT_HOLD, Verdict.DOES_NOT_HOLD)
    assert found[9] is Verdict.HOLDS


def test_without_the_peers_their_claims_say_what_to_run(beyond, testify):
    scorecard = evaluate(testify(beyond[beyond["study"] == "beyond"]))
    lacking = dict.fromkeys((6, 7), Verdict.NOT_ENOUGH_DATA)
    assert verdicts(scorecard) == dict.fromkeys(range(1, 12), Verdict.HOLDS) | lacking
    assert "python -m scripts.peers" in page(scorecard)


def test_the_papers_scorecard_stays_as_it_is_to_the_last_byte(world, beyond, testify, tmp_path):
    small = world[(world["study"] == "main") & (world["dataset"] == "protein")]
    alone, both = (
        evaluate(testify(scores), of_paper=(1, 3, 7, 18, 21, 26))
        for scores in (small, pd.concat([small, beyond], ignore_index=True))
    )
    assert alone.beyond is None
    assert to_markdown(alone) == to_markdown(both)
    assert alone.all_hold == both.all_hold
    data = json.loads(json.dumps(to_json(both), allow_nan=False))
    assert data | {"beyond": None} == to_json(alone) | {"beyond": None}
    assert [claim["number"] for claim in data["beyond"]["claims"]] == list(range(1, 12))
    assert [path.name for path in write_markdown(alone, tmp_path)] == ["claims.md"]
    assert [path.name for path in write_markdown(both, tmp_path)] == ["claims.md", "beyond.md"]
    assert "Joint beats every peer" in printed(both)
    assert max(map(len, printed(both).splitlines())) <= 100


def page(scorecard):
    return to_markdown(scorecard.beyond)


def test_the_means_are_those_of_the_trials_and_the_largest_of_a_line_is_bold(beyond, as_made):
    page = to_markdown(as_made.beyond)
    lines = page.partition("### 30% of the instances mapped")[2].partition("###")[0].splitlines()
    (line,) = (line for line in lines if line.startswith("| Protein | 40 |"))
    cell = beyond.query("dataset == 'protein' and n_constraints == 40")
    cell = cell[cell["mapped"].isna() | (cell["mapped"] == 0.3)]
    joint = cell[cell["method"] == "joint"]["f_measure"]
    assert line.endswith(f"| **{joint.mean():.3f}** ± {joint.sem():.3f} |")
    others = cell[cell["method"].isin(METHODS)].groupby(["base", "method"])["f_measure"].mean()
    assert f"| {others.max():.3f} ± " in line
    n_lines = sum(line.startswith("| ") for line in lines)
    assert n_lines == 1 + len(DATASETS) * len(SCHEDULE)
