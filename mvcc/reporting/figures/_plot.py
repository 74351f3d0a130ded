"""Draw figures from the results on disk and write them as PNG and PDF."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.files import atomic_path
from mvcc._utils.messages import why_unwritten
from mvcc.exceptions import StoreError
from mvcc.reporting.figures._figure_03 import draw_figure_03
from mvcc.reporting.figures._figure_beyond import draw_beyond
from mvcc.reporting.figures._figure_thresholds import draw_thresholds
from mvcc.reporting.figures._figures_04_05 import draw_difference, draw_figure_04, draw_figure_05
from mvcc.reporting.figures._figures_06_10 import draw_numbers, draw_precision, draw_single_view
from mvcc.reporting.figures._style import house_style
from mvcc.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The figures of the paper by their numbers, and three more, the one that says most first. Each function takes what
# `Results` reads, and gives None if that holds nothing for it.
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


def plot(results_dir: Path, figures: Iterable[str] | None = None, out: Path | None = None) -> dict[str, list[Path]]:
    """Draw the paper's figures, and three more, from all experiments below a folder.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.
    figures : iterable of str, optional
        Keys of `FIGURES`; by default every figure for which there are results.
    out : Path, optional
        Where to write; by default ``figures`` inside `results_dir`.

    Returns
    -------
    dict of str to list of Path
        The files written for each figure: ``figure_NN.png`` and ``figure_NN.pdf``, or its name in place of
        ``figure_NN``.

    Raises
    ------
    StoreError
        If there are no results for a figure that was asked for, or none for any, if results cannot be read, or a
        figure cannot be written.
    """
    folder = results_dir / "figures" if out is None else out
    asked = None if figures is None else set(figures)
    if unknown := (asked or set()) - set(FIGURES):
        raise StoreError(f"cannot draw {', '.join(sorted(unknown))}: the figures are {', '.join(FIGURES)}")
    results = Results(results_dir)
    written = {}
    for name, draw in FIGURES.items():
        if asked is not None and name not in asked:
            continue
        with house_style():
            figure = draw(results)
            if figure is not None:
                written[name] = _save(figure, folder, f"figure_{int(name):02d}" if name.isdigit() else name)
            elif asked is not None:
                raise _nothing_to_draw(f"Figure {name}" if name.isdigit() else f"the figure '{name}'", results)
    if not written:
        raise _nothing_to_draw("any figure", results)
    return written


def _nothing_to_draw(what: str, results: Results) -> StoreError:
    kinds = sorted(set(zip(results.curves["study"], results.curves["experiment"], strict=True)))
    return StoreError(
        f"the results below {results.folder} hold nothing to draw {what} from, only "
        f"{', '.join(f'{experiment} experiments of the study {study}' for study, experiment in kinds)}. "
        "Run the experiment that the figure shows with `mvcc run`, or give another folder."
    )


def _save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write each file as a whole or not at all: no reader ever sees half a figure."""
    written = []
    for extension, metadata in _METADATA.items():
        path = folder / f"{name}.{extension}"
        try:
            with atomic_path(path) as temporary, warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing from ")  # a name that the font cannot write
                figure.savefig(temporary, format=extension, dpi=DPI, metadata=metadata)
        except OSError as error:
            raise StoreError(
                f"cannot write {path}: {why_unwritten(error, 'choose another folder with --out')}"
            ) from error
        written.append(path)
    return written
