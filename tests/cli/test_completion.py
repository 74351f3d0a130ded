"""The scripts of `mvcc completion` let each shell complete commands, options, choices, files and names of data sets."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import mvcc

QUESTIONS = {
    "mvcc va": {"validate"},
    "mvcc run --back": {"--backend"},
    "mvcc run --backend th": {"threading"},
    "mvcc data fe": {"fetch"},
    "mvcc data check pro": {"protein"},
    "mvcc completion fi": {"fish"},
    "mvcc run tin": {"tiny.yaml"},
    "mvcc plot t": {"there/"},
}
# what bash and zsh do with files is their own business: the scripts ask them for it
ASKS = {
    "bash": """
        compopt() { case "$*" in *default*) compgen -f -- "$last";; *dirnames*) compgen -d -S / -- "$last";; esac; }
        COMP_WORDS=($question); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); last=${COMP_WORDS[COMP_CWORD]}
        _mvcc_completion mvcc; printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
        words=(${=question}); CURRENT=${#words}; last=${words[-1]}
        compadd() { print -l -- $completions; }
        _describe() { print -l -- ${completions_with_descriptions%%:*}; }
        _path_files() {
            if [[ $1 == -/ ]]; then for f in $last*(N/); do print -- $f/; done; else print -l -- $last*(N); fi
        }
        _mvcc_completion
    """,
    "fish": "complete -C $question | string split -f 1 \\t",
}
SOURCES = {"bash": ". ./script", "zsh": "compdef() { :; }; . ./script", "fish": "source ./script"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    (folder / "tiny.yaml").touch()
    (folder / "there").mkdir()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("shell", ASKS)
def test_a_shell_completes(shell, question, folder):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "question": question}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        environment[name] = str(folder)  # nothing of the user's own is read
    (folder / "script").write_text(mvcc("completion", shell).stdout)
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    code = f"{SOURCES[shell]}\n{ASKS[shell]}"
    done = subprocess.run([program, *options, "-c", code], capture_output=True, text=True, cwd=folder, env=environment)
    assert set(done.stdout.split()) == QUESTIONS[question], done.stderr


@pytest.mark.parametrize("question", ["mvcc ", "mvcc run --backend ", "mvcc data fetch pro", "mvcc run tin"])
def test_completion_imports_nothing_heavy(question):
    code = (
        "import sys\n"
        "from mvcc.cli import cli\n"
        "try: cli.main([], prog_name='mvcc')\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'numba', 'pandas', 'sklearn', 'matplotlib', 'rich'} & set(sys.modules)))"
    )
    words = question.split(" ")
    environment = {"COMP_WORDS": question, "COMP_CWORD": str(len(words) - 1), "_MVCC_COMPLETE": "bash_complete"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert done.stdout.splitlines()[-1] == "[]"
    assert len(done.stdout.splitlines()) > 1


def test_help_says_how_to_install_it_in_each_shell():
    page = mvcc("completion", "--help").stdout
    for line in ("mvcc completion bash > ", "mvcc completion zsh > ", "mvcc completion fish > "):
        assert line in page
