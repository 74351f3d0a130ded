"""``mvcc cluster``: cluster your own tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mvcc._utils.messages import counted, percent
from mvcc.cli._job_options import as_number, job_options, settings
from mvcc.cli._number_of_clusters import as_range, print_numbers, told_how_to_ask
from mvcc.cli._shared import (
    below_help,
    output_options,
    print_json,
    remark,
    say,
    scheduler_option,
    shown_steps,
)

if TYPE_CHECKING:
    from mvcc.tables import Column, Job

_EXAMPLES = (
    "mvcc cluster --view texts=texts.csv --view images=images.npz --match texts:images=matches.csv \\",
    "    --constraints texts=pairs.csv -k 5 --out results",
    "mvcc cluster cluster.yaml --out results",
    "mvcc cluster cluster.yaml --method co-em --threshold cv --out results-paper",
)


@click.command(
    "cluster",
    epilog=below_help(*_EXAMPLES, terms=("view", "must-link", "cannot-link", "match", "closure", "threshold")),
)
@job_options
@click.option("--asked", metavar="FOLDER", help="Answers: the folder of `mvcc ask`.")
@click.option(
    "-k",
    "--clusters",
    "n_clusters",
    metavar="NUMBER|auto|RANGE",
    help="Number of clusters; auto: that of the named groups; a range such as 2-12: what speaks for each.",
)
@click.option("--method", metavar="NAME", help="joint, or the paper's co-em.  [default: joint]")
@click.option("--base", metavar="NAME", help="co-em: mpck-means or pck-means.  [default: mpck-means]")
@click.option("--transfer", metavar="NAME", help="co-em: transfer method.  [default: constraint-propagation]")
@click.option(
    "--threshold", metavar="NUMBER|cv", help="co-em: least weight of a propagated constraint.  [default: 0.75]"
)
@click.option("--closure", metavar="NAME", help="co-em: full, view or none.  [default: full]")
@click.option(
    "--stability-runs",
    type=int,
    help="Stability runs, each without a tenth of the constraints.  [default: 10; 3 from 100,000 rows on]",
)
@click.option(
    "--comparison/--no-comparison",
    default=None,
    help="Compare with k-means and no judgments (co-em: and joint).  [default: comparison]",
)
@click.option("--compare-co-em", is_flag=True, default=None, help="Compare with the paper's co-em as well.")
@click.option(
    "--sample", type=int, help="Folders: rows of each that are clustered.  [default: 100000, or what fits into memory]"
)
@scheduler_option
@click.option("--out", type=click.Path(path_type=Path), help="Output folder; required unless --dry-run.")
@click.option("--fresh", is_flag=True, help="Replace a clustering in the folder.")
@click.option("--dry-run", is_flag=True, help="Read and check all files; write nothing.")
@output_options("Print the outcome as JSON.")
def command(
    config: Path | None,
    out: Path | None,
    fresh: bool,
    dry_run: bool,
    scheduler: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Cluster your own tables, of which only some rows are known to match.

    Tables are CSV, TSV, Excel (.xlsx), JSON, Parquet, NPZ, NPY or ARFF, with numbers, categories, dates and texts. A
    column `id` (or --id-column) names the rows; without one, they are numbered from 0. What became of each column is
    printed; --ignore and --columns change it. Settings may be in a CONFIG file (`mvcc init` writes one with comments);
    options override it.

    A view may be a folder of Parquet files, more than memory holds: a sample of its rows is clustered, and all rows get
    the clusters of that, in parallel.

    Writes to the folder of --out: for each view labels.csv, and moved.csv with the rows that constraints moved and why
    (co-em: propagated.csv and received.csv); of a folder labels/ with all rows; report.html, model.skops, and
    cluster.yaml, which repeats the run.
    """
    # pandas, numba and scikit-learn take longer to import than a usage error may take
    if config is None and not given["views"]:
        raise click.UsageError("there is nothing to cluster; give a CONFIG file, or tables with --view NAME=FILE.")
    if config is None and given["n_clusters"] is None:
        raise click.UsageError("the number of clusters is missing; give it with -k (NUMBER or auto).")
    if out is None and not dry_run:
        raise click.UsageError("the output folder is missing; give it with --out.")
    from mvcc.tables import cluster_job, load_job

    numbers = as_range(given["n_clusters"])
    if numbers:
        given["n_clusters"] = str(numbers[-1])
    job = load_job(config, list(_settings(given)))
    if numbers and out is not None and not dry_run:
        _try_numbers(job, numbers, out, config, given, fresh=fresh, scheduler=scheduler, as_json=as_json)
        return
    with told_how_to_ask(job, config, given, as_json):
        if out is None or dry_run:
            _check(job, scheduler, as_json)
            return
        with shown_steps() as on_step:
            facts = cluster_job(job, out, fresh=fresh, scheduler=scheduler, on_step=on_step)
    _print_outcome(facts, out, out / "report.html", as_json)


def _try_numbers(
    job: Job,
    numbers: range,
    out: Path,
    config: Path | None,
    given: dict[str, Any],
    *,
    fresh: bool,
    scheduler: str | None,
    as_json: bool,
) -> None:
    from mvcc._utils.outputs import write_output
    from mvcc.tables import CHOICE_KIND, CURVES, try_numbers

    with shown_steps() as on_step:
        tried = try_numbers(job, numbers, out, fresh=fresh, scheduler=scheduler, on_step=on_step)
    from mvcc.reporting.figures import picture_of_numbers

    write_output(out / CURVES, picture_of_numbers(tried), CHOICE_KIND, fresh=fresh)
    print_numbers(tried, out, job, config, given, as_json)


_MOST_NAMED = 12  # clusters, in the terminal
_PLAIN = ("asked", "n_clusters", "method", "base", "transfer", "closure", "on_conflict", "stability_runs",
          "comparison", "compare_co_em", "sample", "seed")  # fmt: skip


def _settings(given: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    k = given["n_clusters"]
    yield from settings(given | {"n_clusters": None if k is None else as_number(k)}, _PLAIN)
    if given["threshold"] is not None:
        yield ("threshold",), as_number(given["threshold"]), f"--threshold {given['threshold']}"


def _check(job: Job, scheduler: str | None, as_json: bool) -> None:
    from mvcc.tables import check_job

    inputs = check_job(job, scheduler=scheduler)
    from mvcc.tables import described_features  # scikit-learn, once the files have been read

    features = [described_features(table, job) for table in inputs.tables]
    if as_json:
        views = [
            {
                "name": t.name,
                "rows": len(t.ids),
                "all_rows": t.n_all_rows or len(t.ids),
                "columns": len(t.columns),
                "constraints": len(c),
                "every_column": [asdict(column) for column in t.every_column],
                "features": made,
                "notes": t.notes,
            }
            for t, c, made in zip(inputs.tables, inputs.constraints, features, strict=True)
        ]
        matches = [{"views": [inputs.tables[v].name for v in key], "matches": len(rows)}
                   for key, rows in inputs.relations.items()]  # fmt: skip
        print_json({"views": views, "matches": matches, "settings": job.settings()})
        return
    for table, constraints, made in zip(inputs.tables, inputs.constraints, features, strict=True):
        numbers = {"row": len(table.ids), "column": len(table.columns), "constraint": len(constraints)}
        said = ", ".join(counted(n, noun) for noun, n in numbers.items())
        all_rows = f"a sample of {table.n_all_rows} rows: " if table.n_all_rows else ""
        say(f"{table.name}: {all_rows}{said} ({table.path})")
        _say_columns(table.every_column)
        if made:
            say(f"  features: {made}")
        for note in table.notes:
            remark(f"Note: {note}")
    for (u, v), rows in inputs.relations.items():
        say(f"{inputs.tables[u].name} and {inputs.tables[v].name}: {counted(len(rows), 'match')}")
    if inputs.answers:
        n_outliers = sum(map(len, inputs.answers.outliers))
        say(f"answers: {counted(len(inputs.answers.groups), 'group')}, {counted(n_outliers, 'row')} of outliers")
    say("All files are valid. Nothing was written.")


def _say_columns(columns: Sequence[Column]) -> None:
    from mvcc.tables import described

    for line in described(columns):
        say(f"  {line}")


def _print_outcome(facts: dict[str, Any], out: Path, report: Path, as_json: bool) -> None:
    from mvcc.tables import Column

    notes = [*facts["warnings"], *_doubts(facts)]
    for note in notes:
        remark(f"Note: {note}")
    if as_json:
        views = [
            {
                "name": view["name"],
                "rows": view["n_rows"],
                **_of_all_rows(view, out),
                **{what: len(view[what]) for what in ("given", "violated", "dropped")},
                **_effect(view),
                "labels": str(out / view["name"] / "labels.csv"),
                "reference_f": view["reference_f"],
                "names": view["names"],
                "profiles": [{"name": one["name"], "size": one["size"]} for one in facts["profiles"][number]],
                "outliers": len(view["outliers"]),
            }
            for number, view in enumerate(facts["views"])
        ]
        summary = {"folder": str(out), "report": str(report), "views": views, "warnings": notes}
        summary["comparison"] = facts["comparison"]
        of_method = {"joint": facts.get("joint"), "co_em": facts["co_em"]}
        print_json(summary | of_method | {"stability_runs": facts["stability_runs"], "seconds": facts["seconds"]})
        return
    if facts["comparison"]:
        say(facts["comparison"]["sentence"])
    co_em = facts["co_em"]
    if co_em and co_em["propagates"] and facts["settings"]["threshold"] == "cv":
        say(f"Threshold: {facts['co_em']['threshold']:g}, chosen by cross-validation")
    for number, view in enumerate(facts["views"]):
        say(_worded(view, facts["stability_runs"]["agreement"][number : number + 1], len(facts["views"]) > 1))
        _say_columns([Column(**column) for column in view["columns"]])
    for relation in facts["relations"]:
        names = " and ".join(facts["views"][v]["name"] for v in relation["views"])
        if relation["agreement"] is not None:
            shares = f"{percent(relation['agreement'])} of {len(relation['pairs'])} matched rows share their cluster"
            say(f"{names}: {shares} ({percent(relation['by_chance'])} by chance)")
        elif cut := relation["held_out"]:
            shares = f"{percent(cut['agreement'])} of {cut['n']} matched rows share their cluster"
            say(f"{names}: {shares} where their match is cut ({percent(cut['by_chance'])} by chance)")
    for line in _clusters(facts):
        say(line)
    if facts["names_from"]:
        named = [f"{cluster} {name}" for cluster, name in enumerate(facts["names"]) if name]
        say(f"Names: {', '.join(named) or 'none'} ({facts['names_from']})")
    for view in facts["views"]:
        if view["n_all_rows"]:
            say(_sampled(view, out))
    say(f"Clusters: {out}/*/labels.csv")
    say(f"Report: {report}")


def _of_all_rows(view: dict[str, Any], out: Path) -> dict[str, Any]:
    """Return what is told of all rows of a folder."""
    if not view["n_all_rows"]:
        return {}
    more: dict[str, Any] = {name: view[name] for name in ("all_sizes", "all_f", "all_ari") if name in view}
    return {"all_rows": view["n_all_rows"], **more, "all_labels": str(out / view["name"] / "labels")}


def _sampled(view: dict[str, Any], out: Path) -> str:
    """Say that the clusters of all rows come from some of them."""
    against = f"; F of all rows against the labels {view['all_f']:.2f}" if view.get("all_f") is not None else ""
    return (
        f"{view['name']}: the clusters come from a sample of {view['n_rows']} of {view['n_all_rows']} rows; those of "
        f"all rows are in {out}/{view['name']}/labels{against}"
    )


def _clusters(facts: dict[str, Any]) -> Iterator[str]:
    """Name the clusters after what sets them apart, where no person did."""
    if facts["names_from"]:
        return
    names = [view["name"] for view in facts["views"]]
    for cluster, own in enumerate(islice(zip(*facts["profiles"], strict=True), _MOST_NAMED)):
        told = [
            f"{f'{name}: ' if len(names) > 1 else ''}{one['name'] or 'nothing sets it apart'}"
            for name, one in zip(names, own, strict=True)
        ]
        yield f"Cluster {cluster} ({counted(sum(one['size'] for one in own), 'row')}): {'; '.join(told)}"
    if (more := facts["n_clusters"] - _MOST_NAMED) > 0:
        yield f"… and {counted(more, 'more cluster')}; see the report."


def _doubts(facts: dict[str, Any]) -> list[str]:
    """Say where the two indicators of §6.4 speak against what was inferred."""
    from mvcc.propagation import SMALLEST_DIVERGENCE

    def overlapping(view: dict[str, Any]) -> str:
        if view["divergence"] is None or view["divergence"] >= SMALLEST_DIVERGENCE:
            return "the report says why"
        one, other = view["closest"]
        return (
            f"clusters {one} and {other} overlap (separation {view['divergence']:.2g}; below {SMALLEST_DIVERGENCE:g} "
            f"is risky)"
        )

    return [
        f"What was inferred for nearby rows of {view['name']} may be wrong: {overlapping(view)}."
        for view in facts["views"]
        if facts["co_em"] and facts["co_em"]["propagates"] and view["suspicious"] and sum(view["n_inferred"].values())
    ]


def _effect(view: dict[str, Any]) -> dict[str, int]:
    """Count what the constraints did: the rows that they moved, or how many were propagated."""
    if "n_moved" in view:
        return {"moved": view["n_moved"]}
    return {what: sum(view[f"n_{what}"].values()) for what in ("propagated", "inferred", "received")}


def _worded(view: dict[str, Any], agreement: list[float], several: bool) -> str:
    given = counted(len(view["given"]), "constraint")
    parts = [counted(view["n_rows"], "row"), f"{given} given, {len(view['violated'])} violated"]
    if view["dropped"]:
        parts.append(f"{len(view['dropped'])} dropped")
    effect = _effect(view)
    if "moved" in effect:
        parts += [f"{counted(effect['moved'], 'row')} moved by constraints"] if effect["moved"] else []
    elif several:
        parts.append("{propagated} transferred, {inferred} of them inferred; {received} received".format(**effect))
    elif effect["propagated"]:
        parts.append("{propagated} propagated, {inferred} of them inferred".format(**effect))
    if agreement:
        parts.append(f"agreement of stability runs {agreement[0]:.2f}")
    if view["reference_f"] is not None:
        parts.append(f"F against the labels {view['reference_f']:.2f}")
    return f"{view['name']}: {'; '.join(parts)}"
