"""The test that each claim of the paper is put to.

A new claim is one more test here, and its words in `claims.yaml`.
"""

from __future__ import annotations

from mvcc.reporting.claims._bars import (
    CLOSE,
    COMPARABLE,
    FEW_CONSTRAINTS,
    FEW_ITERATIONS,
    FEW_NOT_CONVERGED,
    LINEAR,
    ONLY_LOW_WEIGHT,
    PRECISE,
    SILENT,
    WARNS,
)
from mvcc.reporting.claims._checks import (
    All,
    Beside,
    Level,
    Linear,
    Positive,
    Somewhere,
    Within,
    described,
)
from mvcc.reporting.claims._particular import CountingArgument, Evaluations, Gain, Identical
from mvcc.reporting.claims._result import (
    COUNT_DIFFERENCE,
    F_DIFFERENCE,
    ITERATIONS,
    PRECISION,
    PRECISION_DIFFERENCE,
    SHARE,
    THRESHOLD,
    WEIGHT,
)
from mvcc.reporting.claims._sources import Difference, Rows, Share, Steps, Values
from mvcc.results import TRANSFERS

CP, DM, CM, SV = TRANSFERS
_PER_BASE = ("dataset", "base")
_PER_MAPPED = (*_PER_BASE, "mapped")
_SINGLE = ("dataset", "view", "base")


def _few_on_letters_digits(place: dict[str, str | float]) -> bool:
    return place["dataset"] == "letters_digits" and float(place["n_constraints"]) <= FEW_CONSTRAINTS


def _untouched(place: dict[str, str | float]) -> bool:
    return place["rewired"] == 0


def _against(method: str | tuple[str, ...], *per: str, study: str = "main") -> Difference:
    """Compare Constraint Propagation with another method."""
    return Difference(Rows(CP, study=study), Rows(method, study=study), (*_PER_BASE, *per))


def _alone(method: str) -> Rows:
    return Rows(method, experiment="single-view")


CLAIMS = described(
    "paper",
    {
        1: Positive(_against(SV, "mapped", "n_constraints")),
        2: Positive(_against(CM, "mapped", "n_constraints"), excepted=_few_on_letters_digits),
        3: Positive(_against(DM, "mapped", "n_constraints")),
        4: Gain(
            Rows(CP, dataset="four_quadrants", base="pck-means"),
            Rows(DM, dataset="four_quadrants", base="pck-means"),
            average=0.213,
            peak=0.30,
            shorter=(50, 100),
        ),
        5: Positive(Steps(Rows((CP, DM)), (*_PER_BASE, "method"))),
        6: Positive(Difference(Rows(CP, mapped=1.0), Rows(DM, mapped=1.0), _PER_BASE)),
        7: Linear(Rows(CP), _PER_MAPPED, "propagated", LINEAR),
        8: Positive(Steps(Rows(CP), _PER_BASE, "propagated"), COUNT_DIFFERENCE),
        9: Beside(
            Level(
                Values(Rows(CP, mapped=1.0), (*_PER_BASE, "kind"), "precision"),
                PRECISION,
                at_least=PRECISE,
            ),
            "Precision of the inferred ones alone, which the given ones do not flatter",
            Values(Rows(CP, mapped=1.0), (*_PER_BASE, "kind"), "inferred_precision"),
            PRECISION,
        ),
        10: Within(
            Difference(
                Rows(CP, partial=True),
                Rows(CP, mapped=1.0),
                (*_PER_MAPPED, "kind"),
                "precision",
                apart=("mapped",),
            ),
            PRECISION_DIFFERENCE,
            low=-COMPARABLE,
            high=COMPARABLE,
        ),
        11: Positive(
            Difference(
                Rows(CP, kind="cannot-link"),
                Rows(CP, kind="must-link"),
                _PER_MAPPED,
                "precision",
                apart=("kind",),
            ),
            PRECISION_DIFFERENCE,
        ),
        12: All(
            {
                "iterations": Level(
                    Values(Rows(CP), _PER_MAPPED, "iterations"), ITERATIONS, at_most=FEW_ITERATIONS
                ),
                "not converged": Level(
                    Values(Rows(CP), _PER_MAPPED, "not_converged"), SHARE, at_most=FEW_NOT_CONVERGED
                ),
            }
        ),
        13: Identical(
            Rows(CP, study="thresholds", threshold="one"), Rows(DM, study="thresholds"), _PER_BASE
        ),
        14: Positive(
            Difference(
                Rows(CP, study="thresholds", threshold="table_1"),
                Rows(CP, study="thresholds", threshold="lowest"),
                _PER_BASE,
            )
        ),
        15: Beside(
            All(
                {
                    "inferred, with minus without": Positive(
                        Difference(
                            Rows(CP, features="spectral"),
                            Rows(CP, study="embedding", threshold="table_1"),
                            _PER_BASE,
                            "inferred_anew",
                        ),
                        COUNT_DIFFERENCE,
                    ),
                    "share left without": Level(
                        Share(
                            Rows(CP, study="embedding", threshold="table_1"),
                            Rows(CP, features="spectral"),
                            _PER_BASE,
                            "inferred_anew",
                        ),
                        SHARE,
                        at_most=ONLY_LOW_WEIGHT,
                    ),
                }
            ),
            "Mean weight of what is inferred without the embedding at the lowest threshold",
            Values(Rows(CP, study="embedding", threshold="lowest"), _PER_BASE, "inferred_weight"),
            WEIGHT,
        ),
        16: Positive(Difference(Rows(DM, study="shapes"), Rows(CP, study="shapes"), _PER_MAPPED)),
        17: Positive(
            Difference(
                Rows(DM, study="shapes"),
                Rows((CP, CM, SV), study="shapes"),
                (*_PER_MAPPED, "against"),
            )
        ),
        18: Positive(Difference(_alone(CP), _alone(SV), _SINGLE)),
        19: Positive(Difference(_alone(CP), _alone(SV), _SINGLE, over_schedule="middle")),
        20: Linear(_alone(CP), _SINGLE, "propagated", LINEAR),
        21: Beside(
            All(
                {
                    "precision": Level(
                        Values(_alone(CP), (*_SINGLE, "kind"), "precision"),
                        PRECISION,
                        at_least=PRECISE,
                    ),
                    "cannot-links minus must-links": Positive(
                        Difference(
                            Rows(CP, experiment="single-view", kind="cannot-link"),
                            Rows(CP, experiment="single-view", kind="must-link"),
                            _SINGLE,
                            "precision",
                            apart=("kind",),
                        ),
                        PRECISION_DIFFERENCE,
                    ),
                }
            ),
            "Precision of the inferred ones alone",
            Values(_alone(CP), (*_SINGLE, "kind"), "inferred_precision"),
            PRECISION,
        ),
        22: All(
            {
                "must warn": Level(
                    Values(Rows(CP, study="shapes"), _PER_BASE, "warns"), SHARE, at_least=WARNS
                ),
                "must be silent": Level(
                    Values(Rows(CP, dataset="four_quadrants"), _PER_BASE, "warns"),
                    SHARE,
                    at_most=SILENT,
                ),
            }
        ),
        23: Beside(
            Within(
                Difference(
                    Rows(CP, study="thresholds", threshold="cv"),
                    Rows(CP, study="thresholds", threshold="best"),
                    _PER_BASE,
                ),
                F_DIFFERENCE,
                low=-CLOSE,
            ),
            "Thresholds chosen, on average",
            Values(Rows(CP, study="thresholds", threshold="cv"), _PER_BASE, "chosen_threshold"),
            THRESHOLD,
        ),
        24: Evaluations(),
        25: Somewhere(
            Positive(
                Difference(
                    Rows(DM, study="rewired"), Rows(CP, study="rewired"), (*_PER_MAPPED, "rewired")
                ),
                excepted=_untouched,
            )
        ),
        26: CountingArgument(1000, 10, must_links=4949, cannot_links=449_999),
        27: Positive(_against((DM, CM, SV), "mapped", "against", study="views")),
    },
)
