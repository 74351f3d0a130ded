"""The test that each claim beyond the paper is put to; their words are in `claims.yaml`."""

from __future__ import annotations

from dataclasses import replace

from mvcc.reporting.claims._bars import CLOSE, MANY
from mvcc.reporting.claims._checks import All, Positive, Within, described
from mvcc.reporting.claims._result import F_DIFFERENCE
from mvcc.reporting.claims._sources import Difference, Rows, Source, Steps
from mvcc.reporting.figures import METHODS, PEERS
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS

_JOINT = Rows(JOINT, study=BEYOND)
_WITHOUT_PAIRS = replace(_JOINT, n_constraints=0)
_PER_BUDGET = ("dataset", "mapped", "n_constraints")
_PER_METHOD = (*_PER_BUDGET, "against")
_OVER_PEERS = Difference(_JOINT, Rows(tuple(PEERS), study=BEYOND_PEERS), _PER_METHOD)


def _over_the_papers(base: str) -> Difference:
    return Difference(_JOINT, Rows(tuple(METHODS), study=BEYOND, base=base), _PER_METHOD)


def _not_below(source: Source) -> Within:
    return Within(source, F_DIFFERENCE, low=-CLOSE)


BEYOND_CLAIMS = described(
    "beyond",
    {
        1: Positive(Difference(_JOINT, Rows(K_MEANS, study=BEYOND), _PER_BUDGET)),
        2: Positive(Difference(_WITHOUT_PAIRS, Rows(K_MEANS, study=BEYOND), ("dataset", "mapped"))),
        3: Positive(_over_the_papers("pck-means")),
        4: Positive(_over_the_papers("mpck-means")),
        5: All({title: _not_below(_over_the_papers(base)) for base, title in BASES.items()}),
        6: Positive(_OVER_PEERS),
        7: _not_below(_OVER_PEERS),
        8: Positive(
            Difference(
                replace(_JOINT, n_constraints=MANY),
                _WITHOUT_PAIRS,
                ("dataset", "mapped"),
                apart=("n_constraints",),
            )
        ),
        9: _not_below(Steps(_JOINT, ("dataset", "mapped"), over="n_constraints")),
        10: Positive(Steps(_WITHOUT_PAIRS, ("dataset",))),
        11: _not_below(Steps(_JOINT, ("dataset", "n_constraints"))),
    },
)
