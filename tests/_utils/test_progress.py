"""Long computations say how far they are, and how long the rest may take."""

import logging

import pytest

from mvcc._utils import progress
from mvcc._utils.progress import Progress, numbered, teller


@pytest.fixture
def clock(monkeypatch):
    """Return a list whose only entry is the time in seconds."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_items_are_numbered_with_the_time_that_is_left(clock):
    said = []
    for _ in numbered("stability run", "abcd", said.append):
        clock[0] += 100
    assert said == [
        "stability run 1 of 4",
        "stability run 2 of 4, about 5 minutes left",
        "stability run 3 of 4, about 3 minutes left",
        "stability run 4 of 4, about 2 minutes left",
    ]


def test_less_than_a_minute_is_not_told_of_items(clock):
    said = []
    for _ in numbered("start", range(2), said.append):
        clock[0] += 59
    assert said == ["start 1 of 2", "start 2 of 2"]


def test_a_share_is_told_every_few_seconds(clock):
    said = []
    tell = Progress("nearest rows", said.append)
    for seconds, share in ((0, 0), (50, 0.25), (54, 0.27), (150, 0.5), (200, 0.9), (210, 1)):
        clock[0] = seconds
        tell(share)
    assert said == [
        "nearest rows",
        "nearest rows: 25 %, about 2 minutes left",
        "nearest rows: 50 %, about 2 minutes left",
        "nearest rows: 90 %, less than a minute left",
    ]


def test_only_steps_with_many_rows_are_told(caplog):
    with caplog.at_level(logging.INFO, "mvcc.progress"):
        teller(49_999)("few")
        teller(50_000)("many")
    assert caplog.messages == ["many …"]
