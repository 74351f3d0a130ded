"""What golden jobs print and write is what is stored; `python -m tests.golden` stores it anew."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.jobs import COMMANDS, HERE, files_in

SHOWN = 30  # lines of a difference


def outputs_in(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_bytes().decode() for name in sorted(files_in(folder))}


def difference(name: str, stored: str, now: str) -> str:
    """Show where a file differs, in pieces of lines, since a line may hold all rows."""
    pieces = [re.split(r"(?<=, )|\n", text) for text in (stored, now)]
    lines = list(difflib.unified_diff(*pieces, f"stored/{name}", f"now/{name}", lineterm="", n=2))
    left_out = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([*(line[:200] for line in lines[:SHOWN]), *left_out])


@pytest.mark.compiled
@pytest.mark.exact_bits
def test_the_golden_jobs_give_what_is_stored(tmp_path):
    # in a process of their own, since OpenBLAS chooses its kernels once
    subprocess.run(
        [sys.executable, "-m", "tests.golden", "--to", tmp_path], cwd=HERE.parents[1], check=True
    )
    differing = []
    for job in COMMANDS:
        stored, now = (outputs_in(folder / job / "stored") for folder in (HERE, tmp_path))
        assert sorted(now) == sorted(stored)
        differing += [
            difference(f"{job}/{name}", stored[name], now[name])
            for name in stored
            if stored[name] != now[name]
        ]
    if differing:  # an assertion would compare megabytes once more
        pytest.fail("\n\n".join([f"{len(differing)} files differ:", *differing]), pytrace=False)
