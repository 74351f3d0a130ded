"""Draw figures from the results on disk and write them as PNG and PDF."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import StoreError
from mvcc.reporting.figures import _curves
from mvcc.reporting.figures._figure_03 import draw_figure_03
from mvcc.reporting.figures._panels import Picture
from mvcc.reporting.figures._studies import draw_beyond, draw_thresholds
from mvcc.reporting.figures._style import house_style, saved
from mvcc.results import Results

# The figures of the paper by their numbers, and three more, the one that says most first. Each
# function takes what `Results` reads, and gives None if that holds nothing for it.
FIGURES: dict[str, Callable[[Results], Picture | None]] = {
    "difference": lambda results: _curves.draw_difference(results.scores),
    "3": lambda results: draw_figure_03(results.examples),
    "4": lambda results: _curves.draw_f_measure(results.curves, "multi-view"),
    "5": lambda results: _curves.draw_figure_05(results.scores),
    "6": lambda results: _curves.draw_numbers(results.scores, "multi-view"),
    "7": lambda results: _curves.draw_precision(results.scores, "multi-view"),
    "8": lambda results: _curves.draw_f_measure(results.curves, "single-view"),
    "9": lambda results: _curves.draw_numbers(results.scores, "single-view"),
    "10": lambda results: _curves.draw_precision(results.scores, "single-view"),
    "beyond": lambda results: draw_beyond(results.curves),
    "thresholds": lambda results: draw_thresholds(results.curves),
}

_DPI = 200
_LEFT_OUT = ("Creator", "Producer", "CreationDate")


def plot(
    results_dir: Path,
    figures: Iterable[str] = (),
    out: Path | None = None,
    *,
    fresh: bool = False,
) -> dict[str, list[Path]]:
    """Draw the figures that have results below a folder, or those named; return the files of each.

    They go to ``out``, by default ``figures`` in the folder, as PNG and PDF. Other figures there
    are replaced only if ``fresh``. If a named figure has no results, or a file cannot be written,
    nothing is written.
    """
    folder = out or results_dir / "figures"
    if out is None and os.path.islink(folder):
        raise StoreError(
            f"{folder} is a link, and mvcc would write to where it leads. Name the folder by --out."
        )
    named = set(figures)
    if unknown := named - FIGURES.keys():
        raise StoreError(
            f"cannot draw {', '.join(sorted(unknown))}: the figures are {', '.join(FIGURES)}"
        )
    results = Results(results_dir)
    contents: dict[str, bytes] = {}
    written: dict[str, list[Path]] = {}
    for name, draw in FIGURES.items():
        if named and name not in named:
            continue
        stem, what = name, f"the figure '{name}'"
        if name.isdigit():
            stem, what = f"figure_{int(name):02d}", f"Figure {name}"
        with house_style():
            picture = draw(results)
            if picture is not None:
                files = _files(stem, picture)
                contents |= files
                written[name] = [folder / file for file in files]
            elif named:
                raise _nothing_to_draw(what, results)
    if not contents:
        raise _nothing_to_draw("any figure", results)
    elsewhere = "choose another folder with --out"
    with OutputFolder(folder, "figures", fresh=fresh, elsewhere=elsewhere) as target:
        target.write(contents)
    return written


def _nothing_to_draw(what: str, results: Results) -> StoreError:
    pairs = sorted(set(zip(results.curves["study"], results.curves["experiment"], strict=True)))
    kinds = [f"{experiment} experiments of the study {study}" for study, experiment in pairs]
    return StoreError(
        f"the results below {results.folder} hold nothing to draw {what} from, only "
        f"{', '.join(kinds)}. Run the experiment that the figure shows with `mvcc run`, or give "
        "another folder."
    )


def _files(name: str, picture: Picture) -> dict[str, bytes]:
    """Return the files of a figure, by their names.

    They hold title and caption, and no date or version: the same results give the same bytes.
    """
    title, caption = picture.title, picture.caption
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Description": caption, "Software": None},
        "pdf": {"Title": title, "Subject": caption, **dict.fromkeys(_LEFT_OUT)},
    }
    return {
        f"{name}.{extension}": saved(picture.figure, extension, words, _DPI)
        for extension, words in metadata.items()
    }
