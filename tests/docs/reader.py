"""Somebody who does what a page says, block by block."""

import contextlib
import json
import os
import signal
import subprocess
import textwrap
import time
from dataclasses import replace
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import yaml

from tests.docs.blocks import HERE, PYTHON, ROOT, SHELL, parse

_INTERPRETER = Path(__file__).with_name("interpreter.py")
_PATIENCE = 120.0  # seconds until a program in the background says that it is there
_OF_MAKE = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # a make below another one says more


def variables(*programs, **more):
    """Return the environment of somebody for whom the programs of these folders come first."""
    others = (part for part in os.environ["PATH"].split(os.pathsep) if part != str(HERE))
    outside = {name: value for name, value in os.environ.items() if name not in _OF_MAKE}
    # rows between two clusters depend on the kernels of OpenBLAS: the pages show what these give,
    # which run anywhere
    same = {
        "MPLBACKEND": "agg",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    }
    return outside | {"PATH": os.pathsep.join([*map(str, programs), *others])} | same | more


class Reader:
    """Somebody with a folder, a Python that remembers its names, and programs left running.

    The path of the variables decides which programs are found; the words of ``instead`` are not
    taken as printed: ports of this machine, numbers of trials. Blocks marked as slow are run by
    somebody slow.
    """

    def __init__(self, folder, variables, *, instead=None, slow=False):
        self.folder = folder
        self.variables = variables
        self.instead = instead or {}
        self.slow = slow
        self.done: list[str] = []  # places of the blocks that were run
        self.left: list[str] = []  # … and of those that were only checked
        self._printed = ""
        self._left_running = contextlib.ExitStack()
        self._interpreter: subprocess.Popen[str] | None = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._left_running.close()

    def follow(self, blocks):
        """Do what the blocks say, in order."""
        for block in blocks:
            self._read(self._replaced(block))

    def _replaced(self, block):
        text = block.text
        for word, other in self.instead.items():
            text = text.replace(word, other)
        return replace(block, text=text)

    def _read(self, block):
        if block.mark == "ci" or (block.mark == "slow" and not self.slow):
            why = f"{block.place}: say why it is slow: <!-- slow: why -->"
            assert block.mark == "ci" or block.said, why
            parse(block)
            self.left.append(block.place)
        elif block.mark in ("file", "merge"):
            parse(block)
            self._write(block)
        elif block.mark == "excerpt":
            source = (ROOT / block.said).read_text("utf-8")
            method = textwrap.indent(block.text, "    ")
            assert block.text in source or method in source, (
                f"{block.place}: not so in {block.said}"
            )
        elif block.mark == "output":
            self._compare(block)
        elif block.is_code:
            run = self._run_python if block.language in PYTHON else self._run_shell
            self._printed = self._start(block) if block.mark == "background" else run(block)
            self.done.append(block.place)
        else:
            parse(block)

    def _write(self, block):
        path = self.folder / block.said
        path.parent.mkdir(parents=True, exist_ok=True)
        text = block.text if block.mark == "file" else _merged(path.read_text("utf-8"), block.text)
        path.write_text(text, encoding="utf-8")

    def _compare(self, block):
        checker, flags = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE
        same = checker.check_output(block.text, self._printed, flags)
        assert same, f"{block.place}: it prints instead:\n{self._printed}"

    def _run_python(self, block):
        if self._interpreter is None:
            # what libraries of others warn of is theirs
            how = "lenient" if self.slow else "strict"
            command = ["python", "-c", _INTERPRETER.read_text("utf-8"), how]
            self._interpreter = self._popen(command, text=True)
        stdin, stdout = self._interpreter.stdin, self._interpreter.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([str(ROOT / block.page), block.line, block.text]) + "\n")
        stdin.flush()
        printed, error = json.loads(stdout.readline() or '["", "Python is gone"]')
        assert error is None, f"{block.place}: {error}"
        return str(printed)

    def _run_shell(self, block):
        assert block.language in SHELL
        script = block.text if "$ " not in block.text else "\n".join(block.commands)
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
        )
        fails = block.mark == "fails"
        told = f"{block.place}: exit status {done.returncode}\n{script}\n{done.stdout}{done.stderr}"
        assert (done.returncode != 0) == fails, told
        return done.stdout + done.stderr if fails else done.stdout

    def _start(self, block):
        (command,) = block.commands
        log = self.folder / f"line-{block.line}.log"
        with log.open("w") as file:
            started = self._popen(["bash", "-c", command], stdout=file, stderr=file)
        deadline = time.monotonic() + _PATIENCE
        place = f"{block.place}: {command}"
        while block.said not in log.read_text("utf-8"):
            assert started.poll() is None, f"{place} ended:\n{log.read_text('utf-8')}"
            assert time.monotonic() < deadline, f"{place} does not say {block.said!r}"
            time.sleep(0.1)
        return ""

    def _popen(self, command, **options):
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | options
        options |= {"cwd": self.folder, "env": self.variables, "start_new_session": True}
        started = subprocess.Popen(command, **options)
        self._left_running.callback(_end, started)
        return started


def _merged(text, more):
    merged = yaml.safe_load(text)
    for section, entries in yaml.safe_load(more).items():
        merged[section] |= entries
    return yaml.safe_dump(merged, sort_keys=False)


def _end(process):
    """End a process and all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=60)
