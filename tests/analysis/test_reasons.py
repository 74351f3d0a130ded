"""What the tables of constraints say is so: each comes from the constraint it names, for the reason it gives."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mvcc.analysis import _fit, load_job, read_inputs
from mvcc.analysis._because import Reasons
from mvcc.constraints import Constraints
from mvcc.mapping import augment
from tests.analysis.problems import cluster, read_csv, with_values, write_problem
from tests.reference.closure import close_views
from tests.reference.propagation import _model, endpoint_weight

STEP = re.compile(
    r"(?:because )?(\S+) (?:and (\S+) were said to (be apart|belong together) \((.+)\)|is matched with (\S+))"
)
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
    """Keep what was fitted last."""
    kept = []
    fit_job = _fit.fit_job

    def keep(*arguments):
        kept.append((arguments, fit_job(*arguments)))
        return kept[-1][1]

    monkeypatch.setattr("mvcc.analysis._run.fit_job", keep)
    return kept


def solved(tmp_path, models, seed=1, settings=None, **options):
    """Cluster a problem; return what was read, what was fitted, and the propagated and received tables of each view."""
    job_options = with_values(write_problem(tmp_path, seed=seed, **options), threshold=0.2, **(settings or {}))
    inputs = read_inputs(load_job(None, job_options))
    cluster(job_options, tmp_path / "out")
    tables = [
        [read_csv(tmp_path / "out" / table.name / f"{kind}.csv") for kind in ("propagated", "received")]
        for table in inputs.tables
    ]
    return inputs, models[-1], tables


def said_and_matched(inputs):
    """Return everything that was given: constraints by place, and matches."""
    said = {}
    for table, constraints in zip(inputs.tables, inputs.constraints, strict=True):
        for place, ((i, j), must_link) in enumerate(
            zip(constraints.pairs.tolist(), constraints.must_link, strict=True)
        ):
            said.setdefault(constraints.where(place), []).append(
                ({table.ids[i], table.ids[j]}, bool(must_link), constraints.weights[place])
            )
    matched = {
        frozenset((inputs.tables[u].ids[i], inputs.tables[v].ids[j]))
        for (u, v), rows in inputs.relations.items()
        for i, j in rows.tolist()
    }
    return said, matched


def implied(because, start, goal, said, matched):
    """Follow the steps of a reason from one id to another; return (is must-link, weight) of what they imply."""
    here, apart, weight = start, 0, np.inf
    for text in re.split(r"(?<=[^,]), (?=\S+ (?:and|is))", because.removeprefix("because ")):
        step = STEP.fullmatch(text)
        assert step, text
        one, other, how, where, counterpart = step.groups()
        if counterpart:
            other = counterpart
            assert frozenset((one, other)) in matched, text
        else:
            is_must_link = how == "belong together"
            weights = [w for pair, kind, w in said[where] if pair == {one, other} and kind == is_must_link]
            assert weights, text
            weight = min(weight, *weights)
            apart += not is_must_link
        assert here in (one, other), (here, text)
        here = other if here == one else one
    assert here == goal
    assert apart <= 1
    return apart == 0, weight


@every_problem
@pytest.mark.parametrize("closure", ["full", "view", "none"])
def test_a_reason_is_a_chain_of_what_was_given_that_implies_the_constraint_it_comes_from(
    tmp_path, models, options, closure
):
    inputs, (_, fit), tables = solved(tmp_path, models, settings={"closure": closure}, **options)
    said, matched = said_and_matched(inputs)
    for number, (propagated, _) in enumerate(tables):
        closed = {
            (frozenset(inputs.tables[number].ids[row] for row in pair), bool(must_link)): weight
            for pair, must_link, weight in zip(
                fit.closed[number].pairs.tolist(), fit.closed[number].must_link, fit.closed[number].weights, strict=True
            )
        }
        for row in propagated:
            near, _, because = row["because"].rpartition("because ")
            source = row["from_i"], row["from_j"]
            assert row["from_view"] == inputs.tables[number].name
            assert bool(near) == ({row["i"], row["j"]} != set(source))
            assert near in ("", f"near {source[0]} and {source[1]}, ")
            if "more steps" not in because:
                is_must_link, weight = implied(because, *source, said, matched)
                assert is_must_link == (row["kind"] == "must-link")
                assert weight >= closed[frozenset(source), is_must_link], "as heavy as the constraint, by each link"


@every_problem
def test_the_closed_constraints_are_those_of_the_paper(tmp_path, models, options):
    inputs, (_, fit), _ = solved(tmp_path, models, **options)
    given = [(c.pairs, c.must_link, c.weights) for c in inputs.constraints]
    closed, _ = close_views(given, inputs.relations)
    for mine, expected in zip(fit.closed, closed, strict=True):
        listed = zip(mine.pairs.tolist(), mine.must_link.tolist(), mine.weights.tolist(), strict=True)
        assert {(i, j, kind): weight for (i, j), kind, weight in listed} == expected


@every_problem
@pytest.mark.parametrize("base", ["pck-means", "mpck-means"])
def test_the_weight_is_that_of_the_origin_times_both_reaches(tmp_path, models, options, base):
    inputs, (arguments, fit), tables = solved(tmp_path, models, settings={"base": base}, **options)
    for number, (propagated, _) in enumerate(tables):
        X, clusterer, closed = arguments[1][number], fit.model.clusterers_[number], fit.closed[number]
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
            product = weights[u, v, passed.must_link[place]] * max(reach(i, u) * reach(j, v), reach(j, u) * reach(i, v))
            assert product == pytest.approx(passed.weights[place], rel=1e-9)


@every_problem
@pytest.mark.parametrize("transfer", ["constraint-propagation", "direct-mapping", "cluster-membership", "single-view"])
def test_what_is_received_was_passed_on_by_another_view_to_related_rows(tmp_path, models, options, transfer):
    inputs, (_, fit), tables = solved(tmp_path, models, settings={"transfer": transfer}, **options)
    names = [table.name for table in inputs.tables]
    said, matched = said_and_matched(inputs)
    expected = [0] * len(names)
    for number, (_, received) in enumerate(tables):
        best = {}
        for source, (passed, _) in enumerate(tables):
            for row in passed if source != number else ():
                there = [counterparts(fit.related, inputs.tables, source, number, row[end]) for end in ("i", "j")]
                for i in there[0]:
                    for j in there[1]:
                        key = frozenset((i, j)), row["kind"]
                        if i != j:
                            best[key] = max(best.get(key, 0.0), float(row["weight"]))
        assert {(frozenset((row["i"], row["j"])), row["kind"]): float(row["weight"]) for row in received} == best
        expected[number] = len(best)
        for row in received:
            source = names.index(row["from_view"])
            assert source != number
            there = [counterparts(fit.related, inputs.tables, source, number, row[f"from_{end}"]) for end in "ij"]
            assert any({i, j} == {row["i"], row["j"]} for i in there[0] for j in there[1]), (
                "the rows are related to those it comes from"
            )
            origin = [p for p in tables[source][0] if (p["i"], p["j"]) == (row["from_i"], row["from_j"])]
            origin = [p for p in origin if (p["kind"], p["weight"]) == (row["kind"], row["weight"])]
            assert len(origin) == 1
            if row["because"] != origin[0]["because"] and "more steps" not in row["because"]:
                is_must_link, weight = implied(row["because"], row["i"], row["j"], said, matched)
                assert is_must_link == (row["kind"] == "must-link")
                assert weight >= float(row["weight"])
    assert expected == [sum(view["n_received"].values()) for view in facts_of(tmp_path)]


def counterparts(related, tables, source, target, name):
    key = min(source, target), max(source, target)
    rows = related.get(key, np.empty((0, 2), dtype=int))
    here, there = (rows[:, 0], rows[:, 1]) if source < target else (rows[:, 1], rows[:, 0])
    return [tables[target].ids[row] for row in there[here == tables[source].row[name]]]


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
    closed, _ = augment(given, relations, "full")
    reasons = Reasons([[f"a{i}" for i in range(n)], [f"b{i}" for i in range(n)]], given, relations)
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
                    assert bool(reasons.of(view, i, j, must_link, weight or 1e-9)) == (weight is not None)
                    own = {(min(pair), max(pair)) for pair in given[view].pairs.tolist()}
                    by_matches = weight == 1.0 and must_link
                    if weight is not None and (i, j) not in own and not by_matches:
                        assert not reasons.of(view, i, j, must_link, weight * 1.01)


def test_a_long_chain_is_cut_in_its_middle():
    n = 30
    chain = Constraints([(i, i + 1) for i in range(n)], [True] * n)
    because = Reasons([[f"a{i}" for i in range(n + 1)]], [chain], {}).of(0, 0, n, True, 1.0)
    assert because.count(" and ") == 6
    assert ", … 24 more steps …, a29 and a30 were said to belong together" in because
