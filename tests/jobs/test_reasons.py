"""What the tables of constraints say is so: each comes from the constraint it names, for the reason it gives."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mvcc.constraints._constraints import Constraints
from mvcc.constraints._relations import augment
from mvcc.jobs import _fit, cluster_job, load_job, read_inputs
from mvcc.jobs._reasons import Reasons, weight_of, without_loops
from mvcc.multiview import _methods as methods
from mvcc.multiview._transfer import ConstraintPropagation, DirectMapping
from mvcc.reporting.html import write_clustering_report
from tests.jobs.problems import by_co_em, cluster, read_csv, write_csv, write_problem
from tests.jobs.reasons import Known, implied, nearness, walks
from tests.reference.closure import close_views
from tests.reference.propagation import _model, endpoint_weight

PROBLEMS = {
    "one view": {"n_views": 1, "pairs": ()},
    "two views": {},
    "two views, both judged": {"judged": (0, 1)},
    "two views, the second judged": {"judged": (1,)},
    "three views in a chain": {"n_views": 3, "pairs": [("view0", "view1"), ("view2", "view1")], "judged": (0, 2)},
    "three views, one by itself": {"n_views": 3, "pairs": [("view0", "view2")], "judged": (0, 1)},
    "five views": {"n_views": 5, "judged": (1, 3)},
}
every_problem = pytest.mark.parametrize("options", PROBLEMS.values(), ids=PROBLEMS)


@pytest.fixture(autouse=True)
def models(monkeypatch):
    """Keep the method and what it fitted last."""
    kept = []
    fit_job = _fit.fit_job

    def keep(*arguments):
        kept.append((arguments[1], fit_job(*arguments)))
        return kept[-1][1]

    monkeypatch.setattr("mvcc.jobs._clustering.fit_job", keep)
    return kept


def solved(tmp_path, models, seed=1, settings=None, **options):
    """Cluster a problem; return what was read, what was fitted, and the propagated and received tables of each view."""
    job_options = by_co_em(write_problem(tmp_path, seed=seed, **options), threshold=0.2, **(settings or {}))
    inputs = read_inputs(load_job(None, job_options))
    cluster(job_options, tmp_path / "out")
    tables = [
        [read_csv(tmp_path / "out" / table.name / f"{kind}.csv") for kind in ("propagated", "received")]
        for table in inputs.tables
    ]
    return inputs, models[-1], tables


def known_of(inputs):
    return Known.of([table.ids for table in inputs.tables], inputs.constraints, inputs.relations)


@every_problem
@pytest.mark.parametrize("closure", ["full", "view", "none"])
def test_a_reason_is_a_chain_of_what_was_given_that_implies_the_constraint_it_comes_from(
    tmp_path, models, options, closure
):
    inputs, (_, fit), tables = solved(tmp_path, models, settings={"closure": closure}, **options)
    known = known_of(inputs)
    for number, (propagated, _) in enumerate(tables):
        closed = {}
        for pair, must_link, weight in zip(
            fit.model.constraints_[number].pairs.tolist(),
            fit.model.constraints_[number].must_link,
            fit.model.constraints_[number].weights,
            strict=True,
        ):
            rows = frozenset(inputs.tables[number].ids[row] for row in pair)
            closed.setdefault((rows, bool(must_link)), weight)  # where nothing is closed, the heaviest comes first
        for row in propagated:
            source = row["from_i"], row["from_j"]
            assert row["from_view"] == inputs.tables[number].name
            near, chain = nearness(row["because"])
            assert near == [pair for pair in zip((row["i"], row["j"]), source, strict=True) if pair[0] != pair[1]]
            *ends, is_must_link, weight = implied(chain, known)
            assert (*ends, is_must_link) == (*source, row["kind"] == "must-link")
            assert weight == closed[frozenset(source), is_must_link]


@every_problem
def test_the_closed_constraints_are_those_of_the_paper(tmp_path, models, options):
    inputs, (_, fit), _ = solved(tmp_path, models, **options)
    given = [(c.pairs, c.must_link, c.weights) for c in inputs.constraints]
    closed, _ = close_views(given, inputs.relations)
    for mine, expected in zip(fit.model.constraints_, closed, strict=True):
        listed = zip(mine.pairs.tolist(), mine.must_link.tolist(), mine.weights.tolist(), strict=True)
        assert {(i, j, kind): weight for (i, j), kind, weight in listed} == expected


@every_problem
@pytest.mark.parametrize("base", ["pck-means", "mpck-means"])
def test_the_weight_is_that_of_the_origin_times_both_reaches(tmp_path, models, options, base):
    inputs, (method, fit), tables = solved(tmp_path, models, settings={"base": base}, **options)
    for number, (propagated, _) in enumerate(tables):
        X, clusterer, closed = method.views[number], fit.model.clusterers_[number], fit.model.constraints_[number]
        sigma, confidence = _model(X, clusterer.labels_, getattr(clusterer, "metrics_", None), 1e-6)
        row_of = inputs.tables[number].row
        passed = fit.model.propagated_[number]
        assert len(propagated) == len(passed)
        weights = {
            (*pair, kind): weight
            for pair, kind, weight in zip(closed.pairs.tolist(), closed.must_link, closed.weights, strict=True)
        }

        def reach(row, end, X=X, labels=clusterer.labels_, sigma=sigma, confidence=confidence):
            return endpoint_weight(X[row], X[end], sigma[labels[end]], float(confidence[end]))

        for place, row in enumerate(propagated):
            i, j, u, v = (row_of[row[name]] for name in ("i", "j", "from_i", "from_j"))
            assert ([i, j], row["kind"] == "must-link") == (passed.pairs[place].tolist(), passed.must_link[place])
            assert float(row["weight"]) == passed.weights[place]
            product = weights[min(u, v), max(u, v), passed.must_link[place]] * reach(i, u) * reach(j, v)
            assert product == pytest.approx(passed.weights[place], rel=1e-9)


@every_problem
@pytest.mark.parametrize("transfer", ["constraint-propagation", "direct-mapping", "cluster-membership", "single-view"])
def test_what_is_received_was_passed_on_by_another_view_to_related_rows(tmp_path, models, options, transfer):
    inputs, (_, fit), tables = solved(tmp_path, models, settings={"transfer": transfer}, **options)
    names = [table.name for table in inputs.tables]
    known = known_of(inputs)
    expected = [0] * len(names)
    for number, (_, received) in enumerate(tables):
        best = {}
        for source, (passed, _) in enumerate(tables):
            for row in passed if source != number else ():
                for key, weight in arriving(fit, inputs.tables, source, number, row):
                    best[key] = max(best.get(key, 0.0), weight)
        assert {key_of(row): float(row["weight"]) for row in received} == best
        expected[number] = len(best)
        for row in received:
            source = names.index(row["from_view"])
            assert source != number
            (origin,) = (
                p for p in tables[source][0] if key_of(p) == (frozenset((row["from_i"], row["from_j"])), row["kind"])
            )
            for end in "ij":
                assert row[end] in counterparts(fit, inputs.tables, source, number, row[f"from_{end}"])
            came = arriving(fit, inputs.tables, source, number, origin)
            assert (key_of(row), float(row["weight"])) in came, "the rows are related to those it comes from"
            by, _, there = row["because"].partition(", and there: ")
            if there:
                assert there == origin["because"].removeprefix("because ")
                starts = [walk.start for walk in walks(by.removeprefix("because "), known)]
                assert starts == [row["i"], row["j"]]
            else:
                found = implied(row["because"], known)
                assert found == (row["i"], row["j"], row["kind"] == "must-link", float(row["weight"]))
    assert expected == [sum(view["n_received"].values()) for view in facts_of(tmp_path)]


def key_of(row):
    return frozenset((row["i"], row["j"])), row["kind"]


def arriving(fit, tables, source, target, row):
    """Return what becomes of a constraint in another view: rows, kind and weight of each."""
    one, other = (counterparts(fit, tables, source, target, row[end]) for end in "ij")
    return [
        ((frozenset((i, j)), row["kind"]), min(float(row["weight"]), sure_i, sure_j))
        for i, sure_i in one.items()
        for j, sure_j in other.items()
        if i != j
    ]


def counterparts(fit, tables, source, target, name):
    """Return the ids of the related rows, and how sure each of these relations is."""
    key = min(source, target), max(source, target)
    rows = fit.model.mappings_.get(key, np.empty((0, 2), dtype=int))
    sure = fit.model.mapping_weights_.get(key, np.full(len(rows), np.inf))
    here, there = (rows[:, 0], rows[:, 1]) if source < target else (rows[:, 1], rows[:, 0])
    mine = here == tables[source].row[name]
    return {tables[target].ids[row]: strength for row, strength in zip(there[mine], sure[mine], strict=True)}


def facts_of(tmp_path):
    import json

    return json.loads((tmp_path / "out" / "clustering.json").read_text(encoding="utf-8"))["views"]


@pytest.mark.parametrize("seed", range(20))
def test_every_constraint_of_the_closure_has_a_reason_and_no_other_has_one(seed):
    rng = np.random.default_rng(seed)
    n = 9
    truth = rng.integers(3, size=(2, n))
    given = []
    for labels in truth:
        pairs = np.array([(i, j) for i in range(n) for j in range(i)])[rng.permutation(n * (n - 1) // 2)[:6]]
        given.append(Constraints(pairs, labels[pairs[:, 0]] == labels[pairs[:, 1]], rng.choice([0.5, 1.0, 2.0], 6)))
    every = np.array([(i, j) for i in range(n) for j in range(n) if truth[0, i] == truth[1, j]])
    relations = {(0, 1): every[rng.permutation(len(every))[:4]]}
    closed, *_ = augment(given, relations, "full")
    reasons = Reasons([[f"a{i}" for i in range(n)], [f"b{i}" for i in range(n)]], given, relations, "full")
    for view, constraints in enumerate(closed):
        follows = dict(
            zip(
                zip(map(tuple, constraints.pairs.tolist()), constraints.must_link.tolist(), strict=True),
                constraints.weights.tolist(),
                strict=True,
            )
        )
        for i in range(n):
            for j in range(i + 1, n):
                for must_link in (True, False):
                    weight = follows.get(((i, j), must_link))
                    chain = reasons.chain((view, i), (view, j), not must_link, weight or 1e-9)
                    assert bool(chain) == (weight is not None)
                    assert not chain or weight_of(chain) == weight
                    own = {(min(pair), max(pair)) for pair in given[view].pairs.tolist()}
                    by_matches = weight == 1.0 and must_link
                    if weight is not None and (i, j) not in own and not by_matches:
                        assert not reasons.chain((view, i), (view, j), not must_link, weight * 1.01)


def judged_in_a_row(ids):
    return [["i", "j", "kind"], *([i, j, "must-link"] for i, j in pairwise(ids))]


def chain_in_words(tmp_path, n_steps):
    ids = [f"a{i}" for i in range(n_steps + 1)]
    path = write_csv(tmp_path / "judged.csv", judged_in_a_row(ids))
    reasons = Reasons([ids], [Constraints.read_csv(path, ids=ids)], {}, "view")
    return reasons.words(reasons.chain((0, 0), (0, n_steps), False, 1.0))


def test_of_a_long_chain_the_steps_in_the_middle_keep_their_lines(tmp_path):
    because = chain_in_words(tmp_path, 10)
    assert because.count(" and ") == 6
    assert because.endswith(
        "a4 and a5 were said to belong together (line 6 of judged.csv), … 4 more steps (lines 7, 8, 9, 10 of "
        "judged.csv) …, a9 and a10 were said to belong together (line 11 of judged.csv)"
    )


def test_no_single_step_is_left_out(tmp_path):
    assert "more" not in chain_in_words(tmp_path, 7)
    assert "… 2 more steps (lines 7, 8 of judged.csv) …" in chain_in_words(tmp_path, 8)


def test_steps_from_several_files_are_left_out_with_the_lines_of_each(tmp_path):
    n = 6
    ids = [[f"{letter}{i}" for i in range(n)] for letter in "ab"]
    given = []
    for names in ids:
        path = tmp_path / f"{names[0]}.csv"
        given.append(Constraints.read_csv(write_csv(path, judged_in_a_row(names)), ids=names))
    reasons = Reasons(ids, given, {(0, 1): np.array([(n - 1, 0)])}, "full")
    because = reasons.words(reasons.chain((0, 0), (1, n - 1), False, 1.0))
    assert "… 5 more steps (lines 2, 3, 4, 5 of b0.csv) …" in because


def test_without_a_closure_nothing_is_said_to_follow():
    given, relations = [Constraints([(0, 1), (1, 2)], [True, True]), Constraints([], [])], {(0, 1): np.array([(0, 0)])}
    ids = [["a0", "a1", "a2"], ["b0"]]
    for closure, lengths in {"full": (2, 2), "view": (2, 0), "none": (0, 0)}.items():
        reasons = Reasons(ids, given, relations, closure)
        assert len(reasons.chain((0, 0), (0, 1), False, 1.0)) == 1
        assert len(reasons.chain((0, 0), (1, 0), False, np.inf)) == 1
        assert len(reasons.chain((0, 0), (0, 2), False, 1.0)) == lengths[0]
        assert len(reasons.chain((0, 1), (1, 0), False, 1.0)) == lengths[1]


def test_what_comes_back_from_another_view_is_told_without_the_way_there_and_back():
    given, relations = [Constraints([(0, 1)], [False]), Constraints([], [])], {(0, 1): np.array([(0, 0), (1, 1)])}
    reasons = Reasons([["a0", "a1"], ["b0", "b1"]], given, relations, "full")
    there = reasons.chain((0, 0), (1, 0), False, np.inf)
    passed_on = reasons.chain((1, 0), (1, 1), True, 1.0)
    back = reasons.chain((1, 1), (0, 1), False, np.inf)
    assert [len(there), len(passed_on), len(back)] == [1, 3, 1]
    assert without_loops(there + passed_on + back) == reasons.chain((0, 0), (0, 1), True, 1.0)
    assert without_loops(passed_on) == passed_on


class Own(ConstraintPropagation):
    def infer(self, view):
        return Constraints([view.mapped[:2]], [True], [0.5])


class Labelled(DirectMapping):
    def __init__(self, threshold="auto"):
        self.threshold = threshold


def test_a_parameter_of_a_method_that_is_called_threshold_is_no_threshold_of_propagation(tmp_path, monkeypatch):
    monkeypatch.setitem(methods._TRANSFERS, "own", methods._Own(f"{__name__}:Labelled"))
    job = load_job(None, by_co_em(write_problem(tmp_path))).model_copy(update={"transfer": "own"})
    facts = cluster_job(job, tmp_path / "out")
    assert (facts["co_em"]["propagates"], facts["co_em"]["threshold"]) == (False, None)
    write_clustering_report(facts, tmp_path / "report.html")


def test_a_subclass_that_infers_in_its_own_way_is_named_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setitem(methods._TRANSFERS, "own", methods._Own(f"{__name__}:Own", takes_threshold=True))
    job = load_job(None, by_co_em(write_problem(tmp_path))).model_copy(update={"transfer": "own"})
    cluster_job(job, tmp_path / "out")
    for view in ("view0", "view1"):
        (row,) = read_csv(tmp_path / "out" / view / "propagated.csv")
        assert row["because"] == f"{row['i']} and {row['j']}: inferred by own"
