"""The page of experiments: learning curves, claims, figures, and where results come from."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc.exceptions import StoreError
from mvcc.reporting import figures
from mvcc.reporting.claims import Verdict, evaluate_claims
from mvcc.reporting.html._page import SHAPES, rendered, rows_of_settings
from mvcc.results import BASES, Results, find_experiments, folder_name, read_manifest

if TYPE_CHECKING:
    import pandas as pd

_SHAPES = SHAPES | {
    "p": "M0,-7L6.7,-2.2L4.1,5.7H-4.1L-6.7,-2.2Z",
    "h": "M0,-7L6.1,-3.5V3.5L0,7L-6.1,3.5V-3.5Z",
    "d": "M0,-8L4.5,0L0,8L-4.5,0Z",
}
_NO_BASE = "none"  # where no method has one
# what a curve has one value of, beside its base and method
_VARIED = ("mapped", "rewired", "closure", "threshold")


def learning_curves(curves: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the curves of every experiment, base and setting, for the script of the page."""
    styles = figures.method_styles(curves["method"])
    runs = [
        run for _, run in curves.groupby(["folder", "experiment", "dataset", "view"], dropna=False)
    ]
    runs.sort(key=lambda run: run["study"].iloc[0] != "main")  # the paper's own come first
    titles = [_title(run) for run in runs]
    entries = []
    for title, run in zip(titles, runs, strict=True):
        experiment = title if titles.count(title) == 1 else f"{title} · {run['folder'].iloc[0]}"
        for base in [base for base in BASES if base in set(run["base"])] or [_NO_BASE]:
            key = {"experiment": experiment, "base": BASES.get(base, base)}
            for setting, chosen in _settings(figures.with_setting(run, "base", base)):
                entries.append(key | {"setting": setting} | _figure(chosen, styles))
    return entries


def _title(run: pd.DataFrame) -> str:
    dataset, *others = run[["dataset", "study", "experiment", "view"]].iloc[0].dropna()
    return " · ".join([figures.dataset_title(dataset), *others])


def _settings(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give every combination of what was varied; a method it does not concern is in each."""
    varied = [
        (name, values) for name in _VARIED if len(values := sorted(set(rows[name].dropna()))) > 1
    ]
    for combination in product(*(values for _, values in varied)):
        chosen, words = rows, []
        for (name, _), value in zip(varied, combination, strict=True):
            chosen = figures.with_setting(chosen, name, value)
            words.append(_write(name, value))
        if not chosen.empty:
            yield ", ".join(words) or "the only one", chosen


def _write(name: str, value: Any) -> str:
    match name:
        case "mapped" | "rewired":
            return f"{figures.percent(value)} {name}"
        case "threshold" if value == "cv":
            return "threshold cross-validated"
        case _:
            return f"{name} {value}"


def _figure(rows: pd.DataFrame, styles: dict[str, figures.Series]) -> dict[str, Any]:
    multi_view = rows["experiment"].iloc[0] == "multi-view"
    return {
        "axis": figures.PER_VIEW if multi_view else figures.IN_THE_VIEW,
        "logarithmic": bool(rows["n_constraints"].min() > 0),  # where 0 has no place
        "curves": [
            _curve(style, points)
            for method, style in styles.items()
            if not (points := rows[rows["method"] == method].sort_values("n_constraints")).empty
        ],
    }


def _curve(style: figures.Series, points: pd.DataFrame) -> dict[str, Any]:
    return {
        "name": style.title,
        "color": style.color,
        "shape": _SHAPES[style.marker],
        "x": points["n_constraints"].tolist(),
        "y": points["mean"].tolist(),
        "errors": points["standard_error"].fillna(0.0).tolist(),
        "trials": points["trials"].tolist(),
    }


def experiment_page(results_dir: Path) -> bytes:
    """Return the report of all experiments below a folder: one page that needs no network."""
    results = Results(results_dir)
    experiments = [_describe(results, folder) for folder in find_experiments(results_dir)]
    n, name = len(experiments), results_dir.resolve().name
    scorecard, untested = None, ""
    try:
        scorecard = evaluate_claims(results)
    except StoreError as error:  # results with curves may have no scorecard
        untested = str(error)
    return rendered(
        "experiment",
        {"curves": learning_curves(results.curves)},
        title=f"Experiment {name}" if n == 1 else f"{n} experiments in {name}",
        experiments=experiments,
        gaps=results.gaps(),
        trials=figures.about_trials(results.curves),
        figures=list(_figures(results)),
        scorecard=scorecard,
        untested=untested,
        verdicts=list(reversed(Verdict)),
    )


def _describe(results: Results, folder: Path) -> dict[str, Any]:
    """Say what was run in one experiment, and what its manifest says."""
    name, rows = folder_name(folder, results.folder), results.curves
    rows = rows[rows["folder"] == name]
    return {
        "folder": name,
        "study": rows["study"].iloc[0],
        "dataset": ", ".join(map(figures.dataset_title, sorted(set(rows["dataset"])))),
        "kinds": ", ".join(sorted(set(rows["experiment"]))),
        "bases": ", ".join(title for base, title in BASES.items() if base in set(rows["base"])),
        "methods": ", ".join(
            style.title for style in figures.method_styles(rows["method"]).values()
        ),
        "trials": int(rows["trials"].max()),
        "provenance": list(_provenance(read_manifest(folder))),
    }


def _provenance(manifest: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Give the parts of a manifest, those that we know first; there may be others, or few."""
    titles = {"config": "Configuration", "data": "Data (sha256)", "checksums": "Results (sha256)"}
    parts = [(title, key, manifest[key]) for key, title in titles.items() if key in manifest]
    parts += [(f"Run {n}", "run", run) for n, run in enumerate(manifest.get("runs", ()), 1)]
    others = {key: manifest[key] for key in manifest if key not in (*titles, "runs")}
    if others:
        parts.append(("Further", "", others))
    for title, key, part in parts:
        yield title, rows_of_settings(part if isinstance(part, dict) else {key: part})


def _figures(results: Results) -> Iterator[dict[str, str]]:
    """Draw the figures as SVG; the same figure gives the same bytes."""
    from matplotlib import rc_context

    for draw in figures.FIGURES.values():
        with figures.house_style(), rc_context({"svg.hashsalt": "mvcc"}):
            if (picture := draw(results)) is not None:
                content = figures.saved(picture.figure, "svg", {"Date": None, "Creator": None})
                source = f"data:image/svg+xml;base64,{b64encode(content).decode()}"
                yield {"title": picture.title, "caption": picture.caption, "source": source}
