"""``mvcc run``: run an experiment, or go on with one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from mvcc import experiments
from mvcc._utils.messages import counted, typed
from mvcc.cli import _shared as shared

SOME_TRIALS_FAILED = 4


@shared.command(
    "mvcc run four_quadrants",
    "mvcc run my-config.yaml --trials 5 -j 2 --out my-results/protein",
    "mvcc run four_quadrants --set trials=50 --out results/fq_50",
    "mvcc run protein --backend dask --scheduler tcp://host:8786",
    terms=("trial", "cell", "curve", "constraint", "mapping", "closure", "threshold"),
)
@click.argument("config", type=shared.FILE)
@shared.number_option("--trials", help="Number of trials, instead of that in CONFIG.")
@click.option(
    "-j", "--jobs", default=-1, show_default="all cores", help="Number of concurrent trials."
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a value of the file; may be repeated.",
)
@click.option(
    "--backend",
    type=click.Choice(["loky", "threading", "dask"]),
    default="loky",
    show_default=True,
    help="Run trials in processes of this machine, threads of this process, or workers of a dask "
    "scheduler.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Address of the dask scheduler, such as tcp://host:8786."
)
@shared.folder_option("--out", help="Output folder.  [default: results/<name>]")
@shared.data_dir_option
@shared.flag("--fresh", help="Remove results in the folder and start over.")
@shared.flag("--dry-run", help="Check CONFIG, show what would be done, and do nothing.")
@shared.output_options("Print the outcome as JSON.")
@click.pass_context
def run(
    context: click.Context,
    config: Path,
    trials: int | None,
    jobs: int,
    overrides: tuple[str, ...],
    backend: str,
    scheduler: str | None,
    out: Path | None,
    data_dir: Path | None,
    fresh: bool,
    dry_run: bool,
) -> None:
    """Run the experiment of a CONFIG file and store its learning curves.

    CONFIG may be the name of an experiment that comes with mvcc, such as four_quadrants.

    Every trial is stored as soon as it is finished. If a run stops for any reason, repeat the
    command, without --fresh: it resumes, and the result is byte-identical. More --trials extend a
    run. Results do not depend on -j or --backend.

    Exit status 4 if some trials failed.
    """
    if jobs == 0:
        raise click.BadParameter(
            "must be a positive integer or -1 (one per core), got 0.", param_hint="--jobs"
        )
    if (backend == "dask") is not (scheduler is not None):
        raise click.UsageError(
            "--backend dask requires --scheduler ADDRESS, and vice versa.", context
        )
    if trials:
        if any(text.partition("=")[0].strip() == "trials" for text in overrides):
            raise click.UsageError("--trials and --set trials=… say the same; leave out one.")
        overrides = (*overrides, f"trials={trials}")
    chosen = experiments.load_config(config, overrides)
    folder = out or Path("results") / chosen.name
    if dry_run:
        _print_plan(experiments.plan_run(chosen, folder, data_dir=data_dir, fresh=fresh), chosen)
        return
    with (
        _workers(backend, scheduler),
        closing(_Progress()) as progress,
        shared.told_of_compiling(progress.beside_bar),
    ):
        report = experiments.run_experiment(
            chosen,
            folder,
            n_jobs=jobs,
            data_dir=data_dir,
            fresh=fresh,
            on_start=progress.start,
            on_trial=progress.advance,
            on_note=progress.note,
        )
    _print_report(report, data_dir)
    if report.failed:
        context.exit(SOME_TRIALS_FAILED)


@contextmanager
def _workers(backend: str, scheduler: str | None) -> Iterator[None]:
    import joblib

    if scheduler is None:
        with joblib.parallel_config(backend=backend):
            yield
        return
    with experiments.connect_to_dask(scheduler) as client:
        shared.detail(f"connected to {scheduler}: workers {', '.join(sorted(client.nthreads()))}")
        with joblib.parallel_config(backend=backend, client=client):
            yield


class _Progress:
    """A bar on a terminal, plain lines now and then in a log; both on standard error."""

    def __init__(self) -> None:
        from rich import progress
        from rich.console import Console

        console = Console(stderr=True)
        self._terminal = sys.stderr.isatty() and console.is_interactive
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[note]}"),
            progress.TimeRemainingColumn(compact=True),
            console=console,
            disable=shared.has_flag("quiet") or not self._terminal,
        )
        self._bar.start()
        self._task = self._bar.add_task("trials", total=None, note="", visible=False)
        self.beside_bar: Callable[[str], None] | None = None
        if self._terminal:
            self.beside_bar = lambda text: self._bar.update(self._task, note=text, visible=True)
        self._done = self._failed = 0

    def close(self) -> None:
        # older versions of rich end a bar that was never drawn with an empty line
        if not self._bar.disable:
            self._bar.stop()

    def start(self, plan: experiments.Plan) -> None:
        self._total = len(plan.missing)
        self._began = self._last_line = time.monotonic()
        said = f"{counted(self._total, 'trial')} of {counted(plan.n_cells, 'cell')} to compute"
        if plan.kept:
            said += f", {plan.kept} kept from before"
        self._say(f"{plan.folder}: {said}.")
        self._bar.update(self._task, total=self._total, visible=True)

    def advance(self, trial: int, ok: bool) -> None:
        self._done += 1
        self._failed += not ok
        shared.detail(f"trial {trial} {'done' if ok else 'failed'}")
        now = time.monotonic()
        rate = self._done / (now - self._began)
        note = f"{rate:.2g} trials/s, {self._failed} failed"
        self._bar.update(self._task, advance=1, note=note)
        if not self._terminal and (now - self._last_line > 10 or self._done == self._total):
            self._last_line = now
            left = (self._total - self._done) / rate
            self._say(f"{self._done}/{self._total} trials done, {note}, {left:.0f} s left")

    def note(self, text: str) -> None:
        if not shared.has_flag("quiet"):
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _say(self, text: str) -> None:
        if not self._terminal:
            shared.remark(text)


def _print_plan(plan: experiments.Plan, config: experiments.Config) -> None:
    document = {
        "folder": plan.folder,
        "missing": len(plan.missing),
        "kept": plan.kept,
        "cells": plan.n_cells,
        "damaged": plan.damaged,
        "config": config.resolved(),
    }
    shared.say_json(document)
    for name, why in plan.damaged.items():
        shared.say(f"Would set aside {plan.folder / name}: {why}.")
    shared.say(
        f"Would compute {counted(len(plan.missing), 'trial')} of {counted(plan.n_cells, 'cell')}"
        f" into {plan.folder}; {plan.kept} exist already. Nothing was written."
    )


def _print_report(report: experiments.RunReport, data_dir: Path | None) -> None:
    failed = dict(sorted(report.failed.items()))
    shared.say_json(asdict(report) | {"failed": failed, "seconds": round(report.seconds, 1)})
    shared.say(
        f"{counted(report.computed, 'trial')} computed in {report.seconds:.0f} s,"
        f" {report.kept} kept from before."
    )
    if not shared.has_flag("json"):  # also with --quiet
        for trial, path in failed.items():
            again = experiments.replay_command(report.folder, trial, data_dir)
            text = f"Trial {trial} failed; its traceback is in {path}. To repeat it: {again}"
            click.echo(text, err=True)
        if failed:
            click.echo(
                "Run the same `mvcc run`, without --fresh, to try failed trials again.", err=True
            )
    if report.computed + report.kept:
        shared.say(f"Curves: {report.folder / 'curves.csv'}")
        shared.say(f"Next: mvcc plot {typed(report.folder)}")
