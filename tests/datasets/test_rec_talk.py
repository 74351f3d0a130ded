"""Rec/Talk draws documents anew, and describes them by the words that tell classes apart."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import chi2

from mvcc.datasets import _rec_talk
from mvcc.exceptions import InvalidInputError

GROUPS = ("autos", "motorcycles", "guns", "mideast")
TOPICS = [chr(97 + i) * 2 + chr(97 + j) for i in range(4) for j in range(26)]  # words, 26 per group
COMMON = [f"zz{chr(97 + j)}" for j in range(26)]


def words_of(group, rng, topics=6, common=6):
    """Draw the words of a document: some of its group's own topics, some that every group has."""
    own = TOPICS[26 * group : 26 * (group + 1)]
    return " ".join([*rng.choice(own, topics), *rng.choice(COMMON, common)])


def write_groups(folder, text, n=60):
    folders = []
    for group, name in enumerate(GROUPS):
        folders.append(folder / name)
        folders[-1].mkdir()
        for i in range(n):
            (folders[-1] / str(1000 + i)).write_text(text(group, i), encoding="latin-1")
    return folders


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Four groups of 90 documents, every fifth of which has common words only."""
    rng = np.random.default_rng(0)

    def text(group, i):
        words = words_of(group, rng, topics=6 if i % 5 else 0)
        return f"Subject: {TOPICS[26 * group]}\n\n{words}\n"

    return write_groups(tmp_path_factory.mktemp("groups"), text, n=90)


@pytest.fixture
def load(folders):
    def load(seed=0, **options):
        return _rec_talk.load(np.random.default_rng(seed), *folders, **options)

    return load


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first.views, second.views, strict=True))


# the draw


def test_views_have_the_sizes_of_table_1_and_classes_are_paired_in_order(load):
    data = load()
    assert data.names == ("rec", "talk")
    assert [view.shape for view in data.views] == [(100, 50), (94, 50)]
    assert [view.dtype for view in data.views] == [np.float64] * 2
    assert [labels.tolist() for labels in data.labels] == [[0] * 50 + [1] * 50, [0] * 47 + [1] * 47]
    pairs = data.relations[0, 1]
    assert pairs.shape == (94, 2)
    assert (data.labels[0][pairs[:, 0]] == data.labels[1][pairs[:, 1]]).all()
    assert all(len(np.unique(column)) == 94 for column in pairs.T)


def test_documents_are_drawn_anew_for_every_random_state(load):
    assert same(load(1), load(1))
    assert not same(load(1), load(2))


def test_a_fixed_draw_draws_the_same_documents_for_every_random_state_but_other_pairs(load):
    first, second = load(1, fixed_draw=5), load(2, fixed_draw=5)
    assert same(first, second)
    assert not np.array_equal(first.relations[0, 1], second.relations[0, 1])
    assert not same(first, load(1, fixed_draw=6))
    assert same(first, load(7, fixed_draw=np.int64(5)))


def test_every_document_is_drawn_as_often(tmp_path):
    # one for each number
    words = ["".join(chr(97 + int(d)) for d in str(1000 + i)) for i in range(60)]
    folders = write_groups(tmp_path, lambda group, i: f"x\n\n{GROUPS[group]} {words[i]}")
    counts, y = _rec_talk._word_counts(tuple(folders[:2]), False)
    drawn = np.zeros(120)
    for seed in range(400):
        rows, _ = _rec_talk._draw(counts, y, 50, np.random.default_rng(seed), _rec_talk._chi2, 0)
        assert (np.diff(rows) > 0).all()
        drawn[rows] += 1
    np.testing.assert_allclose(drawn, 400 * 50 / 60, atol=5 * np.sqrt(400 * 5 / 36))


def test_the_views_are_processed_apart(load, folders, tmp_path):
    other = write_groups(
        tmp_path, lambda group, i: f"\n\n{words_of(group, np.random.default_rng(i))}", n=90
    )
    mixed = _rec_talk.load(np.random.default_rng(3), *folders[:2], *other[2:])
    np.testing.assert_array_equal(mixed.views[0], load(3).views[0])


# words enough


def test_documents_with_too_few_words_are_replaced_by_the_next_of_their_group(tmp_path):
    folders = write_groups(
        tmp_path, lambda group, i: "x\n\n" + (f"{GROUPS[group]} word" if i % 6 else "other")
    )
    counts, y = _rec_talk._word_counts(tuple(folders[:2]), False)
    rows, columns = _rec_talk._draw(counts, y, 40, np.random.default_rng(0), _rec_talk._chi2, 2)
    orders = np.random.default_rng(0)
    expected = [
        [i for i in orders.permutation(np.flatnonzero(y == label)) if i % 6][:40]
        for label in (0, 1)
    ]
    assert rows.tolist() == [row for kept in expected for row in sorted(kept)]
    assert counts[rows][:, columns].getnnz(axis=1).min() == 2


def test_words_are_those_of_the_documents_that_stay(folders):
    counts, y = _rec_talk._word_counts(tuple(folders[:2]), False)
    rows, columns = _rec_talk._draw(counts, y, 40, np.random.default_rng(0), _rec_talk._chi2, 2)
    scores = chi2((counts[rows] > 0).astype(int), y[rows])[0]
    chosen = np.zeros(len(scores), dtype=bool)
    chosen[columns] = True
    assert np.nan_to_num(scores)[chosen].min() >= np.nan_to_num(scores)[~chosen].max()


def test_too_few_documents_with_words_enough_are_an_error(tmp_path):
    folders = write_groups(tmp_path, lambda group, i: f"\n\n{GROUPS[group]}" + " common" * (i < 30))
    message = r"min_words=2 leaves a group fewer than 50 documents"
    with pytest.raises(InvalidInputError, match=message):
        _rec_talk.load(np.random.default_rng(0), *folders)
    data = _rec_talk.load(np.random.default_rng(0), *folders, min_words=1)
    assert data.views[0].shape == (100, 3)


# vectors


def test_vectors_have_unit_length_or_are_binary(load):
    unit, binary = load(), load(scaling="none")
    for scaled, plain in zip(unit.views, binary.views, strict=True):
        np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1)
        assert set(np.unique(plain)) == {0.0, 1.0}
        np.testing.assert_allclose(scaled, plain / np.linalg.norm(plain, axis=1, keepdims=True))


def test_a_document_without_a_word_stays_a_vector_of_zeros(tmp_path):
    texts = {0: "alpha alpha", 1: "beta beta"}
    folders = write_groups(
        tmp_path, lambda group, i: "\n\n" + (texts[group % 2] if i else "the"), n=50
    )
    view = _rec_talk.load(np.random.default_rng(0), *folders, min_words=0).views[0]
    assert np.linalg.norm(view, axis=1).tolist() == [0.0] + [1.0] * 49 + [0.0] + [1.0] * 49


# words


@given(seed=st.integers(0, 1000), n=st.integers(1, 30))
def test_the_score_is_chi2_as_scikit_learn_computes_it(seed, n):
    counts = np.random.default_rng(seed).poisson(0.5, size=(2 * n, 12))
    ours = _rec_talk._chi2(*map(scipy.sparse.csr_matrix, (counts[:n], counts[n:])))
    theirs = np.nan_to_num(chi2(counts > 0, np.repeat([0, 1], n))[0])
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_frequent_words_are_taken_from_both_classes_in_turn():
    first, second = np.array([[9, 0, 3, 5, 0], [0, 1, 3, 2, 0]]), np.array([[0, 2, 0, 0, 1]])
    scores = _rec_talk._frequency(*map(scipy.sparse.csr_matrix, (first, second)))
    # in turn: 9 occurrences in the first class and 2 in the second; then 7 and 1; then 6
    assert np.argsort(-scores, kind="stable").tolist() == [0, 1, 3, 4, 2]


def test_frequent_words_need_not_tell_the_classes_apart(tmp_path):
    everywhere = " ".join(f"{a}{b}" for a in "bcdfgh" for b in "bcdfghjklm") + " "
    folders = write_groups(tmp_path, lambda group, i: f"\n\n{everywhere * 2}{GROUPS[group]}")

    def documents_with(words):
        data = _rec_talk.load(np.random.default_rng(0), *folders, words=words, scaling="none")
        return data.views[0].sum(axis=0).tolist()

    assert documents_with("chi2") == [50] * 2 + [100] * 48
    assert documents_with("frequency") == [100] * 50


def test_words_are_two_letters_or_more_in_lower_case_and_no_stop_words():
    words = _rec_talk._vectorizer().build_analyzer()
    text = (
        "The V8 engine_oil, don't GO; 300ZX x y2k 42 caf\xe9 me@host.edu\n> Quoted\n--\nSignature"
    )
    assert words(text) == "engine oil don zx café host edu quoted signature".split()


@pytest.mark.parametrize(("headers", "words"), [(False, 4), (True, 4 + 3)])
def test_the_header_ends_at_the_first_empty_line_and_counts_on_demand(tmp_path, headers, words):
    """The words are subject, alpha and beta; "from" is a stop word."""
    text = "Subject: alpha\nFrom: beta\n\nbody{} gamma\n\nsecond paragraph"
    folders = write_groups(tmp_path, lambda group, i: text.format(GROUPS[group]), n=50)
    options = {"scaling": "none", "headers": headers}
    data = _rec_talk.load(np.random.default_rng(0), *folders, **options)
    assert (data.views[0].sum(axis=1) == words).all()


# options


@pytest.mark.parametrize(
    ("option", "values", "allowed"),
    [
        ("words", ["Chi2", "", None, 50, ["chi2"]], "'chi2', 'frequency'"),
        ("min_words", [3, -1, "2", 1.5, None, True], "2, 1, 0"),
        ("scaling", ["minmax", None, True], "'unit', 'none'"),
        ("headers", [1, 0, "false", None], "False, True"),
        ("fixed_draw", [-1, 1.0, "1", True], "an integer of at least 0"),
    ],
)
def test_impossible_options_are_refused_with_what_is_allowed(load, option, values, allowed):
    for value in values:
        with pytest.raises(InvalidInputError, match=f"^{option} must be .*{allowed}, got "):
            load(**{option: value})


def test_documents_are_read_once_in_a_process(load, monkeypatch):
    data = load(4)
    monkeypatch.setattr(_rec_talk, "documents", lambda folder: pytest.fail("they are read again"))
    assert same(data, load(4))
