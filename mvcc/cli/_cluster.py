"""``mvcc cluster``: cluster your own tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mvcc import results, tables
from mvcc._utils.messages import counted
from mvcc.cli import _outcome as outcome
from mvcc.cli import _shared as shared
from mvcc.cli._job_options import ALL, job_options, settings

_EXAMPLES = (
    "mvcc cluster texts.csv images.xlsx --match matches.csv -k 5",
    "mvcc cluster --view texts=texts.csv --view images=images.npz \\",
    "    --match texts:images=matches.csv --constraints texts=pairs.csv -k 5",
    "mvcc cluster cluster.yaml --out results",
    "mvcc cluster cluster.yaml --method co-em --threshold cv --out results-paper",
)


@shared.command(
    *_EXAMPLES, terms=("view", "must-link", "cannot-link", "match", "closure", "threshold")
)
@job_options(ALL)
@shared.scheduler_option
@click.option(
    "--out", type=shared.FILE, default=Path("results"), show_default=True, help="Output folder."
)
@shared.flag("--fresh", help="Replace a clustering in the folder.")
@shared.flag("--dry-run", help="Read and check all files; write nothing.")
@shared.output_options("Print the outcome as JSON.")
def cluster(
    config: Path | None, out: Path, fresh: bool, dry_run: bool, scheduler: str | None, **given: Any
) -> None:
    """Cluster your own tables, of which only some rows are known to match.

    Tables are CSV, TSV, Excel (.xlsx), JSON, Parquet, NPZ, NPY or ARFF, with numbers, categories,
    dates and texts. A TABLE is a view named after its file; --view gives another name. The output
    lists how each column was used; --ignore and --columns change it.

    Settings may be in a CONFIG file (`mvcc init --from` drafts one); options override it. A range
    such as -k 2-12 compares numbers of clusters and chooses none.

    A view may be a folder of Parquet files with more rows than memory holds: mvcc clusters a
    sample, then gives all rows its clusters.

    Writes to the folder of --out: report.html; for each view labels.csv, and moved.csv with the
    rows that constraints moved and why (co-em: propagated.csv and received.csv); suspicious.csv
    with matches that seem wrong; of a folder labels/ with all rows; clustering.json with all facts;
    answers.csv with what --asked holds, and disputed.csv of several people; model.skops; and
    cluster.yaml, which repeats the run.
    """
    if config is None and not given["views"]:
        raise click.UsageError(
            "there is nothing to cluster; give a CONFIG file, or tables: mvcc cluster a.csv b.csv"
            " --match m.csv -k 5."
        )
    if config is None and given["n_clusters"] is None:
        raise click.UsageError(
            "the number of clusters is missing; give it with -k, or compare some with -k 2-12."
        )
    k_range = outcome.as_range(given["n_clusters"])
    if k_range:
        for name in ("stability_runs", "comparison", "compare_co_em"):
            if given[name] not in (None, False, "0"):
                raise click.UsageError(
                    f"--{name.replace('_', '-')} goes with one number of clusters (-k), not with a"
                    " range; leave it out."
                )
        given["n_clusters"] = str(k_range[-1])
    job = tables.load_job(config, settings(given))
    asking = outcome.asking_command(job, config, given)
    if k_range and not dry_run:
        with shared.shown_steps() as on_step:
            tried = tables.try_numbers(
                job, k_range, out, fresh=fresh, scheduler=scheduler, on_step=on_step
            )
        outcome.print_numbers(tried, out, asking)
        return
    try:
        if dry_run:
            _print_inputs(job, tables.check_job(job, scheduler=scheduler))
            return
        with shared.shown_steps() as on_step:
            facts = tables.cluster_job(job, out, fresh=fresh, scheduler=scheduler, on_step=on_step)
    except tables.UnknownNumberError as error:
        outcome.refuse_unknown(error, job, asking)
    outcome.print_outcome(facts, out)


def _print_inputs(job: tables.Job, inputs: tables.Inputs) -> None:
    """Print what was read for a job, and what features will be made of it."""
    # features need scikit-learn, once the files have been read
    views: list[dict[str, Any]] = [
        {
            "name": table.name,
            "rows": len(table.ids),
            "all_rows": table.n_all_rows or len(table.ids),
            "columns": len(table.columns),
            "constraints": len(constraints),
            "every_column": [column.to_dict() for column in table.every_column],
            "features": tables.described_features(table, job),
            "notes": (*table.notes, *table.far_values),
        }
        for table, constraints in zip(inputs.tables, inputs.constraints, strict=True)
    ]
    matches: list[dict[str, Any]] = [
        {"views": [inputs.tables[view].name for view in pair], "matches": len(rows)}
        for pair, rows in inputs.relations.items()
    ]
    document = {"views": views, "matches": matches, "notes": inputs.notes}
    shared.say_json(document | {"settings": job.settings()})
    for table, view in zip(inputs.tables, views, strict=True):
        sample = f"a sample of {table.n_all_rows} rows: " if table.n_all_rows else ""
        _say_view(view, sample, table.path)
    for match in matches:
        shared.say(f"{' and '.join(match['views'])}: {counted(match['matches'], 'match')}")
    if inputs.answers:
        n_outliers = sum(map(len, inputs.answers.outliers))
        shared.say(
            f"answers: {counted(len(inputs.answers.groups), 'group')}, "
            f"{counted(n_outliers, 'row')} of outliers"
        )
        if inputs.answers.together:
            for sentence in inputs.answers.together.in_words():
                shared.say(sentence)
    shared.say_notes(inputs.notes)
    shared.say("All files are valid. Nothing was written.")


def _say_view(view: dict[str, Any], sample: str, path: str) -> None:
    columns = [results.ColumnFacts(**column) for column in view["every_column"]]
    shared.say(
        f"{view['name']}: {sample}{counted(view['rows'], 'row')}, {results.columns_used(columns)},"
        f" {counted(view['constraints'], 'constraint')} ({path})"
    )
    for line in results.column_lines(columns):
        shared.say(f"  {line}")
    if view["features"]:
        shared.say(f"  features: {view['features']}")
    shared.say_notes(view["notes"])
