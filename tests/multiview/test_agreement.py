"""Answers of several people: which of their groups are one, what is disputed, how they agree."""

import pytest

from mvcc.multiview import Answer, AnswerHistory, agreement


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
    found = agreement(
        {
            "anna": person({0: "cat", 1: "cat", 2: "dog", 3: "outlier", 4: "unsure", 8: "outlier"}),
            "ben": person({1: "cat", 2: "cat", 3: "outlier", 4: "dog", 5: "dog", 8: "dog"}),
        }
    )
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
    found = agreement(
        {
            "anna": person({0: "cat", 1: "cat", 2: "dog"}),
            "ben": person({0: "Katze", 1: "Katze", 3: "dog"}),
            "cleo": person({4: "Katze", 2: "dog", 3: "Katze"}),
        }
    )
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
