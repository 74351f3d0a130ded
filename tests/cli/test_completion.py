"""Click completes commands, options, choices and names of data sets, at once."""

import os
import subprocess
import sys

import pytest

CODE = """
import sys
from mvcc.cli import cli
try: cli.main([], prog_name='mvcc')
except SystemExit: pass
print(sorted({'numpy', 'numba', 'pandas', 'pydantic', 'sklearn', 'rich'} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("mvcc cl", "plain,claims\nplain,cluster"),
        ("mvcc data check pro", "plain,protein"),
        ("mvcc run tin", "file,tin"),
    ],
)
def test_completion_answers_without_importing_anything_heavy(question, answer):
    last = str(question.count(" "))
    asked = {"COMP_WORDS": question, "COMP_CWORD": last, "_MVCC_COMPLETE": "bash_complete"}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | asked)
    *answers, heavy = done.stdout.splitlines()
    assert sorted(answers) == answer.splitlines()
    assert heavy == "[]"
