"""A session of questions: what was said is in the folder, and the folder says it again."""

import numpy as np
import pytest

from mvcc.exceptions import (
    ConfigError,
    ConstraintConflictError,
    InvalidInputError,
    MvccError,
    StoreError,
)
from mvcc.multiview.questions._questions import Questions
from mvcc.tables import AskSession, load_job, read_inputs, record_table
from mvcc.tables.reading._answers import with_answers
from tests.tables.asking.pages import write_tables
from tests.tables.asking.replaying import SESSIONS, STORED, files_of, hold, opened
from tests.tables.problems import (
    answer_by,
    kinds_in,
    options_of,
    read_csv,
    session_of,
    with_pairs,
    with_values,
    write_csv,
    write_problem,
)


def said(asking):
    return [(one.id, one.answer) for one in asking.said]


@pytest.fixture
def options(tmp_path):
    return write_problem(tmp_path, judged=())


@pytest.fixture
def asking(options, tmp_path):
    with session_of(options, tmp_path / "asked") as asking:
        yield asking


def all_of(asking):
    return asking.status, asking.said, asking.groups, [q.id for q in asking.next(5)]


def test_a_log_of_names_that_are_handles_or_long_is_read_again_with_a_note(options, tmp_path):
    with session_of(options, tmp_path / "asked") as asking:
        ids = [question.id for question in asking.next(3)]
        for one, name in zip(ids, "abc", strict=True):
            asking.answer(one, f"new:{name}")
    log, notes = tmp_path / "asked" / "asked.csv", []
    renamed = log.read_text().replace("new:a,", "new:g2,")
    log.write_text(renamed.replace("new:c,", f"new:{'c' * 300},"))
    with session_of(options, tmp_path / "asked", on_note=notes.append) as asking:
        assert [group.name for group in asking.groups] == ["g2", "b", "c" * 300]
        (question,) = asking.next()
        asking.answer(question.id, "g2")
        asking.record([("g2", "rename:a")])
        assert said(asking)[0] == (ids[0], "a")
    told = "the group 'g2' takes all answers 'g2', whichever group has this handle. Rename it."
    assert [note.partition(": ")[2] for note in notes] == [told]
    with session_of(options, tmp_path / "asked", on_note=notes.append) as asking:
        assert [group.name for group in asking.groups][:2] == ["a", "b"]
    assert len(notes) == 1


def test_a_contradiction_is_refused_with_its_chain(options, tmp_path):
    with session_of(options, tmp_path / "first") as asking:
        one, other = (question.id for question in asking.next(2))
    rows = [name.split(":")[1] for name in (one, other)]
    options = with_pairs(options, tmp_path / "judged.csv", [*rows, "cannot-link"])
    with session_of(options, tmp_path / "asked") as asking:
        asking.answer(one, "new:a")
        before = all_of(asking)
        with pytest.raises(ConstraintConflictError, match=r"line 2 of judged\.csv"):
            asking.answer(other, "a")
        assert all_of(asking) == before
        asking.answer(other, "new:b")
    with session_of(options, tmp_path / "drop", on_conflict="drop") as asking:
        asking.answer(one, "new:a")
        asking.answer(other, "a")


def test_a_line_that_was_cut_off_is_left_out(options, tmp_path):
    with session_of(options, tmp_path / "asked") as asking:
        ids = [question.id for question in asking.next(2)]
        asking.answer(ids[0], "new:ä")
        before = all_of(asking)
        asking.answer(ids[1], "new:ö")
    log, notes = tmp_path / "asked" / "asked.csv", []
    content = log.read_bytes()
    first = content.index(b"\n", content.index(b"\n") + 1) + 1
    for end in range(first + 1, content.rindex(b","), 5):
        log.write_bytes(content[:end])
        with session_of(options, tmp_path / "asked", on_note=notes.append) as asking:
            assert all_of(asking)[1:] == before[1:]
        assert f"asked.csv:3: the last line, '{ids[1]}"[: end - first] in notes[-1]
        assert notes.pop().endswith("was cut off, and is left out.")
        assert log.read_bytes() == content[:end], "until there is another answer"


def test_a_log_that_lost_lines_is_refused_before_the_groups_lose_their_members(options, tmp_path):
    log, groups = tmp_path / "asked/asked.csv", tmp_path / "asked/groups.csv"
    with session_of(options, tmp_path / "asked") as asking:
        first, *others = (question.id for question in asking.next(3))
        asking.answer(first, "new:ä")
        older = log.read_bytes()
        asking.record([(one, "ä") for one in others])
    log.write_bytes(older)
    before = groups.read_bytes()
    message = r"asked\.csv lacks answers about 2 objects of groups\.csv\. Restore it; or, to drop"
    with pytest.raises(StoreError, match=message), session_of(options, tmp_path / "asked"):
        pass
    assert groups.read_bytes() == before
    groups.unlink()
    with session_of(options, tmp_path / "asked") as asking:
        assert [one.id for one in asking.said] == [first]
        before = groups.read_bytes()
        asking.undo()
    groups.write_bytes(before)  # as if it had been killed once the log was stored
    with session_of(options, tmp_path / "asked") as asking:
        assert not asking.said


def test_answers_about_rows_that_are_gone_stay_in_the_log(options, tmp_path):
    table, log, notes = tmp_path / "view0.csv", tmp_path / "asked/asked.csv", []
    with session_of(options, tmp_path / "asked") as asking:
        first, *others = answer_by(kinds_in(tmp_path).get, asking, 12)
        of_first = [name for name in asking.groups[0].members if name.startswith("view0:")]
        asking.record([(others[0], "new:alone")])
        before, records = all_of(asking)[1:3], log.read_text()
    lines = table.read_text().splitlines(keepends=True)
    gone = {*of_first, first, others[0]}
    table.write_text("".join(one for one in lines if f"view0:{one.split(',')[0]}" not in gone))
    skipping = with_values(options, unknown="skip")
    with session_of(skipping, tmp_path / "asked", on_note=notes.append) as asking:
        left = [one for one in before[0] if not one.id.startswith("view0:") or one.id not in gone]
        assert asking.said == left
        assert asking.status.n_answers == len(left)
        with pytest.raises(InvalidInputError, match=r"the last answer is about .* not in these"):
            asking.undo()
        asking.record([(asking.next()[0].id, "new")])
        asking.undo()
    assert notes == [
        f"{log}: {12 - len(left)} answered rows cannot be found in these tables. What was answered"
        " of them stays there, and has no effect."
    ]
    assert log.read_text().startswith(records)
    job = load_job(None, with_values(skipping, asked=str(tmp_path / "asked")))
    said = with_answers(job, read_inputs(job)).notes
    assert not [note for note in said if "do not say the same" in note]
    table.write_text("".join(lines))
    with session_of(options, tmp_path / "asked", on_note=pytest.fail) as asking:
        assert all_of(asking)[1:3] == before


def test_what_somebody_adds_to_the_log_meanwhile_is_kept(options, tmp_path):
    """The line has no end, but is whole."""
    with session_of(options, tmp_path / "asked") as asking:
        first, second, third = (question.id for question in asking.next(3))
        asking.answer(first, "new:ä")
        log = tmp_path / "asked" / "asked.csv"
        by_hand = log.read_bytes() + f"{second},ä,2026-11-27T00:00:00+00:00".encode()
        log.write_bytes(by_hand)
        with pytest.raises(StoreError, match="changed by somebody else since this session read it"):
            asking.answer(third, "ä")
        assert log.read_bytes() == by_hand
        assert [one.id for one in asking.said] == [first]
    with session_of(options, tmp_path / "asked", on_note=pytest.fail) as asking:
        assert [one.id for one in asking.said] == [first, second]
        asking.answer(third, "ä")
    assert [row["id"] for row in read_csv(log)] == [first, second, third]


def test_an_answer_is_not_stored_if_a_file_that_follows_cannot_be_replaced(asking, tmp_path):
    first, second = (question.id for question in asking.next(2))
    asking.answer(first, "new:ä")
    (tmp_path / "asked" / "groups.csv").write_text("name,members\n")
    before = (tmp_path / "asked" / "asked.csv").read_bytes()
    with pytest.raises(StoreError, match=r"groups\.csv is not replaced: it was changed"):
        asking.answer(second, "ä")
    assert (tmp_path / "asked" / "asked.csv").read_bytes() == before
    assert [one.id for one in asking.said] == [first]


def test_a_copy_without_hidden_files_is_resumed(options, tmp_path):
    with session_of(options, tmp_path / "asked") as asking:
        first, second = (question.id for question in asking.next(2))
        asking.answer(first, "new:ä")
    (tmp_path / "asked/.mvcc-files").unlink()
    with session_of(options, tmp_path / "asked") as asking:
        asking.answer(second, "new:ö")
        assert [one.id for one in asking.said] == [first, second]


@pytest.mark.parametrize("names", [("asked", "b"), ("Groups", "b")])
def test_views_whose_files_would_be_one_on_some_disks_are_refused(tmp_path, names):
    table = write_csv(tmp_path / "table.csv", [["x"], [1], [2]])
    with pytest.raises(ConfigError, match="called asked or groups: files"):
        session_of(options_of(dict.fromkeys(names, table), n_clusters=2), tmp_path / "asked")


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_in_the_place_of_the_log_is_never_replaced(options, tmp_path, exists):
    log, elsewhere = tmp_path / "asked/asked.csv", tmp_path / "elsewhere.csv"
    with session_of(options, tmp_path / "asked") as asking:
        asking.answer(asking.next()[0].id, "new:ä")
    log.rename(elsewhere)
    log.symlink_to(elsewhere)
    if not exists:
        elsewhere.unlink()
    message = r"asked\.csv is a link, .* Move the log itself here, or choose another folder"
    with pytest.raises(StoreError, match=message), session_of(options, tmp_path / "asked"):
        pass
    assert log.is_symlink()


def test_folders_of_others_are_refused(options, tmp_path):
    def refused(options, folder, error, message):
        with pytest.raises(error, match=message), session_of(options, folder):
            pass

    (tmp_path / "file").write_text("")
    refused(options, tmp_path / "file", StoreError, "file is where a folder must be")
    refused(options, tmp_path, StoreError, "but no answers")
    with session_of(options, tmp_path / "asked") as asking:
        asking.answer(asking.next()[0].id, "new:a")
    (tmp_path / "asked/view0.csv").write_text("i,j,kind\n")
    given = with_pairs(options, tmp_path / "asked/view0.csv")
    refused(given, tmp_path / "asked", StoreError, "would be overwritten")
    other = write_problem(tmp_path / "other", n_views=1, pairs=(), judged=(), n=9, n_matches=1)
    message = r"asked\.csv:2: .*other tables, or rows that are gone, .* several, each with --asked"
    refused(other, tmp_path / "asked", InvalidInputError, message)


@pytest.mark.parametrize(
    "log", [b"", b"id,answer,when", b"id,answer\n", b"id,answer,when,who\n", b"\xff\xfe\n", b"a\0b"]
)
def test_a_log_of_somebody_else_is_refused_and_nothing_is_touched(options, tmp_path, log):
    folder = tmp_path / "foreign"
    folder.mkdir()
    mine = {"asked.csv": log, ".my.part": b"mine", ".asked.csv.7.part": b"mine"}
    for name, content in mine.items():
        (folder / name).write_bytes(content)
    with pytest.raises(StoreError, match=r"asked\.csv:1: "), session_of(options, folder):
        pass
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == mine


def test_second_looks_are_one_card_in_five(tmp_path):
    options = write_problem(tmp_path, judged=(), n=60, n_matches=20)
    truth = kinds_in(tmp_path)
    other = {kind: min(set(truth.values()) - {kind}) for kind in truth.values()}
    with session_of(options, tmp_path / "asked") as asking:
        ids = answer_by(truth.get, asking, 24)
    # as if three had been answered wrongly at last
    wrong = {ids[5], ids[12], ids[20]}
    log = tmp_path / "asked" / "asked.csv"
    lines = log.read_text().splitlines()
    rows = [line for line in lines if line.split(",")[0] not in wrong or ",new:" in line]
    rows += [f"{one},{other[truth[one]]},2026-01-01T00:00:00+00:00" for one in sorted(wrong)]
    log.write_text("\n".join(rows) + "\n")
    with session_of(options, tmp_path / "asked") as asking:
        cards = [asking.card(question) for question in asking.next(20)]
        assert [place for place, card in enumerate(cards) if card.second_look] == [0, 5, 10]
        looked = [card for card in cards if card.second_look]
        assert {card.id for card in looked} == wrong
        one = looked[0].id
        said_of, near = dict(said(asking))[one], truth[one]
        assert looked[0].second_look == f"you said {said_of}; what is near it says {near}"
        asking.answer(one, near, again=True)
        assert one not in [question.id for question in asking.next(10)]


def test_a_card_shows_columns_images_and_bars(tmp_path):
    rows = [[f"r{n}", f"title {n}", f"pictures/{n}.png", n % 5 + n / 100] for n in range(20)]
    path = write_csv(tmp_path / "texts.csv", [["id", "title", "file", "x"], *rows])
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "3.png").write_bytes(b"png")
    (tmp_path / "pictures" / "4.png").symlink_to("/etc/hostname")
    shown = (("show", "texts"), ["title", "file"], "--show")
    job = load_job(None, [*options_of({"texts": path}, n_clusters=2), shown])
    inputs = read_inputs(job)
    assert inputs.tables[0].columns == ["title", "x"]
    with AskSession(job, inputs, tmp_path / "asked") as asking:
        (three,), (four,) = (asking.card(asking.question(f"texts:r{n}")).rows for n in (3, 4))
    assert three.images == ("pictures/3.png",)
    assert three.values == (("title", "title 3"),)
    assert not three.bars
    assert not four.images
    assert ("file", "pictures/4.png") in four.values
    with session_of(options_of({"texts": path}, n_clusters=2), tmp_path / "asked") as asking:
        (three,) = asking.card(asking.question("texts:r3")).rows
    assert three.values == (("title", "title 3"),)
    assert "x" in [column for column, _, _ in three.bars]


def test_bars_have_the_values_of_numbers_dates_and_truth(tmp_path):
    rows = [[f"r{n}", f"{n},5", "no" if n % 4 else "yes", f"{n + 1}.03.2024"] for n in range(20)]
    path = write_csv(tmp_path / "texts.csv", [["id", "x", "paid", "sent"], *rows])
    with session_of(options_of({"texts": path}, n_clusters=2), tmp_path / "asked") as asking:
        (zero,) = asking.card(asking.question("texts:r0")).rows
    values = {column: value for column, value, _ in zero.bars}
    assert values == {"x": "0.5", "paid": "yes", "sent": "2024-03-01"}


def test_the_columns_that_differ_most_are_shown(asking):
    card = asking.card(asking.next()[0])
    table = asking._inputs.tables[0]
    bars = card.rows[0].bars
    row = table.X[table.row[card.rows[0].id]]
    scores = (row - table.X.mean(axis=0)) / table.X.std(axis=0)
    found = {column: score for column, _, score in bars}
    assert found == pytest.approx(dict(zip(table.columns, scores, strict=True)), abs=0.006)
    values = [float(value) for _, value, _ in bars]
    assert values == pytest.approx([row[table.columns.index(column)] for column in found])
    sizes = [abs(score) for *_, score in bars]
    assert sizes == sorted(sizes, reverse=True)


def test_the_share_of_rows_that_moved_is_told_after_each_ten(asking, tmp_path, monkeypatch):
    truth, as_of, compared = kinds_in(tmp_path), Questions.as_of, []
    monkeypatch.setattr(Questions, "as_of", lambda own, n: compared.append(n) or as_of(own, n))
    for n_answers in (19, 20, 21):
        told = asking.status.moved
        assert told is None or n_answers == 21
        while asking.status.n_answers < n_answers:  # a second look is no further answer
            answer_by(truth.get, asking, 1)
    assert 0 <= asking.status.moved == told <= 1
    assert {*compared} == {10, 20}
    asking.undo()
    asking.undo()
    assert asking.status.moved is None


def test_rows_with_hardly_any_text_are_not_among_the_first_cards(tmp_path):
    texts = ["Roar", "a text of forty letters, or nearly that"]
    rows = [[f"r{n}", texts[n % 2], n % 3 + n / 99] for n in range(40)]
    path = write_csv(tmp_path / "a.csv", [["id", "title", "x"], *rows])
    view = {"path": path, "ignore": ["title"]}
    shown = (("show", "a"), ["title"], "--show")
    with session_of([*options_of({"a": view}, n_clusters=3), shown], tmp_path / "asked") as asking:
        ids = [question.id for question in asking.next(40)]
    short = {f"a:r{n}" for n in range(0, 40, 2)}
    assert short.isdisjoint(ids[:20])
    assert short == set(ids[20:])


# ---- answers as a table: recorded whole, or not at all with the line that is wrong


@pytest.fixture
def record(asking, tmp_path):
    """Record a table; {0} … {3} in its text are ids of questions."""
    ids = [question.id for question in asking.next(4)]

    def write(text):
        (tmp_path / "answers.csv").write_text(text.format(*ids), "utf-8", newline="")
        return record_table(asking, tmp_path / "answers.csv")

    return write


@pytest.mark.parametrize(
    "text",
    [
        "id,answer\n{0},new:a\n{1},a\n",
        "id,answer\r\n{0},new:a\r\n{1},a\r\n",
        "﻿id,answer\n{0},new:a\n{1},a\n",
        "answer;sure;id\nnew:a;;{0}\n\na;yes;{1}",
        " ID \tanswer\n{0}\tnew:a\n{1} \t a\n",
        'id,answer,note\n"{0}",new:a,"two\nlines"\n{1},"a",\n',
    ],
    ids=["lf", "crlf", "bom", "other columns", "tabs", "quoted"],
)
def test_tables_of_answers_may_be_written_in_many_ways(asking, record, text):
    record(text)
    assert [(group.name, group.size) for group in asking.groups] == [("a", 2)]
    assert len(asking.said) == 2


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("id,antwort\n", 1, "one column must be id and one answer, got id, antwort."),
        ("id,id,answer\n", 1, "one column must be id and one answer, got id, id, answer."),
        ("", 1, "one column must be id and one answer, got nothing."),
        ("{0},new:a\n{1},b\n", 3, "There is no group 'b'; the groups are 'a'"),
        ('{0},"new:a\n\n"\n{1},b\n', 5, "There is no group 'b'"),
        ("{0},new:a\na,rename:g1\n", 3, "'g1' must not be the name of a group: g with a number"),
        ("view0:nobody,new:a\n", 2, "view0 .* has no row with the id 'nobody'"),
        ("nowhere:1,new:a\n", 2, "an id must be a view and a row, such as view0:"),
        ("7,new:a\n", 2, "an id must be a view and a row"),
        ("{0},new:a,b\n", 2, "there must be 2 values, got 3: view"),
        ('{0},"new:a\n', 2, "cannot be read as CSV"),
        (",undo\n", 2, "There is nothing to undo"),
        ("{0},new:a\n{0},new:b\n", 3, ".* before: 'a', got 'new'. .* by `mvcc ask`, key l"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_recorded(asking, record, tmp_path, rows, line, message):
    assert record("id,answer\n") == []
    record("id,answer\n{3},new:z\n,undo\n")
    before, log = all_of(asking), (tmp_path / "asked" / "asked.csv").read_bytes()
    with pytest.raises(MvccError, match=rf"answers\.csv:{line}: {message}"):
        record(rows if line == 1 else f"id,answer\n{rows}")
    assert all_of(asking) == before
    assert (tmp_path / "asked" / "asked.csv").read_bytes() == log


# ---- stored sessions: held again they leave the same files, and their logs alone give the others


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
    for path in (log.parent / "groups.csv", log):  # with all files, and by the log alone
        assert path.exists()
        inputs = with_answers(job, read_inputs(job))
        answers = inputs.answers
        assert [rows.tolist() for rows in answers.outliers] == [rows.tolist() for rows in outliers]
        counted = answers.n_counted, answers.n_in_a_row >= 10
        assert counted == (status.n_clusters_hint, status.settled)
        for own, used, rows in zip(constraints, inputs.constraints, outliers, strict=True):
            assert used == own.on_rows(np.setdiff1d(np.arange(60), rows))
        for file in ("groups", "texts", "images"):
            (log.parent / f"{file}.csv").unlink(missing_ok=True)


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
