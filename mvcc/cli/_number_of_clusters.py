"""What is said where the number of clusters is unknown: criteria, if nothing was judged, and how to be asked."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc.cli._job_options import words_of
from mvcc.cli._shared import print_json, say
from mvcc.exceptions import ConfigError

if TYPE_CHECKING:
    from mvcc.jobs import Job


@contextmanager
def told_how_to_ask(job: Job, config: Path | None, given: dict[str, Any], as_json: bool) -> Iterator[None]:
    """Print criteria and the command that asks, where the number of clusters is to follow from answers and does not."""
    from mvcc.jobs import UnknownNumberError, number_criteria

    try:
        yield
    except UnknownNumberError as error:
        if error.inputs is not None:
            found = number_criteria(job, error.inputs)
            if as_json:
                print_json(found)
            elif found["k"]:
                _print_criteria(found)
        folder = job.asked or ("asked" if config is None else None)
        out = f" --out {shlex.quote(folder)}" if folder else ""
        raise ConfigError(f"{error} To be asked:\n  mvcc ask {words_of(config, given)}{out}") from None


def _print_criteria(found: dict[str, Any]) -> None:
    width = max(map(len, found["criteria"]))
    say("".join([f"{'k':{width}}", *(f"{k:6}" for k in found["k"]), "   best"]))
    for name, values in found["criteria"].items():
        say("".join([f"{name:{width}}", *(f"{value:6.2f}" for value in values), f"   {found['best'][name] or '–':>4}"]))
    say("With four clusters or more, none of these is right more than two times in five.")
