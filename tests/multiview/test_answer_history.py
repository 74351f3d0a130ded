"""The history of answers: what extends it, what it refuses, and that it never changes."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.exceptions import InvalidInputError
from mvcc.multiview import Answer, AnswerHistory

NAMES = ("a", "b", "c")
about_objects = st.builds(
    lambda one, answer: Answer(f"v:{one}", answer, object=one),
    st.integers(0, 5),
    st.sampled_from(["new", "unsure", "outlier", *NAMES, "new:a", "new:b", "new:c", "g1", "g2"]),
)
about_groups = st.builds(
    lambda group, kind, name: Answer(group, f"{kind}:{name}"),
    st.sampled_from(NAMES),
    st.sampled_from(["merge", "rename"]),
    st.sampled_from(NAMES),
)
undos = st.just(Answer("", "undo"))


def after(*answers):
    """Return the history of answers, each "object answer" or "group: change"."""
    history = AnswerHistory()
    for text in answers:
        about, _, answer = text.partition(" ")
        one = int(about) if about.isdecimal() else None
        history = history.extended(Answer(about, answer, object=one), again=True)
    return history


@given(st.lists(st.one_of(about_objects, about_groups, undos), max_size=25))
def test_it_never_changes_and_follows_from_the_answers_that_stand(answers):
    history = AnswerHistory()
    for answer in answers:
        before = deepcopy(history)
        try:
            extended = history.extended(answer, again=True)
        except InvalidInputError:
            extended = history
        assert history == before
        history = extended
    assert AnswerHistory().followed_by(history.lines) == history
    alone = AnswerHistory().followed_by(history.standing)
    assert alone.said(0) == history.said(0)
    for name in ("answers", "names", "opened_at"):
        assert getattr(alone, name) == getattr(history, name)
    members = history.members()
    assert all(len(own) for own in members.values())
    assert list(members) == list(history.names) == sorted(history.names)
    assert set(history.names.values()) >= {history.said(one) for one in range(6)} & {*NAMES}


def test_lines_name_groups_as_they_are_called():
    history = after("0 new", "1 new:b", "2 g1", "g2 rename:c", "c merge:group 1", "x undo")
    assert [(line.id, line.answer) for line in history.lines] == [
        ("0", "new:group 1"),
        ("1", "new:b"),
        ("2", "group 1"),
        ("b", "rename:c"),
        ("c", "merge:group 1"),
        ("c", "undo"),
    ]
    assert history.names == {1: "group 1", 2: "c"}


def test_numbers_of_groups_are_not_given_twice_unless_one_is_undone():
    history = after("0 new:a", "1 new:b", "1 a")
    assert history.extended(Answer("2", "new:c", object=2)).names == {1: "a", 3: "c"}
    undone = after("0 new:a", "1 new:b", "- undo", "1 new:c")
    assert undone.names == {1: "a", 2: "c"}


def test_the_history_as_of_a_number_of_answers_has_all_changes_before_the_next_object():
    history = after("0 new:a", "1 new:b", "1 unsure", "a rename:c", "2 c")
    assert history.as_of(2).names == {1: "c"}
    assert history.as_of(2).standing == history.standing[:4]
    assert history.as_of(1).answers == {0: 1}


def test_answers_that_are_not_checked_open_the_groups_that_they_name():
    lines = [
        Answer("0", "a", object=0),
        Answer("x", "merge:a"),
        Answer("x", "rename:y"),
        Answer("a", "merge:a"),
    ]
    history = AnswerHistory().followed_by(lines)
    assert (history.names, history.n_since_new) == ({1: "a"}, 1)
    with pytest.raises(InvalidInputError, match="nothing to undo"):
        AnswerHistory().followed_by([Answer("", "undo")])


@pytest.mark.parametrize(
    ("id", "answer", "message"),
    [
        ("1", "z", "There is no group 'z'; the groups are 'a'"),
        ("1", "", "There is no group ''"),
        ("1", "new:a", "There is a group 'a' already"),
        ("1", "new:new", "'new' must not be the name"),
        ("0", "unsure", "0 was answered before: 'a', got 'unsure'"),
        ("0", "new:z", "0 was answered before: 'a', got 'new'"),
        ("a", "merge:a", "kept and gone must be two groups"),
        ("a", "rename: b", "without blanks at its ends"),
        ("z", "rename:b", "There is no group 'z'"),
    ],
)
def test_refusals(id, answer, message):
    one = int(id) if id.isdecimal() else None
    with pytest.raises(InvalidInputError, match=message):
        after("0 new:a").extended(Answer(id, answer, object=one))
