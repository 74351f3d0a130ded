"""Commands about results of the paper's experiments: ``plot``, ``claims``, ``check``, ``replay``.

What they call is imported when it is first used, since their help needs none of it.
"""

from __future__ import annotations

import re
import sys
import traceback
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from mvcc import experiments, results, tables
from mvcc._utils.messages import padded, typed
from mvcc.cli import _shared as shared
from mvcc.exceptions import DataError, MvccError, StoreError
from mvcc.reporting import claims as tested
from mvcc.reporting import figures as drawn

_DIFFERENT, _CLAIM_DOES_NOT_HOLD = 1, 3  # exit codes
_PART = re.compile(r"\.clustering\.[0-9]+\.part")  # what a killed `mvcc cluster` leaves
_REPEAT = "a clustering was not finished: the same `mvcc cluster` starts over."
_WIDTH = 100  # of the tables where there is no terminal to ask


@shared.command("mvcc plot results --figure 4 --out figures", terms=("curve", "results folder"))
@click.argument("results_dir", type=shared.Folder())
@click.option(
    "--figure",
    "figures",
    type=click.Choice(list(drawn.FIGURES)),
    multiple=True,
    help="Number or name of a figure; may be repeated.  [default: all figures that have results]",
)
@shared.folder_option("--out", help="Output folder.  [default: RESULTS_DIR/figures]")
@shared.fresh_option
@shared.output_options("Print the paths as JSON, by figure.")
def plot(results_dir: Path, figures: tuple[str, ...], out: Path | None, fresh: bool) -> None:
    """Draw the paper's figures from the results in RESULTS_DIR, as PNG and PDF.

    RESULTS_DIR is the folder of one experiment, or contains such folders. Prints the paths of the
    files, one per line.
    """
    written = drawn.plot(results_dir, figures=figures, out=out, fresh=fresh)
    shared.remark_notes(results.Results(results_dir).gaps())
    shared.say_json({"figures": written})
    for path in chain.from_iterable(written.values()):
        shared.say(str(path))
    shared.say(f"Next: mvcc claims {typed(results_dir)}", err=True)


@shared.command("mvcc claims results", terms=("claim", "cell", "trial", "results folder"))
@click.argument("results_dir", type=shared.Folder())
@shared.fresh_option
@shared.output_options("Print everything as JSON: claims, cells, effects, readings.")
@click.pass_context
def claims(context: click.Context, results_dir: Path, fresh: bool) -> None:
    """Test every claim of the paper on the results in RESULTS_DIR.

    Prints a table and writes it with all details to RESULTS_DIR/claims.md. RESULTS_DIR is the
    folder of one experiment, or contains such folders. A claim without enough results is not a
    failure: the page says what to run.

    Our own claims, about the study `beyond`, go to RESULTS_DIR/beyond.md and do not affect the exit
    status.

    Exit status 3 if a claim does not hold, or holds only in part.
    """
    scorecard = tested.evaluate_claims(results.Results(results_dir))
    shared.say_notes(scorecard.gaps)
    paths = tested.write_markdown(scorecard, results_dir, fresh=fresh)
    if shared.has_flag("json"):
        shared.print_json(tested.to_json(scorecard))
    elif not shared.has_flag("quiet"):
        from rich.console import Console

        console = Console(highlight=False)
        if not sys.stdout.isatty():  # a file or a pipe has no width to ask for
            console.width = _WIDTH
        tested.print_scorecard(scorecard, console)
        shared.say(f"Details: {' and '.join(map(str, paths))}")
    if not scorecard.all_hold:
        context.exit(_CLAIM_DOES_NOT_HOLD)


@shared.command("mvcc check results", terms=("results folder", "trial"))
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...", type=shared.Folder())
@shared.output_options("Print the findings as JSON.")
@click.pass_context
def check(context: click.Context, paths: tuple[Path, ...]) -> None:
    """Verify the results in and below each FOLDER; change nothing.

    Results of `mvcc run` must have the checksums that were stored. If two folders have the same
    config and data but different curves (for example from two machines), the output lists the
    differences between their programs, libraries and processors.

    Labels, tables and model of `mvcc cluster` must agree with clustering.json; the output also
    names inputs that have changed since.

    Exit status 1 if a file is damaged, or if curves differ that should be equal.
    """
    below = {path: {file.parent for file in path.rglob(results.CLUSTERING)} for path in paths}
    clusterings = set[Path]().union(*below.values())
    parts = {folder for folder in clusterings if _PART.fullmatch(folder.name)}
    findings = [_finding(folder) for folder in sorted(clusterings - parts)]
    unfinished = sorted({folder.parent for folder in parts} - clusterings)
    findings += [
        experiments.Finding(path, "unfinished", 0, 0, 0, [_unfinished(path)]) for path in unfinished
    ]
    of_runs, disagreements = experiments.check_results(
        path for path in paths if not below[path] or any(path.rglob(results.MANIFEST))
    )
    findings += of_runs
    shared.say_json({"folders": list(map(asdict, findings)), "disagreements": disagreements})
    _print_findings(findings)
    for line in disagreements:
        shared.say(line)
    if disagreements or any(finding.status == "damaged" for finding in findings):
        context.exit(_DIFFERENT)


def _unfinished(folder: Path) -> str:
    try:
        results.refuse_aside(folder / results.CLUSTERING)
    except MvccError as error:
        return str(error)
    return _REPEAT


def _finding(folder: Path) -> experiments.Finding:
    try:
        verified, wrong, notes = tables.check_clustering(folder)
    except MvccError as error:
        return experiments.Finding(folder, "damaged", 0, 0, 0, [str(error)])
    status = "damaged" if wrong else "ok"
    return experiments.Finding(folder, status, verified, 0, 0, [*wrong, *notes])


def _print_findings(findings: list[experiments.Finding]) -> None:
    blank, *folders = padded(["", *(str(finding.folder) for finding in findings)])
    for finding, folder in zip(findings, folders, strict=True):
        facts = f"{finding.verified} files verified" if finding.verified or finding.trials else ""
        if finding.trials:
            facts += f"; {finding.trials} trials"
        if finding.stored < finding.trials:
            facts += f", {finding.stored} of them here"
        shared.say(f"{folder}  {finding.status:<10}  {facts}".rstrip())
        for note in finding.notes:
            shared.say(f"{blank}  {note}")


@shared.command("mvcc replay results/protein 17", terms=("trial", "results folder"))
@click.argument("folder", type=shared.Folder())
@click.argument("trial", type=click.IntRange(0, 10**6))
@shared.data_dir_option
@shared.output_options("Print the outcome as JSON.")
@click.pass_context
def replay(context: click.Context, folder: Path, trial: int, data_dir: Path | None) -> None:
    """Compute TRIAL of the results in FOLDER again with the stored config; write nothing.

    If the trial fails, its traceback is shown. Otherwise it is compared with the stored numbers to
    the last bit, and the output lists the programs, libraries and processors that differ.

    Exit status 1 if the trial fails or differs.
    """
    try:
        result = experiments.replay_trial(folder, trial, data_dir=data_dir)
    except (DataError, StoreError):
        raise
    except Exception:  # to show it is what the command is for
        click.echo(traceback.format_exc(), err=True, nl=False)
        context.exit(_DIFFERENT)
    facts = {name: getattr(result, name) for name in ("differing", "first", "causes")}
    shared.say_json({"rows": len(result.rows), "stored": result.compared, **facts})
    shared.say(_worded(result, trial))
    if result.differing:
        context.exit(_DIFFERENT)


def _worded(result: experiments.Replay, trial: int) -> str:
    done = f"Trial {trial} was computed: {len(result.rows)} rows"
    if not result.compared:
        return f"{done}. It is not stored, so there is nothing to compare it with."
    text, causes = f"{done}, equal to the stored ones to the last bit.", result.causes
    if result.differing:
        text = f"{done}, {result.differing} of them different from the stored ones; {result.first}."
        causes = causes or [
            "nothing that the manifest records: the stored numbers or this program have changed"
        ]
    if causes:
        text += "\nDifferences of this environment:"
    return "\n  ".join([text, *causes])
