"""Commands about a clustering: ``review``, ``predict``, ``compare``, ``export``, ``report``.

What they call is imported when it is first used, since their help needs none of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mvcc import tables
from mvcc._utils.messages import clipped, counted, padded, typed
from mvcc.cli import _shared as shared
from mvcc.reporting import html

_MOST_SHOWN = 10
_WIDEST = 24  # clusters of a table that fits a terminal
_OUTLIER = -1


@shared.command(
    "mvcc predict results --view texts=new.csv --out labels.csv",
    "mvcc predict results --view texts=a.parquet --view images=b.npz --out labels",
    "mvcc predict results --view texts=folder --out labels",
    terms=("view",),
)
@click.argument("folder", type=shared.Folder())
@click.option(
    "--view",
    "views",
    multiple=True,
    required=True,
    type=shared.with_home,
    metavar="NAME=FILE",
    help="New rows of a view, a file or a folder of Parquet files; may be repeated.",
)
@click.option(
    "--out",
    type=shared.FILE,
    required=True,
    help="Output file, .csv or .parquet; for a folder or several views, the output folder.",
)
@shared.sheet_option(help="Excel: the sheet.  [default: that of the view that was clustered]")
@shared.header_option(
    help="Excel: the row of the sheet that names the columns.  [default: likewise]"
)
@shared.scheduler_option
@shared.fresh_option
@shared.output_options("Print the outcome as JSON.")
def predict(
    folder: Path,
    views: tuple[str, ...],
    out: Path,
    sheets: tuple[str, ...],
    headers: tuple[str, ...],
    scheduler: str | None,
    fresh: bool,
) -> None:
    """Put new rows into the clusters of FOLDER, the output folder of `mvcc cluster`.

    A table needs the columns that its view was clustered by, in any order; others are ignored.
    Formats and ids are those of `mvcc cluster`. CSV and Parquet files may be larger than memory.
    The output has the columns id, cluster and, if clusters have names, name. Several views get a
    folder each, with labels.csv; a folder of Parquet files gets such a folder.
    """
    new = shared.by_name(views, "--view")
    with shared.shown_steps() as on_step:
        predictions = tables.predict_files(
            folder,
            new,
            out,
            sheets=shared.by_name(sheets, "--sheet"),
            headers=shared.header_rows(headers),
            fresh=fresh,
            scheduler=scheduler,
            on_step=on_step,
        )
    documents = [
        {
            "name": prediction.view,
            "rows": sum(prediction.sizes),
            "sizes": prediction.sizes,
            "labels": prediction.path,
            "notes": prediction.notes,
        }
        for prediction in predictions
    ]
    shared.say_json({"views": documents})
    for prediction in predictions:
        sizes = ", ".join(map(str, prediction.sizes))
        shared.say(
            f"{prediction.view}: {counted(sum(prediction.sizes), 'row')}; in clusters 0 to "
            f"{len(prediction.sizes) - 1}: {sizes} ({prediction.path})"
        )
        shared.say_notes(prediction.notes)


@shared.command(
    "mvcc compare results results-2",
    "mvcc compare results results-2 --out moved.csv",
    terms=("view", "match", "constraint"),
)
@click.argument("first", metavar="A", type=shared.Folder())
@click.argument("second", metavar="B", type=shared.Folder())
@shared.out_option(".csv", ".txt", help="Write the rows that moved to a CSV file.")
@shared.fresh_option
@shared.output_options("Print everything as JSON.")
def compare(first: Path, second: Path, out: Path | None, fresh: bool) -> None:
    """Compare two clusterings: A and B are output folders of `mvcc cluster`.

    For each view: how many rows of each cluster of A are in which cluster of B, the adjusted Rand
    index (1: the same; 0: as by chance), the rows that moved, and the constraints and matches that
    are new in B or gone. Clusters of B are numbered as those of A that they share most rows with;
    clusters that were split or merged, are new or have vanished are named. Only rows and views that
    both have are compared.
    """
    shared.refuse_fresh_alone(fresh, out)
    comparison = tables.compare_clusterings(first, second)
    if out is not None:
        tables.write_moved(comparison, out, fresh=fresh)
    shared.say_json(comparison)
    shared.say_notes(comparison["notes"])
    for sentence in comparison["in_words"]:
        shared.say(sentence)
    for view in comparison["views"]:
        _print_view(view)
    for matches in comparison["matches"]:
        _print_difference(f"matches of {' and '.join(matches['views'])}", matches)
    if out is not None:
        shared.say(f"Rows that moved: {out}")


def _print_view(view: dict[str, Any]) -> None:
    alike = ""
    if view["adjusted_rand"] is not None:
        alike = f"; adjusted Rand index {view['adjusted_rand']:.2f}"
    shared.say(
        f"{view['name']}: {len(view['moved'])} of {counted(view['rows'], 'row')} moved{alike}"
    )
    rows, columns = view["clusters"]
    if max(len(rows), len(columns)) <= _WIDEST:
        names = padded(["A \\ B", *(_called(row, view["names"][0]) for row in rows)])
        lines = [[*map(_label, columns)], *([*map(str, counts)] for counts in view["table"])]
        for name, entries in zip(names, lines, strict=True):
            shared.say("  ".join([f"  {name}", *(f"{entry:>5}" for entry in entries)]))
    renumbered = [f"{old} is {new}" for old, new in enumerate(view["numbers"]) if old != new]
    if renumbered:
        shared.say(f"  B's clusters, as numbered here: {', '.join(renumbered)}")
    listed = [
        f"{clipped(row['id'], 30)} {_label(row['from'])} → {_label(row['to'])}"
        for row in view["moved"]
    ]
    _print_some("moved", listed)
    _print_difference("constraints", view["judgments"])


def _label(cluster: int) -> str:
    return "none" if cluster == _OUTLIER else str(cluster)


def _called(cluster: int, names: list[str]) -> str:
    name = dict(enumerate(names)).get(cluster, "")  # outliers have none
    return f"{_label(cluster)} {clipped(name, 20)}".rstrip()


def _print_difference(noun: str, difference: dict[str, Any]) -> None:
    for kind in ("new", "gone"):
        lines = [clipped(" ".join(entry.values()), 90) for entry in difference[kind]]
        _print_some(f"{kind} {noun}", lines)


def _print_some(title: str, lines: list[str]) -> None:
    if lines:
        listed = ", ".join(lines[:_MOST_SHOWN])
        if len(lines) > _MOST_SHOWN:
            listed += f", and {len(lines) - _MOST_SHOWN} more"
        shared.say(f"  {title} ({len(lines)}): {listed}")


@shared.command(
    "mvcc export results --out with-clusters",
    "mvcc export results --out with-clusters --format parquet",
    "mvcc export results --out clusters.xlsx",
    terms=("view",),
)
@click.argument("folder", type=shared.Folder())
@click.option(
    "--out",
    required=True,
    type=shared.FILE,
    help="A folder, with a file for each view; or a file: .xlsx has a sheet for each view, .csv "
    "and .parquet one view.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "parquet", "xlsx"]),
    help="Format of the files in a folder.  [default: csv]",
)
@shared.fresh_option
@shared.output_options("Print the files as JSON.")
def export(folder: Path, out: Path, kind: str | None, fresh: bool) -> None:
    """Write your own tables, as they are, with the cluster of every row beside them.

    FOLDER is an output folder of `mvcc cluster`. The new columns are those of labels.csv, with
    cluster_name in place of name; where the table has a column of that name, the new one ends in
    _2. Outliers have the cluster -1. New texts that look like formulas get a leading ' in CSV.
    """
    written = tables.export_tables(folder, out, kind, fresh=fresh)
    shared.say_json({"files": [{"path": path, "rows": rows} for path, rows in written.items()]})
    for path, rows in written.items():
        shared.say(f"{path}: {counted(rows, 'row')}")


@shared.command("mvcc report results --out report.html", terms=("curve", "claim", "results folder"))
@click.argument("folder", type=shared.Folder())
@shared.out_option(".html", ".htm", help="Output file.  [default: FOLDER/report.html]")
@shared.fresh_option
@shared.output_options("Print the path as JSON.")
def report(folder: Path, out: Path | None, fresh: bool) -> None:
    """Write the report of FOLDER: one HTML file that works offline.

    FOLDER is an output folder of `mvcc cluster`: the report shows the clusters, the constraints,
    and how far to trust them. Or FOLDER holds one experiment of `mvcc run` or several: the report
    shows learning curves, the paper's figures and claims, and what was run.
    """
    inputs = [] if out is None else tables.inputs_of_clustering(folder)
    written = html.write_report(folder, out, fresh=fresh, inputs=inputs)
    shared.say_json({"report": written})
    shared.say(str(written))
    text = "Next: open it in a browser, or send it to others: it needs no other file."
    shared.say(text, err=True)


@shared.command(
    "mvcc review results",
    "mvcc review results --json -n 10 > to-review.json",
    "mvcc review results --parts 3",
    "mvcc review results --answers corrections.csv",
    terms=("view", "match"),
)
@click.argument("folder", type=shared.Folder())
@shared.file_option("--answers", help="Record a table of corrections: columns id,answer.")
@click.option("--parts", metavar="CLUSTER", help="Print how a cluster may be split, as JSON.")
@shared.number_option("-n", "n_rows", help="Rows of each list of --json.  [default: 20]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port.  [default: any that is free]")
@shared.flag("--no-open", help="Print the address of the page, and open nothing.")
@shared.output_options("Print clusters, doubtful rows and matches, and corrections as JSON.")
def review(
    folder: Path,
    answers: Path | None,
    parts: str | None,
    n_rows: int | None,
    port: int | None,
    no_open: bool,
) -> None:
    """Correct a result in a page of the browser: FOLDER is an output folder of `mvcc cluster`.

    Rename, merge and split clusters, move rows, leave out those that fit nowhere, confirm matches
    or refuse them. Each correction is stored at once in corrections.csv of FOLDER, which labels,
    report and all other commands follow, and can be taken back. `mvcc cluster --continue FOLDER`
    makes the result anew, and corrects it in the same way.

    With --json, --parts or --answers, programs do the same. In a table of corrections, id is a
    cluster, or rows as VIEW:ID, one below the other; answer is rename:NAME, merge:CLUSTER or split
    for a cluster, and CLUSTER, new:NAME, outlier, match or "no match" for rows; or undo.
    """
    for_program = shared.has_flag("json") or answers is not None or parts is not None
    if n_rows is not None and not shared.has_flag("json"):
        raise click.UsageError("-n is the number of rows of --json; add --json, or leave it out.")
    if parts is not None and (shared.has_flag("json") or answers):
        raise click.UsageError("--parts prints JSON of its own; leave out --json and --answers.")
    if for_program and (port is not None or no_open):
        raise click.UsageError(
            "--port and --no-open go with the page; leave them out, or --json, --parts, --answers."
        )
    if not for_program:
        shared.remark(f"Reading {folder} and its tables …")
    with tables.ReviewSession(folder, shared.remark) as session:
        if parts is not None:
            shared.print_json({"parts": session.parts(parts)})
        if answers is not None:
            before = session.draft
            recorded = tables.record_table(session, answers)
            moved = len(session.draft.moved_since(before))
            said = f"{counted(len(recorded), 'correction')} recorded"
            shared.say(f"{said}; {counted(moved, 'row')} moved.")
        if shared.has_flag("json"):
            shared.print_json(session.document(n_rows or 20))
        elif not for_program:
            shared.in_browser(tables.ReviewPage(session), "Correct", port, no_open)
        if parts is None:
            n = counted(len(session.draft.sentences), "correction")
            shared.say(f"{folder} has {n} in all.")
            again = f"mvcc cluster CONFIG --continue {typed(folder)} --out NEW"
            shared.say(f"Made anew, it keeps them: {again}", err=True)
