"""``mvcc run``: run an experiment, or go on with one."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from mvcc.experiments import Plan, RunReport

SOME_TRIALS_FAILED = 4

_EXAMPLES = """\b
Examples:
  mvcc run configs/protein.yaml
  mvcc run configs/protein.yaml --trials 5 -j 2 --out my-results/protein
  mvcc run configs/four_quadrants.yaml --set dataset_options.instances_per_view=100 --out results/fq_100
"""


@click.command("run", epilog=_EXAMPLES)
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--trials", type=click.IntRange(min=1), help="Number of trials instead of the config's.")
@click.option("-j", "--jobs", type=int, default=-1, show_default="one per core", help="Number of worker processes.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Use this value instead of the file's.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the results.  [default: results/<name>]")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Look for data files here first.")
@click.option("--fresh", is_flag=True, help="Remove the results that the folder holds, and start over.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    context: click.Context,
    config: Path,
    trials: int | None,
    jobs: int,
    overrides: tuple[str, ...],
    out: Path | None,
    data_dir: Path | None,
    fresh: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run the experiment of a CONFIG file and store its learning curves.

    Every trial is stored as soon as it is finished: run the same command again to go on after an interruption, or
    with more --trials to extend a run. The numbers do not depend on -j.
    """
    if jobs == 0:
        raise click.BadParameter("0 workers cannot work; give 1 or more, or -1 for one per core.", param_hint="--jobs")
    # numba and scikit-learn take longer to import than a usage error may take
    from mvcc.experiments import load_config, plan_run, run_experiment

    chosen = load_config(config, [*overrides, *([f"trials={trials}"] if trials else [])])
    folder = out if out is not None else Path("results") / chosen.name
    if dry_run:
        plan = plan_run(chosen, folder, data_dir=data_dir, fresh=fresh)
        _print_plan(plan, as_json)
        return
    with _Progress() as progress:
        report = run_experiment(
            chosen,
            folder,
            n_jobs=jobs,
            data_dir=data_dir,
            fresh=fresh,
            on_start=progress.start,
            on_trial=progress.advance,
            on_note=progress.note,
        )
    _print_report(report, data_dir, as_json)
    if report.failed:
        context.exit(SOME_TRIALS_FAILED)


class _Progress:
    """A bar on a terminal, plain lines now and then in a log; both on standard error."""

    def __init__(self) -> None:
        self._last_line = self._began = time.monotonic()
        self._total = self._done = self._failed = 0

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            disable=not console.is_terminal,
        )
        self._terminal = console.is_terminal
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._bar.stop()

    def start(self, plan: Plan) -> None:
        self._total = len(plan.missing)
        self._began = self._last_line = time.monotonic()
        kept = f", {plan.kept} kept from before" if plan.kept else ""
        self._say(f"{plan.folder}: {self._total} trials of {plan.n_cells} cells to compute{kept}.")
        self._task = self._bar.add_task("trials", total=self._total, note="compiling")

    def advance(self, trial: int, ok: bool) -> None:
        self._done += 1
        self._failed += not ok
        now = time.monotonic()
        rate = self._done / (now - self._began)
        note = f"{rate:.2g} trials/s, {self._failed} failed"
        self._bar.update(self._task, advance=1, note=note)
        if not self._terminal and (now - self._last_line > 10 or self._done == self._total):
            self._last_line = now
            left = (self._total - self._done) / rate
            self._say(f"{self._done}/{self._total} trials done, {note}, {left:.0f} s left")

    def note(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _say(self, text: str) -> None:
        if not self._terminal:
            click.echo(text, err=True)


def _print_plan(plan: Plan, as_json: bool) -> None:
    if as_json:
        facts = {"folder": str(plan.folder), "missing": len(plan.missing), "kept": plan.kept, "cells": plan.n_cells}
        click.echo(json.dumps(facts | {"damaged": plan.damaged}, indent=2))
    else:
        for name, why in plan.damaged.items():
            click.echo(f"Would set aside {plan.folder / name}: {why}.")
        click.echo(
            f"Would compute {len(plan.missing)} trials of {plan.n_cells} cells into {plan.folder}; {plan.kept} are "
            f"there already. Nothing was written."
        )


def _print_report(report: RunReport, data_dir: Path | None, as_json: bool) -> None:
    from mvcc.experiments import replay_command

    failed = {str(trial): str(path) for trial, path in sorted(report.failed.items())}
    if as_json:
        facts = {
            "folder": str(report.folder),
            "computed": report.computed,
            "kept": report.kept,
            "failed": failed,
            "seconds": round(report.seconds, 1),
        }
        click.echo(json.dumps(facts, indent=2))
        return
    click.echo(f"{report.computed} trials computed in {report.seconds:.0f} s, {report.kept} kept from before.")
    for trial, path in sorted(report.failed.items()):
        again = replay_command(report.folder, trial, data_dir)
        click.echo(f"Trial {trial} failed; its traceback is in {path}. To see it fail, alone: {again}", err=True)
    if failed:
        click.echo("The same `mvcc run` tries failed trials again.", err=True)
    if report.computed + report.kept:
        click.echo(f"Curves: {report.folder / 'curves.csv'}")
        click.echo(f"Next: mvcc plot {report.folder}")
