"""A process that is killed at a step on the disk, finds it full, or may not write there."""

import builtins
import ctypes
import errno
import hashlib
import io
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def outcomes(disturb: Callable[[int, Path], None], root: Path, stride: int) -> list[dict[str, Any]]:
    """Disturb runs, each at a later step, until one ends by itself; go on with each."""
    warm_up(CONFIG)  # forked processes begin at once
    found: list[dict[str, Any]] = []
    for step in count(1, stride):
        found.append(outcome_of(step, disturb, root / str(step), root / f"{step}.log"))
        if found[-1]["ended"] == 0:
            break
    return found


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
        "folder": folder,
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


_VERSION = 0x20080522  # of the structures below (capset(2))
_DAC_OVERRIDE = 1 << 1  # "bypass file write permission checks" (capabilities(7))


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def rights_of_everybody() -> Iterator[None]:
    """Let an administrator write only where others may; the right to read stays."""
    if os.geteuid() != 0:
        yield
        return
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    _call("capget", header, sets)
    before = sets[0].effective
    sets[0].effective = before & ~_DAC_OVERRIDE
    _call("capset", header, sets)
    try:
        yield
    finally:
        sets[0].effective = before
        _call("capset", header, sets)


def _call(name: str, header: _Header, sets: ctypes.Array[_Sets]) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), name)
