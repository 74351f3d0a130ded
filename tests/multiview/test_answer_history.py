"""The history of answers, of one or several people: what extends it, is refused, and counts."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.exceptions import InvalidInputError
from mvcc.multiview import Answer, AnswerHistory, agreement

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
ANSWERS = ("new", "unsure", "outlier", "undo", "none", "new:x", "merge:x", "rename:x")


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


def test_an_answer_that_changed_comes_last_also_if_it_is_changed_back():
    history = after("0 new:a", "1 a", "0 new:b", "0 a")
    assert list(history.answers) == history.members()[1].tolist() == [1, 0]


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
        *(("1", f"new:{word}", f"'{word}' must not be the name") for word in ANSWERS),
        ("0", "unsure", "0 was answered before: 'a', got 'unsure'"),
        ("0", "new:z", "0 was answered before: 'a', got 'new'"),
        ("a", "merge:a", "kept and gone must be two groups"),
        ("a", "rename: b", "without blanks at its ends"),
        ("a", "rename:b\u200dc", r"or invisible characters, got 'b\\u200dc'"),
        ("z", "rename:b", "There is no group 'z'"),
    ],
)
def test_refusals(id, answer, message):
    one = int(id) if id.isdecimal() else None
    with pytest.raises(InvalidInputError, match=message):
        after("0 new:a").extended(Answer(id, answer, object=one))


# ---- answers of several people: which of their groups are one, what is disputed, how they agree


def person(answers, minute=0):
    """Return the history of what somebody answered, as {object: group, unsure or outlier}."""
    lines = [
        Answer(f"v:{one}", says, f"{minute + place:02d}", one)
        for place, (one, says) in enumerate(answers.items())
    ]
    return AnswerHistory().followed_by(lines)


def groups_of(found):
    members = found.history.members().items()
    return {found.history.names[number]: set(own.tolist()) for number, own in members}


def test_what_two_people_say_alike_or_only_one_says_counts_and_what_they_dispute_does_not():
    anna = person({0: "cat", 1: "cat", 2: "dog", 3: "outlier", 4: "unsure", 8: "outlier"})
    ben = person({1: "cat", 2: "cat", 3: "outlier", 4: "dog", 5: "dog", 8: "dog"})
    found = agreement({"anna": anna, "ben": ben})
    assert groups_of(found) == {"cat": {0, 1}, "dog": {4, 5}}
    assert found.history.answers[3] == "outlier"
    assert found.disputed == [2, 8]
    assert found.said[2] == {"anna": "dog", "ben": "cat"}
    (pair,) = found.pairs
    assert (pair.people, pair.n_objects, pair.n_same) == (("anna", "ben"), 4, 2)
    # by hand: observed 2/4, by chance (1·2 + 1·1 + 2·1) / 16
    assert pair.kappa == pytest.approx((1 / 2 - 5 / 16) / (1 - 5 / 16))


def test_groups_are_one_by_their_names_or_by_most_of_their_common_objects():
    anna = {**dict.fromkeys(range(5), "cat"), **dict.fromkeys(range(5, 9), "dog"), 20: "owl"}
    ben = {0: "Katze", 1: "Katze", 2: "DOG", 5: "DOG", 6: "DOG", 20: "Eule", 30: "Katze"}
    found = agreement({"anna": person(anna), "ben": person(ben, 50)})
    assert groups_of(found) == {"cat": {0, 1, 3, 4, 30}, "dog": {5, 6, 7, 8}}
    assert found.disputed == [2, 20]  # one common object does not make two groups one
    assert [group.names for group in found.groups] == [
        {"anna": "cat", "ben": "Katze"},
        {"anna": "dog", "ben": "DOG"},
        {"anna": "owl"},
        {"ben": "Eule"},
    ]


def test_two_groups_of_one_person_stay_two_whatever_another_one_calls_them():
    anna = {0: "cat", 1: "cat", 2: "cat", 3: "cat"}
    ben = {0: "cat", 1: "Cat", 2: "Cat", 3: "Cat", 4: "Cat"}
    found = agreement({"anna": person(anna), "ben": person(ben)})
    assert groups_of(found) == {"cat": {0}, "Cat": {4}}
    assert found.apart == {frozenset({"cat", "Cat"})}


def test_groups_that_no_one_person_has_both_are_not_told_apart():
    found = agreement({"anna": person({0: "cat", 1: "dog"}), "ben": person({2: "Maus", 3: "dog"})})
    assert found.apart == {frozenset({"cat", "dog"}), frozenset({"Maus", "dog"})}


def test_three_people_agree_two_by_two_and_names_of_any_of_them_are_known():
    anna = person({0: "cat", 1: "cat", 2: "dog"})
    ben = person({0: "Katze", 1: "Katze", 3: "dog"})
    cleo = person({4: "Katze", 2: "dog", 3: "Katze"})
    found = agreement({"anna": anna, "ben": ben, "cleo": cleo})
    assert groups_of(found) == {"cat": {0, 1, 4}, "dog": {2}}
    assert found.disputed == [3]
    pairs = {pair.people: (pair.n_objects, pair.n_same, pair.kappa) for pair in found.pairs}
    assert pairs == {
        ("anna", "ben"): (2, 2, None),
        ("anna", "cleo"): (1, 1, None),
        ("ben", "cleo"): (1, 0, 0.0),
    }


def test_from_sixty_answers_on_a_small_group_of_one_person_is_no_cluster():
    many = dict.fromkeys(range(30), "cat") | dict.fromkeys(range(30, 56), "dog")
    slips = {56: "dgo", 57: "owl"}
    few = agreement({"anna": person(many | slips), "ben": person({56: "unsure"})})
    assert few.counted == {"cat", "dog", "dgo", "owl"}
    others = dict.fromkeys(range(60, 64), "dog") | {57: "owl"}
    found = agreement({"anna": person(many | slips), "ben": person(others)})
    assert found.counted == {"cat", "dog", "owl"}


def test_answers_come_in_the_order_of_time_and_a_changed_mind_counts_once():
    anna = person({0: "cat"}, 5).followed_by([Answer("v:0", "dog", "09", 0)])
    found = agreement({"anna": anna, "ben": person({1: "cat", 2: "cat"}, 3)})
    assert [line.object for line in found.history.lines] == [1, 2, 0]
    assert groups_of(found) == {"cat": {1, 2}, "dog": {0}}
    assert found.history.n_since_new == 0


def test_an_unsure_answer_is_never_the_line_of_what_another_person_knows():
    for names in ("anna", "ben"), ("ben", "anna"):
        people = {"anna": person({0: "unsure"}), "ben": person({0: "cat"}, 3)}
        (line,) = agreement({name: people[name] for name in names}).history.lines
        assert (line.answer, line.when) == ("new:cat", "03")
