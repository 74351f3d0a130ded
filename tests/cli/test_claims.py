"""``mvcc claims``: scorecard, page, and an exit status that says whether a claim fails."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from tests.command_line import invoke
from tests.reports import few_claims

CELL = "experiment dataset view base method closure threshold mapped rewired n_constraints".split()
CP, DM = "constraint-propagation", "direct-mapping"


def scores(gain: float, trials: int = 12) -> pd.DataFrame:
    """Make up Protein, where Constraint Propagation is better than Direct Mapping by ``gain``."""
    rows = [
        ("multi-view", "protein", None, "pck-means", method, "full", threshold, 1.0, 0.0, n)
        for method, threshold in ((CP, "0.5"), (DM, None))
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
    return table.assign(
        iterations=3, converged=1, chosen_threshold=np.nan, disagreement=0.0, divergence=9.0
    )


@pytest.fixture(autouse=True)
def claims():
    """Of these, one holds or fails as the scores do, one has no data, one takes none."""
    with few_claims(3, 13, 24, 26):
        yield


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


def verdicts(results, code=0):
    document = json.loads(invoke("claims --json", results, code=code).stdout)
    return {claim["number"]: claim["verdict"] for claim in document["claims"]}


def test_claims_that_hold_or_lack_data_give_status_0(finish):
    results = finish()
    lines = invoke("claims", results).stdout.splitlines()
    assert any("CP beats Direct Mapping" in line for line in lines)
    assert any("not enough data" in line for line in lines)
    assert max(map(len, lines[:-1])) <= 100
    page = results / "claims.md"
    assert lines[-1] == f"Details: {page}"
    assert "### 3. CP beats Direct Mapping: holds" in page.read_text(encoding="utf-8")


def test_a_claim_that_does_not_hold_gives_status_3_and_json_is_all_that_is_printed(finish):
    results = finish(gain=-0.1)
    found = verdicts(results, code=3)
    assert found[3] == "does not hold"
    assert found[26] == "holds"
    assert (results / "claims.md").is_file()


def test_too_few_trials_are_no_failure(finish):
    invoke("claims", finish(gain=-0.1, trials=4))


def test_counted_evaluations_are_read_from_the_same_folder(finish):
    results = finish()
    counts = "dataset,base,trial,n_constraints,candidates,endpoints,naive,memoized,early_stopped\n"
    (results / "evaluations.csv").write_text(counts + "protein,pck-means,0,10,20,12,9000,240,80\n")
    assert verdicts(results)[24] == "holds"


def test_no_results_is_an_error_of_the_store(tmp_path):
    with pytest.raises(StoreError):
        invoke("claims", tmp_path)


def test_help_names_the_exit_status():
    assert "Exit status 3" in invoke("claims --help").stdout
