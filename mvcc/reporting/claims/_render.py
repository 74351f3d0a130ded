"""The scorecard as a page (Markdown), as data (JSON) and on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import agreeing, counted
from mvcc._utils.outputs import OutputFolder
from mvcc.reporting.claims._evidence import READINGS
from mvcc.reporting.claims._result import CellResult, Side, Verdict, write_equation
from mvcc.reporting.claims._scorecard import ClaimRow, Scorecard
from mvcc.reporting.figures import percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_NOTE = (
    "CP is Constraint Propagation, DM Direct Mapping. Cells: better / undecided / reversed (paired "
    "trials, Holm over the cells of a claim). Effect: pooled over the cells, with its 95% interval."
)
_VERDICTS = {  # the color, and the words for one and for several
    Verdict.HOLDS: ("green", "holds", "hold"),
    Verdict.HOLDS_IN_PART: ("yellow", "holds in part", "hold in part"),
    Verdict.DOES_NOT_HOLD: ("red", "does not", "do not"),
    Verdict.NOT_ENOUGH_DATA: ("dim", "without enough data", "without enough data"),
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
    return _page("claims", scorecard)


def beyond_to_markdown(scorecard: Scorecard) -> str:
    """Return the scorecard of what is claimed beyond the paper as a page."""
    return _page("beyond", scorecard)


def _page(name: str, scorecard: Scorecard) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("pages")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"percent": percent, "equation": write_equation}
    page = environment.get_template(f"{name}.md.jinja")
    return page.render(scorecard=scorecard, summary=_summary(scorecard), meanings=READINGS)


def _summary(scorecard: Scorecard) -> str:
    trials = sorted({experiment["trials"] for experiment in scorecard.experiments})
    if not trials:
        return f"{_count(scorecard)} There are no results."
    number = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"{_count(scorecard)} They rest on {number} trials of each experiment."


def _count(scorecard: Scorecard) -> str:
    parts = []
    for verdict, (_, one, several) in _VERDICTS.items():
        if n := scorecard.count(verdict):
            parts.append(f"{n} {agreeing(n, one, several)}")
    return f"{counted(len(scorecard.rows), 'claim')}: {', '.join(parts)}."


# ---- JSON


def to_json(scorecard: Scorecard) -> dict[str, Any]:
    """Return everything as plain values, for ``json.dumps``."""
    readings = {
        name: {"meaning": READINGS[name], "claims": list(map(_plain, rows))}
        for name, rows in scorecard.readings.items()
    }
    plain = {**_verdicts(scorecard), "readings": readings}
    if scorecard.beyond is not None:
        plain["beyond"] = _verdicts(scorecard.beyond)
    return plain


def _verdicts(scorecard: Scorecard) -> dict[str, Any]:
    return {
        "verdicts": {str(verdict): scorecard.count(verdict) for verdict in Verdict},
        "claims": [_plain(row, "title", "says", "section", "test") for row in scorecard.rows],
        "experiments": scorecard.experiments,
    }


def _plain(row: ClaimRow, *words: str) -> dict[str, Any]:
    result, effect = row.result, row.result.effect
    return {
        "number": row.number,
        **{name: getattr(row.claim, name) for name in words},
        "verdict": str(result.verdict),
        "counts": {str(side): result.count(side) for side in Side},
        "effect": effect
        and {
            **{name: getattr(effect.estimate, name) for name in ("mean", "low", "high")},
            "unit": effect.unit.name,
            "p": effect.p,
        },
        "cells": list(map(_plain_cell, result.cells)),
        "excepted": list(map(_plain_cell, result.excepted)),
        "details": list(result.details),
    }


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
        lines = [(rows[0], *map(_narrow, rows)) for rows in scorecard.by_reading]
        console.print("\nUnder other readings of the closure:")
        console.print(_table(("#", "claim", *READINGS), lines))
        for name, meaning in READINGS.items():
            console.print(f"{name}: {meaning}", style="dim")
    console.print(f"\n{_count(scorecard)}")
    if scorecard.beyond is not None:
        console.print("\nBeyond the paper:")
        console.print(_claims_table(scorecard.beyond))
        console.print(_count(scorecard.beyond))


def _claims_table(scorecard: Scorecard) -> Table:
    lines = []
    for row in scorecard.rows:
        section = row.claim.section.split(",")[0].removeprefix("§")
        effect = row.result.effect
        written = f"{effect.mean} {effect.unit.name}\n\\{effect.interval}" if effect else "–"
        lines.append((row, section, _colored(row), row.counts, written, row.p))
    return _table(("#", "claim", "§", "verdict", "cells", "effect [95%]", "p"), lines)


def _narrow(row: ClaimRow) -> str:
    mean = row.result.effect.mean if row.result.effect else "–"
    counts = f"({row.counts})".replace(" ", "") if row.result.cells else ""
    return f"{_colored(row)}\n{mean} {counts}"


def _colored(row: ClaimRow) -> str:
    color, *_ = _VERDICTS[row.result.verdict]
    return f"[{color}]{row.result.verdict}[/{color}]"


def _table(columns: Sequence[str], lines: Iterable[tuple[Any, ...]]) -> Table:
    """Make a table of lines that begin with their claim."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), show_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in "#p" else "left", no_wrap=name != "claim")
    for row, *cells in lines:
        table.add_row(str(row.number), row.claim.title, *cells)
    return table
