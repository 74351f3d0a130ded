"""``mvcc ask``, killed at any step on the disk, goes on with what it confirmed."""

import io
import re
import signal
import sys
from contextlib import redirect_stdout
from functools import partial
from itertools import chain, count
from unittest.mock import patch

import pytest

from tests.command_line import mvcc
from tests.crashes import steps
from tests.tables.asking.pages import write_tables
from tests.tables.asking.replaying import files_of
from tests.tables.problems import read_csv

KEYS = [("n", "harbor"), ("n", "street"), ("1",), ("2",), ("u",), ("1",)]
CONFIRMED = re.compile(r"^You said .+ about ((?:texts|images):[ti]\d+);", re.M)


def ask(folder, out, answers):
    with patch.object(sys, "stdin", io.StringIO("\n".join(chain(*answers, "f")))):
        return mvcc("ask", "cluster.yaml", "--out", out, cwd=folder)


def killed(step, folder, out):
    """Ask, and write what is shown to a file, until a step on the disk."""
    steps.killed(step, folder / out)
    with (
        open(folder / f"{out}.txt", "w", buffering=1) as shown,
        patch("tests.command_line.redirect_stdout", lambda _: redirect_stdout(shown)),
    ):
        ask(folder, out, KEYS)


@pytest.mark.slow
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.reliability)])
def test_killed_at_any_step_it_loses_no_answer_that_it_confirmed(tmp_path, tried, stride):
    folder, ends = write_tables(tmp_path).parent, []
    ask(folder, "whole", KEYS)
    whole = [row["id"] for row in read_csv(folder / "whole" / "asked.csv")]
    assert len(whole) == len(KEYS)
    for step in count(1, stride):
        out = folder / str(step)
        ends.append(steps.in_child(partial(killed, step, folder, out.name), tmp_path / "log"))
        assert all(content.endswith("\n") for content in files_of(out).values())
        stored = [row["id"] for row in read_csv(out / "asked.csv")] if files_of(out) else []
        confirmed = CONFIRMED.findall((folder / f"{out.name}.txt").read_text())
        assert confirmed == whole[: len(confirmed)]
        assert stored == whole[: len(stored)]
        assert len(stored) - len(confirmed) in (0, 1)
        done = ask(folder, out.name, KEYS[len(stored) :])
        assert done.returncode == 0, done.stderr
        assert not list(out.glob(".*.part"))
        assert files_of(out) == files_of(folder / "whole")
        if not ends[-1]:
            break
    assert ends[-1] == 0
    assert set(ends[:-1]) == {-signal.SIGKILL}
    tried("questions in a terminal killed at a step", len(ends) - 1)
