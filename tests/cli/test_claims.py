"""``mvcc claims``: scorecard, page, and an exit status that says whether a claim fails."""

import json

import pytest

from mvcc.exceptions import StoreError
from tests.command_line import invoke
from tests.reports import few_claims

METHODS = CP, DM = "constraint-propagation", "direct-mapping"


@pytest.fixture(autouse=True)
def claims():
    """Of these, one holds or fails as the scores do, one has no data, one takes none."""
    with few_claims(3, 13, 24, 26):
        yield


@pytest.fixture
def results(tmp_path, curves, finish):
    """Write a run on Protein, where Constraint Propagation is better than Direct Mapping."""

    def write(gain=0.1):
        table = curves("protein", methods=METHODS, fractions=(1.0,), trials=12)
        finish(tmp_path / "protein", table.assign(mean=0.5 + gain * (table["method"] == CP)))
        return tmp_path

    return write


def verdicts(results, code=0):
    document = json.loads(invoke("claims --json", results, code=code).stdout)
    return {claim["number"]: claim["verdict"] for claim in document["claims"]}


def test_claims_that_hold_or_lack_data_give_status_0(results):
    folder = results()
    lines = invoke("claims", folder).stdout.splitlines()
    assert any("CP beats Direct Mapping" in line for line in lines)
    assert any("not enough data" in line for line in lines)
    assert max(map(len, lines[:-1])) <= 100
    page = folder / "claims.md"
    assert lines[-1] == f"Details: {page}"
    assert "### 3. CP beats Direct Mapping: holds" in page.read_text(encoding="utf-8")


def test_a_claim_that_does_not_hold_gives_status_3_and_json_is_all_that_is_printed(results):
    folder = results(gain=-0.1)
    found = verdicts(folder, code=3)
    assert found[3] == "does not hold"
    assert found[26] == "holds"
    assert (folder / "claims.md").is_file()


def test_counted_evaluations_are_read_from_the_same_folder(results):
    folder = results()
    counts = "dataset,base,trial,n_constraints,candidates,endpoints,naive,memoized,early_stopped\n"
    (folder / "evaluations.csv").write_text(counts + "protein,pck-means,0,10,20,12,9000,240,80\n")
    assert verdicts(folder)[24] == "holds"
    (folder / "evaluations.csv").write_text(counts + "protein,pck-means,0,10,20,12,-1,240,80\n")
    with pytest.raises(StoreError, match=r"csv: a line lacks a name or a number of 0 or more\."):
        verdicts(folder)
