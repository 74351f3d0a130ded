"""What is stored, as a table of means with a line for each cell, and as claims that may fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from scripts.field import store
from scripts.field.methods import EACH, GRID, GROUPS, JOINT, SUM
from scripts.field.protocols import Cell, cells
from scripts.field.scores import COLUMNS

PUBLISHED = Path(__file__).with_name("published.yaml")
CELL = [*Cell._fields]
MARGIN = 0.01  # what counts as behind
COMPARED = [name for group in ("plain", "peers") for name in GROUPS[group] if name != EACH]


@dataclass(frozen=True)
class Best:
    """A figure, and which method has it."""

    method: str
    value: float


@dataclass(frozen=True)
class Comparison:
    """A cell of a claim: two figures, and the standard error of their difference."""

    cell: Cell
    against: str
    own: float
    other: float
    error: float = 0.0

    @property
    def ahead(self) -> float:
        """By how much the own figure is larger."""
        return self.own - self.other


class Figures:
    """Means over the draws of every cell and method, from a folder, and the published figures."""

    def __init__(self, folder: Path = store.FOLDER) -> None:
        files = [store.read(folder / name) for name in dict.fromkeys(store.FILES.values())]
        lines = pd.concat([part for part in files if len(part)] or files[:1])
        self.problems = lines[lines["problem"] != ""]
        self.lines = lines[lines["problem"] == ""]
        groups = self.lines.groupby([*CELL, "method"])
        self.means, self.errors = groups[COLUMNS].mean(), groups[COLUMNS].sem()
        self.draws = groups.size()
        self.by_draw = self.lines.set_index([*CELL, "method", "draw"]).sort_index()
        # all settings on the draws that the defaults and the others have
        same = self.lines[self.lines["method"].isin([JOINT, *GRID])]
        for some in ([JOINT], list(GRID)):
            draws = self.lines.loc[self.lines["method"].isin(some), [*CELL, "draw"]]
            same = same.merge(draws.drop_duplicates())
        self.of_grid = same.groupby([*CELL, "method"])[COLUMNS].mean()
        self.published = _entries()

    def cells(self) -> list[Cell]:
        """List the cells that joint was measured in, in the order of the study."""
        return [cell for cell in cells() if self.mean(cell, JOINT, "ACC") is not None]

    def mean(self, cell: Cell, method: str, measure: str) -> float | None:
        """Return the mean of a method in a cell; None where it was not measured."""
        return _at(self.means, cell, method, measure)

    def error(self, cell: Cell, method: str, measure: str) -> float:
        """Return the standard error of such a mean; NaN for a single draw."""
        return float(self.errors.at[(*cell, method), measure])

    def paired(self, cell: Cell, method: str, measure: str, ours: str = JOINT) -> Comparison | None:
        """Compare a method with another one on the draws that both were measured on."""
        keys = [(*cell, name) for name in (ours, method)]
        if any(key not in self.means.index for key in keys):
            return None
        by_draw = [self.by_draw[measure].loc[key] for key in keys]
        joined = pd.concat(by_draw, axis=1, join="inner")
        error = float((joined.iloc[:, 0] - joined.iloc[:, 1]).sem()) if len(joined) > 1 else 0.0
        return Comparison(cell, method, *map(float, joined.mean()), error) if len(joined) else None

    def of_methods(self, cell: Cell, methods: list[str], measure: str) -> dict[str, float]:
        """Return the means of those methods that were measured in a cell."""
        return _known({method: self.mean(cell, method, measure) for method in methods})

    def best_peer(self, cell: Cell, measure: str) -> Best | None:
        """Return the best of k-means and other packages, by classes."""
        peers = [name for name in COMPARED if name != SUM]
        return _best(self.of_methods(cell, peers, measure))

    def best_setting(self, cell: Cell, measure: str) -> Best | None:
        """Return the setting of joint that the classes choose, on the draws that all have."""
        means = {name: self.in_grid(cell, name, measure) for name in [JOINT, *GRID]}
        return _best(_known(means))

    def in_grid(self, cell: Cell, method: str, measure: str) -> float | None:
        """Return the mean of a setting on these draws; None where it was not measured."""
        return _at(self.of_grid, cell, method, measure)

    def best_published(self, cell: Cell, measure: str) -> Best | None:
        """Return the best figure that a paper prints for a cell."""
        entries = [entry for entry in self._printed(cell) if measure in entry]
        return _best({entry["method"]: entry[measure] for entry in entries})

    def has_source(self, cell: Cell, method: str) -> bool:
        """Tell whether it is known which paper prints the figure of a method."""
        entries = [entry for entry in self._printed(cell) if entry["method"] == method]
        return any("source" in entry for entry in entries)

    def sources(self, compared: Iterable[Comparison]) -> list[str]:
        """Say where the figures that are compared were printed, each method once."""
        entries = [(entry, pair) for pair in compared for entry in self._printed(pair.cell)]
        sources = [
            f"{entry['method']} ({entry['source']})"
            for entry, pair in entries
            if entry["method"] == pair.against and "source" in entry
        ]
        return list(dict.fromkeys(sources))

    def _printed(self, cell: Cell) -> list[dict[str, Any]]:
        return [entry for entry in self.published if _cell_of(entry) == cell]


def published() -> list[Cell]:
    """List the cells that papers print figures for."""
    places = set(map(_cell_of, _entries()))
    return [cell for cell in cells() if cell in places]


def _cell_of(entry: dict[str, Any]) -> Cell:
    return Cell(*(entry[name] for name in CELL))


def _at(means: pd.DataFrame, cell: Cell, method: str, measure: str) -> float | None:
    key = (*cell, method)
    return float(means.at[key, measure]) if key in means.index else None


def _known(means: dict[str, float | None]) -> dict[str, float]:
    return {name: mean for name, mean in means.items() if mean is not None}


def _entries() -> list[dict[str, Any]]:
    return [{"level": 1.0, **entry} for entry in yaml.safe_load(PUBLISHED.read_text("utf-8"))]


def _best(means: dict[str, float]) -> Best | None:
    return Best(*max(means.items(), key=lambda item: item[1])) if means else None


@dataclass(frozen=True)
class Claim:
    """A claim, and the comparisons it rests on: it fails where one is behind by more than a margin.

    Some claims fail only where it is behind by more than two standard errors, too.
    """

    title: str
    sentence: str
    comparisons: list[Comparison]
    margin: float = 0.0
    beyond_chance: bool = False

    @property
    def behind(self) -> list[Comparison]:
        """The comparisons in which it fails."""
        return [
            pair
            for pair in self.comparisons
            # four digits are what papers print at most
            if round(pair.ahead, 4) < -max(self.margin, 2 * pair.error * self.beyond_chance)
        ]

    @property
    def mean(self) -> float:
        """The mean difference."""
        return sum(pair.ahead for pair in self.comparisons) / len(self.comparisons)

    @property
    def verdict(self) -> str:
        """Whether it holds: everywhere, in more than half of the comparisons, or not."""
        if not self.behind:
            return "holds"
        return "holds in part" if 2 * len(self.behind) < len(self.comparisons) else "does not hold"


def signed(value: float) -> str:
    """Write a difference."""
    return f"{value:+.3f}".replace("-", "−")


def span(counts: Iterable[int]) -> str:
    """Write numbers of draws: all the same, or the smallest and the largest."""
    distinct = sorted(set(counts))
    return " to ".join(map(str, dict.fromkeys((distinct[0], distinct[-1])))) if distinct else "–"


def claims(figures: Figures) -> list[Claim]:
    """Make all claims that there are figures for."""
    all_claims = [
        Claim(
            "ACC at least the best published one",
            "With its defaults, joint is nowhere below the best figure that a paper prints, tuned"
            " on the true classes.",
            _against_published(figures, "ACC"),
        ),
        Claim(
            "NMI at least the best published one",
            "The same for NMI.",
            _against_published(figures, "NMI"),
        ),
        Claim(
            "Tuned alike, ACC at least the best published one",
            "The best setting of our own grid, chosen by the true classes as papers do, is nowhere"
            " below it.",
            _against_published(figures, "ACC", tuned=True),
        ),
        Claim(
            "ACC never behind a method that was run here by more than 0.01",
            "K-means on all columns, the plain sum of graphs, and the methods of other packages,"
            " each by itself.",
            each(figures, "ACC"),
            MARGIN,
        ),
        Claim(
            "NMI never behind by more than 0.01", "The same for NMI.", each(figures, "NMI"), MARGIN
        ),
        Claim(
            "ACC never behind the best of them by more than 0.01",
            "The best of all methods that were run here, chosen in each cell by the true classes.",
            worst(each(figures, "ACC")),
            MARGIN,
        ),
        Claim(
            "F of tables never behind k-means of each table by more than 0.01",
            "Other tables help, or at least do no harm: pairwise F within tables, in the mean.",
            each(figures, "F_views", [EACH]),
            MARGIN,
        ),
        Claim(
            "Defaults within 0.02 of the best setting",
            "The ACC of the defaults is nowhere more than 0.02 below the best setting of the grid,"
            " on the same draws.",
            [
                Comparison(cell, best.method, figures.in_grid(cell, JOINT, "ACC"), best.value)
                for cell in figures.cells()
                if (best := figures.best_setting(cell, "ACC"))
            ],
            0.02,
        ),
    ]
    return [claim for claim in all_claims if claim.comparisons]


def _against_published(figures: Figures, measure: str, *, tuned: bool = False) -> list[Comparison]:
    compared = []
    for cell in figures.cells():
        setting = Best(JOINT, figures.mean(cell, JOINT, measure))
        if tuned:
            setting = figures.best_setting(cell, measure)
        if setting and (other := figures.best_published(cell, measure)):
            compared.append(Comparison(cell, other.method, setting.value, other.value))
    return compared


def each(
    figures: Figures,
    measure: str,
    methods: Sequence[str] = COMPARED,
    chosen: list[Cell] | None = None,
) -> list[Comparison]:
    """Compare with every method by itself, in all cells or some."""
    places = product(chosen or figures.cells(), methods)
    pairs = [figures.paired(cell, method, measure) for cell, method in places]
    return [pair for pair in pairs if pair]


def worst(comparisons: list[Comparison]) -> list[Comparison]:
    """Keep the comparison of each cell in which joint is least ahead."""
    by_lead = sorted(comparisons, key=lambda pair: -pair.ahead)
    return list({pair.cell: pair for pair in by_lead}.values())
