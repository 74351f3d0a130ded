"""``mvcc cluster``: cluster your own tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mvcc._utils.messages import clipped, counted
from mvcc.cli._number_of_clusters import told_how_to_ask
from mvcc.cli._shared import below_help, detail, is_quiet, output_options, print_json, remark, say, told_of_compiling

if TYPE_CHECKING:
    from mvcc.jobs import Job

_Keys = tuple[str, ...]

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
@click.argument("config", required=False, type=click.Path(path_type=Path))
@click.option("--view", "views", multiple=True, metavar="NAME=FILE", help="A table with one row per instance.")
@click.option("--match", "matches", multiple=True, metavar="VIEW:VIEW=FILE", help="Matches: two columns of ids.")
@click.option("--constraints", multiple=True, metavar="VIEW=FILE", help="Constraints: columns i,j,kind[,weight].")
@click.option("--asked", metavar="FOLDER", help="Answers: the folder of `mvcc ask`.")
@click.option(
    "-k", "--clusters", "n_clusters", metavar="NUMBER|auto", help="Number of clusters; auto: that of the named groups."
)
@click.option("--id-column", "id_columns", multiple=True, metavar="VIEW=COLUMN", help="The column that names the rows.")
@click.option(
    "--labels-column",
    "labels_columns",
    multiple=True,
    metavar="VIEW=COLUMN",
    help="True labels, only compared with the clusters.",
)
@click.option("--ignore", multiple=True, metavar="VIEW=COLUMN", help="A column to leave out.")
@click.option("--method", metavar="NAME", help="joint, or the paper's co-em.  [default: joint]")
@click.option("--base", metavar="NAME", help="co-em: mpck-means or pck-means.  [default: mpck-means]")
@click.option("--transfer", metavar="NAME", help="co-em: transfer method.  [default: constraint-propagation]")
@click.option(
    "--threshold", metavar="NUMBER|cv", help="co-em: least weight of a propagated constraint.  [default: 0.75]"
)
@click.option("--closure", metavar="NAME", help="co-em: full, view or none.  [default: full]")
@click.option("--on-conflict", metavar="NAME", help="error, or drop contradictory constraints.  [default: error]")
@click.option(
    "--features",
    multiple=True,
    metavar="[VIEW=]NAME",
    help="auto, spectral, pca or none.  [default: auto; spectral for co-em]",
)
@click.option(
    "--components",
    multiple=True,
    metavar="[VIEW=]NUMBER",
    help="Dimensions of the features.  [default: k for spectral, up to 10 for pca]",
)
@click.option(
    "--stability-runs", type=int, help="Stability runs, each without a tenth of the constraints.  [default: 10]"
)
@click.option("--seed", type=int, help="The same seed gives the same result.  [default: 0]")
@click.option("--out", type=click.Path(path_type=Path), help="Output folder; required unless --dry-run.")
@click.option("--fresh", is_flag=True, help="Replace a clustering with other settings in the folder.")
@click.option("--dry-run", is_flag=True, help="Read and check all files; write nothing.")
@output_options("Print the outcome as JSON.")
def command(config: Path | None, out: Path | None, fresh: bool, dry_run: bool, as_json: bool, **given: Any) -> None:
    """Cluster your own tables, of which only some rows are known to match.

    Tables are CSV, TSV, Parquet, NPZ, NPY or ARFF. A column `id` (or --id-column) names the rows; without one, they are
    numbered from 0. All other columns must be numeric. Settings may be in a CONFIG file (`mvcc init` writes one with
    comments); options override it.

    Writes to the folder of --out: for each view labels.csv, and moved.csv with the rows that constraints moved and why
    (co-em: propagated.csv and received.csv); report.html, model.joblib, and cluster.yaml, which repeats the run.
    """
    # pandas, numba and scikit-learn take longer to import than a usage error may take
    if config is None and not given["views"]:
        raise click.UsageError("there is nothing to cluster; give a CONFIG file, or tables with --view NAME=FILE.")
    if config is None and given["n_clusters"] is None:
        raise click.UsageError("the number of clusters is missing; give it with -k (NUMBER or auto).")
    if out is None and not dry_run:
        raise click.UsageError("the output folder is missing; give it with --out.")
    from mvcc.jobs import cluster_job, load_job

    job = load_job(config, list(_settings(given)))
    with told_how_to_ask(job, config, given, as_json):
        if out is None or dry_run:
            _check(job, as_json)
            return
        with _shown_steps() as on_step:
            facts = cluster_job(job, out, fresh=fresh, on_step=on_step)
    from mvcc.reporting.html import write_clustering_report

    report = out / "report.html"
    write_clustering_report(facts, report)
    _print_outcome(facts, out, report, as_json)


@contextmanager
def _shown_steps() -> Iterator[Callable[[str], None]]:
    """Show what is being done: the current step on a terminal, every one with ``--verbose``."""
    from rich.console import Console

    console = Console(stderr=True, quiet=is_quiet())
    current = ""
    with console.status("") as status:

        def show(step: str) -> None:
            nonlocal current
            current = step
            resume()
            detail(f"{step} …")

        def resume() -> None:
            status.update(f"{current} …")

        def meanwhile(step: str) -> None:
            status.update(f"{step} …")

        with told_of_compiling(meanwhile, resume, terminal=sys.stderr.isatty() and console.is_interactive):
            yield show


_BY_NAME = (  # options NAME=VALUE, their flags, and the keys of views that they set
    ("views", "--view", "path"),
    ("matches", "--match", None),
    ("constraints", "--constraints", None),
    ("id_columns", "--id-column", "id_column"),
    ("labels_columns", "--labels-column", "labels_column"),
)
_PLAIN = ("asked", "n_clusters", "method", "base", "transfer", "closure", "on_conflict", "stability_runs", "seed")


def _settings(given: dict[str, Any]) -> Iterator[tuple[_Keys, Any, str]]:
    """Translate the options into settings: keys, value, and what messages call the option."""
    for option, flag, key in _BY_NAME:
        for name, text, label in _each(given[option], flag):
            yield (("views", name, key) if key else (option, name)), text, label
    ignored: dict[str, list[str]] = {}
    for text in given["ignore"]:
        name, column = _named(text, "--ignore")
        ignored.setdefault(name, []).append(column)
        yield ("views", name, "ignore"), list(ignored[name]), f"--ignore {text}"
    for option, key in (("features", "features"), ("components", "n_components")):
        for text in given[option]:
            name, _, word = text.rpartition("=")
            value = _number(word) if option == "components" else word
            yield (("views", name, key) if name else (key,)), value, f"--{option} {text}"
    if given["threshold"] is not None:
        yield ("threshold",), _number(given["threshold"]), f"--threshold {given['threshold']}"
    for option in _PLAIN:
        if given[option] is not None:
            flag = "-k" if option == "n_clusters" else f"--{option.replace('_', '-')}"
            value = _number(given[option]) if option == "n_clusters" else given[option]
            yield (option,), value, f"{flag} {given[option]}"


def _each(texts: Iterable[str], flag: str) -> Iterator[tuple[str, str, str]]:
    """Give name, value and label of an option that may be given once for each name."""
    seen = set()
    for text in texts:
        name, value = _named(text, flag)
        if name in seen:
            raise click.BadParameter(f"{clipped(repr(name))} is given twice; keep one.", param_hint=flag)
        seen.add(name)
        yield name, value, f"{flag} {text}"


def _named(text: str, flag: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.BadParameter(
            f"{clipped(repr(text))} has no name, '=' and value, such as {flag} texts=…", param_hint=flag
        )
    return name, value


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _check(job: Job, as_json: bool) -> None:
    from mvcc.jobs import check_job

    inputs = check_job(job)
    if as_json:
        views = [
            {"name": t.name, "rows": len(t.ids), "columns": len(t.columns), "constraints": len(c)}
            for t, c in zip(inputs.tables, inputs.constraints, strict=True)
        ]
        matches = [{"views": [inputs.tables[v].name for v in key], "matches": len(rows)}
                   for key, rows in inputs.relations.items()]  # fmt: skip
        print_json({"views": views, "matches": matches, "settings": job.settings()})
        return
    for table, constraints in zip(inputs.tables, inputs.constraints, strict=True):
        numbers = {"row": len(table.ids), "column": len(table.columns), "constraint": len(constraints)}
        say(f"{table.name}: {', '.join(counted(n, noun) for noun, n in numbers.items())} ({table.path})")
    for (u, v), rows in inputs.relations.items():
        say(f"{inputs.tables[u].name} and {inputs.tables[v].name}: {counted(len(rows), 'match')}")
    if inputs.answers:
        n_outliers = sum(map(len, inputs.answers.outliers))
        say(f"answers: {counted(len(inputs.answers.groups), 'group')}, {counted(n_outliers, 'row')} of outliers")
    say("All files are valid. Nothing was written.")


def _print_outcome(facts: dict[str, Any], out: Path, report: Path, as_json: bool) -> None:
    notes = [*facts["warnings"], *_doubts(facts)]
    for note in notes:
        remark(f"Note: {note}")
    if as_json:
        views = [
            {
                "name": view["name"],
                "rows": view["n_rows"],
                **{what: len(view[what]) for what in ("given", "violated", "dropped")},
                **_effect(view),
                "labels": str(out / view["name"] / "labels.csv"),
                "reference_f": view["reference_f"],
                "names": view["names"],
                "outliers": len(view["outliers"]),
            }
            for view in facts["views"]
        ]
        summary = {"folder": str(out), "report": str(report), "views": views, "warnings": notes}
        of_method = {"joint": facts.get("joint"), "co_em": facts["co_em"]}
        print_json(summary | of_method | {"stability_runs": facts["stability_runs"], "seconds": facts["seconds"]})
        return
    co_em = facts["co_em"]
    if co_em and co_em["propagates"] and facts["settings"]["threshold"] == "cv":
        say(f"Threshold: {facts['co_em']['threshold']:g}, chosen by cross-validation")
    for number, view in enumerate(facts["views"]):
        say(_worded(view, facts["stability_runs"]["agreement"][number : number + 1], len(facts["views"]) > 1))
    for relation in facts["relations"]:
        names = " and ".join(facts["views"][v]["name"] for v in relation["views"])
        if relation["agreement"] is None:
            continue
        shares = f"{relation['agreement']:.0%} of {len(relation['pairs'])} matched rows share their cluster"
        say(f"{names}: {shares} ({relation['by_chance']:.0%} by chance)")
    if facts["names_from"]:
        named = [f"{cluster} {name}" for cluster, name in enumerate(facts["names"]) if name]
        say(f"Names: {', '.join(named) or 'none'} ({facts['names_from']})")
    say(f"Clusters: {out}/*/labels.csv")
    say(f"Report: {report}")


def _doubts(facts: dict[str, Any]) -> list[str]:
    """Say where the two indicators of §6.4 speak against what was inferred."""
    return [
        f"What was inferred for nearby rows of {view['name']} may be wrong; the report says why."
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
