"""The scorecard as a page (Markdown) and as data (JSON)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mvcc._utils.files import write_whole
from mvcc._utils.messages import why_unwritten
from mvcc.exceptions import StoreError
from mvcc.reporting.claims._evaluate import Scorecard
from mvcc.reporting.claims._evidence import READINGS
from mvcc.reporting.claims._means import write_means
from mvcc.reporting.claims._outcome import Cell, Effect, Outcome, Side, Verdict
from mvcc.reporting.claims._scorecard import Claim
from mvcc.reporting.claims._terminal import write_cells, write_counts
from mvcc.reporting.claims._wording import write_cell, write_p, write_place

_TEST = """\
Trials are paired: all methods of a trial see the same constraints and the same mapping. Where nothing else is said, a
cell is *better* or *reversed* when Wilcoxon's signed-rank test of its per-trial differences is significant after
Holm's correction over the cells of the claim (p < .05), and *undecided* otherwise. The effect is the mean over the
cells; the trials of a data set are the unit of its 95% interval. A comparison **holds** when no cell is reversed and
the interval lies above 0; it **holds in part** when some cells are reversed and the interval lies above 0 all the
same; otherwise it **does not hold**: the results show the opposite, or nothing."""
_HOW = (
    _TEST
    + """ Where the paper has a word and no
figure, the bar is ours and stands in the test; a cell that misses it significantly is *reversed*. p is that of the
effect against 0 or against the bar. CP is Constraint Propagation, DM Direct Mapping."""
)
_BEYOND = """\
*Joint* is `JointGraphClustering`: all views in one graph of their objects. All methods of a trial have the same
features, scaled by `AutoScaler`, and the same pairs in every view; n counts the pairs of one view. A claim may fail:
the last column names the data sets with reversed cells."""

_MEANS = """\
Pairwise F-measure, mean of the views and trials ± one standard error; n pairs are judged in each view. *The paper's
best* and *best peer* are chosen in each line in hindsight, which favors them. The largest mean of a line is bold."""


def write_markdown(scorecard: Scorecard, folder: Path) -> list[Path]:
    """Write ``claims.md`` into a folder, and ``beyond.md`` where that study was run; each as a whole or not at all.

    The same results give the same bytes.

    Raises
    ------
    StoreError
        If a file cannot be written.
    """
    pages = {folder / "claims.md": to_markdown(scorecard)}
    if scorecard.beyond is not None:
        pages[folder / "beyond.md"] = beyond_to_markdown(scorecard.beyond)
    for path, text in pages.items():
        try:
            write_whole(path, text.encode())
        except OSError as error:
            raise StoreError(f"cannot write {path}: {why_unwritten(error, 'copy the results elsewhere')}") from error
    return list(pages)


def to_markdown(scorecard: Scorecard) -> str:
    """Return the scorecard as a page: the verdicts, the readings of the closure, and every claim in full."""
    lines = [
        "# The paper's claims, put to the test",
        "",
        f"{write_counts(scorecard)} {_about_trials(scorecard)}",
        "",
        _HOW,
    ]
    lines += ["", *_main_table(scorecard.outcomes)]
    lines += ["", "## Readings of the closure", "", *_readings_table(scorecard)]
    lines += ["", "## Claim by claim"]
    for claim, outcome in scorecard.outcomes:
        lines += ["", *_paragraph(claim, outcome)]
    lines += ["", "## What this rests on", "", *_experiments_table(scorecard)]
    return "\n".join(lines) + "\n"


def beyond_to_markdown(scorecard: Scorecard) -> str:
    """Return the scorecard of what is claimed beyond the paper as a page."""
    lines = [
        "# Beyond the paper: claims of our own, put to the test",
        "",
        f"{write_counts(scorecard)} {_about_trials(scorecard)}",
        "",
        _BEYOND,
        "",
        _TEST,
        "",
        "| # | claim | verdict | better / undecided / reversed | effect [95% interval] | p | reversed on |",
        "|--:|---|---|---|---|--:|---|",
    ]
    for claim, outcome in scorecard.outcomes:
        row = [claim.title, f"**{outcome.verdict}**", *_figures(outcome), _against(outcome)]
        lines.append(f"| {claim.number} | {' | '.join(row)} |")
    lines += ["", "## Claim by claim"]
    for claim, outcome in scorecard.outcomes:
        lines += ["", *_paragraph(claim, outcome)]
    lines += ["", "## Means", "", _MEANS, *write_means(scorecard.means)]
    lines += ["", "## What this rests on", "", *_experiments_table(scorecard)]
    return "\n".join(lines) + "\n"


def to_json(scorecard: Scorecard) -> dict[str, Any]:
    """Return everything as plain values, for ``json.dumps``."""
    beyond = {"beyond": _verdicts(scorecard.beyond)} if scorecard.beyond is not None else {}
    return {
        **_verdicts(scorecard),
        "readings": {
            name: {
                "meaning": READINGS[name],
                "claims": [{"number": claim.number, **_outcome(outcome)} for claim, outcome in outcomes],
            }
            for name, outcomes in scorecard.readings.items()
        },
        **beyond,
    }


def _verdicts(scorecard: Scorecard) -> dict[str, Any]:
    return {
        "verdicts": {str(verdict): scorecard.count(verdict) for verdict in Verdict},
        "claims": [
            {
                "number": claim.number,
                "title": claim.title,
                "says": claim.says,
                "section": claim.section,
                "test": claim.test,
                **_outcome(outcome),
            }
            for claim, outcome in scorecard.outcomes
        ],
        "experiments": [vars(experiment) for experiment in scorecard.experiments],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "verdict": str(outcome.verdict),
        "counts": {str(side): outcome.count(side) for side in Side},
        "effect": outcome.effect and _effect(outcome.effect),
        "cells": [_cell(cell) for cell in outcome.cells],
        "excepted": [_cell(cell) for cell in outcome.excepted],
        "details": list(outcome.details),
    }


def _effect(effect: Effect) -> dict[str, Any]:
    one = effect.estimate
    return {"mean": one.mean, "low": one.low, "high": one.high, "unit": effect.unit.name, "p": effect.p}


def _cell(cell: Cell) -> dict[str, Any]:
    return {**dict(cell.place), "mean": cell.mean, "unit": cell.unit.name, "p": cell.p, "side": str(cell.side)}


def _about_trials(scorecard: Scorecard) -> str:
    trials = sorted({experiment.trials for experiment in scorecard.experiments})
    if not trials:
        return "There are no results."
    number = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"They rest on {number} trials of each experiment."


def _main_table(outcomes: Iterable[tuple[Claim, Outcome]]) -> Iterator[str]:
    yield "| # | claim | § | verdict | better / undecided / reversed | effect [95% interval] | p |"
    yield "|--:|---|---|---|---|---|--:|"
    for claim, outcome in outcomes:
        row = [str(claim.number), claim.title, claim.section, f"**{outcome.verdict}**", *_figures(outcome)]
        yield f"| {' | '.join(row)} |"


def _figures(outcome: Outcome) -> tuple[str, str, str]:
    """Write the cells, the effect and its p-value."""
    effect = f"{outcome.effect} {outcome.effect.unit.name}".rstrip() if outcome.effect else "–"
    return write_cells(outcome), effect, write_p(outcome.effect.p) if outcome.effect else "–"


def _against(outcome: Outcome) -> str:
    """Name the data sets with reversed cells, and how many of theirs are."""
    sides: dict[str, list[Side]] = {}
    for cell in outcome.cells:
        sides.setdefault(write_place(cell.place[:1]), []).append(cell.side)
    counts = {name: (found.count(Side.REVERSED), len(found)) for name, found in sides.items()}
    return ", ".join(f"{name} ({against} of {of})" for name, (against, of) in counts.items() if against) or "–"


def _readings_table(scorecard: Scorecard) -> Iterator[str]:
    yield "The claims of the multi-view experiments under other readings of the closure (Algorithm 2, steps 1 and 2),"
    yield "with the pooled effect and the numbers of cells better / undecided / reversed. The verdicts above are those"
    yield "of *full*."
    yield ""
    yield from (f"- *{name}*: {meaning}" for name, meaning in READINGS.items())
    yield ""
    yield f"| # | claim | {' | '.join(READINGS)} |"
    yield f"|--:|---|{'---|' * len(READINGS)}"
    for row in zip(*(scorecard.readings[name] for name in READINGS), strict=True):
        claim = row[0][0]
        cells = []
        for _, outcome in row:
            effect = f"<br>{outcome.effect}" if outcome.effect else ""
            counts = f"<br>{write_cells(outcome)}" if outcome.cells else ""
            cells.append(f"**{outcome.verdict}**{effect}{counts}")
        yield f"| {claim.number} | {claim.title} | {' | '.join(cells)} |"


def _paragraph(claim: Claim, outcome: Outcome) -> Iterator[str]:
    yield f"### {claim.number}. {claim.title}: {outcome.verdict}"
    yield ""
    yield f"- **The paper** ({claim.section}): {claim.says}" if claim.section else f"- **Claimed:** {claim.says}"
    yield f"- **Test:** {claim.test}"
    if outcome.effect:
        effect = f"{outcome.effect} {outcome.effect.unit.name}".rstrip()
        p = outcome.effect.p
        text = "" if p is None else f", p {write_p(p)}" if p < 0.001 else f", p = {write_p(p)}"
        cells = f"; cells {write_cells(outcome)}" if outcome.cells else ""
        yield f"- **Effect:** {effect}{text}{cells}."
    yield from (f"- {detail}" for detail in outcome.details)
    if against := [cell for cell in outcome.cells if cell.side is Side.REVERSED]:
        yield f"- **Reversed in {len(against)} of {len(outcome.cells)} cells:**"
        yield from (f"  - {write_cell(cell)}" for cell in against)
    if outcome.excepted:
        yield "- **Shown beside, not judged:**"
        yield from (f"  - {write_cell(cell)}: {cell.side}" for cell in outcome.excepted)


def _experiments_table(scorecard: Scorecard) -> Iterator[str]:
    yield "| study | data set | trials |"
    yield "|---|---|--:|"
    for one in scorecard.experiments:
        yield f"| {one.study} | {one.dataset} | {one.trials} |"
