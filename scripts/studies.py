"""What the studies of the documentation share: scores, stored rows, means, options."""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import adjusted_rand_score

from mvcc import pairwise_f_measure
from mvcc._utils.arrays import Floats, Ints
from scripts import tables
from scripts.command import parser

CLOSE = 0.01  # scores that differ by less are level


def mean_f(classes: Iterable[ArrayLike], labels: Iterable[ArrayLike]) -> float:
    """Return the pairwise F-measure, the mean of all tables."""
    pairs = zip(classes, labels, strict=True)
    return float(np.mean([pairwise_f_measure(*pair) for pair in pairs]))


def f_and_index(
    classes: Sequence[Ints], labels: Sequence[Ints], digits: int = 6
) -> dict[str, float]:
    """Return the pairwise F-measure and the adjusted Rand index, means of all tables."""
    index = float(np.mean(list(map(adjusted_rand_score, classes, labels))))
    return {"F": round(mean_f(classes, labels), digits), "ARI": round(index, digits)}


def as_frames(views: Iterable[Floats], matches: Ints) -> tuple[dict[str, pd.DataFrame], Any]:
    """Return two views and their matches as ``cluster_views`` takes them."""
    frames = {f"view{n}": pd.DataFrame(X).add_prefix("x") for n, X in enumerate(views)}
    return frames, {tuple(frames): pd.DataFrame(matches, columns=list(frames))}


def completed(
    path: Path,
    names: Sequence[str],
    keys: Iterable[Sequence[Any]],
    measure: Callable[..., Iterable[Mapping[str, Any]]],
) -> pd.DataFrame:
    """Measure the keys that a file has no rows of yet, storing each at once; return all rows."""
    frame = pd.read_csv(path) if path.exists() else pd.DataFrame()
    for key in keys:
        if len(frame) and (frame[[*names]] == [*key]).all(axis=1).any():
            continue
        named = dict(zip(names, key, strict=True))
        rows = pd.DataFrame([{**named, **row} for row in measure(**named)])
        frame = pd.concat((frame, rows), ignore_index=True)
        frame.to_csv(path, index=False)
    return frame


def run(
    about: str | None,
    path: Path,
    names: Sequence[str],
    keys: Callable[[int], Iterable[Sequence[Any]]],
    measure: Callable[..., Iterable[Mapping[str, Any]]],
    lines: Callable[[pd.DataFrame], Iterable[str]],
    n_draws: int = 5,
) -> None:
    """Measure so many draws as an option says, in a file, and print lines of all its rows."""
    asked = _with_draws(about, n_draws)
    asked.add_argument("--out", type=Path, default=path, help="(default: %(default)s)")
    args = asked.parse_args()
    print(*lines(completed(args.out, names, keys(args.draws), measure)), sep="\n")


def print_lines(about: str | None, lines: Callable[[int], Iterator[str]]) -> None:
    """Print the lines of a study, of as many draws as an option says."""
    # co-EM may not converge, and some data are unfit for propagation
    warnings.simplefilter("ignore")
    for text in lines(_with_draws(about, 10).parse_args().draws):
        print(text, flush=True)


def _with_draws(about: str | None, usual: int) -> argparse.ArgumentParser:
    asked = parser(about)
    asked.add_argument("--draws", type=int, default=usual, help="(default: %(default)s)")
    return asked


def means(groups: Any) -> Any:
    """Return mean ± standard error of the columns of groups of rows."""
    return groups.mean().map("{:.3f}".format) + " ± " + groups.sem().map("{:.3f}".format)


def mean(values: Floats, digits: int = 3) -> str:
    """Return mean ± standard error of some values."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def compared(ours: pd.Series, other: pd.Series) -> list[str]:
    """Return the mean of other scores of the same tables, by how much ours are ahead, ± one
    standard error, and on how many tables they are ahead and behind by more than .01.
    """
    lead = ours - other
    cells = [f"{other.mean():.3f}", "–", "–"]
    if not ours.equals(other):
        cells[1:] = mean(lead.to_numpy()), f"{(lead > CLOSE).sum()} / {(lead < -CLOSE).sum()}"
    return cells


def line(names: Sequence[str], figures: Iterable[str]) -> str:
    """Return a line of a table in Markdown, with figures as the pages write them."""
    shown = [re.sub(r"\b0\.", ".", figure.replace("-", "−")) for figure in figures]
    return tables.line([*names, *shown])
