"""Questions: which object is asked next, what the answers become, and what is refused."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import ConstrainedViews, Constraints, Questions, close_views
from mvcc.embedding import joint_graph
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.questions import _coverage
from mvcc.multiview.questions._question import ClustersHint, Progress, Untold
from tests.reference import questions as reference


def kinds_in_views(seed=0, sizes=(24, 22), n_matches=8, k=3, spread=1.0):
    """Make views of k kinds; the first rows of each view and the next are matched."""
    rng = np.random.default_rng(seed)
    y = [rng.integers(k, size=n) for n in sizes]
    for one, other in pairwise(y):
        other[:n_matches] = one[:n_matches]
    centers = [6 * rng.permutation(np.eye(k, 4)) for _ in sizes]
    pairs = zip(centers, y, strict=True)
    views = [C[own] + spread * rng.normal(size=(len(own), 4)) for C, own in pairs]
    same = np.column_stack((np.arange(n_matches), np.arange(n_matches)))
    return views, y, {(v, v + 1): same for v in range(len(sizes) - 1)} if n_matches else {}


def questions_about(*arguments, **options):
    views, y, matches = kinds_in_views(*arguments, **options)
    return Questions(views, matches), y


def row_of(question):
    return tuple(map(int, question.id.split(":")))


def kind_of(question, y):
    view, row = row_of(question)
    return f"kind {y[view][row]}"


def say(questions, question, name):
    known = [group.name for group in questions.groups]
    questions.answer(question, name if name in known else f"new:{name}")


def session(questions, y, n):
    ids = []
    for _ in range(n):
        (question,) = questions.next()
        say(questions, question, kind_of(question, y))
        ids.append(question.id)
    return ids


def state(questions):
    told = questions.groups, questions.constraints, questions.untold, questions.progress
    return *told, questions.n_clusters_hint, questions.second_looks, questions.next(3)


# ---- which object is asked


@pytest.mark.parametrize("seed", range(4))
def test_the_next_questions_are_those_of_the_reference(seed):
    views, y, matches = kinds_in_views(seed, spread=2.5)
    questions = Questions(views, matches, n_neighbors=6)
    K, objects = reference.kernel(views, matches, 5)  # views are small
    rows = [sum(own.count(one) for own in objects) for one in range(len(K))]
    matched = set(objects[0]) & set(objects[1])
    groups, asked = {}, []
    for _ in range(12):
        found = [objects[view][row] for view, row in map(row_of, questions.next(3))]
        lone = [members for members in groups.values() if not matched & set(members)]
        if not lone:
            given_ = list(groups.values()), asked, 3, set(range(len(K)))
            assert found == reference.next_objects(K, rows, *given_)
        else:
            C = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
            left = sorted(matched - set(asked))
            assert found[0] == max(left, key=lambda x: max(C[x, a] for a in lone[0]))
        (question,) = questions.next()
        say(questions, question, kind_of(question, y))
        view, row = row_of(question)
        groups.setdefault(int(y[view][row]), []).append(objects[view][row])
        asked.append(objects[view][row])


@pytest.mark.parametrize(
    ("sizes", "n_matches"), [((40,), 0), ((40, 30), 0), ((40, 30), 2), ((40, 36, 30), 12)]
)
def test_few_questions_find_all_kinds(sizes, n_matches):
    questions, y = questions_about(2, sizes, n_matches)
    session(questions, y, 12)
    assert {group.name for group in questions.groups} == {"kind 0", "kind 1", "kind 2"}


def test_every_object_is_asked_once():
    questions, y = questions_about(0, (12, 10), 4)
    ids = session(questions, y, 18)
    assert len(set(ids)) == 18
    assert questions.next(3) == []


def test_questions_about_many_rows_choose_among_medoids_and_find_all_kinds(monkeypatch):
    monkeypatch.setattr(_coverage, "MOST_DENSE_OBJECTS", 100)
    monkeypatch.setattr(_coverage, "N_EIGENPAIRS", 20)
    monkeypatch.setattr(_coverage, "N_CANDIDATES", 60)
    monkeypatch.setattr(_coverage, "MOST_SUMMED", 80)
    views, y, matches = kinds_in_views(3, (160, 150), 60)
    questions = Questions(views, matches)
    ids = session(questions, y, 15)
    assert {group.name for group in questions.groups} == {"kind 0", "kind 1", "kind 2"}
    assert session(Questions(views, matches), y, 15) == ids
    n_rows = questions._coverage._rows.sum()
    assert np.isclose(n_rows, 310, rtol=0.1)  # those drawn stand for the others
    assert len(session(questions, y, 45)) == 45


def test_a_medoid_is_matched_where_any_object_of_its_cluster_is(monkeypatch):
    monkeypatch.setattr(_coverage, "N_CANDIDATES", 2)
    angles = np.array([0.0, 0.1, 0.2, 1.4, 1.5, 1.6])
    features = np.column_stack((np.cos(angles), np.sin(angles)))
    matched = np.array([True, False, False, False, False, False])
    assert _coverage._medoids(features, matched, np.random.default_rng(1)).tolist() == [0, 4]


def test_the_kernel_of_large_graphs_is_that_of_the_leading_eigenpairs(monkeypatch):
    views, _, matches = kinds_in_views(3, (60, 50), 20)
    graph = joint_graph(views, matches, 6, 0, np.random.default_rng(0))
    exact = _coverage.Kernel(graph)
    monkeypatch.setattr(_coverage, "MOST_DENSE_OBJECTS", 50)
    monkeypatch.setattr(_coverage, "N_EIGENPAIRS", 12)
    some = _coverage.Kernel(graph)
    S = graph.normalized_affinities.toarray()
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    values, vectors = 0.95 * values[-12:], vectors[:, -12:]
    K = np.eye(len(S)) + vectors * np.maximum(values, 0) / (1 - values) @ vectors.T
    rows, columns = np.arange(0, 90, 4), np.arange(90)
    cosines = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    expected = np.maximum(cosines[np.ix_(rows, columns)], 0)
    assert np.allclose(some.near(rows, columns), expected, atol=1e-6)
    inverse = np.linalg.inv(np.eye(len(S)) - 0.95 * S)
    assert np.allclose(exact.sums(columns, list(columns[:, None])), inverse[:90, :90])


# ---- what a question says


def test_a_question_shows_rows_and_the_likeliest_groups_first():
    views, y, matches = kinds_in_views(1, (60, 50), 15)
    questions = Questions(views, matches)
    assert questions.next()[0].offers == ()
    session(questions, y, 12)
    for question in questions.next(10):
        view, row = row_of(question)
        assert row in question.rows[view]
        assert question.offers[0].group.name == kind_of(question, y)
        assert len(question.offers) == 3
        for offer in question.offers:
            assert offer.exemplar in [rows_of(questions, one) for one in offer.group.members]
        assert all(0 <= rows <= len(X) for rows, X in zip(question.speaks_for, views, strict=True))
    assert questions.progress.guessed_of_last_ten >= 7


def rows_of(questions, one):
    return questions._objects.rows(questions._objects.find(one))


def test_an_exemplar_is_seen_in_a_view_of_the_object_and_matched():
    views, _, matches = kinds_in_views(2, (40, 36), 10)
    questions = Questions(views, matches)
    for view, row in [(1, 20), (0, 20), (0, 2), (0, 21), (1, 25)]:
        say(questions, (view, row), "a")
    assert {question.offers[0].exemplar for question in questions.next(60)} == {((2,), (2,))}
    other = Questions(views)
    for view, row in [(1, 20), (0, 20)]:
        say(other, (view, row), "a")
    for question in other.next(70):
        assert list(map(bool, question.rows)) == list(map(bool, question.offers[0].exemplar))


def test_a_question_speaks_for_rows_that_no_other_answer_speaks_for():
    questions, y = questions_about(1, (60, 50), 15)
    (first,) = questions.next()
    assert sum(first.speaks_for) >= 1
    say(questions, first, kind_of(first, y))
    again = questions.question(first)
    assert again.speaks_for == first.speaks_for
    session(questions, y, 12)
    assert sum(questions.next()[0].speaks_for) < sum(first.speaks_for)


def test_the_likeliest_group_is_that_of_the_reference():
    views, y, matches = kinds_in_views(0, spread=2.5)
    questions = Questions(views, matches)
    K, objects = reference.kernel(views, matches, 5)
    kinds = [f"kind {int(kind > 0)}" for kind in y[0][:16]]
    for row, kind in enumerate(kinds):
        say(questions, (0, row), kind)
    groups = {one: [objects[0][row] for row in range(16) if kinds[row] == one] for one in kinds}
    asked = questions.next(20)
    assert len(asked) == 20
    for question in asked:
        one = questions._objects.find(question)
        expected = max(groups, key=lambda name: reference.likeness(K, one, groups[name]))
        assert question.offers[0].group.name == expected


def test_an_object_between_two_groups_is_undecided():
    line = np.concatenate((np.linspace(0, 1, 15), np.linspace(3, 4, 15)))[:, None]
    questions = Questions([np.vstack((line, [[2.0]]))], n_neighbors=40)
    questions.answer((0, 7), "new:low")
    questions.answer((0, 22), "new:high")
    shown = {question.id: question.undecided_between for question in questions.next(29)}
    assert set(shown["0:30"]) == {"low", "high"}
    assert shown["0:2"] == ()


def test_rows_of_tables_are_called_by_their_index():
    views, _, matches = kinds_in_views()
    left = pd.DataFrame(views[0], index=[f"id{n}" for n in range(24)], columns=list("abcd"))
    right = pd.DataFrame(views[1], index=[7] * 22, columns=list("abcd"))
    frames = {"left": left, "right": right}
    questions = Questions(frames, {("left", "right"): matches[0, 1]})
    (question,) = questions.next()
    assert question.id.startswith("left:id")
    questions.answer("left:id3", "new:a")
    assert questions.groups[0].members == ("left:id3",)
    questions.answer(("right", 12), "a")
    assert questions.groups[0].members == ("left:id3", "right:12")
    questions.answer("right:3", "a")  # is the same object as left:id3
    assert questions.groups[0].size == 2


# ---- what answers become


@given(
    st.integers(0, 99),
    st.integers(1, 40),
    st.sampled_from([((30, 26), 9), ((30,), 0), ((20, 18, 16), 6)]),
)
def test_constraints_say_just_what_the_groups_say(seed, n, shape):
    views, y, matches = kinds_in_views(seed, *shape)
    questions = Questions(views, matches)
    places = [(v, row) for v, X in enumerate(views) for row in range(len(X))]
    for view, row in np.random.default_rng(seed).permutation(places)[:n].tolist():
        say(questions, (view, row), f"kind {y[view][row]}")
    given_ = questions.constraints
    closed, _ = close_views(given_, matches)
    for c, labels in zip(closed, y, strict=True):
        same = labels[c.pairs[:, 0]] == labels[c.pairs[:, 1]]
        assert np.array_equal(same, c.must_link)
    sizes = [group.size for group in questions.groups]
    n_must_links = sum(int(c.must_link.sum()) for c in given_)
    n_untold = sum(one.must_link for one in questions.untold)
    assert n_must_links + n_untold == sum(sizes) - len(sizes)
    if not questions.untold:
        members = [rows_of(questions, one) for group in questions.groups for one in group.members]
        for view, c in enumerate(closed):
            n_rows = sum(bool(rows[view]) for rows in members)
            assert len(c) == n_rows * (n_rows - 1) // 2
    if len(views) == 1:
        assert len(given_[0]) - n_must_links == len(sizes) * (len(sizes) - 1) // 2


def test_what_no_constraint_can_say_is_told_when_a_matched_object_is_answered():
    questions, _ = questions_about(n_matches=4)
    questions.answer((0, 10), "new:a")
    questions.answer((1, 11), "new:b")
    questions.answer((1, 12), "a")
    pairs = Constraints.from_pairs
    assert questions.constraints == [pairs(), pairs(cannot_link=[(11, 12)])]
    assert questions.untold == [Untold(True, ("0:10", "1:12"))]
    questions.answer((0, 2), "a")  # row 2 of the second view, too
    assert questions.constraints == [pairs([(2, 10)]), pairs([(2, 12)], [(11, 12)])]
    assert questions.untold == []
    questions.answer((0, 3), "b")
    assert questions.constraints == [pairs([(2, 10)]), pairs([(2, 12), (3, 11)], [(11, 12)])]
    for _ in range(3):
        questions.undo()
    assert questions.untold == [Untold(False, ("0:10", "1:11"))]
    questions.answer((0, 3), "b")  # the groups share a view now
    assert questions.constraints == [pairs([], [(3, 10)]), pairs([(3, 11)])]
    assert questions.untold == []


def test_a_matched_object_is_sought_for_a_group_that_has_none():
    questions, y = questions_about(5, (40, 36), 10)
    row = 10 + int(np.flatnonzero(y[0][10:] == y[0][4])[0])
    say(questions, (0, row), f"kind {y[0][row]}")
    question, *others = questions.next(10)
    assert kind_of(question, y) == f"kind {y[0][row]}"
    assert all(all(one.rows) for one in [question, *others])
    session(questions, y, 1)
    assert questions.groups[0].size == 2
    assert questions.untold == []


def test_a_group_without_any_matched_object_is_not_sought_for_ever():
    views, y, matches = kinds_in_views(5, (60, 56), 40)
    rare = 41
    questions = Questions(views, matches)
    questions.answer((0, rare), "new:rare")
    ids = session(questions, y, 10)
    assert all(int(one.split(":")[1]) < 40 for one in ids)
    matched_first = [all(question.rows) for question in questions.next(50)]
    assert matched_first != sorted(matched_first, reverse=True)


def test_views_that_no_matches_connect_are_asked_alike():
    views, y, matches = kinds_in_views(0, (40, 36, 30), 12)
    questions = Questions(views, {(0, 1): matches[0, 1]})
    apart = Questions(views, {(0, 1): matches[0, 1], (1, 2): [(30, 20), (31, 21)]})
    ids = session(questions, y, 12)
    assert session(apart, y, 12) == ids
    assert {one.split(":")[0] for one in ids} > {"2"}


def test_unsure_and_outliers_say_nothing_and_are_not_asked_again():
    questions, y = questions_about()
    session(questions, y, 4)
    before = questions.constraints
    first, second = questions.next(2)
    questions.answer(first, "unsure")
    questions.answer(second, "outlier")
    assert questions.constraints == before
    assert not {first.id, second.id} & {question.id for question in questions.next(100)}
    assert [rows.tolist() for rows in questions.outliers] == [list(rows) for rows in second.rows]
    assert questions.progress.answered == 6


WHAT = st.sampled_from(["right", "wrong", "new", "unsure", "outlier", "merge", "rename", "again"])
ACTIONS = st.lists(st.tuples(WHAT, st.integers(0, 10**6)), max_size=14)


def act(questions, y, what, number):
    """Do one thing; return whether something was said."""
    names = [group.name for group in questions.groups]
    if what == "merge" and len(names) > 1:
        questions.merge(names[number % len(names)], names[(number + 1) % len(names)])
    elif what == "rename" and names and f"name {number}" not in names:
        questions.rename(names[number % len(names)], f"name {number}")
    elif what == "again" and names:
        questions.answer(questions.groups[0].members[0], names[number % len(names)], again=True)
    elif what in ("new", "unsure", "outlier"):
        questions.answer(questions.next()[0], what)
    elif what == "right":
        session(questions, y, 1)
    elif what == "wrong" and names:
        questions.answer(questions.next()[0], names[number % len(names)])
    else:
        return False
    return True


@given(ACTIONS, st.integers(1, 4))
def test_what_was_undone_was_never_said(actions, n_undone):
    questions, y = questions_about(4, (30, 26), 10)
    states, said = [state(questions)], 0
    for what, number in actions:
        if act(questions, y, what, number):
            states.append(state(questions))
            said += 1
    for _ in range(min(n_undone, said)):
        questions.undo()
        states.pop()
        assert state(questions) == states[-1]


def test_undo_tells_which_question_it_was():
    questions, y = questions_about()
    (one,) = session(questions, y, 1)
    questions.rename(1, "first")
    assert questions.undo() is None
    assert questions.undo() == one
    assert questions.groups == []


def test_groups_are_merged_and_renamed():
    questions, _ = questions_about()
    for row, answer in enumerate(["new", "new:b", "new:c", "group 1", "b"]):
        questions.answer((0, row), answer)
    sizes = [(group.number, group.name, group.size) for group in questions.groups]
    assert sizes == [(1, "group 1", 2), (2, "b", 2), (3, "c", 1)]
    questions.merge("group 1", "c")
    questions.rename(1, "a")
    sizes = [(group.number, group.name, group.size) for group in questions.groups]
    assert sizes == [(1, "a", 3), (2, "b", 2)]
    assert questions.constraints[0] == Constraints.from_pairs([(0, 2), (0, 3), (1, 4)], [(0, 1)])
    questions.answer((0, 6), "new")
    assert questions.groups[-1].name == "group 4"
    questions.rename("b", "group 5")
    questions.answer((0, 7), "new")
    assert questions.groups[-1].name == "group 6"


def test_an_answer_is_replaced_on_request_and_an_empty_group_is_gone():
    questions, _ = questions_about()
    questions.answer((0, 0), "new:a")
    questions.answer((0, 1), "new:b")
    questions.answer((0, 1), "a", again=True)
    assert [(group.name, group.members) for group in questions.groups] == [("a", ("0:0", "0:1"))]
    questions.undo()
    assert [group.name for group in questions.groups] == ["a", "b"]
    questions.answer((0, 1), "b")  # once more, which is not taken down
    questions.undo()
    assert [group.name for group in questions.groups] == ["a"]


# ---- what the program says of answers


def test_the_number_of_clusters_is_settled_after_ten_answers_without_a_new_group():
    questions, y = questions_about(1, (80, 70), 25)
    assert questions.n_clusters_hint == ClustersHint(0, False, ())
    while len(questions.groups) < 3:
        session(questions, y, 1)
    session(questions, y, 9)
    assert questions.n_clusters_hint == ClustersHint(3, False, (1, 2, 3))
    session(questions, y, 1)
    assert questions.n_clusters_hint == ClustersHint(3, True, (1, 2, 3))


def test_small_groups_amid_others_do_not_count_after_sixty_answers():
    questions, y = questions_about(1, (80, 70), 25)
    session(questions, y, 40)
    questions.answer(questions.next()[0], "new:a mistake")
    session(questions, y, 18)
    assert questions.n_clusters_hint.n_clusters == 4
    session(questions, y, 1)
    assert questions.n_clusters_hint.n_clusters == 3


def test_a_small_group_apart_from_others_counts():
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 40)
    X = np.array([[0, 0], [4, 0], [50, 50]])[kinds] + rng.normal(size=(120, 2)) * [[1.5, 1.5]]
    questions = Questions([X])
    questions.answer((0, 100), "new:kind 2")
    for row in [*range(30), *range(40, 70)]:
        say(questions, (0, row), f"kind {kinds[row]}")
    assert [group.size for group in questions.groups] == [1, 30, 30]
    assert questions.n_clusters_hint.n_clusters == 3


@pytest.mark.parametrize(("n_answers", "doubt"), [(24, 0.2), (59, 0.2), (60, 0.4)])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_second_looks_are_those_of_the_reference(seed, n_answers, doubt):
    views, y, matches = kinds_in_views(seed, (80, 70), spread=1.5)
    questions = Questions(views, matches)
    K, objects = reference.kernel(views, matches, 5)
    groups: dict[str, list[int]] = {}
    places = [(0, row) for row in range(n_answers)]
    for place, (view, row) in enumerate(places):
        name = f"kind {(y[view][row] + (place % 8 == 7)) % 3}"
        say(questions, (view, row), name)
        groups.setdefault(name, []).append(objects[view][row])
    looks = questions.second_looks
    found = sorted(objects[view][row] for view, row in (row_of(look.question) for look in looks))
    assert found == reference.contradicted(K, list(groups.values()), doubt)
    assert found
    for look in looks:
        assert look.question.offers[0].group.name in (look.near, look.said)
        assert look.near != look.said
        questions.answer(look.question, look.near, again=True)
    again = {look.question.id for look in questions.second_looks}
    assert not again & {look.question.id for look in looks}


def test_a_group_that_stays_alone_is_questioned_once():
    questions, y = questions_about(1, (80, 70), 25)
    session(questions, y, 10)
    (mistaken,) = questions.next()
    questions.answer(mistaken, "new:odd")
    session(questions, y, 19)
    assert "odd" not in {look.said for look in questions.second_looks}
    session(questions, y, 1)
    looks = [look for look in questions.second_looks if look.said == "odd"]
    assert [(look.question.id, look.near) for look in looks] == [(mistaken.id, "")]
    questions.answer(mistaken, "odd", again=True)
    assert "odd" not in {look.said for look in questions.second_looks}


def test_progress():
    questions, y = questions_about(1, (80, 70), 25)
    assert questions.progress == Progress(0, 0, 0)
    while len(questions.groups) < 3:
        session(questions, y, 1)
    n = questions.progress.answered
    guesses = 0
    for _ in range(10):
        (question,) = questions.next()
        guesses += question.offers[0].group.name == kind_of(question, y)
        say(questions, question, kind_of(question, y))
    assert questions.progress == Progress(n + 10, 3, guesses)
    views = "views 0 (80 rows), 1 (70 rows)"
    assert repr(questions) == f"<Questions: {n + 10} answers, 3 groups; {views}>"


# ---- what is refused


def test_refusals():
    views, _, matches = kinds_in_views()
    questions = Questions(views, matches)
    questions.answer((0, 0), "new:harbor")
    questions.answer((0, 1), "new:street")
    before = state(questions)
    for row, answer, message in [
        ((1, 0), "unsure", "0:0 was answered before: 'harbor', got 'unsure'"),
        ((0, 2), "habor", "There is no group 'habor'.*did you mean 'harbor'"),
        ((0, 2), 3, "There is no group 3; the groups are 'harbor', 'street'."),
        ((0, 2), True, "There is no group True"),
        ((0, 2), None, "There is no group None"),
        ((0, 2), "new:a\x1b[31m", "must be a text"),
        ((0, 2), "new:g1", "'g1' must not be the name of a group: g with a number stands for"),
        ((0, 99), "new", "the rows of view 0 are 0 … 23, got 99"),
        ((0, -1), "new", "got -1"),
        ((2, 0), "new", "there is no view 2"),
        ("0:99", "new", "must be a Question, an id such as '0:0'"),
        ("0:02", "new", "got '0:02'; did you mean '0:2'?"),
        ([0], "new", "must be a Question"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            questions.answer(row, answer)
    cases = [
        (lambda: questions.answer((0, 0), "unsure", again="no"), "again must be True or False"),
        (lambda: Questions(views).guesses(), "There is no group yet"),
        (lambda: questions.merge("harbor", "x"), "There is no group 'x'"),
        (lambda: questions.rename("harbor", "street"), "There is a group 'street' already"),
        (lambda: questions.rename("harbor", 3), "must be a text"),
        (lambda: questions.rename("harbor", "g2"), "'g2' must not be the name of a group"),
        (lambda: questions.next(0), "n must be .*, got 0"),
        (lambda: questions.as_of(-1), "n must be .* at least 0, got -1"),
        (lambda: Questions(views[0]), "views must be a list"),
        (lambda: Questions([]), "views is empty"),
        (lambda: Questions(ConstrainedViews(views, None)), "got ConstrainedViews"),
        (lambda: Questions(views, {(0, 2): [(0, 0)]}), "mappings"),
        (lambda: Questions(views, matches, n_neighbors=0), "n_neighbors must be .*, got 0"),
    ]
    for refused, message in cases:
        with pytest.raises(InvalidInputError, match=message):
            refused()
    assert state(questions) == before
    questions.undo()
    questions.undo()
    with pytest.raises(InvalidInputError, match="nothing to undo"):
        questions.undo()


def test_ids_that_two_views_share():
    table = pd.DataFrame({"x": [1.0, 2.0]}, index=["b:0", "c"])
    questions = Questions({"a": table, "a:b": [[1.0], [2.0]]})
    with pytest.raises(InvalidInputError, match="names without ':'"):
        questions.answer("a:b:0", "new")
    questions.answer(("a:b", 0), "new")


def test_tiny_views():
    questions = Questions([[[1.0]]])
    (question,) = questions.next()
    questions.answer(question, "new")
    assert (questions.next(), questions.constraints) == ([], [Constraints([], [])])
    same = Questions([[[1.0, 2.0]] * 6, [[3.0]] * 6], {(0, 1): [(n, n) for n in range(6)]})
    assert len(same.next(9)) == 6
