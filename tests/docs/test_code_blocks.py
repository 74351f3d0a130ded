"""What the documentation shows works: every code block of every page is run, or says why it is not."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.blocks import PYTHON, ROOT, SHELL, Block, blocks_of, check, pages, run_page

# these show what is done in a checkout; all others begin with an empty folder
IN_A_CHECKOUT = {"README.md", "CONTRIBUTING.md", "data/README.md", "docs/reproduction.md"}
NEED_DATA = {"README.md"}
PAGES = [pytest.param(page, marks=[pytest.mark.data] if page in NEED_DATA else []) for page in pages()]


def lay_out_a_checkout(folder):
    """Copy what commands read; results without single trials, since a command may write there."""
    for name in ("configs", "examples", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "results", folder / "results", ignore=shutil.ignore_patterns("trials", "set-aside", ".lock"))
    activate = folder / ".venv" / "bin" / "activate"  # the programs are in the path already
    activate.parent.mkdir(parents=True)
    activate.touch()


# what mvcc says about data is part of what a page shows; any other warning is a mistake of the page
@pytest.mark.filterwarnings("ignore::mvcc.exceptions.PropagationWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES)
def test_the_code_blocks_of_a_page_work(page, tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    blocks = blocks_of(page)
    if page in IN_A_CHECKOUT and any(block.mark != "not run" for block in blocks):
        lay_out_a_checkout(tmp_path)
    n_run, n_checked = run_page(blocks, tmp_path)
    record_property("code blocks", f"{page}: {n_run} run, {n_checked} only checked")
    code = [block for block in blocks if block.language in PYTHON | SHELL and block.mark != "file"]
    assert n_run + n_checked >= len(code)


def test_most_code_blocks_are_run():
    blocks = [block for page in pages() for block in blocks_of(page) if block.language in PYTHON | SHELL]
    not_run = [block.place for block in blocks if block.mark == "not run"]
    assert len(not_run) < len(blocks) / 2, not_run


def block(language, text, mark="", said=""):
    return Block("page.md", 1, language, text, mark, said)


def test_a_comment_right_above_a_block_belongs_to_it():
    text = "<!-- not run: takes long -->\n```console\nmake test\n```\n\n<!-- output -->\n\nwords\n\n```text\n1\n```\n"
    assert [(found.mark, found.said) for found in blocks_of("page.md", text)] == [("not run", "takes long"), ("", "")]


def test_blocks_of_a_page_share_names_files_and_the_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = [
        block("text", "1,2\n", "file", "sub/pairs.csv"),
        block("python", "from pathlib import Path\ntext = Path('sub/pairs.csv').read_text()"),
        block("python", "print(text)\nPath('out.txt').write_text(text)"),
        block("text", "1,...", "output"),
        block("console", "$ cat out.txt \\\n  sub/pairs.csv\nwhatever it prints"),
        block("text", "1,2\n1,2\n", "output"),
    ]
    assert run_page(blocks, tmp_path) == (3, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (block("console", "false | true"), "exit status 1"),
        (block("console", "mvcc clusters"), "exit status 2"),
        (block("console", "mvcc --version", "fails"), "exit status 0"),
        (block("fortran", "STOP"), "nobody runs 'fortran'"),
        (block("python", "raise KeyError('no such row')"), "no such row"),
        (block("yaml", "{"), "expected"),
        (block("text", "2", "output"), "it prints instead"),
        (block("console", "make test", "not run"), "say why"),
    ],
    ids=["status", "command", "success", "language", "exception", "yaml", "output", "reason"],
)
def test_a_block_that_does_not_work_is_noticed(wrong, message, tmp_path):
    with pytest.raises(Exception, match=message):
        run_page([wrong], tmp_path)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("make nothing", "no such target"),
        ("mvcc clusters", "No such command"),
        ("mvcc cluster a.yaml --restart 3", "No such option"),
        ("mvcc data fetch --everything", "No such option"),
        ("mvcc init one two", "too many arguments"),
        ("python scripts/nothing.py", "no script"),
        ("python -m scripts.nothing", "no module"),
        ('pip install "mvcc[everything]"', "no extra"),
        ("make test && nosuchprogram", "no such program"),
    ],
)
def test_a_block_that_is_not_run_must_name_what_exists(command, message):
    with pytest.raises(AssertionError, match=message):
        check(block("console", command, "not run", "takes long"))


def test_a_block_that_is_not_run_may_name_what_exists():
    commands = ["make test", "mvcc data fetch protein -q", "OUT=x python -m scripts.mutants", "pip install mvcc[dask]"]
    check(block("console", "\n".join(commands), "not run", "takes long"))
