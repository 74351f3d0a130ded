"""Steps within a long step are shown while a command runs, and listed with ``--verbose``."""

import logging

import click
import pytest
from click.testing import CliRunner
from rich.status import Status

from mvcc._utils.progress import LOGGER, teller
from mvcc.cli._shared import output_options, shown_steps

MANY = 10**6  # rows


@click.command()
@output_options("Print nothing.")
def command():
    with shown_steps() as on_step:
        on_step("clustering")
        teller(MANY)("nearest rows: 50 %, about 2 minutes left")
    teller(MANY)("after it")


@pytest.fixture
def shown(monkeypatch):
    """Return a list of all that the line at the bottom of the terminal has said."""
    texts = []
    monkeypatch.setattr(Status, "update", lambda self, text: texts.append(text))
    return texts


def test_a_step_within_a_step_is_shown_in_its_place(shown):
    result = CliRunner().invoke(command, [])
    assert (result.exit_code, result.output) == (0, "")
    assert shown == ["clustering …", "clustering: nearest rows: 50 %, about 2 minutes left …"]
    assert not LOGGER.isEnabledFor(logging.INFO)


def test_verbose_lists_all_steps(shown):
    lines = CliRunner().invoke(command, ["--verbose"]).stderr.splitlines()
    assert lines[:3] == [
        "· clustering …",
        "· nearest rows: 50 %, about 2 minutes left …",
        "· after it …",
    ]
