"""The report of experiments: the verdicts on claims, what was run, its curves and figures, the provenance."""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc.exceptions import StoreError
from mvcc.reporting.claims import Verdict, evaluate, read_evidence
from mvcc.reporting.figures import FIGURES, about_trials, dataset_title, house_style, method_styles
from mvcc.reporting.html._learning_curves import learning_curves
from mvcc.reporting.html._page import rendered
from mvcc.reporting.html._words import rows_of_settings
from mvcc.results import BASES, Results, find_experiments, read_manifest

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def experiment_page(results_dir: Path) -> bytes:
    """Return the report of all experiments below a folder: one HTML page that needs nothing else, and no network.

    Raises
    ------
    StoreError
        If there is no experiment, or if a file is damaged.
    """
    results = Results(results_dir)
    experiments = [_describe(results, folder) for folder in find_experiments(results_dir)]
    name = results_dir.resolve().name
    return rendered(
        "experiment.html",
        {"page": "experiment", "curves": learning_curves(results.curves)},
        title=f"Experiment {name}" if len(experiments) == 1 else f"{len(experiments)} experiments in {name}",
        experiments=experiments,
        trials=about_trials(results.curves),
        figures=list(_figures(results)),
        **_claims(results),
    )


@dataclass(frozen=True)
class ExperimentInfo:
    """One experiment: what was run, and what its manifest says."""

    folder: str
    study: str
    dataset: str
    kinds: str
    bases: str
    methods: str
    trials: int
    provenance: list[tuple[str, list[tuple[str, str]]]]


@dataclass(frozen=True)
class FigureImage:
    """A figure as an image in the page."""

    title: str
    source: str


def _describe(results: Results, folder: Path) -> ExperimentInfo:
    rows = results.curves
    inside = folder.relative_to(results.folder)
    name = inside.as_posix() if inside.parts else folder.resolve().name
    rows = rows[rows["folder"] == name]
    return ExperimentInfo(
        name,
        study=str(rows["study"].iloc[0]),
        dataset=", ".join(map(dataset_title, sorted(set(rows["dataset"])))),
        kinds=", ".join(sorted(set(rows["experiment"]))),
        bases=", ".join(title for base, title in BASES.items() if base in set(rows["base"])),
        methods=", ".join(style.title for style in method_styles(rows["method"]).values()),
        trials=int(rows["trials"].max()),
        provenance=list(_provenance(read_manifest(folder))),
    )


def _provenance(manifest: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Give the parts of a manifest, those that we know first; one from elsewhere may have others, or few."""
    titles = {"config": "Configuration", "data": "Data (sha256)", "checksums": "Results (sha256)"}
    for key, title in titles.items():
        if key in manifest:
            yield title, rows_of_settings(_tree(key, manifest[key]))
    runs = manifest.get("runs", [])
    for number, run in enumerate(runs if isinstance(runs, list) else [runs], 1):
        yield f"Run {number}", rows_of_settings(_tree("run", run))
    if others := {key: value for key, value in manifest.items() if key not in titles and key != "runs"}:
        yield "Further", rows_of_settings(others)


def _tree(key: str, value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {key: value}


def _figures(results: Results) -> Iterator[FigureImage]:
    for draw in FIGURES.values():
        with house_style():
            figure = draw(results)
            if figure is not None:
                yield FigureImage(str(figure.get_label()), _image(figure))


def _image(figure: Figure) -> str:
    """Save a figure as SVG; the same figure gives the same bytes."""
    from matplotlib import rc_context

    content = io.BytesIO()
    with rc_context({"svg.hashsalt": "mvcc"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from ")  # a name that the font cannot write
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{b64encode(content.getvalue()).decode()}"


def _claims(results: Results) -> dict[str, Any]:
    """Return the scorecard, or why there is none: results that claims cannot use have curves all the same."""
    try:
        scorecard = evaluate(read_evidence(results))
    except StoreError as error:
        return {"claims": [], "tested": [], "untested": str(error), "verdicts": {}}
    verdicts = {str(verdict): scorecard.count(verdict) for verdict in reversed(Verdict)}
    tested = [row for row in scorecard.rows if row.result.verdict is not Verdict.NOT_ENOUGH_DATA]
    return {"claims": scorecard.rows, "tested": tested, "untested": "", "verdicts": verdicts}
