"""Every command has the same habits: help, --json, --quiet, --verbose, colors."""

import contextlib
import json
import logging
import os
import shlex
import shutil
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper

import click
import pytest
from click.testing import CliRunner
from rich.status import Status

from mvcc._utils.progress import LOGGER, teller
from mvcc.cli import cli
from mvcc.cli._shared import TERMS, below_help, output_options, print_json, shown_steps
from tests.cli.test_run import CONFIG
from tests.command_line import invoke, mvcc
from tests.reports import few_claims

WITHOUT_JSON = {("data",)}  # a group, which prints no result of its own


def all_commands(group=cli, path=()):
    found = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        found.append(((*path, name), command))
        if isinstance(command, click.Group):
            found += all_commands(command, (*path, name))
    return found


COMMANDS = dict(all_commands())
by_name = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


def examples_of(command):
    text = (command.epilog or "").replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip().startswith("mvcc ")]


@by_name
def test_a_command_has_help_and_its_options_are_explained(path):
    assert COMMANDS[path].help
    for parameter in COMMANDS[path].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


@by_name
def test_a_command_shows_an_example_that_can_be_parsed(path):
    assert examples_of(COMMANDS[path])
    for example in examples_of(COMMANDS[path]):
        words = shlex.split(example.partition(" > ")[0])
        command, names = cli, words[1:]
        while isinstance(command, click.Group):
            command, names = command.get_command(click.Context(command), names[0]), names[1:]
        command.make_context("mvcc", names)


@by_name
def test_a_command_that_prints_results_can_print_json_and_be_quiet_or_verbose(path):
    options = {option for parameter in COMMANDS[path].params for option in parameter.opts}
    common = {"--json", "-q", "--quiet", "-v", "--verbose"}
    assert common & options == (set() if path in WITHOUT_JSON else common)


@by_name
def test_help_can_be_asked_for_in_both_ways(path):
    asked = invoke("help", *path).stdout
    assert asked == invoke(*path, "--help").stdout
    assert "Example" in asked


def test_words_stand_below_the_help_with_what_they_mean():
    assert f"  cell  {TERMS['cell'][:30]}" in below_help("mvcc run x.yaml", terms=("cell",))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Make a configuration and its results, which no test changes."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "tiny.yaml").write_text(CONFIG)
    with contextlib.chdir(folder):
        assert invoke("run tiny.yaml -j 1 -q").output == ""
    return folder


@pytest.fixture
def folder(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(finished, tmp_path, dirs_exist_ok=True)


RESULTS = [
    "run tiny.yaml -j 1",
    "run tiny.yaml --dry-run",
    "plot results --figure 4",
    "claims results",
    "check results",
    "replay results/tiny 1",
    "data list",
    "data fetch rings",
    "data check rings",
    "doctor",
]


@pytest.mark.parametrize("words", RESULTS)
def test_json_is_one_document_quiet_is_silent_and_verbose_says_more(folder, words):
    with few_claims(1, 26):
        plain = invoke(words)
        assert plain.stdout
        assert "· took " not in plain.stderr
        assert invoke(words, "-q").output == ""
        for more in ("-v", "-q"):
            done = invoke(words, more, "--json")
            assert json.loads(done.stdout, parse_constant=pytest.fail)
            assert ("· took " in done.stderr) is (more == "-v")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_json_reads_the_same_whatever_the_encoding_of_the_terminal(encoding):
    out = TextIOWrapper(BytesIO(), encoding, errors="backslashreplace")
    with contextlib.redirect_stdout(out):
        print_json("Möbel 😀")
    assert json.loads(out.buffer.getvalue()) == "Möbel 😀"


def test_json_can_go_to_what_has_no_encoding():
    with contextlib.redirect_stdout(StringIO()) as out:
        print_json("Möbel 😀")
    assert out.getvalue() == '"Möbel 😀"\n'


@by_name
def test_every_path_may_begin_with_the_home_folder(path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    for given in COMMANDS[path].params:
        called = given.metavar or ""
        if isinstance(given.type, click.Path) or called.endswith(("FILE", "FOLDER")):
            name = "a=" * ("=" in called)
            assert os.fspath(given.type(f"{name}~/x.csv", given)) == f"{name}/home/me/x.csv"


@pytest.mark.parametrize("words", ["-q -v", "-v -q"])
def test_quiet_and_verbose_exclude_each_other(folder, words):
    done = invoke(f"run tiny.yaml --dry-run {words}", code=2)
    assert "mutually exclusive" in done.stderr
    assert not logging.getLogger("mvcc").handlers  # nothing is left for the next command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cluster --view a=a.csv -k 2-4 --stability-runs 5", "--stability-runs goes with one"),
        ("cluster --view a=a.csv -k 2-4 --comparison", "--comparison goes with one number"),
        ("cluster --view a=a.csv -k 2-4 --compare-co-em", "--compare-co-em goes with one number"),
        ("compare a b --fresh", "--fresh goes with --out"),
        ("match --view a=a.csv --json --fresh", "--fresh goes with --out"),
        ("run tiny.yaml --trials 5 --set trials=50", "--trials and --set trials=… say the same"),
        ("run tiny.yaml --backend dask", "requires --scheduler ADDRESS"),
        ("run tiny.yaml --scheduler tcp://127.0.0.1:1", "requires --scheduler ADDRESS"),
        ("review a -n 3 --answers x.csv", "-n is the number of rows of --json"),
        ("review a --parts 1 --json", "--parts prints JSON of its own"),
        ("review a --parts 1 --answers x.csv", "--parts prints JSON of its own"),
        ("review a --json --port 80", "--port and --no-open go with the page"),
    ],
)
def test_an_option_without_effect_is_refused_before_anything_is_read(words, said):
    assert said in invoke(words, code=2).stderr


@pytest.mark.parametrize(
    "words", [["check", "nowhere"], ["doctor"], ["claims", "nowhere"]], ids=" ".join
)
def test_there_is_no_color_without_a_terminal_or_with_NO_COLOR(words, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for environment in ({}, {"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        done = mvcc(*words, **environment)
        assert "\x1b" not in done.stdout + done.stderr


def test_FORCE_COLOR_gives_color_without_a_terminal():
    assert "\x1b[31m" in mvcc("check", "nowhere", FORCE_COLOR="1").stderr


def test_FORCE_COLOR_draws_no_moving_bar_into_a_file(folder):
    done = mvcc("run", "tiny.yaml", "--fresh", "-j", "1", FORCE_COLOR="1")
    assert "3/3 trials done" in done.stderr
    assert "\x1b[?25l" not in done.stderr  # the cursor is not hidden


def test_the_module_and_the_script_are_the_command():
    script = os.path.join(os.path.dirname(sys.executable), "mvcc")
    for program in ([script], [sys.executable, "-m", "mvcc"]):
        done = subprocess.run([*program, "runn"], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == mvcc("runn")


def test_threads_compute_the_same(folder):
    invoke("run tiny.yaml --out new --backend threading -j 2")
    curves = folder / "results/tiny/curves.csv"
    assert (folder / "new/curves.csv").read_bytes() == curves.read_bytes()


# steps within a long step


@click.command()
@output_options("Print nothing.")
def long_step():
    with shown_steps() as on_step:
        on_step("clustering")
        teller(10**6)("nearest rows: 50 %, about 2 minutes left")
    teller(10**6)("after it")


@pytest.fixture
def shown(monkeypatch):
    """Return a list of all that the line at the bottom of the terminal has said."""
    texts = []
    monkeypatch.setattr(Status, "update", lambda self, text: texts.append(text))
    return texts


def test_a_step_within_a_step_is_shown_in_its_place(shown):
    result = CliRunner().invoke(long_step, [])
    assert (result.exit_code, result.output) == (0, "")
    assert shown == ["clustering …", "clustering: nearest rows: 50 %, about 2 minutes left …"]
    assert not LOGGER.isEnabledFor(logging.INFO)


def test_verbose_lists_all_steps(shown):
    lines = CliRunner().invoke(long_step, ["--verbose"]).stderr.splitlines()
    assert lines[:3] == [
        "· clustering …",
        "· nearest rows: 50 %, about 2 minutes left …",
        "· after it …",
    ]


# completion, at once


COMPLETED = """
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
        ("mvcc check some", "dir,some"),
    ],
)
def test_completion_answers_without_importing_anything_heavy(question, answer):
    last = str(question.count(" "))
    asked = {"COMP_WORDS": question, "COMP_CWORD": last, "_MVCC_COMPLETE": "bash_complete"}
    command = [sys.executable, "-c", COMPLETED]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | asked)
    *answers, heavy = done.stdout.splitlines()
    assert sorted(answers) == answer.splitlines()
    assert heavy == "[]"
