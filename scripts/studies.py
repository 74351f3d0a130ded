"""What the studies of the documentation share: overlapping views, stored rows, and their means."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

N_ROWS = 1000  # of each of two overlapping views
CLOSE = 0.01  # scores that differ by less are level


def overlapping(n: int, n_shared: int, rng: np.random.Generator) -> tuple[list[Ints], Ints]:
    """Draw the objects of two views, some of which are in both; return them and all matches."""
    drawn, only_first = rng.permutation(n), N_ROWS - n_shared
    matches = np.column_stack((np.arange(only_first, N_ROWS), np.arange(n_shared)))
    return [drawn[:N_ROWS], drawn[only_first : only_first + N_ROWS]], matches


def completed(
    path: Path,
    keys: Iterable[Mapping[str, Any]],
    measure: Callable[..., Iterable[Mapping[str, Any]]],
) -> pd.DataFrame:
    """Measure the keys that a file has no rows of yet, storing each at once; return all rows."""
    frame = pd.read_csv(path) if path.exists() else pd.DataFrame()
    for key in keys:
        if len(frame) and (frame[[*key]] == [*key.values()]).all(axis=1).any():
            continue
        rows = pd.DataFrame([{**key, **row} for row in measure(**key)])
        frame = pd.concat((frame, rows), ignore_index=True)
        frame.to_csv(path, index=False)
    return frame


def run(
    about: str,
    path: Path,
    keys: Callable[[int], Iterable[Mapping[str, Any]]],
    measure: Callable[..., Iterable[Mapping[str, Any]]],
    lines: Callable[[pd.DataFrame], Iterable[str]],
) -> None:
    """Measure so many draws as an option says, in a file, and print lines of all its rows."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--out", type=Path, default=path)
    args = parser.parse_args()
    print(*lines(completed(args.out, keys(args.draws), measure)), sep="\n")


def means(groups: Any) -> Any:
    """Return mean ± standard error of the columns of groups of rows."""
    return groups.mean().map("{:.3f}".format) + " ± " + groups.sem().map("{:.3f}".format)


def mean(values: Floats, digits: int) -> str:
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
        cells[1:] = mean(lead.to_numpy(), 3), f"{(lead > CLOSE).sum()} / {(lead < -CLOSE).sum()}"
    return cells


def line(name: str, cells: Iterable[str]) -> str:
    """Return a line of a table in Markdown."""
    return f"| {name} | {' | '.join(cells).replace('-', '−').replace('0.', '.')} |"


def print_lines(about: str, option: str, lines: Callable[[int], Iterator[str]]) -> None:
    """Print the lines of a study, of as many draws as an option of the command line says."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(option, dest="n", type=int, default=10)
    # co-EM may not converge, and some data are unfit for propagation
    warnings.simplefilter("ignore")
    for line in lines(parser.parse_args().n):
        print(line, flush=True)
