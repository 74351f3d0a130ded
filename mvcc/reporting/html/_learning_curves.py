"""Learning curves with their standard errors, as plain values for plotly, one figure for every choice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import isnan
from typing import TYPE_CHECKING, Any

from mvcc.reporting.figures import IN_THE_VIEW, PER_VIEW, SeriesStyle, dataset_title, method_styles, of_base, percent
from mvcc.reporting.html._page import plotly_text
from mvcc.results import BASES

if TYPE_CHECKING:
    import pandas as pd

_SYMBOLS = {
    "o": "circle", "s": "square", "^": "triangle-up", "D": "diamond",
    "v": "triangle-down", "P": "cross", "X": "x", "p": "pentagon", "*": "star",
    "h": "hexagon2", "d": "diamond-tall",
}  # fmt: skip
_NO_BASE = "none"  # where no method has one
_VARIED = ("mapped", "rewired", "closure", "threshold")  # what a curve has one value of, beside its base and method


def learning_curves(curves: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a figure for plotly for every experiment, base algorithm and setting, which are what to choose by."""
    styles = method_styles(curves["method"])
    runs = [run for _, run in curves.groupby(["folder", "experiment", "dataset", "view"], dropna=False)]
    runs.sort(key=lambda run: run["study"].iloc[0] != "main")  # the paper's own come first
    titles = [_title(run) for run in runs]
    found = []
    for title, run in zip(titles, runs, strict=True):
        experiment = title if titles.count(title) == 1 else f"{title} · {run['folder'].iloc[0]}"
        for base in [base for base in BASES if base in set(run["base"])] or [_NO_BASE]:
            for setting, chosen in _settings(of_base(run, base)):
                place = {"experiment": experiment, "base": BASES.get(base, base), "setting": setting}
                found.append({**place, "figure": _figure(chosen, place, styles)})
    return found


def _title(run: pd.DataFrame) -> str:
    first = run.iloc[0]
    view = first["view"] if isinstance(first["view"], str) else ""
    parts = [dataset_title(first["dataset"]), first["study"], first["experiment"], view]
    return " · ".join(part for part in parts if part)


def _settings(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give every combination of what was varied; a method that a value does not concern is in each."""
    varied = [(name, values) for name in _VARIED if len(values := sorted(set(rows[name].dropna()))) > 1]
    for combination in product(*(values for _, values in varied)):
        chosen, words = rows, []
        for (name, _), value in zip(varied, combination, strict=True):
            chosen = chosen[chosen[name].isna() | (chosen[name] == value)]
            words.append(_write(name, value))
        if not chosen.empty:
            yield ", ".join(words) or "the only one", chosen


def _write(name: str, value: Any) -> str:
    match name:
        case "mapped" | "rewired":
            return f"{percent(value)} {name}"
        case "threshold":
            return f"threshold {'cross-validated' if value == 'cv' else value}"
        case _:
            return f"{name} {value}"


def _figure(rows: pd.DataFrame, place: dict[str, str], styles: dict[str, SeriesStyle]) -> dict[str, Any]:
    multi_view = rows["experiment"].iloc[0] == "multi-view"
    schedule = sorted(set(rows["n_constraints"]))
    # 0 has no place on plotly's logarithmic axis
    scale = {"type": "log", "tickvals": schedule, "minor": {"ticks": ""}} if schedule[0] > 0 else {"type": "linear"}
    return {
        "data": [
            _curve(style, points)
            for method, style in styles.items()
            if not (points := rows[rows["method"] == method].sort_values("n_constraints")).empty
        ],
        "layout": {
            "hovermode": "closest",
            "margin": {"l": 56, "r": 12, "t": 8, "b": 44},
            "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0},
            "xaxis": {"title": {"text": PER_VIEW if multi_view else IN_THE_VIEW}, "zeroline": False, **scale},
            "yaxis": {"title": {"text": "Pairwise F-measure"}, "zeroline": False, "automargin": True},
            "showlegend": True,
            "meta": ", ".join(place.values()),
        },
    }


def _curve(style: SeriesStyle, points: pd.DataFrame) -> dict[str, Any]:
    title = plotly_text(style.title)
    errors = [0.0 if isnan(error) else error for error in points["standard_error"]]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": title,
        "x": points["n_constraints"].tolist(),
        "y": points["mean"].tolist(),
        "error_y": {"type": "data", "array": errors, "thickness": 1, "width": 3},
        "hoverinfo": "text",
        "text": [
            f"{title}<br>{n:g} constraints<br>F = {mean:.4f} ± {error:.4f}<br>{trials:g} trials"
            for n, mean, error, trials in zip(
                points["n_constraints"], points["mean"], errors, points["trials"], strict=True
            )
        ],
        "line": {"color": style.color, "width": 2},
        "marker": {"color": style.color, "symbol": _SYMBOLS[style.marker], "size": 2 * style.marker_size},
    }
