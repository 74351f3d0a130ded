"""A process that is killed at a step on the disk, finds it full, or may not write there."""

import builtins
import ctypes
import errno
import hashlib
import io
import os
import signal
import traceback
from contextlib import contextmanager
from itertools import count
from pathlib import Path

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


def outcomes(disturb, root, stride):
    """Disturb runs, each at a later step, until one ends by itself; go on with each."""
    warm_up(CONFIG)  # forked processes begin at once
    found = []
    for step in count(1, stride):
        found.append(outcome_of(step, disturb, root / str(step), root / f"{step}.log"))
        if found[-1]["ended"] == 0:
            break
    return found


def outcome_of(step, disturb, folder, log):
    """Disturb a run, go on with it, and look what there is."""

    def disturbed():
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


def in_child(action, log):
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


def note(log, text):
    with open(log, "a") as file:
        file.write(f"{text}\n")


def run(folder, log):
    """Run the experiment, or go on with it."""
    run_experiment(
        CONFIG,
        folder,
        n_jobs=1,
        on_trial=lambda trial, ok: note(log, f"trial {trial}"),
        on_note=lambda text: note(log, text),
    )


def killed(step, folder):
    """Kill this process before a step on the disk; a file is written in halves, two steps."""

    def last(_):
        os.kill(os.getpid(), signal.SIGKILL)

    _disturb(step, folder, last)


def full(step, folder):
    """Let nothing be written to a folder from the given step on."""

    def refuse(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    _disturb(step, folder, refuse, lasting=True)


def _disturb(step, folder, disturb, lasting=False):
    """Call a function at a step on files of the folder, or from then on, but for removals."""
    done = 0

    def counted(path, *, frees=False):
        nonlocal done
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        if not Path(str(path)).is_relative_to(folder):
            return
        done += 1
        if not (lasting and frees) and (done == step or (lasting and done > step)):
            disturb(str(path))

    def hooked(real, name):
        def call(path, *arguments, **options):
            mode = str(options.get("mode", arguments[0] if arguments else "r"))
            if name != "open" or set(mode) & set("wax+"):
                counted(path, frees=name == "unlink")
            return real(path, *arguments, **options)

        return call

    def in_halves(path, content):
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
def rights_of_everybody():
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


def _call(name, header, sets):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), name)
