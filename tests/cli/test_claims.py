"""`mvcc claims` prints the scorecard, writes the page, and says by its exit status whether a claim
fails.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from mvcc.cli._experiments import claims as command
from mvcc.exceptions import StoreError

CELL = [
    "experiment",
    "dataset",
    "view",
    "base",
    "method",
    "closure",
    "threshold",
    "mapped",
    "rewired",
    "n_constraints",
]
CP, DM = "constraint-propagation", "direct-mapping"


def scores(gain: float, trials: int = 12) -> pd.DataFrame:
    """Make up Protein with Constraint Propagation and Direct Mapping, the former better by
    ``gain``.
    """
    rows = [
        (
            "multi-view",
            "protein",
            None,
            "pck-means",
            method,
            "full",
            "0.5" if method == CP else None,
            1.0,
            0.0,
            n,
        )
        for method in (CP, DM)
        for n in (10, 20, 40)
    ]
    table = pd.DataFrame(rows, columns=CELL).merge(
        pd.DataFrame({"trial": range(trials)}), how="cross"
    )
    table["f_measure"] = 0.5 + gain * (table["method"] == CP) + 0.01 * np.sin(np.arange(len(table)))
    for kind in ("must_link", "cannot_link"):
        counts, weights = table["n_constraints"] * 2.0, table["n_constraints"] * 1.5
        table = table.assign(**{f"propagated_{kind}s": counts, f"inferred_{kind}s": counts / 2})
        table = table.assign(
            **{f"weight_{kind}s": weights, f"inferred_weight_{kind}s": weights / 2}
        )
        table = table.assign(**{f"precision_{kind}": 0.99, f"inferred_precision_{kind}": 0.99})
    table.loc[:, "precision_cannot_link"] = 0.995
    measures = {
        "iterations": 3,
        "converged": 1,
        "chosen_threshold": np.nan,
        "disagreement": 0.0,
        "divergence": 9.0,
    }
    return table.assign(**measures)


@pytest.fixture
def finish(tmp_path):
    """Write what a finished run leaves."""

    def write(gain: float = 0.1, **options: int) -> Path:
        folder = tmp_path / "results" / "protein"
        folder.mkdir(parents=True)
        table = scores(gain, **options)
        table.to_csv(folder / "scores.csv.gz", index=False)
        table[CELL].drop_duplicates().to_csv(folder / "curves.csv", index=False)
        config = {"name": "protein", "study": "main", "features": {"method": "spectral"}}
        (folder / "manifest.json").write_text(json.dumps({"config": config}))
        return folder.parent

    return write


def run(*arguments: object):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_claims_that_hold_or_lack_data_give_status_0(finish):
    results = finish()
    outcome = run(results)
    assert outcome.exit_code == 0, outcome.output
    assert "CP beats Direct Mapping" in outcome.stdout
    assert "not enough data" in outcome.stdout
    assert max(map(len, outcome.stdout.splitlines()[:-1])) <= 100
    page = results / "claims.md"
    assert outcome.stdout.splitlines()[-1] == f"Details: {page}"
    assert "### 3. CP beats Direct Mapping: holds" in page.read_text(encoding="utf-8")


def test_a_claim_that_does_not_hold_gives_status_3(finish):
    outcome = run(finish(gain=-0.1))
    assert outcome.exit_code == 3
    assert "does not hold" in outcome.stdout


def test_too_few_trials_are_no_failure(finish):
    assert run(finish(gain=-0.1, trials=4)).exit_code == 0


def test_json_is_all_that_is_printed(finish):
    results = finish(gain=-0.1)
    outcome = run(results, "--json")
    assert outcome.exit_code == 3
    verdicts = {claim["number"]: claim["verdict"] for claim in json.loads(outcome.stdout)["claims"]}
    assert verdicts[3] == "does not hold"
    assert verdicts[26] == "holds"
    assert (results / "claims.md").is_file()


def test_counted_evaluations_are_read_from_the_same_folder(finish):
    results = finish()
    counts = "dataset,base,trial,n_constraints,candidates,endpoints,naive,memoized,early_stopped\n"
    (results / "evaluations.csv").write_text(counts + "protein,pck-means,0,10,20,12,9000,240,80\n")
    verdicts = {
        claim["number"]: claim["verdict"]
        for claim in json.loads(run(results, "--json").stdout)["claims"]
    }
    assert verdicts[24] == "holds"


def test_no_results_is_an_error_of_the_store(tmp_path):
    outcome = run(tmp_path)
    assert isinstance(outcome.exception, StoreError)
    assert outcome.stdout == ""


def test_help_names_the_exit_status():
    outcome = run("--help")
    assert outcome.exit_code == 0
    assert "Exit status 3" in outcome.stdout
    assert "mvcc claims results" in outcome.stdout
