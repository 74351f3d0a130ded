"""The scorecard as a page (Markdown), as data (JSON) and on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import counted
from mvcc._utils.outputs import OutputFolder
from mvcc.reporting.claims._claims import WORDS
from mvcc.reporting.claims._evidence import READINGS
from mvcc.reporting.claims._result import (
    CellResult,
    ClaimResult,
    Effect,
    Side,
    Verdict,
    write_equation,
    write_place,
)
from mvcc.reporting.claims._scorecard import ClaimRow, Scorecard
from mvcc.reporting.figures import dataset_title, in_order, percent

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

_WORDS = WORDS["pages"]
_NOTE = (
    "CP is Constraint Propagation, DM Direct Mapping. Cells: better / undecided / reversed (paired "
    "trials, Holm over the cells of a claim). Effect: pooled over the cells, with its 95% interval."
)
_CELLS, _EFFECT = "better / undecided / reversed", "effect [95% interval]"
_RIGHT = {"#", "p", "n", "trials", "k-means", "joint"}  # columns of numbers
_COLORS = {
    Verdict.HOLDS: "green",
    Verdict.HOLDS_IN_PART: "yellow",
    Verdict.DOES_NOT_HOLD: "red",
    Verdict.NOT_ENOUGH_DATA: "dim",
}
_COUNTED = {  # one of them, and several
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.HOLDS_IN_PART: ("holds in part", "hold in part"),
    Verdict.DOES_NOT_HOLD: ("does not", "do not"),
    Verdict.NOT_ENOUGH_DATA: ("without enough data", "without enough data"),
}


# ---- Markdown


def write_markdown(scorecard: Scorecard, folder: Path, *, fresh: bool = False) -> list[Path]:
    """Write ``claims.md`` into a folder, and ``beyond.md`` where that study was run.

    Each as a whole or not at all. The same results give the same bytes. Another scorecard there is
    replaced only if ``fresh``.
    """
    pages = {"claims.md": to_markdown(scorecard)}
    if scorecard.beyond is not None:
        pages["beyond.md"] = beyond_to_markdown(scorecard.beyond)
    elsewhere = "copy the results elsewhere"
    with OutputFolder(folder, "claims", fresh=fresh, elsewhere=elsewhere) as target:
        target.write({name: text.encode() for name, text in pages.items()})
    return [folder / name for name in pages]


def to_markdown(scorecard: Scorecard) -> str:
    """Return the scorecard as a page: verdicts, readings of the closure, every claim in full."""
    return _page(
        "# The paper's claims, put to the test",
        _summary(scorecard),
        _WORDS["paper"],
        _markdown_table(
            ("#", "claim", "§", "verdict", _CELLS, _EFFECT, "p"),
            (
                (*_head(row), row.claim.section, _bold(row), row.counts, row.effect, row.p)
                for row in scorecard.rows
            ),
        ),
        "## Readings of the closure",
        _WORDS["readings"],
        "\n".join(f"- *{name}*: {meaning}" for name, meaning in READINGS.items()),
        _markdown_table(
            ("#", "claim", *READINGS),
            ((*_head(rows[0]), *map(_reading, rows)) for rows in _by_reading(scorecard)),
        ),
        *_claim_by_claim(scorecard),
        *_experiments(scorecard),
    )


def beyond_to_markdown(scorecard: Scorecard) -> str:
    """Return the scorecard of what is claimed beyond the paper as a page."""
    return _page(
        "# Beyond the paper: claims of our own, put to the test",
        _summary(scorecard),
        _WORDS["beyond"],
        _WORDS["test"],
        _markdown_table(
            ("#", "claim", "verdict", _CELLS, _EFFECT, "p", "reversed on"),
            (
                (*_head(row), _bold(row), row.counts, row.effect, row.p, _reversed_on(row.result))
                for row in scorecard.rows
            ),
        ),
        *_claim_by_claim(scorecard),
        "## Means",
        _WORDS["means"],
        *_means(scorecard.means),
        *_experiments(scorecard),
    )


def _page(*blocks: str) -> str:
    return "\n\n".join(blocks) + "\n"


def _markdown_table(columns: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    rules = ("--:" if name in _RIGHT else "---" for name in columns)
    lines = [f"| {' | '.join(columns)} |", f"|{'|'.join(rules)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _head(row: ClaimRow) -> tuple[str, str]:
    return str(row.number), row.claim.title


def _bold(row: ClaimRow) -> str:
    return f"**{row.result.verdict}**"


def _summary(scorecard: Scorecard) -> str:
    trials = sorted({experiment["trials"] for experiment in scorecard.experiments})
    if not trials:
        return f"{_count(scorecard)} There are no results."
    number = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"{_count(scorecard)} They rest on {number} trials of each experiment."


def _count(scorecard: Scorecard) -> str:
    numbers = [(scorecard.count(verdict), words) for verdict, words in _COUNTED.items()]
    parts = [f"{n} {one if n == 1 else several}" for n, (one, several) in numbers if n]
    return f"{counted(len(scorecard.rows), 'claim')}: {', '.join(parts)}."


def _by_reading(scorecard: Scorecard) -> Iterator[tuple[ClaimRow, ...]]:
    return zip(*(scorecard.readings[name] for name in READINGS), strict=True)


def _reading(row: ClaimRow) -> str:
    parts = [_bold(row)]
    if row.result.effect:
        parts.append(str(row.result.effect))
    if row.result.cells:
        parts.append(row.counts)
    return "<br>".join(parts)


def _reversed_on(result: ClaimResult) -> str:
    """Name the data sets with reversed cells, and how many of theirs are."""
    cells = Counter(cell.place[:1] for cell in result.cells)
    against = Counter(cell.place[:1] for cell in result.cells if cell.side is Side.REVERSED)
    named = [f"{write_place(one)} ({against[one]} of {cells[one]})" for one in cells & against]
    return ", ".join(named) or "–"


def _claim_by_claim(scorecard: Scorecard) -> Iterator[str]:
    yield "## Claim by claim"
    for row in scorecard.rows:
        yield f"### {row.number}. {row.claim.title}: {row.result.verdict}"
        yield "\n".join(_paragraph(row))


def _paragraph(row: ClaimRow) -> Iterator[str]:
    claim, result = row.claim, row.result
    source = f"**The paper** ({claim.section}):" if claim.section else "**Claimed:**"
    yield f"- {source} {claim.says}"
    yield f"- **Test:** {claim.test}"
    if result.effect:
        p = "" if result.effect.p is None else f", {write_equation(result.effect.p)}"
        cells = f"; cells {row.counts}" if result.cells else ""
        yield f"- **Effect:** {row.effect}{p}{cells}."
    yield from (f"- {detail}" for detail in result.details)
    if against := [cell for cell in result.cells if cell.side is Side.REVERSED]:
        yield f"- **Reversed in {len(against)} of {len(result.cells)} cells:**"
        yield from (f"  - {cell}" for cell in against)
    if result.excepted:
        yield "- **Shown beside, not judged:**"
        yield from (f"  - {cell}: {cell.side}" for cell in result.excepted)


def _means(means: pd.DataFrame) -> Iterator[str]:
    """Write one table for each mapped fraction; the largest mean of each line is bold."""
    kinds = list(means["kind"].unique())
    for mapped, of_fraction in means.groupby("mapped"):
        yield f"### {percent(mapped)} of the instances mapped"
        lines = []
        for dataset in in_order(of_fraction["dataset"]):
            of_dataset = of_fraction[of_fraction["dataset"] == dataset]
            for n, line in of_dataset.groupby("n_constraints"):
                written = dict.fromkeys(kinds, "–")
                for one in line.itertuples():
                    mean = f"{one.mean:.3f}"
                    best = round(one.mean, 3) == round(line["mean"].max(), 3)
                    name = f" ({one.name})" if one.name else ""
                    written[one.kind] = f"{f'**{mean}**' if best else mean} ± {one.sem:.3f}{name}"
                lines.append([dataset_title(dataset), f"{n:g}", *written.values()])
        yield _markdown_table(("data set", "n", *kinds), lines)


def _experiments(scorecard: Scorecard) -> tuple[str, str]:
    rows = (map(str, one.values()) for one in scorecard.experiments)
    return "## What this rests on", _markdown_table(("study", "data set", "trials"), rows)


# ---- JSON


def to_json(scorecard: Scorecard) -> dict[str, Any]:
    """Return everything as plain values, for ``json.dumps``."""
    readings = {}
    for name, rows in scorecard.readings.items():
        claims = [{"number": row.number, **_plain_result(row.result)} for row in rows]
        readings[name] = {"meaning": READINGS[name], "claims": claims}
    plain = {**_verdicts(scorecard), "readings": readings}
    if scorecard.beyond is not None:
        plain["beyond"] = _verdicts(scorecard.beyond)
    return plain


def _verdicts(scorecard: Scorecard) -> dict[str, Any]:
    claims = []
    for row in scorecard.rows:
        words = {name: getattr(row.claim, name) for name in ("title", "says", "section", "test")}
        claims.append({"number": row.number, **words, **_plain_result(row.result)})
    return {
        "verdicts": {str(verdict): scorecard.count(verdict) for verdict in Verdict},
        "claims": claims,
        "experiments": scorecard.experiments,
    }


def _plain_result(result: ClaimResult) -> dict[str, Any]:
    return {
        "verdict": str(result.verdict),
        "counts": {str(side): result.count(side) for side in Side},
        "effect": result.effect and _plain_effect(result.effect),
        "cells": [_plain_cell(cell) for cell in result.cells],
        "excepted": [_plain_cell(cell) for cell in result.excepted],
        "details": list(result.details),
    }


def _plain_effect(effect: Effect) -> dict[str, Any]:
    numbers = {name: getattr(effect.estimate, name) for name in ("mean", "low", "high")}
    return numbers | {"unit": effect.unit.name, "p": effect.p}


def _plain_cell(cell: CellResult) -> dict[str, Any]:
    measured = {"mean": cell.mean, "unit": cell.unit.name, "p": cell.p, "side": str(cell.side)}
    return {**dict(cell.place), **measured}


# ---- Terminal


def print_scorecard(scorecard: Scorecard, console: Console) -> None:
    """Print the table of verdicts, and those under other readings of the closure side by side."""
    console.print(_claims_table(scorecard))
    console.print(_NOTE, style="dim")
    readings = [row for name in ("view", "none") for row in scorecard.readings[name]]
    if any(row.result.verdict is not Verdict.NOT_ENOUGH_DATA for row in readings):
        console.print()
        console.print("Under other readings of the closure:")
        table = _terminal_table("#", "claim", *READINGS)
        for rows in _by_reading(scorecard):
            table.add_row(*_head(rows[0]), *map(_narrow, rows))
        console.print(table)
        for name, meaning in READINGS.items():
            console.print(f"{name}: {meaning}", style="dim")
    console.print()
    console.print(_count(scorecard))
    if scorecard.beyond is not None:
        console.print()
        console.print("Beyond the paper:")
        console.print(_claims_table(scorecard.beyond))
        console.print(_count(scorecard.beyond))


def _claims_table(scorecard: Scorecard) -> Table:
    table = _terminal_table("#", "claim", "§", "verdict", "cells", "effect [95%]", "p")
    for row in scorecard.rows:
        section = row.claim.section.split(",")[0].removeprefix("§")
        effect = row.result.effect
        written = f"{effect.mean} {effect.unit.name}\n\\{effect.interval}" if effect else "–"
        table.add_row(*_head(row), section, _colored(row), row.counts, written, row.p)
    return table


def _narrow(row: ClaimRow) -> str:
    mean = row.result.effect.mean if row.result.effect else "–"
    counts = f"({row.counts})".replace(" ", "") if row.result.cells else ""
    return f"{_colored(row)}\n{mean} {counts}"


def _terminal_table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), show_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in "#p" else "left", no_wrap=name != "claim")
    return table


def _colored(row: ClaimRow) -> str:
    color = _COLORS[row.result.verdict]
    return f"[{color}]{row.result.verdict}[/{color}]"
