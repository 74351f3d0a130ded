"""The scorecard on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mvcc.reporting.claims._evaluate import Scorecard
from mvcc.reporting.claims._evidence import READINGS
from mvcc.reporting.claims._outcome import Outcome, Side, Verdict
from mvcc.reporting.claims._scorecard import Claim
from mvcc.reporting.claims._wording import write_p

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_COLORS = {
    Verdict.HOLDS: "green",
    Verdict.HOLDS_IN_PART: "yellow",
    Verdict.DOES_NOT_HOLD: "red",
    Verdict.NOT_ENOUGH_DATA: "dim",
}
_COUNTED = {
    Verdict.HOLDS: "hold",
    Verdict.HOLDS_IN_PART: "hold in part",
    Verdict.DOES_NOT_HOLD: "do not",
    Verdict.NOT_ENOUGH_DATA: "without enough data",
}
_NOTE = (
    "CP is Constraint Propagation, DM Direct Mapping. Cells: better / undecided / reversed (paired trials, Holm over "
    "the cells of a claim). Effect: pooled over the cells, with its 95% interval."
)


def print_scorecard(scorecard: Scorecard, console: Console) -> None:
    """Print the table of verdicts, and the verdicts under other readings of the closure beside each other."""
    console.print(_main(scorecard))
    console.print(_NOTE, style="dim")
    if any(o.verdict is not Verdict.NOT_ENOUGH_DATA for name in ("view", "none") for _, o in scorecard.readings[name]):
        console.print()
        console.print("Under other readings of the closure:")
        console.print(_readings(scorecard.readings))
        for name, meaning in READINGS.items():
            console.print(f"{name}: {meaning}", style="dim")
    console.print()
    console.print(write_counts(scorecard))
    if scorecard.beyond is not None:
        console.print()
        console.print("Beyond the paper:")
        console.print(_main(scorecard.beyond))
        console.print(write_counts(scorecard.beyond))


def _main(scorecard: Scorecard) -> Table:
    table = _table("#", "claim", "§", "verdict", "cells", "effect [95%]", "p")
    for claim, outcome in scorecard.outcomes:
        section = claim.section.split(",")[0].removeprefix("§")
        p = write_p(outcome.effect.p) if outcome.effect else "–"
        table.add_row(
            str(claim.number), claim.title, section, _verdict(outcome), write_cells(outcome), _effect(outcome), p
        )
    return table


def write_counts(scorecard: Scorecard) -> str:
    """Say how many claims hold."""
    counts = [(scorecard.count(verdict), words) for verdict, words in _COUNTED.items()]
    return f"{len(scorecard.outcomes)} claims: {', '.join(f'{n} {words}' for n, words in counts if n)}."


def write_cells(outcome: Outcome) -> str:
    """Write the numbers of cells on each side."""
    return " / ".join(str(outcome.count(side)) for side in Side) if outcome.cells else "–"


def _readings(readings: Mapping[str, tuple[tuple[Claim, Outcome], ...]]) -> Table:
    table = _table("#", "claim", *READINGS)
    for row in zip(*(readings[name] for name in READINGS), strict=True):
        claim = row[0][0]
        cells = [f"{_verdict(outcome)}\n{_mean(outcome)} {_narrow(outcome)}" for _, outcome in row]
        table.add_row(str(claim.number), claim.title, *cells)
    return table


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), show_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in "#p" else "left", no_wrap=name != "claim")
    return table


def _verdict(outcome: Outcome) -> str:
    color = _COLORS[outcome.verdict]
    return f"[{color}]{outcome.verdict}[/{color}]"


def _mean(outcome: Outcome) -> str:
    return outcome.effect.unit.write(outcome.effect.estimate.mean) if outcome.effect else "–"


def _narrow(outcome: Outcome) -> str:
    return f"({write_cells(outcome)})".replace(" ", "") if outcome.cells else ""


def _effect(outcome: Outcome) -> str:
    if outcome.effect is None:
        return "–"
    unit, one = outcome.effect.unit, outcome.effect.estimate
    return f"{unit.write(one.mean)} {unit.name}\n\\[{unit.write(one.low)}, {unit.write(one.high)}]"
