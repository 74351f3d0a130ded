"""A process that is killed at a step on the disk, or told that the disk is full."""

import builtins
import errno
import hashlib
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from mvcc.exceptions import StoreError
from mvcc.experiments import Config, run_experiment
from mvcc.experiments._trial import warm_up

CONFIG = Config(
    name="tiny",
    dataset="four_quadrants",
    dataset_options={"instances_per_view": 20},
    trials=3,
    multi_view={
        "transfers": ["constraint-propagation"],
        "bases": ["pck-means"],
        "threshold": 0.75,
        "mapped": [1.0],
        "constraints": [6, 8],
    },
)
REFUSED, CRASHED = 3, 4

_ON_DISK = (
    *((os, name) for name in ("fsync", "replace", "unlink", "mkdir")),
    *((module, "open") for module in (io, builtins)),
)


def main(what: str, root: str, first: str, stride: str) -> None:
    """Disturb a run at every stride-th step, go on with it, and print a JSON object for each."""
    warm_up(CONFIG)  # forked processes begin at once
    disturb = {"kill": killed, "full": full}[what]
    for step in count(int(first), int(stride)):
        outcome = outcome_of(step, disturb, Path(root) / str(step), Path(root) / f"{step}.log")
        print(json.dumps({"step": step} | outcome), flush=True)
        if outcome["ended"] == 0:
            return


def outcome_of(
    step: int, disturb: Callable[[int, Path], None], folder: Path, log: Path
) -> dict[str, Any]:
    """Disturb a run, go on with it, and look what there is."""

    def disturbed() -> None:
        disturb(step, folder)
        run(folder, log)

    log.touch()
    ended = in_child(disturbed, log)
    stored = len(list((folder / "trials").glob("[0-9]*.csv.gz")))
    reported = sum(line.startswith("trial ") for line in log.read_text().splitlines())
    again = in_child(lambda: run(folder, log), log)
    curves = folder / "curves.csv"
    return {
        "ended": ended,
        "stored": stored,
        "reported": reported,
        "again": again,
        "sha256": hashlib.sha256(curves.read_bytes()).hexdigest() if curves.exists() else "",
        "parts": [str(path) for path in folder.rglob("*.part")],
        "set_aside": [str(path) for path in folder.rglob("set-aside/*")],
        "log": log.read_text(),
    }


def in_child(action: Callable[[], object], log: Path) -> int:
    """Run an action in a forked process; return its exit code, or minus its signal."""
    if (child := os.fork()) == 0:
        code = CRASHED
        try:
            action()
            code = 0
        except StoreError as error:
            note(log, str(error))
            code = REFUSED
        except BaseException:
            note(log, traceback.format_exc())
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def note(log: Path, text: str) -> None:
    with open(log, "a") as file:
        file.write(f"{text}\n")


def run(folder: Path, log: Path) -> None:
    """Run the experiment, or go on with it."""
    run_experiment(
        CONFIG,
        folder,
        n_jobs=1,
        on_trial=lambda trial, ok: note(log, f"trial {trial}"),
        on_note=lambda text: note(log, text),
    )


def killed(step: int, folder: Path) -> None:
    """Kill this process before a step on the disk; a file is written in halves, two steps."""

    def last(_: str) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    _disturb(step, folder, last)


def full(step: int, folder: Path) -> None:
    """Let nothing be written to a folder from the given step on."""

    def refuse(path: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    _disturb(step, folder, refuse, lasting=True)


def _disturb(
    step: int, folder: Path, disturb: Callable[[str], None], lasting: bool = False
) -> None:
    """Call a function at a step on files of the folder, or from then on, but for removals."""
    done = 0

    def counted(path: object, *, frees: bool = False) -> None:
        nonlocal done
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        if not Path(str(path)).is_relative_to(folder):
            return
        done += 1
        if not (lasting and frees) and (done == step or (lasting and done > step)):
            disturb(str(path))

    def hooked(real: Callable[..., object], name: str) -> Callable[..., object]:
        def call(path: object, *arguments: object, **options: object) -> object:
            mode = str(options.get("mode", arguments[0] if arguments else "r"))
            if name != "open" or set(mode) & set("wax+"):
                counted(path, frees=name == "unlink")
            return real(path, *arguments, **options)

        return call

    def in_halves(path: Path, content: bytes) -> int:
        with real_open(path, "wb") as file:
            counted(path)
            file.write(content[: len(content) // 2])
            file.flush()
            counted(path)
            return file.write(content[len(content) // 2 :])

    real_open = builtins.open
    for module, name in _ON_DISK:
        setattr(module, name, hooked(getattr(module, name), name))
    Path.write_bytes = in_halves


if __name__ == "__main__":
    main(*sys.argv[1:])
