"""Stored sessions: held again they leave the same files, and their logs alone give the other files."""

import numpy as np
import pytest

from mvcc.tables import load_job, read_inputs
from mvcc.tables.reading._answers import with_answers
from tests.tables.asking.pages import write_tables
from tests.tables.asking.replaying import SESSIONS, STORED, files_of, hold, opened
from tests.tables.asking.test_session import said
from tests.tables.problems import write_csv


@pytest.mark.exact_bits
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_that_is_held_again_leaves_the_same_files(tmp_path, name):
    hold(SESSIONS[name], tmp_path)
    assert files_of(tmp_path / "answers") == files_of(STORED / name)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_log_is_resumed_and_read_alike(tmp_path, name):
    config = write_tables(tmp_path)
    log = tmp_path / "answers" / "asked.csv"
    log.parent.mkdir()
    log.write_bytes((STORED / name / "asked.csv").read_bytes())
    with opened(config) as session:
        status, outliers = session.status, session._questions.outliers
        constraints = session._questions.constraints
    assert files_of(log.parent) == files_of(STORED / name)
    config.write_text(config.read_text() + "asked: answers\n")
    job = load_job(config)
    inputs = with_answers(job, read_inputs(job))
    answers = inputs.answers
    assert [rows.tolist() for rows in answers.outliers] == [rows.tolist() for rows in outliers]
    assert (answers.n_counted, answers.n_in_a_row >= 10) == (status.n_clusters_hint, status.settled)
    for own, used, rows in zip(constraints, inputs.constraints, outliers, strict=True):
        assert used == own.on_rows(np.setdiff1d(np.arange(60), rows))


def test_lines_of_other_words_stay_as_they_are(tmp_path):
    config = write_tables(tmp_path)
    lines = [["images:i0", "new", "then"], ["texts:t1", "g1", "then"], ["", "undo", "then"]]
    log = write_csv(tmp_path / "answers" / "asked.csv", [["id", "answer", "when"], *lines])
    with opened(config) as session:
        session.answer("texts:t3", "group 1")
        assert said(session) == [("texts:t0", "group 1"), ("texts:t3", "group 1")]
    with open(log, encoding="utf-8") as file:
        stored = [line.rstrip("\n").split(",") for line in file]
    assert stored[1:4] == lines
    assert stored[4][:2] == ["texts:t3", "group 1"]
