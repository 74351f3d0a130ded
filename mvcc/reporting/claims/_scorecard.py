"""Put all claims to the test; the scorecard as a page, as data (JSON) and on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mvcc._utils.messages import agreeing, counted
from mvcc._utils.outputs import OutputFolder
from mvcc.reporting.claims._claims import BEYOND_CLAIMS, CLAIMS, ON_CLOSURE, Claim
from mvcc.reporting.claims._evidence import READINGS, Evidence, prepare, read_evaluations
from mvcc.reporting.claims._result import (
    CellResult,
    ClaimResult,
    Side,
    Verdict,
    write_equation,
    write_p,
    write_place,
)
from mvcc.reporting.figures import METHODS, PEERS, dataset_title, in_order, percent
from mvcc.results import BASES, BEYOND, BEYOND_PEERS, JOINT, K_MEANS, Results

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

# of each mapped fraction: its lines, with a data set, a number of pairs, and the best by their kind
Means = dict[float, list[dict[str, Any]]]
_KINDS = dict.fromkeys(METHODS, "the paper's best") | {K_MEANS: "k-means", JOINT: "joint"}


def find_means(scores: pd.DataFrame) -> Means:
    """Return the best in hindsight of each kind of method: mean, standard error ``sem``, name."""
    cell = ["mapped", "dataset", "n_constraints"]
    scores = scores.assign(
        base=scores["base"].fillna(""),
        kind=scores["method"].map(_KINDS).where(scores["study"] == BEYOND, "best peer"),
    )
    by_method = scores.groupby(["kind", "base", "method", *cell], dropna=False)["f_measure"]
    means = by_method.agg(["mean", "sem"]).reset_index()
    titles = BASES | {name: style.title for name, style in (METHODS | PEERS).items()}
    means["name"] = [
        " ".join(titles[part] for part in parts if part in titles)
        for parts in means[["base", "method"]].to_numpy()
    ]
    ranked = means.sort_values(["mean", "base", "method"])
    joint = means[means["kind"] == "joint"]
    best_means: Means = {}
    for mapped in sorted(set(joint["mapped"])):
        candidates = ranked[ranked["mapped"].isna() | (ranked["mapped"] == mapped)]
        best = candidates.drop_duplicates(["dataset", "n_constraints", "kind"], keep="last")
        best_means[mapped] = [
            {
                "dataset": dataset_title(dataset),
                "n": int(n),
                "best": rows.set_index("kind").to_dict("index"),
            }
            for dataset in in_order(joint["dataset"])
            for n, rows in best[best["dataset"] == dataset].groupby("n_constraints")
        ]
    return best_means


@dataclass(frozen=True)
class ClaimRow:
    """One row of the scorecard: a claim, its result, and how its figures are written."""

    number: int
    claim: Claim
    result: ClaimResult

    @property
    def counts(self) -> str:
        if not self.result.cells:
            return "–"
        return " / ".join(str(self.result.count(side)) for side in Side)

    @property
    def reversed(self) -> list[CellResult]:
        return [cell for cell in self.result.cells if cell.side is Side.REVERSED]

    @property
    def reversed_on(self) -> str:
        """The data sets with reversed cells, and how many of theirs are."""
        cells = Counter(cell.place[:1] for cell in self.result.cells)
        against = Counter(cell.place[:1] for cell in self.reversed)
        named = [f"{write_place(key)} ({against[key]} of {cells[key]})" for key in cells & against]
        return ", ".join(named) or "–"

    @property
    def effect(self) -> str:
        return str(self.result.effect or "–")

    @property
    def p(self) -> str:
        return "–" if self.result.effect is None else write_p(self.result.effect.p)


@dataclass(frozen=True)
class Scorecard:
    name: str  # of its page
    rows: tuple[ClaimRow, ...]  # the closure is that of Algorithm 2
    # the claims that depend on it under each reading of the closure, by the names in `READINGS`;
    # empty beyond the paper
    readings: Mapping[str, tuple[ClaimRow, ...]]
    # what they rest on: each study, data set and number of trials; and what is left out
    experiments: list[dict[Hashable, Any]]
    gaps: Sequence[str]
    beyond: Scorecard | None = None  # what is claimed beyond the paper, where its study was run
    means: Means = field(default_factory=dict)  # what that rests on, by cell

    def count(self, verdict: Verdict) -> int:
        return sum(row.result.verdict is verdict for row in self.rows)

    @property
    def by_reading(self) -> Iterator[tuple[ClaimRow, ...]]:
        """The rows of each claim that depends on the closure, in the order of `READINGS`."""
        return zip(*(self.readings[name] for name in READINGS), strict=True)

    @property
    def all_hold(self) -> bool:
        """Whether no claim that was tested failed, fully or in part."""
        return not any(row.result.verdict.failed for row in self.rows)


def evaluate_claims(results: Results) -> Scorecard:
    """Test every claim on the results of an experiment's folder, or of any folder above some."""
    scores = prepare(results.scores)  # which says first if there is no such folder
    evaluations = read_evaluations(results.folder / "evaluations.csv")
    return evaluate(Evidence(scores, evaluations, results.gaps()))


def evaluate(evidence: Evidence) -> Scorecard:
    """Test every claim of the paper on evidence at hand, and what is claimed beyond it."""
    is_beyond = evidence.scores["study"].isin([BEYOND, BEYOND_PEERS])
    beyond = replace(evidence, scores=evidence.scores[is_beyond])
    evidence = replace(evidence, scores=evidence.scores[~is_beyond])
    rows = _test(CLAIMS, evidence.reading("full"))
    closed = {number: claim for number, claim in CLAIMS.items() if number in ON_CLOSURE}
    others = {name: _test(closed, evidence.reading(name)) for name in READINGS if name != "full"}
    readings = {"full": tuple(row for row in rows if row.number in ON_CLOSURE)} | others
    scorecard = Scorecard("claims", rows, readings, _experiments(evidence), evidence.gaps)
    if (beyond.scores["study"] == BEYOND).any():
        tested, means = _test(BEYOND_CLAIMS, beyond), find_means(beyond.scores)
        ours = Scorecard("beyond", tested, {}, _experiments(beyond), beyond.gaps, means=means)
        scorecard = replace(scorecard, beyond=ours)
    return scorecard


def _experiments(evidence: Evidence) -> list[dict[Hashable, Any]]:
    trials = evidence.scores.groupby(["study", "dataset"])["trial"].nunique()
    return trials.reset_index(name="trials").to_dict("records")


def _test(claims: Mapping[int, Claim], evidence: Evidence) -> tuple[ClaimRow, ...]:
    return tuple(ClaimRow(number, claim, claim.check(evidence)) for number, claim in claims.items())


# ---- Markdown


def write_markdown(scorecard: Scorecard, folder: Path, *, fresh: bool = False) -> list[Path]:
    """Write ``claims.md`` into a folder, and ``beyond.md`` where that study was run."""
    # the same results give the same bytes; another scorecard there is replaced only if ``fresh``
    cards = filter(None, [scorecard, scorecard.beyond])
    pages = {f"{card.name}.md": to_markdown(card).encode() for card in cards}
    elsewhere = "copy the results elsewhere"
    with OutputFolder(folder, "claims", fresh=fresh, elsewhere=elsewhere) as target:
        target.write(pages)
    return [folder / name for name in pages]


def to_markdown(scorecard: Scorecard) -> str:
    """Return a scorecard as a page: verdicts, readings of the closure, every claim in full."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("pages")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"percent": percent, "equation": write_equation}
    page = environment.get_template(f"{scorecard.name}.md.jinja")
    return page.render(scorecard=scorecard, summary=_summary(scorecard), meanings=READINGS)


def _summary(scorecard: Scorecard) -> str:
    counts = sorted({experiment["trials"] for experiment in scorecard.experiments})
    n_trials = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    return f"{_count(scorecard)} They rest on {n_trials} trials of each experiment."


def _count(scorecard: Scorecard) -> str:
    parts = []
    for verdict, (_, singular, plural) in _VERDICTS.items():
        if n := scorecard.count(verdict):
            parts.append(f"{n} {agreeing(n, singular, plural)}")
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
        "gaps": [*scorecard.gaps],
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
        written = "–"
        if effect := row.result.effect:
            written = f"{effect.mean} {effect.unit.name}\n\\{effect.interval}"
        lines.append((row, section, _colored(row), row.counts, written, row.p))
    return _table(("#", "claim", "§", "verdict", "cells", "effect [95%]", "p"), lines)


def _narrow(row: ClaimRow) -> str:
    mean, counts = "–", ""
    if row.result.effect:
        mean = row.result.effect.mean
    if row.result.cells:
        counts = f"({row.counts})".replace(" ", "")
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
        table.add_column(name, no_wrap=name != "claim")
        if name in "#p":
            table.columns[-1].justify = "right"
    for row, *cells in lines:
        table.add_row(str(row.number), row.claim.title, *cells)
    return table
