"""Where results come from: versions, commit, machine, command, and the data's checksums."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from mvcc._utils.environment import command_line, commit, machine, now, versions
from mvcc._utils.messages import clipped
from mvcc.datasets import file_checksums
from mvcc.experiments._config import Config
from mvcc.multiview import transfer_origin
from mvcc.results import Manifest, Run

_CHOOSE_KERNELS = "; to take the same kernels on both, set OPENBLAS_CORETYPE, for most processors to Haswell"


def describe_run(config: Config, data_dir: str | os.PathLike[str] | None) -> Manifest:
    """Collect what a manifest says of a run that starts now: config, data, and a list with the run itself.

    Raises
    ------
    DataError
        When a data file is missing or damaged.
    """
    return Manifest(
        config=config.resolved(),
        data=file_checksums(config.dataset, data_dir),
        runs=[this_run(config.transfers())],
        checksums={},
    )


def this_run(transfers: Sequence[str] = ()) -> Run:
    """Describe the program, the packages that its transfer methods come from, the machine and the time."""
    origins = {name: origin for name in transfers if (origin := transfer_origin(name)) is not None}
    run = Run(
        command=command_line(),
        commit=commit(),
        versions=versions() | {origin.package: origin.version for origin in origins.values()},
        machine=machine(),
        started=now(),
    )
    if origins:  # a field that is never set is not written
        run.transfers = {name: {"package": o.package, "module": o.module} for name, o in origins.items()}
    return run


def differences(stored: Manifest, current: Manifest) -> list[str]:
    """List in what a stored run and the current one differ, one line each; trials may be added at any time."""
    lines: list[str] = []
    for part in ("config", "data"):
        old, new = _flat(getattr(stored, part)), _flat(getattr(current, part))
        lines += [
            f"{part}: {clipped(key)}: {_in_brief(old, key)} in the folder, {_in_brief(new, key)} now"
            for key in sorted({*old, *new} - {"trials"})
            if old.get(key) != new.get(key)
        ]
    this = current.runs[0]
    for package in ("mvcc", *sorted({origin["package"] for origin in this.transfers.values()})):
        ours = this.versions[package]
        for theirs in sorted({run.versions.get(package, "unknown") for run in stored.runs} - {ours}):
            lines.append(f"{package}: version {clipped(theirs)} in the folder, {ours} now")
    for name, origin in sorted(this.transfers.items()):
        ours = _source(origin)
        for theirs in sorted({_source(run.transfers.get(name, {})) for run in stored.runs} - {ours}):
            lines.append(f"{name}: {theirs} in the folder, {ours} now")
    return lines


def environment_differences(one: Run, other: Run) -> list[str]:
    """List what may give two runs of one config other bits: versions of the program and its libraries, processor."""
    lines = []
    for part in ("versions", "machine"):
        old, new = getattr(one, part), getattr(other, part)
        keys = sorted({*old, *new} - {"system", "cores"})
        lines += [
            f"{clipped(key)}: {_worded(old, key)} and {_worded(new, key)}{_CHOOSE_KERNELS if key == 'blas' else ''}"
            for key in keys
            if old.get(key) != new.get(key)
        ]
    return lines


def _source(origin: dict[str, str]) -> str:
    return clipped(f"{origin.get('module', 'unknown')} of {origin.get('package', 'unknown')}", 200)


def _worded(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key, "not recorded")
    return clipped(", ".join(map(str, value)) if isinstance(value, list) else str(value), 200)


def _in_brief(leaves: dict[str, Any], key: str) -> str:
    return clipped(str(leaves.get(key, "not set")), 200)


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        leaves |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return leaves
