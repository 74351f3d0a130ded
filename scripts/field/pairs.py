"""Half matched tables: joint without pairs, with constraints, and with some that are wrong."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

from scripts.field.figures import MARGIN, Claim, Comparison, Figures, each, signed, span, worst
from scripts.field.methods import FEW, JOINT, MANY, NO_PAIRS, OF_TABLES, SUM, WRONG
from scripts.field.protocols import COMPLETE, CUT, OF_AIMS, Cell, called
from scripts.tables import markdown

LEVEL, ALL = 0.3, 1.0  # the share of the objects that are in both tables
EIGHT = "mean of eight"
IN_FIELD = tuple(dict.fromkeys((*COMPLETE, *OF_AIMS)))
OTHERS = [*OF_TABLES, SUM, "NEMO"]
AIMS = {  # what the mean of eight should reach
    "F without pairs": (LEVEL, NO_PAIRS, "F_views", 0.66),
    "ARI without pairs": (LEVEL, NO_PAIRS, "ARI", 0.59),
    "F with 160 pairs": (LEVEL, MANY, "F_views", 0.74),
    "F with everything matched": (ALL, JOINT, "F_views", 0.73),
}
_OF_PAIRS = [(LEVEL, NO_PAIRS), (LEVEL, MANY)]
COMPARED = {FEW: NO_PAIRS, MANY: FEW, **dict.fromkeys(WRONG, MANY)}


def cells() -> list[Cell]:
    """List the half matched data sets that pairs are tried on, of the field and scikit-learn."""
    return [Cell(data, "half", LEVEL) for data in (*IN_FIELD, *CUT)]


def mean_of_eight(
    figures: Figures, level: float, method: str, measure: str, eight: Iterable[str] = OF_AIMS
) -> float | None:
    """Return the mean of eight pairs of tables, by default those of the aims, if it is known."""
    means = [figures.mean(Cell(data, "half", level), method, measure) for data in eight]
    return None if None in means else sum(means) / len(means)


def claims(figures: Figures) -> list[Claim]:
    """Make all claims that there are figures for."""
    aims = [
        Comparison(Cell(EIGHT, "half", level), f"the aim of {name}", mean, aim)
        for name, (level, method, measure, aim) in AIMS.items()
        if (mean := mean_of_eight(figures, level, method, measure)) is not None
    ]
    of_field = [cell for cell in cells() if cell.data in IN_FIELD]
    made = [
        Claim(
            "Half matched, the means of eight data sets reach their aims",
            "Within tables, F .66 without pairs, .74 with 160, and .73 with everything matched; ARI"
            f" .59 without pairs. Means are over {_draws(figures, OF_AIMS, _OF_PAIRS)} draws, with"
            f" everything matched over {_draws(figures, OF_AIMS, [(ALL, JOINT)])}.",
            aims,
        ),
        Claim(
            "Half matched, F of tables never behind the best alternative by more than 0.02",
            "K-means of each table (raw, standardized, rows of length 1, features of joint), the"
            " sum of graphs (also with the features of joint), or NEMO, by classes.",
            worst(each(figures, "F_views", OTHERS, of_field)),
            0.02,
        ),
    ]
    for name, other in COMPARED.items():
        pairs = [figures.paired(cell, other, "F_views", name) for cell in cells()]
        compared = [pair for pair in pairs if pair]
        falls = "F of tables falls by no more than"
        if name in WRONG:
            words = f"{falls} 0.03, in the mean over the draws."
            made.append(Claim(f"{name}, cost at most 0.03", words, compared, 0.03))
        else:
            fewer = other.removesuffix(" pairs").replace("no", "none")
            words = f"{falls} 0.01 or two standard errors, whichever is larger."
            title = f"{name} not worse than {fewer}"
            made.append(Claim(title, words, compared, MARGIN, beyond_chance=True))
    return [claim for claim in made if claim.comparisons]


def section(figures: Figures) -> list[str]:
    """Return the blocks of the page, if there are figures."""
    if not any(figures.mean(cell, NO_PAIRS, "F_views") for cell in cells()):
        return []
    return ["## Constraints", _READING, _pairs_table(figures), _OTHERS, _others_table(figures)]


_READING = fill(
    "Half matched tables with the level 0.3, and the F of their rows, in the mean of both tables."
    " Pairs are of rows of the first table, drawn at random, half of them must-links, half"
    " cannot-links. Wrong ones are of the other kind than they should be; those that contradict"
    ' others count all the same (`on_conflict="drop"`). After the comma is the paired difference:'
    " of 20 pairs to none, of 160 to 20, and of pairs some of which are wrong to 160 right ones; ±"
    " is one standard error over the draws. The tables of scikit-learn are whole, with their"
    " columns cut in two.",
    120,
)
_OTHERS = fill(
    "The same F without pairs, mostly over fewer draws, beside other methods: k-means of each"
    " table, the sum of graphs, and NEMO. *Features of joint* are those that it makes of the same"
    " tables by its rule; otherwise the sum of graphs and NEMO get [prepared"
    " columns](#all-methods). *Everything matched* is joint with the level 1. The mean of eight"
    " is without Handwritten and the first two tables of MSRC-v5 and 100Leaves: the aims were set"
    " with two others.",
    120,
)


def _pairs_table(figures: Figures) -> str:
    lines = []
    for cell in cells():
        if (mean := figures.mean(cell, NO_PAIRS, "F_views")) is None:
            continue
        shown = [f"{mean:.3f}", *["–"] * len(COMPARED)]
        for column, (name, other) in enumerate(COMPARED.items(), 1):
            if pair := figures.paired(cell, other, "F_views", name):
                shown[column] = f"{pair.own:.3f}, {signed(pair.ahead)} ± {pair.error:.3f}"
        draws = figures.draws[(*cell, NO_PAIRS)]
        lines.append([called(cell.data), f"{draws}", *shown])
    return markdown(["data set", "draws", NO_PAIRS, *COMPARED], lines)


def _others_table(figures: Figures) -> str:
    names = [JOINT, *OTHERS]
    lines = []
    wanted = [(LEVEL, name) for name in names] + [(ALL, JOINT)]
    for data in IN_FIELD:
        means = [figures.mean(Cell(data, "half", level), name, "F_views") for level, name in wanted]
        lines.append(_row(called(data), _draws(figures, [data], wanted), means))
    first = tuple(data for data in COMPLETE if data != "handwritten")
    for name, eight in {f"**{EIGHT}**": OF_AIMS, f"{EIGHT}, first two tables": first}.items():
        means = [mean_of_eight(figures, *setting, "F_views", eight) for setting in wanted]
        lines.append(_row(name, _draws(figures, eight, wanted), means))
    return markdown(["data set", "draws", *names, "everything matched"], lines)


def _draws(figures: Figures, some: Iterable[str], places: list[tuple[float, str]]) -> str:
    """Write how many draws of data sets the levels and methods have."""
    keys = [(data, "half", level, name) for data in some for level, name in places]
    return span(int(figures.draws[key]) for key in keys if key in figures.draws.index)


def _row(title: str, draws: str, means: list[float | None]) -> list[str]:
    return [title, draws, *("–" if mean is None else f"{mean:.3f}" for mean in means)]
