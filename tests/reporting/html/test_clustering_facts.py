"""Facts that are damaged are refused with what is wrong, where, and what to do."""

import json
import re
from functools import reduce

import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.html import write_report
from tests.browser.facts import make_facts
from tests.reports import write_clustering_report

METHOD = {"method": "joint", "kept": 0.9, "kept_error": 0.1, "agreement": None, "by_chance": None}
METHOD |= {"stability": 1.0, "reference_f": [0.5]}
COMPARISON = {"folds": 6, "n_judgments": 40, "n_matches": 0, "sampled": None, "helps": True}
COMPARISON |= {"methods": [METHOD, METHOD], "sentence": "Better."}
HELD_OUT = {"agreement": 1.0, "by_chance": 0.2, "n": 3, "table": [[1]]}
BOTH = "`quantiles` and `medians` must both be there, or neither"
CHANGES = {
    "views.0.ids": (["a"], "views.0: `ids` has 1 entries for 30 rows"),
    "views.1.labels.2": (9, "views.1.labels names cluster 9, but the clusters are 0 … 4"),
    "views.1.labels.3": (-1, "views.1.labels.3: Input should be greater than or equal to 0"),
    "views.0.x.0": (float("nan"), "views.0.x.0: Input should be a finite number"),
    "views.0.reference": (["a"] * 3, "views.0: `reference` has 3 entries for 30 rows"),
    "views.0.stability.0": (1.5, "views.0.stability.0: Input should be less than or equal to"),
    "views.0.fit": ([0.5], "views.0: `fit` has 1 entries for 30 rows"),
    "views.0.names": (["a"], "views.0.names has 1 entries for 5 clusters"),
    "views.0.given.0.1": (30, "views.0: `given` names row 30, but the rows are 0 … 29"),
    "views.0.propagated.0.0": (99, "views.0: `propagated` names row 99"),
    "views": ([], "views: Tuple should have at least 1 item"),
    "relations.0.views": ([0, 2], "relations.0.views is [0, 2], not the numbers of two views"),
    "relations.0.pairs.1": ([0, 20], "relations.0 names row 20, but the rows are 0 … 19"),
    "co_em.objectives.0": ([1.0], "co_em.objectives.0 has 1 entries for 2 views"),
    "comparison": (COMPARISON, "comparison.methods.0.reference_f has 1 entries for 2 views"),
    "stability_runs.agreement": ([0.5], "stability_runs.agreement has 1 entries for 2 views"),
    "views.0.sample": ([0, 30], "views.0: `sample` must hold rows 0 … 29, ascending"),
    # which nobody fetches
    "views.0.pictures": ([[0, "https://a.org/x.png"]], "views.0.pictures.0.1: String should match"),
    "views.0.values.0": (["height", ["1"]], "`values` of height has 1 entries for 30 rows"),
    "profiles.1": ([], "profiles.1 has 0 entries for 5 clusters"),
    "profiles.1.0.typical": ([20], "profiles.1 names row 20, but the rows are 0 … 19"),
    "profiles.0.0.borderline": ([[1, 5]], "profiles.0 names cluster 5, but the clusters are 0 … 4"),
    "profiles.0.0.columns.0.medians": (None, BOTH),
    "relations.0.held_out": (HELD_OUT, "relations.0.held_out.table must have 5 rows of 5 counts"),
    "co_em": (None, "either `co_em` or `joint` must be there"),
    "kind": ("experiment", '`"kind": "clustering"` is missing'),
    "title": (None, "title: Input should be a valid string"),
}


@pytest.mark.parametrize("key", CHANGES)
def test_what_is_wrong_is_named_with_its_place(key, tmp_path):
    value, message = CHANGES[key]
    facts = json.loads(json.dumps(make_facts((30, 20))))
    *path, last = [int(part) if part.isdigit() else part for part in key.split(".")]
    reduce(lambda tree, part: tree[part], path, facts)[last] = value
    with pytest.raises(StoreError, match=re.escape(message)) as raised:
        write_clustering_report(facts, tmp_path / "report.html")
    assert "run `mvcc cluster` again" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "report.html").exists()


def test_a_missing_part_is_named(tmp_path):
    facts = make_facts((30, 20))
    for key in facts.keys() - {"profiles"}:
        rest = {name: value for name, value in facts.items() if name != key}
        with pytest.raises(StoreError, match=key):
            write_clustering_report(rest, tmp_path / "report.html")


def test_what_a_later_version_adds_is_no_error_unless_it_is_of_another_schema(tmp_path):
    facts = make_facts((30, 20), added="x")
    facts["views"][0]["added"] = 1
    write_clustering_report(facts, tmp_path / "report.html")
    with pytest.raises(StoreError, match=r"another version of mvcc \(schema 2; this one reads 1\)"):
        write_clustering_report(facts | {"schema": 2}, tmp_path / "report.html")


LONG_NUMBER = b'{"kind": "clustering", "schema": ' + b"9" * 5000 + b"}"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, LONG_NUMBER],
    ids=["empty", "cut", "list", "null", "no text", "deep", "long number"],
)
def test_a_damaged_file_is_an_error_that_names_it(content, tmp_path):
    (tmp_path / "clustering.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"clustering\.json cannot be read: "):
        write_report(tmp_path)
    assert not (tmp_path / "report.html").exists()
