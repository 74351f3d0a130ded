"""What is claimed beyond the paper, of clustering all views in one graph, and the test that each claim is put to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mvcc.reporting.claims._checks import All, Claim, Positive, Within
from mvcc.reporting.claims._paper import CLOSE
from mvcc.reporting.claims._result import F_DIFFERENCE
from mvcc.reporting.claims._sources import Difference, Rows, Source, Steps
from mvcc.reporting.figures import METHODS, PEERS
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS

MANY = 160  # pairs for each view; with 400 most of a small data set has been judged

_JOINT = Rows(JOINT, study=BEYOND)
_WITHOUT_PAIRS = replace(_JOINT, n_constraints=0)
_PER_BUDGET = ("dataset", "mapped", "n_constraints")
_PER_METHOD = (*_PER_BUDGET, "against")
_NOT_BELOW = f"the 95% interval must lie above −{CLOSE}. Reversed: the interval lies wholly below."
_OVER_PEERS = Difference(_JOINT, Rows(tuple(PEERS), study=BEYOND_PEERS), _PER_METHOD)
_CELLS = "per data set, mapped fraction, number of pairs and method"


def _over_the_papers(base: str) -> Difference:
    return Difference(_JOINT, Rows(tuple(METHODS), study=BEYOND, base=base), _PER_METHOD)


def _not_below(source: Source) -> Within:
    return Within(source, F_DIFFERENCE, low=-CLOSE)


BEYOND_CLAIMS: Mapping[int, Claim] = {
    1: Claim(
        "Joint beats k-means",
        "Clustering all views in one graph is better than k-means, with any number of pairs and matches.",
        "F of the joint graph minus F of k-means, per data set, mapped fraction and number of pairs.",
        Positive(Difference(_JOINT, Rows(K_MEANS, study=BEYOND), _PER_BUDGET)),
    ),
    2: Claim(
        "Joint beats k-means without any pair",
        "Matches and the shapes of the views are enough to be better than k-means.",
        "The same without pairs, per data set and mapped fraction.",
        Positive(Difference(_WITHOUT_PAIRS, Rows(K_MEANS, study=BEYOND), ("dataset", "mapped"))),
    ),
    **{
        number: Claim(
            f"Joint beats the paper's methods with {title}",
            f"It is better than each method of the paper with {title}, on the same features.",
            f"F of the joint graph minus F of each method, {_CELLS}.",
            Positive(_over_the_papers(base)),
        )
        for number, (base, title) in enumerate(BASES.items(), 3)
    },
    5: Claim(
        f"Joint is nowhere more than {CLOSE} below the paper's methods",
        "Whoever takes it loses nothing, however many pairs there are.",
        f"F of the joint graph minus F of each method, for each base, {_CELLS}: {_NOT_BELOW}",
        All({title: _not_below(_over_the_papers(base)) for base, title in BASES.items()}),
    ),
    6: Claim(
        "Joint beats every peer",
        "It is better than what other packages offer for such views.",
        f"F of the joint graph minus F of each peer, {_CELLS}.",
        Positive(_OVER_PEERS),
    ),
    7: Claim(
        f"Joint is nowhere more than {CLOSE} below a peer",
        "Whoever takes it loses nothing against any of them.",
        f"F of the joint graph minus F of each peer, {_CELLS}: {_NOT_BELOW}",
        _not_below(_OVER_PEERS),
    ),
    8: Claim(
        "Pairs help",
        "Judged pairs make its clusters better.",
        f"F with {MANY} pairs minus F without pairs, per data set and mapped fraction.",
        Positive(
            Difference(
                replace(_JOINT, n_constraints=MANY), _WITHOUT_PAIRS, ("dataset", "mapped"), apart=("n_constraints",)
            )
        ),
    ),
    9: Claim(
        "More pairs never hurt",
        "No number of pairs is worse than fewer.",
        f"F with one number of pairs minus F with the next smaller one, per data set, mapped fraction and step: "
        f"{_NOT_BELOW}",
        _not_below(Steps(_JOINT, ("dataset", "mapped"), over="n_constraints")),
    ),
    10: Claim(
        "Matches help without pairs",
        "Matches alone make its clusters better.",
        "F without pairs, with one mapped fraction minus F with the next smaller one, per data set and step.",
        Positive(Steps(_WITHOUT_PAIRS, ("dataset",))),
    ),
    11: Claim(
        "More matches never hurt",
        "With any number of pairs, no mapped fraction is worse than a smaller one.",
        f"F with one mapped fraction minus F with the next smaller one, per data set, number of pairs and step: "
        f"{_NOT_BELOW}",
        _not_below(Steps(_JOINT, ("dataset", "n_constraints"))),
    ),
}
