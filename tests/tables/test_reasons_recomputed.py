"""A reason says only what was given, and suffices, whatever method, closure and weights are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, product
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mvcc.constraints._constraints import Constraints
from mvcc.multiview.co_em import _methods as methods
from mvcc.multiview.co_em._transfer import ConstraintPropagation
from mvcc.tables import Inputs, load_job
from mvcc.tables.fitting import _chains
from mvcc.tables.fitting._chains import Reasons, propagated, received
from mvcc.tables.fitting._co_em import CoEM
from mvcc.tables.fitting._fit import fit_job
from tests.reference.closure import close_views, closure, relation_strengths
from tests.reference.constraint_sets import to_dict, transfer
from tests.reference.propagation import _model, endpoint_weight
from tests.strategies import as_dict, assert_holds
from tests.tables.problems import LETTERS, by_co_em, options_of, write_csv

# reads reasons as a person would: each step is looked up among what was given, and must go on
# where the last ended

STEP = re.compile(
    r"(\S+) (?:and (\S+) have a (must-link|cannot-link) \((line \d+ of \S+?)\)"
    r"|is matched with ([^\s,]+))(?:, |$)"
)
NEAR = re.compile(r"(\S+) is near ([^\s,]+), ")
CLUSTERS = re.compile(r"because (\S+) and (\S+) are in (the same cluster|different clusters)")


def nearness(because: str) -> tuple[list[tuple[str, str]], str]:
    """Return which rows are said to be near which, and the rest of a reason."""
    near, rest = [], because.removeprefix("because ")
    while said := NEAR.match(rest):
        near.append(said.groups())
        rest = rest[said.end() :]
    return near, rest


@dataclass
class Walk:
    """Where steps lead, over how many cannot-links, by which kinds, and their weakest link."""

    start: str
    end: str
    n_apart: int = 0
    weight: float = inf
    kinds: str = ""  # j for a constraint, m for a match

    @property
    def worth(self) -> float:
        return 1.0 if self.weight == inf else self.weight


def walks(text: str, known: Solved) -> list[Walk]:
    """Follow the steps of a reason; one that does not go on from the last begins another walk."""
    found: list[Walk] = []
    while text:
        step = STEP.match(text)
        assert step, text
        one, judged, how, place, matched = step.groups()
        if not found or found[-1].end != one:
            found.append(Walk(one, one))
        walk, rows = found[-1], frozenset((one, judged or matched))
        if matched:
            assert rows in known.matched, step[0]
            walk.kinds += "m"
        else:
            said, must_link, weight = known.judged[place]
            assert (said, must_link) == (rows, how == "must-link"), step[0]
            walk.kinds += "j"
            walk.n_apart += not must_link
            walk.weight = min(walk.weight, weight)
        walk.end = judged or matched
        text = text[step.end() :]
    return found


# random problems

K, N = 2, 9
# what each closure lets a constraint follow from
CHAINED = {"full": "[jm]+", "view": "j+", "none": "j"}
RELATED = {"full": "[jm]+", "view": "m", "none": "m"}


class Wide(ConstraintPropagation):
    """Infers in its own way."""

    def infer(self, view):
        rows = view.mapped
        kinds = np.arange(max(len(rows) - 1, 0)) % 2 == 0
        return Constraints(np.column_stack((rows[:-1], rows[1:])), kinds, np.full(len(kinds), 0.9))


@pytest.fixture(autouse=True, scope="module")
def own_method():
    """Have a method of one's own, and name every step of a chain."""
    with pytest.MonkeyPatch.context() as patch:
        wide = methods._Own(f"{__name__}:Wide", takes_threshold=True)
        patch.setitem(methods._TRANSFERS, "wide", wide)
        patch.setattr(_chains, "_MOST_STEPS", 99)
        yield


@dataclass
class Solved:
    """A random problem, what came out, and what it rests on as the reference computes it."""

    closure: str
    views: list[np.ndarray]
    ids: list[list[str]]
    given: list[Constraints]
    relations: dict[tuple[int, int], np.ndarray]
    model: Any
    passed: list[Any]
    arrived: list[Any]

    def __post_init__(self):
        # kind and weight of the constraint at each line of a file, and which rows are matched
        self.judged = {
            c.source_of(place): (frozenset((names[i], names[j])), must_link, weight)
            for names, c in zip(self.ids, self.given, strict=True)
            for place, (i, j, must_link, weight) in enumerate(c.rows())
        }
        self.matched = {
            frozenset((self.ids[u][i], self.ids[v][j]))
            for (u, v), rows in self.relations.items()
            for i, j in rows.tolist()
        }

    def weights(self):
        """Return what every closed constraint weighs, per view; without a closure often several."""
        given = [(c.pairs, c.must_link, c.weights) for c in self.given]
        if self.closure == "full":
            closed = close_views(given, self.relations)[0]
        else:
            closed = [closure(*c) if self.closure == "view" else {} for c in given]
        found = [{key: {weight} for key, weight in one.items()} for one in closed]
        if self.closure == "none":
            for weights, c in zip(found, self.given, strict=True):
                for *key, weight in c.rows():
                    weights.setdefault(tuple(key), set()).add(weight)
        return found

    def related(self):
        """Return {(u, v): {(row of u, row of v): strength}} in both orientations."""
        if self.closure == "full":
            given = [to_dict(c.pairs, c.must_link, c.weights) for c in self.given]
            found = relation_strengths(given, self.relations)
        else:
            found = {
                key: dict.fromkeys(map(tuple, pairs.tolist()), inf)
                for key, pairs in self.relations.items()
            }
        return found | {
            (v, u): {(j, i): s for (i, j), s in pairs.items()} for (u, v), pairs in found.items()
        }


def solve(folder, seed, method, closure):
    """Draw 2 to 4 views, many-to-many matches, constraints of some of them, and cluster them."""
    rng = np.random.default_rng(seed)
    n_views = int(rng.integers(2, 5))
    ids = [[f"{LETTERS[view]}{row}" for row in range(N)] for view in range(n_views)]
    truth = rng.integers(K, size=(n_views, N))
    views = [3 * np.eye(K)[labels] + rng.normal(size=(N, K)) for labels in truth]
    relations = {}
    for u, v in combinations(range(n_views), 2):
        same = np.argwhere(truth[u][:, np.newaxis] == truth[v])
        if rng.random() < 0.8 and len(same):
            relations[u, v] = same[np.sort(rng.permutation(len(same))[: rng.integers(1, 9)])]
    scale = [[1.0], [0.5], [0.25, 0.5, 1.0, 1.5, 2.0]][rng.integers(3)]
    paths = [folder / f"judged{view}.csv" for view in range(n_views)]
    given = [_judged(*own, scale, rng) for own in zip(paths, truth, ids, strict=True)]
    options = options_of(dict.fromkeys(LETTERS[:n_views], "unread.csv"), n_clusters=K, seed=seed)
    job = load_job(None, by_co_em(options, threshold=0.2, closure=closure))
    job = job.model_copy(update={"transfer": method, "base": ["pck-means", "mpck-means"][seed % 2]})
    tables = [SimpleNamespace(ids=own, name=own[0][0]) for own in ids]
    inputs = Inputs(tables, given, relations, [])
    co_em = CoEM(job, views, inputs)
    model = fit_job(co_em, lambda step: None).model
    reasons = Reasons(ids, co_em.given, relations, closure)
    passed = propagated(model, reasons, views, method)
    return Solved(
        closure, views, ids, given, relations, model, passed, received(model, reasons, passed)
    )


def _judged(path, truth, ids, scale, rng):
    listed = [["i", "j", "kind", "weight"]]
    for _ in range(rng.integers(9)):
        i, j = rng.choice(len(truth), 2, replace=False)
        kind = "must-link" if truth[i] == truth[j] else "cannot-link"
        listed.append([ids[i], ids[j], kind, rng.choice(scale)])
    return Constraints.read_csv(write_csv(path, listed), ids=ids)


# these say what was given, the others do not
EXPLAINED = ("constraint-propagation", "direct-mapping")


@pytest.mark.parametrize(
    ("method", "closure"),
    [
        *product(EXPLAINED, ("full", "view", "none")),
        ("cluster-membership", "full"),
        ("cluster-membership", "view"),
        ("wide", "full"),
        ("wide", "none"),
        ("single-view", "full"),
    ],
)
def test_every_reason_is_right_and_says_no_more_than_it_must(tmp_path, method, closure):
    counts = np.zeros(3, int)
    for seed in range(6):
        solved = solve(tmp_path, seed, method, closure)
        closed = solved.weights()
        for view, flow in enumerate(solved.passed):
            assert flow.constraints == solved.model.propagated_[view]
            for row, (because, source, _) in zip(
                flow.constraints.rows(), flow.reasons, strict=True
            ):
                if method in EXPLAINED:
                    is_near = check_what_follows(solved, view, closed[view], row, because, source)
                    assert not (is_near and method == "direct-mapping")
                    counts += [not is_near, is_near, 0]
                else:
                    check_what_does_not_follow(solved, method, view, row, because, source)
        counts[2] += check_received(solved, method)
    met = [method in EXPLAINED, method == "constraint-propagation", method != "single-view"]
    assert (counts > [6, 6, 20]).tolist() == met


def check_what_follows(solved, view, closed, row, because, source):
    """Check the reason of a constraint; tell whether it was propagated from other rows."""
    i, j, must_link, weight = row
    _, u, v = source
    assert source[0] == view
    ids = solved.ids[view]
    near, chain = nearness(because)
    (walk,) = walks(chain, solved)
    assert (walk.start, walk.end, walk.n_apart) == (ids[u], ids[v], not must_link)
    assert re.fullmatch(CHAINED[solved.closure], walk.kinds), because
    assert walk.worth in closed[min(u, v), max(u, v), must_link]
    assert near == [(ids[row], ids[end]) for row, end in ((i, u), (j, v)) if row != end]
    if near:
        reached = reach(solved, view, solved.model.clusterers_[view], (i, j), (u, v))
        assert walk.worth * reached == pytest.approx(weight, rel=1e-9)
    else:
        assert (i, j, weight) == (u, v, walk.worth)
    return bool(near)


def check_what_does_not_follow(solved, method, view, row, because, source):
    i, j, must_link, _ = row
    assert method != "single-view"
    assert source == (view, i, j)
    names = solved.ids[view][i], solved.ids[view][j]
    if method == "wide":
        assert because == f"{names[0]} and {names[1]}: inferred by wide"
        return
    together = solved.model.labels_[view][i] == solved.model.labels_[view][j]
    said = "the same cluster" if together else "different clusters"
    assert CLUSTERS.fullmatch(because).groups() == (*names, said)
    assert must_link == together


def check_received(solved, method):
    """Check what came by the matches that are named, and count it."""
    related = solved.related()
    for target, flow in enumerate(solved.arrived):
        wanted = expected(solved, related, target)
        assert as_dict(flow.constraints) == wanted
        assert_holds(flow.constraints, wanted)
        for row, (because, source, _) in zip(flow.constraints.rows(), flow.reasons, strict=True):
            assert {solved.ids[target][end] for end in row[:2]} <= set(re.findall(r"\w+", because))
            if ", and there: " in because:
                check_by_way(solved, related, target, row, because, source)
            else:
                check_chain(solved, target, row, because)
                assert method in EXPLAINED
    return sum(len(flow.constraints) for flow in solved.arrived)


def reach(solved, view, clusterer, pair, ends):
    X, labels = solved.views[view], clusterer.labels_
    sigma, confidence = _model(
        X, labels, getattr(clusterer, "metrics_", None), solved.model.transfer_.regularization
    )

    def one(row, end):
        return endpoint_weight(X[row], X[end], sigma[labels[end]], float(confidence[end]))

    return one(pair[0], ends[0]) * one(pair[1], ends[1])


def expected(solved, related, target):
    """Return what Eq. 12 and 14 make of what the other views passed on."""
    best: dict[Any, float] = {}
    for source, flow in enumerate(solved.passed):
        if source != target:
            strengths = related.get((source, target), {})
            given = flow.constraints
            passed = to_dict(given.pairs, given.must_link, given.weights)
            for key, weight in transfer(passed, list(strengths), strengths).items():
                best[key] = max(weight, best.get(key, 0.0))
    return best


def check_chain(solved, target, row, because):
    i, j, must_link, weight = row
    (walk,) = walks(because.removeprefix("because "), solved)
    assert (walk.start, walk.end) == (solved.ids[target][i], solved.ids[target][j])
    assert (walk.n_apart, walk.worth) == (not must_link, weight), because
    if solved.closure != "full":
        assert re.fullmatch(f"m{CHAINED[solved.closure]}m", walk.kinds), because


def check_by_way(solved, related, target, row, because, source):
    i, j, must_link, weight = row
    view, u, v = source
    by, there = because.removeprefix("because ").split(", and there: ", 1)
    one, other = walks(by, solved)
    assert (one.start, other.start) == (solved.ids[target][i], solved.ids[target][j])
    assert (one.end, other.end) == (solved.ids[view][u], solved.ids[view][v])
    for walk in (one, other):
        assert not walk.n_apart
        assert re.fullmatch(RELATED[solved.closure], walk.kinds), because
        key = tuple(int(name[1:]) for name in (walk.end, walk.start))
        assert walk.weight == related[view, target][key]
    flow = solved.passed[view]
    passed = {
        why.because.removeprefix("because "): its[3]
        for its, why in zip(flow.constraints.rows(), flow.reasons, strict=True)
        if its[:3] == (min(u, v), max(u, v), must_link)
    }
    assert weight == min(passed[there], one.weight, other.weight)
