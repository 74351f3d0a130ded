"""Draw figures from the results on disk and write them as PNG and PDF."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import StoreError
from mvcc.reporting.figures._figures_03_05 import (
    draw_difference,
    draw_figure_03,
    draw_figure_04,
    draw_figure_05,
)
from mvcc.reporting.figures._figures_06_10 import draw_numbers, draw_precision, draw_single_view
from mvcc.reporting.figures._figures_of_studies import draw_beyond, draw_thresholds
from mvcc.reporting.figures._style import house_style
from mvcc.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The figures of the paper by their numbers, and three more, the one that says most first. Each
# function takes what `Results` reads, and gives None if that holds nothing for it.
FIGURES: dict[str, Callable[[Results], Figure | None]] = {
    "difference": lambda results: draw_difference(results.scores),
    "3": lambda results: draw_figure_03(results.examples),
    "4": lambda results: draw_figure_04(results.curves),
    "5": lambda results: draw_figure_05(results.curves),
    "6": lambda results: draw_numbers(results.curves, "multi-view"),
    "7": lambda results: draw_precision(results.curves, "multi-view"),
    "8": lambda results: draw_single_view(results.curves),
    "9": lambda results: draw_numbers(results.curves, "single-view"),
    "10": lambda results: draw_precision(results.curves, "single-view"),
    "beyond": lambda results: draw_beyond(results.curves),
    "thresholds": lambda results: draw_thresholds(results.curves),
}

DPI = 150
# No date, no version: the same curves give the same bytes.
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def plot(
    results_dir: Path,
    figures: Iterable[str] | None = None,
    out: Path | None = None,
    *,
    fresh: bool = False,
) -> dict[str, list[Path]]:
    """Draw the figures that have results below a folder, or those named; return the files of each.

    They go to ``out``, by default ``figures`` in the folder, as PNG and PDF. Other figures there
    are replaced only if ``fresh``. If a named figure has no results, or a file cannot be written,
    nothing is written.
    """
    folder = results_dir / "figures" if out is None else out
    if out is None and os.path.islink(folder):
        raise StoreError(
            f"{folder} is a link, and mvcc would write to where it leads. Name the folder by --out."
        )
    asked = None if figures is None else set(figures)
    if unknown := (asked or set()) - set(FIGURES):
        raise StoreError(
            f"cannot draw {', '.join(sorted(unknown))}: the figures are {', '.join(FIGURES)}"
        )
    results = Results(results_dir)
    contents: dict[str, dict[str, bytes]] = {}
    for name, draw in FIGURES.items():
        if asked is not None and name not in asked:
            continue
        with house_style():
            figure = draw(results)
            if figure is not None:
                contents[name] = _files(
                    figure, f"figure_{int(name):02d}" if name.isdigit() else name
                )
            elif asked is not None:
                raise _nothing_to_draw(
                    f"Figure {name}" if name.isdigit() else f"the figure '{name}'", results
                )
    if not contents:
        raise _nothing_to_draw("any figure", results)
    with OutputFolder(
        folder, "figures", fresh=fresh, elsewhere="choose another folder with --out"
    ) as target:
        target.write(
            {file: content for files in contents.values() for file, content in files.items()}
        )
    return {name: [folder / file for file in files] for name, files in contents.items()}


def _nothing_to_draw(what: str, results: Results) -> StoreError:
    pairs = sorted(set(zip(results.curves["study"], results.curves["experiment"], strict=True)))
    kinds = [f"{experiment} experiments of the study {study}" for study, experiment in pairs]
    return StoreError(
        f"the results below {results.folder} hold nothing to draw {what} from, only "
        f"{', '.join(kinds)}. Run the experiment that the figure shows with `mvcc run`, or give "
        "another folder."
    )


def _files(figure: Figure, name: str) -> dict[str, bytes]:
    """Return the files of a figure, by their names."""
    contents = {}
    for extension, metadata in _METADATA.items():
        content = BytesIO()
        with warnings.catch_warnings():
            # a name that the font cannot write
            warnings.filterwarnings("ignore", "Glyph .* missing from ")
            figure.savefig(content, format=extension, dpi=DPI, metadata=metadata)
        contents[f"{name}.{extension}"] = content.getvalue()
    return contents
