"""Where results come from: versions, commit, machine, command, and the checksums of the data."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mvcc._utils.environment import command_line, commit, machine, now, versions
from mvcc.datasets import file_checksums
from mvcc.experiments._config import Config
from mvcc.multiview import transfer_origin
from mvcc.results import Manifest, Run


def describe_run(config: Config, data_dir: str | os.PathLike[str] | None) -> Manifest:
    """Collect what a manifest says of a run that starts now: config, data, and a list with the run itself."""
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
