"""The cells of a trial, what a run would do, and where its results come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from mvcc import results
from mvcc._utils.environment import command_line, commit, machine, now, versions
from mvcc._utils.reading import StrPath
from mvcc.datasets import file_checksums
from mvcc.exceptions import StoreError
from mvcc.experiments._config import Config
from mvcc.experiments._store import ResultsStore
from mvcc.multiview import needs_base, takes_threshold, transfer_origin, uses_relations
from mvcc.results import Cell, Manifest, Run

MULTI_VIEW, SINGLE_VIEW = "multi-view", "single-view"


def list_cells(config: Config) -> list[Cell]:
    """List the cells of every trial in the order of the results: methods without a base once."""
    cells: list[Cell] = []
    if (plan := config.multi_view) is not None:
        for base, method in product((*plan.bases, None), plan.transfers):
            if needs_base(method) is (base is None):
                continue
            # what a method does not use is None
            closures: Sequence[Any] = [None]
            thresholds = mapped = rewired = closures
            if base is not None:
                closures = plan.closure
            if takes_threshold(method):
                thresholds = [*map(as_text, plan.threshold)]
            if uses_relations(method):
                mapped, rewired = plan.mapped, plan.rewired
            for settings in product(closures, thresholds, mapped, rewired, plan.constraints):
                cells.append(Cell(MULTI_VIEW, config.dataset, None, base, method, *settings))
    if (single := config.single_view) is not None:
        for view, threshold in single.thresholds.items():
            methods = {results.PROPAGATION: as_text(threshold), results.SINGLE_VIEW: None}
            for base, method, n in product(single.bases, methods, single.constraints):
                fields = (SINGLE_VIEW, config.dataset, view, base, method)
                cells.append(Cell(*fields, "full", methods[method], None, None, n))
    return cells


def as_text(threshold: float | str) -> str:
    """Return a threshold as the results name it, with all its digits."""
    return str(threshold).removesuffix(".0")


def describe_run(config: Config, data_dir: StrPath | None) -> Manifest:
    """Collect what a manifest says of a run that starts now: config, data, the run itself."""
    data, run = file_checksums(config.dataset, data_dir), this_run(config.transfers())
    return Manifest(config=config.resolved(), data=data, runs=[run], checksums={})


def this_run(transfers: Sequence[str] = ()) -> Run:
    """Describe the program, the packages of its transfer methods, the machine and the time."""
    origins = {name: origin for name in transfers if (origin := transfer_origin(name)) is not None}
    run = Run(
        command=command_line(),
        commit=commit(),
        versions=versions() | {origin.package: origin.version for origin in origins.values()},
        machine=machine(),
        started=now(),
    )
    if origins:  # a field that is never set is not written
        run.transfers = {
            name: {"package": o.package, "module": o.module} for name, o in origins.items()
        }
    return run


@dataclass(frozen=True)
class Plan:
    """What a run would do."""

    folder: Path
    missing: list[int]  # trials to compute
    kept: int  # existing trials
    n_cells: int  # of each trial
    damaged: dict[str, str]  # files that would be set aside, and why
    finished: bool  # whether there is nothing to do


def plan_run(
    config: Config,
    folder: StrPath,
    *,
    data_dir: StrPath | None = None,
    fresh: bool = False,
) -> Plan:
    """Find the trials that a folder lacks; other results are refused, unless ``fresh``."""
    return plan_for(ResultsStore(folder), describe_run(config, data_dir), config, fresh)


def plan_for(store: ResultsStore, manifest: Manifest, config: Config, fresh: bool) -> Plan:
    """Compare what a results folder holds with what a run would write to it, as `plan_run`."""
    n_cells = len(list_cells(config))
    store.refuse_link(store.trials)
    if fresh:
        return Plan(store.folder, list(range(config.trials)), 0, n_cells, {}, False)
    stored = store.manifest()
    damaged = store.damaged()
    done = {trial for trial in store.finished(damaged) if trial < config.trials}
    if stored is None:
        if nameless := store.nameless():
            raise StoreError(
                f"{nameless} is here without a manifest that says whose results these are. Choose "
                f"another folder by --out, or set them aside by --fresh."
            )
    elif changed := results.differences(stored, manifest):
        raise StoreError(
            f"{store.folder} holds results of another run:\n  "
            + "\n  ".join(changed)
            + "\nChoose another folder by --out, or remove these results by --fresh."
        )
    elif store.holds_only_summary() and stored.trials > config.trials:
        raise StoreError(
            f"{store.folder} holds the curves of {stored.trials} trials, but not the trials "
            f"themselves; a run of {config.trials} would replace them. Choose another folder by "
            "--out, or remove them by --fresh."
        )
    missing = [trial for trial in range(config.trials) if trial not in done]
    finished = (
        stored is not None
        and not missing
        and not damaged
        and stored.trials == config.trials
        and stored.runs[-1].finished is not None
        and store.holds_summary()
    )
    return Plan(store.folder, missing, len(done), n_cells, damaged, finished)
