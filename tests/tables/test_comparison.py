"""Every clustering is compared by what was held out, and says whether it helps."""

from types import SimpleNamespace

import numpy as np
import pytest

from mvcc.constraints import Constraints
from mvcc.embedding import find_objects
from mvcc.exceptions import DataError
from mvcc.tables import cluster_job, load_job, read_inputs
from mvcc.tables._clustering import cautions
from mvcc.tables.fitting import _comparison, _held_out
from mvcc.tables.fitting._held_out import (
    Cut,
    Outcome,
    Scores,
    constraint_folds,
    match_folds,
    verdict,
)
from tests.tables.problems import K, by_co_em, cluster, with_values, write_problem

ALL = ["joint", "k-means", "without constraints"]
SIZES = [9, 9]
RELATIONS = {(0, 1): np.array([(0, 0), (1, 1), (1, 2), *((i, i) for i in range(3, 9))])}
STAR = Constraints.from_pairs(
    must_link=[(0, i) for i in (1, 2, 3)] + [(4, 5), (4, 6)], cannot_link=[(0, 4), (0, 7)]
)


def many(given):
    """Return constraints as often as makes them enough."""
    return given.joined(given).joined(given)


def test_what_is_held_out_is_about_an_object_of_which_nothing_is_seen():
    given = [many(STAR), Constraints.from_pairs(must_link=[(3, 4)], cannot_link=[(5, 6)])]
    _, objects = find_objects(SIZES, RELATIONS)
    tested = []
    for fold in constraint_folds(given, RELATIONS, SIZES, 0):
        seen = np.concatenate(
            [own[c.pairs.ravel()] for own, c in zip(objects, fold.seen, strict=True)]
        )
        for own, c, ends in zip(objects, fold.held_out, fold.ends, strict=True):
            assert not np.isin(ends, seen).all(axis=1).any()
            assert (np.sort(own[c.pairs], axis=1) == ends).all()
        tested += [tuple(pair) for pair in fold.held_out[0].pairs.tolist()]
    # what follows from the constraints is tested: rows 1 and 2 are of one group, apart from row 5
    assert {(1, 2), (1, 5), (0, 1)} <= set(tested)
    assert constraint_folds([STAR, Constraints.empty()], RELATIONS, SIZES, 0) == []


@pytest.mark.parametrize(
    ("given", "most"),
    [(STAR.joined(Constraints.from_pairs(cannot_link=[(1, 2)])), 1000), (STAR, 7)],
)
def test_contradicting_or_many_judgments_are_held_out_as_they_are(given, most, monkeypatch):
    monkeypatch.setattr(_held_out, "_MOST_CLOSED", most)
    held_out = [fold.held_out[0] for fold in constraint_folds([many(given)], {}, [9], 0)]
    assert {tuple(pair) for one in held_out for pair in one.pairs.tolist()} == set(
        map(tuple, given.pairs.tolist())
    )


def test_every_match_is_cut_once_with_all_of_its_object():
    relations = {(0, 1): np.vstack([RELATIONS[0, 1], [(2, 1)]])}
    _, objects = find_objects(SIZES, relations)
    folds = match_folds(relations, SIZES, 0)
    every = [pair for _, cut in folds for pair in cut[0, 1].tolist()]
    assert sorted(every) == sorted(relations[0, 1].tolist())
    for fold in folds:
        seen, gone = (set(objects[0][rows[0, 1][:, 0]]) for rows in fold)
        assert seen.isdisjoint(gone)
    assert match_folds({(0, 1): relations[0, 1][:9]}, SIZES, 0) == []


def pairs_of_their_own(n):
    return np.arange(2 * n).reshape(-1, 2)


def test_kinds_count_alike():
    hits, kinds = np.array([1.0, 1, 1, 0, 0, 1]), np.array([1, 1, 1, 1, 0, 0])
    share, error = Scores(hits, kinds, pairs_of_their_own(6)).share()
    assert share == pytest.approx((0.75 + 0.5) / 2)
    assert error == pytest.approx(np.sqrt((3 * 0.25**2 + 0.75**2) / 64 + 2 * 0.25 / 16))
    twice = Scores(np.tile(hits, 2), np.tile(kinds, 2), np.tile(pairs_of_their_own(6), (2, 1)))
    assert twice.share() == pytest.approx((share, error))


def test_what_is_about_the_same_object_is_hardly_more_than_one_observation():
    """Against the spread of the mean itself, over draws of objects that are right or not."""
    rng = np.random.default_rng(0)
    means, errors = [], []
    for _ in range(300):
        right = rng.random(40) < 0.8
        ends = np.sort([rng.choice(40, 2, replace=False) for _ in range(120)], axis=1)
        scores = Scores(right[ends].all(axis=1).astype(float), np.zeros(120, int), ends)
        mean, error = scores.share()
        means.append(mean)
        errors.append(error)
    assert 0.8 < np.mean(errors) / np.std(means) < 1.1


def test_agreement_is_that_of_chance_where_matches_mean_nothing():
    rng = np.random.default_rng(0)
    first, second = rng.integers(3, size=(2, 4000)) ** 2 // 2
    cut = Cut(first, second)
    assert cut.agreement == pytest.approx(cut.by_chance, abs=0.03)
    assert cut.beyond_chance().mean() == pytest.approx(0, abs=0.05)
    assert Cut(first, first).beyond_chance().mean() == pytest.approx(1)
    facts = cut.facts(3)
    assert facts["n"] == np.sum(facts["table"]) == 4000
    assert facts["table"][2][0] == np.sum((first == 2) & (second == 0))


def kept(share, n=200):
    hits = (np.arange(n) < share * n).astype(float)
    return Outcome(Scores(hits, np.zeros(n, int), pairs_of_their_own(n)), {}, 0.9)


def cut(share, n=200):
    first, is_same = np.arange(n) % 2, np.arange(n) < share * n
    return Outcome(None, {(0, 1): Cut(first, np.where(is_same, first, 1 - first))}, 0.9)


# outcomes of joint, k-means and others; whether it helps; the sentence; how the warnings begin
VERDICTS = {
    "ahead": ((kept(0.87), kept(0.61), kept(0.74)), True,
              "Better than k-means on each table: this clustering keeps 87 % of held-out"
              " constraints, k-means 61 %, without constraints 74 %.", []),
    "no difference": ((kept(0.75), kept(0.745), kept(0.76)), None,
              "Not clearly better than k-means on each table: this clustering keeps 75 % of"
              " held-out constraints, k-means 74 %, without constraints 76 %.", []),
    "behind": ((kept(0.6), kept(0.8), kept(0.6)), False,
               "K-means on each table does better here: it keeps 80 % of held-out constraints, this"
               " clustering 60 %, without constraints 60 %.", ["K-means keeps 80 %"]),
    "behind, not clearly": ((kept(0.6, 30), kept(0.7, 30)), None,
               "K-means on each table does better here, if not clearly: it keeps 70 % of held-out"
               " constraints, this clustering 60 %.", []),
    "behind both": ((kept(0.6), kept(0.8), kept(0.9)), False,
               "K-means on each table does better here: it keeps 80 % of held-out constraints, this"
               " clustering 60 %, without constraints 90 %.",
               ["K-means keeps 80 %", "The method without constraints keeps 90 %"]),
    "behind by nothing that is printed": ((kept(0.752, 500), kept(0.754, 500)), None,
               "Not clearly better than k-means on each table: this clustering keeps 75 % of"
               " held-out constraints, k-means 75 %.", []),
    "constraints harm": ((kept(0.7), kept(0.6), kept(0.9)), False,
               "The method without constraints does better here: it keeps 90 % of held-out"
               " constraints, this clustering 70 %, k-means 60 %.",
               ["The method without constraints keeps 90 %"]),
    "matches alone": ((cut(0.9), cut(0.7)), True,
               "Matched rows agree better than by k-means on each table: this clustering keeps 90 %"
               " of matched rows together even without their match, k-means 70 %.", []),
    "nothing": ((Outcome(None, {}, 0.95), Outcome(None, {}, 0.9)), None,
                "Too little data to tell whether it helps: give 20 constraints or 10 matches. "
                "Stability is 0.95 of 1; that of k-means 0.90.", []),
}  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "helps", "sentence", "warns"), VERDICTS.values(), ids=VERDICTS
)
def test_one_sentence_says_whether_it_helps(outcomes, helps, sentence, warns):
    facts, warnings = verdict(dict(zip(ALL, outcomes, strict=False)))
    assert facts == {"sentence": sentence, "helps": helps}
    assert [text[: len(begin)] for text, begin in zip(warnings, warns, strict=True)] == warns


def compared(tmp_path, *, by=with_values, **problem):
    return cluster(by(write_problem(tmp_path, **problem), comparison=True), tmp_path / "out")


def with_co_em(options, **values):
    return with_values(options, **{"comparison": True, "compare_co_em": True, **values})


BOTH_GIVEN = {"n_judged": 30, "judged": (0, 1)}


@pytest.mark.parametrize(("problem", "by", "methods", "n_judgments"), [
    ({"n_views": 1, "pairs": ()}, with_values, ALL, 0),
    (BOTH_GIVEN, with_co_em, [*ALL, "co-em"], 60),
    ({"judged": ()}, with_values, ALL[:2], 0),
    ({"n_views": 3, "pairs": [("view0", "view1")], "n_judged": 30}, by_co_em,
     ["co-em", *ALL[1:], "joint"], 30),
])  # fmt: skip
def test_facts_tell_what_replays_of_both_methods_tell(tmp_path, problem, by, methods, n_judgments):
    facts = compared(tmp_path, by=by, **problem)
    found, relations = facts["comparison"], facts["relations"]
    assert [one["method"] for one in found["methods"]] == methods
    assert found["n_judgments"] == n_judgments
    assert found["n_matches"] == sum(len(relation["pairs"]) for relation in relations)
    for one in found["methods"]:
        assert (one["kept"] is None) == (one["kept_error"] is None) == (not n_judgments)
        assert (one["agreement"] is None) == (one["by_chance"] is None) == (not found["n_matches"])
    for relation in relations:
        held_out = relation["held_out"]
        assert np.sum(held_out["table"]) == held_out["n"] == len(relation["pairs"])
    if by is with_co_em:
        again = cluster_job(load_job(tmp_path / "out/cluster.yaml"), tmp_path / "again").to_dict()
        assert again["comparison"] == found
        assert again["relations"][0]["held_out"] == relations[0]["held_out"]


def test_of_many_rows_objects_are_drawn_with_all_that_were_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(_comparison, "_MOST_ROWS", 60)
    monkeypatch.setattr(_comparison, "_ROWS_PER_CLUSTER", 1)
    options = with_values(write_problem(tmp_path, n=90, n_matches=30, n_judged=30), comparison=True)
    job, inputs = load_job(None, options), read_inputs(load_job(None, options))
    rows = _comparison.drawn_rows(job, inputs)
    assert 60 <= sum(map(len, rows)) < 180
    assert np.isin(inputs.constraints[0].pairs, rows[0]).all()
    for i, j in inputs.relations[0, 1]:
        assert (i in rows[0]) == (j in rows[1])
    assert cluster(options, tmp_path / "out")["comparison"]["sampled"] == sum(map(len, rows))
    monkeypatch.setattr(_comparison, "_ROWS_PER_CLUSTER", 90)
    assert _comparison.drawn_rows(job, inputs) is None


def test_features_that_the_other_method_cannot_have_are_no_error(tmp_path, monkeypatch):
    def refused(table, job):
        raise DataError("no such features.")

    monkeypatch.setattr(_comparison, "make_features", refused)
    facts = compared(tmp_path, by=with_co_em)
    methods = [one["method"] for one in facts["comparison"]["methods"]]
    assert methods == ALL
    said = "The result was not compared with the other method: no such features."
    assert said in facts["warnings"]


def test_contradictions_that_a_job_allows_are_compared(tmp_path):
    few = write_problem(tmp_path, n_matches=9, n_judged=20)  # too few matches to be cut
    options = with_values(few, comparison=True)
    path = tmp_path / "judged0.csv"
    first = path.read_text().splitlines()[1].split(",")
    kind = {"must-link": "cannot-link", "cannot-link": "must-link"}[first[2]]
    path.write_text(path.read_text() + f"{first[0]},{first[1]},{kind},1.0\n")
    for by in (with_co_em, by_co_em):
        found = cluster(by(options, on_conflict="drop"), tmp_path / by.__name__)["comparison"]
        assert len(found["methods"]) == 4
        assert found["n_judgments"] >= 20 > found["n_matches"] == 0


def test_views_that_hardly_show_the_same_clusters_are_named(tmp_path):
    options = write_problem(tmp_path, n=60, n_matches=30, noise=40.0, judged=())
    path = tmp_path / "view0.csv"
    path.write_bytes(path.read_bytes().replace(b"kind 1", b"esp\xe8ce 1"))
    facts = cluster(with_values(options, comparison=True), tmp_path / "out")
    begins = "view0 and view1 hardly show the same clusters: without their match, "
    (said,) = (text for text in facts["warnings"] if text.startswith(begins))
    assert facts["warnings"][0] == said
    assert "as Windows-1252" in facts["warnings"][-1]  # last is how tables were read
    assert "by chance). Add constraints (mvcc ask). Columns" in said
    assert said.endswith("leave such columns out (--ignore).")


OF_STARTS, EVEN = "a: its clusters change from start to start (stability 0.", np.arange(24) % K
UNEVEN = "a: one cluster has 92 % of all rows, most others are small."


@pytest.mark.parametrize(
    ("labels", "agreement", "said"),
    [
        (EVEN, 0.55, [f"{OF_STARTS}55 of 1"]),
        (EVEN, 0.604, [f"{OF_STARTS}60 of 1"]),
        (EVEN, 0.61, []),
        (np.repeat(range(K), [60, 3, 2]), 1.0, [UNEVEN]),
    ],
)
def test_clusters_that_are_unstable_or_uneven_are_named(labels, agreement, said):
    method = SimpleNamespace(given=[Constraints.empty()])
    fit = SimpleNamespace(method=method, labels=[labels], numbers=[np.arange(K)], n_numbers=K)
    vars(fit).update(agreement=[agreement], exchanged=[])
    told = cautions([SimpleNamespace(name="a")], fit)
    assert [text[: len(begin)] for text, begin in zip(told, said, strict=True)] == said
