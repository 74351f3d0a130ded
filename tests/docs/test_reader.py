"""Whoever follows a page notices what does not work in it."""

import pytest

from tests.docs.blocks import HERE, Block
from tests.docs.reader import Reader, variables

pytestmark = pytest.mark.slow


@pytest.fixture
def reader(tmp_path):
    with Reader(tmp_path, variables(HERE), instead={"8786": "4711"}) as reader:
        yield reader


def block(language, text, mark="", said=""):
    return Block("page.md", 1, language, text, mark, said)


WRONG = {
    "status": (block("console", "false | true"), "exit status 1"),
    "command": (block("console", "mvcc clusters"), "exit status 2"),
    "success": (block("console", "mvcc --version", "fails"), "exit status 0"),
    "language": (block("fortran", "STOP"), "nobody runs 'fortran'"),
    "exception": (
        block("python", "x = 1\ny = 2\nraise KeyError('no such row')"),
        r'(?s)page.md", line 4, in <module>.*no such row',
    ),
    "yaml": (block("yaml", "{"), "expected"),
    "output": (block("text", "2", "output"), "it prints instead"),
    "reason": (block("console", "make test", "slow"), "say why"),
    "end": (block("console", "echo off; exit 1", "background", "on"), "off"),
    "excerpt": (block("py", "print('nothing')\n", "excerpt", "mvcc/__main__.py"), "not so in"),
    "gone": (block("python", "import os\nos._exit(1)"), "Python is gone"),
}


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_block_that_does_not_work_is_noticed(wrong, message, reader):
    with pytest.raises(Exception, match=message):
        reader.follow([wrong])


def test_a_warning_of_a_library_is_a_mistake_of_the_page_and_one_of_mvcc_about_data_is_not(reader):
    said = "import warnings\nfrom mvcc.exceptions import PropagationWarning\nwarnings.warn('x', {})"
    reader.follow([block("python", said.format("PropagationWarning"))])
    with pytest.raises(AssertionError, match="DeprecationWarning: x"):
        reader.follow([block("python", said.format("DeprecationWarning"))])
