"""How cells, effects and p-values are written for people."""

from __future__ import annotations

from functools import cache

from mvcc.reporting.claims._outcome import Cell, Place, Unit
from mvcc.reporting.figures import method_styles, percent
from mvcc.results import BASES

# z: what rounds to zero has no minus
F_DIFFERENCE = Unit("F", "+z.3f")
GAIN = Unit("of F", "+z.1%")
COUNT_DIFFERENCE = Unit("constraints", "+z,.0f")
PRECISION = Unit("precision", ".4f", 0, 1)
PRECISION_DIFFERENCE = Unit("precision", "+z.4f")
R_SQUARED = Unit("R²", ".3f")
ITERATIONS = Unit("iterations", ".2f")
SHARE = Unit("", ".1%", 0, 1)
WEIGHT = Unit("weight", ".3f", 0, 1)
THRESHOLD = Unit("t_V", ".2f")


@cache
def _datasets() -> dict[str, str]:
    from mvcc.datasets import registry

    return {name: info.title for name, info in registry().items()}


def write_place(place: Place) -> str:
    """Name a cell: "Protein, PCK-Means, 40 % mapped, n = 50"."""
    return ", ".join(_write_part(name, value) for name, value in place).replace(", (", " (")


def _write_part(name: str, value: str | float) -> str:
    match name:
        case "dataset":
            return _datasets().get(str(value), str(value))
        case "view":
            return "(all classes)" if value == "all" else f"({value})"
        case "base":
            return BASES.get(str(value), str(value))
        case "method":
            return _method(value)
        case "against":
            return f"against {_method(value)}"
        case "mapped":
            return f"{percent(float(value))} mapped"
        case "rewired":
            return f"{percent(float(value))} rewired"
        case "step":
            return f"{value} mapped"
        case "step_of_pairs":
            return f"n = {value}"
        case "n_constraints":
            return f"n = {value:g}"
        case "kind":
            return f"{value}s"
        case _:
            return str(value)


def _method(name: str | float) -> str:
    return method_styles([str(name)])[str(name)].title


def write_p(p: float | None) -> str:
    """Write a p-value with three digits, and never as 0."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def write_cell(cell: Cell) -> str:
    """Write where a cell lies and what was measured there."""
    p = "" if cell.p is None else f" (p {write_p(cell.p)})" if cell.p < 0.001 else f" (p = {write_p(cell.p)})"
    return f"{write_place(cell.place)}: {cell.unit.write(cell.mean)}{p}"
