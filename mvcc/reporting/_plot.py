"""Draw figures from the results on disk and write them as PNG and PDF."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc.exceptions import StoreError
from mvcc.reporting._figure_04 import draw_figure_04
from mvcc.reporting._results import read_curves
from mvcc.reporting._style import house_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# A figure of the paper by its number. The function gives None if the curves hold nothing for it.
FIGURES: dict[int, Callable[[pd.DataFrame], Figure | None]] = {4: draw_figure_04}

DPI = 150
# No date, no version: the same curves give the same bytes.
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def plot(results_dir: Path, figures: Iterable[int] | None = None, out: Path | None = None) -> dict[int, list[Path]]:
    """Draw the paper's figures from all experiments below a folder.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.
    figures : iterable of int, optional
        Numbers of figures, keys of `FIGURES`; by default every figure for which there are results.
    out : Path, optional
        Where to write; by default ``figures`` inside `results_dir`.

    Returns
    -------
    dict of int to list of Path
        The files written for each figure: ``figure_NN.png`` and ``figure_NN.pdf``.

    Raises
    ------
    StoreError
        If there are no results for a figure that was asked for, or none for any, if results cannot be read, or a
        figure cannot be written.
    """
    folder = results_dir / "figures" if out is None else out
    asked = None if figures is None else sorted(set(figures))
    if unknown := set(asked or ()) - set(FIGURES):
        raise StoreError(f"cannot draw figures {sorted(unknown)}: the figures are {sorted(FIGURES)}")
    curves = read_curves(results_dir)
    written = {}
    for number in sorted(FIGURES) if asked is None else asked:
        with house_style():
            figure = FIGURES[number](curves)
            if figure is not None:
                written[number] = _save(figure, folder, f"figure_{number:02d}")
            elif asked is not None:
                raise _nothing_to_draw(f"Figure {number}", results_dir, curves)
    if not written:
        raise _nothing_to_draw("any figure", results_dir, curves)
    return written


def _nothing_to_draw(what: str, results_dir: Path, curves: pd.DataFrame) -> StoreError:
    kinds = ", ".join(sorted(curves["experiment"].unique()))
    return StoreError(
        f"the results below {results_dir} hold nothing to draw {what} from, only experiments of the kind: {kinds}. "
        "Run the experiment that the figure shows with `mvcc run`, or give another folder."
    )


def _save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write each file under a temporary name and rename it, so that no reader ever sees half a figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    written = []
    for extension, metadata in _METADATA.items():
        path = folder / f"{name}.{extension}"
        temporary = folder / f".{path.name}.{os.getpid()}.tmp"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(temporary, format=extension, dpi=DPI, metadata=metadata)
            os.replace(temporary, path)
        except OSError as error:
            raise StoreError(
                f"cannot write {path}: {error.strerror or error}. "
                "Make the folder writable, or name another one with --out."
            ) from error
        finally:
            if temporary.is_file():
                temporary.unlink()
        written.append(path)
    return written
