"""``mvcc replay``: compute one trial of a results folder again."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mvcc.cli._shared import Folder, below_help, data_dir_option, output_options, print_json, say
from mvcc.exceptions import DataError, StoreError

if TYPE_CHECKING:
    from mvcc.experiments import Replay

DIFFERENT = 1


@click.command(
    "replay", epilog=below_help("mvcc replay results/protein 17", terms=("trial", "results folder"))
)
@click.argument("folder", type=Folder())
@click.argument("trial", type=click.IntRange(0, 10**6))
@data_dir_option
@output_options("Print the outcome as JSON.")
@click.pass_context
def command(
    context: click.Context, folder: Path, trial: int, data_dir: Path | None, as_json: bool
) -> None:
    """Compute TRIAL of the results in FOLDER again with the stored config; write nothing.

    If the trial fails, its traceback is shown. Otherwise it is compared with the stored numbers to
    the last bit; if they differ, the output lists the programs, libraries and processors that
    differ.

    Exit status 1 if the trial fails or differs.
    """
    # numba and scikit-learn take longer to import than `mvcc replay --help` may take
    from mvcc.experiments import replay_trial

    try:
        replay = replay_trial(folder, trial, data_dir=data_dir)
    except (DataError, StoreError):
        raise
    except Exception:  # to show it is what the command is for
        click.echo(traceback.format_exc(), err=True, nl=False)
        context.exit(DIFFERENT)
    facts = {
        "rows": len(replay.rows),
        "stored": replay.compared,
        "differing": replay.differing,
        "first": replay.first,
        "causes": replay.causes,
    }
    if as_json:
        print_json(facts)
    else:
        say(_worded(replay, trial))
    if replay.differing:
        context.exit(DIFFERENT)


def _worded(replay: Replay, trial: int) -> str:
    done = f"Trial {trial} was computed: {len(replay.rows)} rows"
    if not replay.compared:
        return f"{done}. It is not stored, so there is nothing to compare it with."
    if not replay.differing:
        return f"{done}, equal to the stored ones to the last bit."
    causes = replay.causes or [
        "nothing that the manifest records: the stored numbers or this program have changed"
    ]
    lines = [
        f"{done}, {replay.differing} of them different from the stored ones; {replay.first}.",
        "Differences of this environment:",
    ]
    return "\n".join([*lines, *(f"  {cause}" for cause in causes)])
