"""What sets clusters apart: columns of every kind, words, rows, and which of many are drawn."""

import numpy as np
import pandas as pd
import pytest

from mvcc.results import sureness_of
from mvcc.tables._job import View
from mvcc.tables.explaining._distinguishing import (
    distinguishing_columns,
    distinguishing_words,
    written,
)
from mvcc.tables.explaining._profiles import common_name, misnamed, name_of, places_of, profiles_of
from mvcc.tables.explaining._shown_rows import add_rows, sampled, value_text, values_in
from mvcc.tables.reading._columns import understand_all
from mvcc.tables.reading._table import Table
from tests.tables.problems import read_table

TWENTY = np.repeat([0, 1, 2], 20)  # three clusters


@pytest.fixture
def table(tmp_path):
    def table(**columns):
        path = tmp_path / "t.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        return read_table("shop", View(path=str(path)))

    return table


def by_cluster(*values):
    """Give every cluster of twenty rows its values, over and over."""
    return [own[n % len(own)] for own in values for n in range(20)]


@pytest.mark.parametrize(("values", "rule", "words", "shares"), [
    (by_cluster([7, 8, 9], [1, 2, 3], [4, 2]), "≥ 7", "c ≥ 7", (1, 0)),
    (by_cluster([1, 2], [7, 8], [6, 9]), "< 6", "c < 6", (1, 0)),
    (by_cluster([5, 6], [1, 2], [8, 9]), "between 5 and 8", "c between 5 and 8", (1, 0)),
    (by_cluster([7, 8, 9, 7], [1, 8, 2, 3], [2, 3, 9, 1]), "≥ 7", "high c", (1, 0.25)),
    (by_cluster([1, 2, 1, 9], [1, 8, 7, 9], [8, 9, 8, 9]), "< 7", "low c", (0.75, 0.125)),
    (by_cluster([1234.5678], [1, 2], [3, 4]), "≥ 1235", "c ≥ 1235", (1, 0)),
    (by_cluster(["2020-03-01", "2020-03-09"], ["2020-01-01", "2020-02-01"], ["2019-01-01"]),
     "≥ 2020-03-01", "c ≥ 2020-03-01", (1, 0)),
    (by_cluster(["Rome", "Rome", "Oslo", "Rome"], ["Oslo", "Bern"], ["Bern"]),
     "= Rome", "Rome", (0.75, 0)),
    (by_cluster(["yes", "yes", "yes", "no"], ["no"], ["no", "yes", "no", "no"]),
     "= yes", "c = yes", (0.75, 0.125)),
    (by_cluster(["Rome", "", "", ""], ["Oslo", "Rome"], ["Oslo"]),
     "= missing", "c = missing", (0.75, 0)),
    (by_cluster([9, np.nan], [1, 2], [3, np.nan]), "≥ 9", "c ≥ 9", (1, 0)),
    (by_cluster([1, 1, 1, 0], [0], [0, 1, 0, 0]), "= 1", "c = 1", (0.75, 0.125)),
    (by_cluster([1, 2], [1, 2], [1, 2]), None, None, None),
])  # fmt: skip
def test_a_column_is_told_by_values_a_cluster_has_most(table, rng, values, rule, words, shares):
    found = distinguishing_columns(table(c=values, d=rng.permutation(60)), TWENTY, 3)[0]
    names = "rule", "words", "inside", "outside"
    found = [tuple(one[name] for name in names) for one in found if one["column"] == "c"]
    assert found == ([] if rule is None else [(rule, words, *shares)])


@pytest.mark.parametrize(
    "known", [TWENTY > 2, TWENTY == 2, np.arange(60) % 10 == 0], ids=["no", "one", "few"]
)
def test_a_column_known_in_one_cluster_or_in_hardly_any_row_sets_none_apart(table, known, rng):
    column = TWENTY + rng.random(60) / 2
    values = [*rng.permutation(30), *np.where(known, column, np.nan)]
    left = table(c=values, d=rng.permutation(90)).on_rows(np.arange(30, 90))
    found = distinguishing_columns(left, TWENTY, 3)
    assert "c" not in {one["column"] for own in found for one in own}
    assert distinguishing_columns(table(c=column), TWENTY, 3)[0]


def test_an_answer_to_several_questions_comes_with_its_question(table):
    shade = by_cluster(["agree"], ["differ"], ["differ"])
    fruit = by_cluster(["unsure"], ["agree"], ["unsure"])
    town = by_cluster(["Rome", "Oslo"], ["Rome", "Oslo"], ["Bern"])
    found = distinguishing_columns(table(shade=shade, fruit=fruit, town=town), TWENTY, 3)
    assert [own[0]["words"] for own in found] == ["shade = agree", "fruit = agree", "Bern"]


def test_columns_of_all_kinds_are_ranked_by_one_measure_and_make_the_name(table, rng):
    columns = {
        "price": by_cluster([9, 8, 9, 1], [1, 2, 3], [2, 3]),
        "shop": by_cluster(["Rome"], ["Oslo"], ["Bern"]),
        "noise": rng.permutation(60),
        "age": by_cluster([3, 3, 1], [1, 5, 1, 1], [1, 5, 1, 5]),
    }
    found = distinguishing_columns(table(**columns), TWENTY, 3)[0]
    differences = [one["inside"] - one["outside"] for one in found]
    assert [one["column"] for one in found] == ["shop", "price", "age"]
    assert differences == sorted(differences, reverse=True)
    assert name_of(found, [["harbor", 0.9, 0.0], ["crane", 0.1, 0.0]]) == "Rome harbor"
    assert name_of(found, [["harbor", 0.1, 0.0]]) == "Rome, high price"
    assert name_of(found[1:], []) == "high price, medium age"
    assert name_of([], []) == ""
    price = found[1]
    assert price["quantiles"] == [[1, 1, 8, 9, 9], [1, 2, 2, 3, 3]]
    assert price["medians"] == ["8", "2"]
    assert found[0]["shares"] == [["Rome", 1.0, 0.0], ["Bern", 0.0, 0.5], ["Oslo", 0.0, 0.5]]


def test_a_cluster_is_named_after_the_words_of_all_its_views(table):
    def profile(words, **columns):
        found = distinguishing_columns(table(**columns), TWENTY, 3)[0]
        return {"columns": found, "words": words, "name": name_of(found, words)}

    photos = profile([], color=by_cluster(["red"], ["blue"], ["red", "gray"]))
    words = [["carpet", 0.8, 0.0], ["rug", 0.2, 0.0]]
    catalog = profile(words, of=by_cluster(["wool"], ["oak"], ["silver"]))
    numbers = profile([], height=by_cluster([9, 8], [1, 2], [3]))
    assert common_name([catalog, photos]) == "red wool carpet"
    assert common_name([photos, numbers, catalog]) == "red wool carpet"
    assert common_name([numbers, photos]) == "height ≥ 8 / red"
    assert common_name([numbers, numbers]) == "height ≥ 8"
    assert common_name([{"columns": [], "words": [], "name": ""}]) == ""
    twice = profile([["oak", 1.0, 0.0]], of=by_cluster(["Oak"], ["wool"], ["silver"]))
    assert common_name([twice]) == "Oak"


def test_noise_hardly_ever_sets_a_cluster_apart(rng):
    names = [f"c{n}" for n in range(40)]
    X, ids = rng.normal(size=(3000, 40)), [str(n) for n in range(3000)]
    understood = understand_all(pd.DataFrame(X, columns=names), dict.fromkeys(names), {})
    became = [one.column for one in understood.values()]
    noise = Table("shop", "t.npz", ids, names, X, became, None, [], None, True)
    found = distinguishing_columns(noise, rng.integers(5, size=3000), 5)
    # of 200; each is beyond Kuiper's critical value at 1 % by chance
    assert sum(map(len, found)) <= 2


def test_words_are_those_that_texts_of_a_cluster_have_and_others_have_not(table):
    own = enumerate(by_cluster(["harbor"], ["street"], ["garden"]))
    texts = [f"from the {word} we sail {n} {'crane' if n % 2 else ''}" for n, word in own]
    found = distinguishing_words(table(text=texts), TWENTY, 3)
    assert [[word for word, _, _ in own] for own in found] == [["harbor"], ["street"], ["garden"]]
    assert found[0][0][1:] == [1.0, 0.0]
    assert distinguishing_words(table(n=range(60)), TWENTY, 3) == [[], [], []]


def test_words_without_blanks_between_them_set_clusters_apart(table):
    own = enumerate(by_cluster(["音質が良い"], ["舒服的沙发"], ["イヤホンです"]))
    found = distinguishing_words(table(text=[f"{n}, {said}。" for n, said in own]), TWENTY, 3)
    words = [[word for word, *_ in own] for own in found]
    assert words == [["音質"], ["服的", "沙发", "的沙", "舒服"], ["イヤホン"]]


@pytest.mark.parametrize(
    ("n_texts", "sizes"),
    [(60, [60]), (60, [45, 15]), (40, [40, 20])],
    ids=["one cluster", "words of every text", "the others have no texts"],
)
def test_words_set_nothing_apart_from_what_has_them_as_well_or_has_no_texts(table, n_texts, sizes):
    texts = [f"we sail {n} miles from the harbor" for n in range(n_texts)]
    labels = np.repeat(range(len(sizes)), sizes)
    found = distinguishing_words(table(text=texts + [""] * (60 - n_texts)), labels, len(sizes))
    assert found == [[] for _ in sizes]


def test_every_row_is_typical_borderline_or_a_misfit_at_most(table):
    X = np.array([[0.0], [1.0], [2.0], [6.4], [9.0], [10.0], [12.0], [30.0]])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    view = {
        "fit": [0.5, 0.6, 0.7, 0.04, 0.8, 0.9, 0.01, 1.0],
        "stability": [1] * 8,
        "probability": [0.5, *[0.9] * 7],
        "second": [],
        "second_probability": [0.3, *[0.1] * 4, 0.8, 0.8, 0],
        "names": ["", "harbor", "", ""],
    }
    found = profiles_of(table(n=range(8)), places_of(X, labels, 4), labels, view, 4)
    assert [one["size"] for one in found] == [4, 3, 1, 0]
    assert [one["typical"] for one in found] == [[2, 1], [4], [7], []]
    assert [one["borderline"] for one in found] == [[[0, 1]], [[5, 0]], [], []]
    assert [one["misfits"] for one in found] == [[3], [6], [], []]
    assert [one["name"] for one in found] == ["", "harbor", "", ""]
    assert found[3]["columns"] == found[3]["words"] == []


def test_a_row_is_sure_between_two_clusters_or_nowhere():
    fit, unknown = [0.9, 0.9, 0.04, 0.04], [None] * 4
    by_chances = sureness_of(fit, [0.1] * 4, [0.6, 0.5, 0.5, 0.9], [0.3, 0.26, 0.26, 0])
    assert by_chances == ["sure", "between", "nowhere", "nowhere"]
    assert sureness_of(fit, [1, 0.9, 1, 0.9], [], []) == by_chances
    assert sureness_of(fit, unknown, [], []) == ["sure", "sure", "nowhere", "nowhere"]


@pytest.mark.parametrize("k", [1, 5])
def test_one_cluster_and_rows_that_are_all_alike_have_profiles(table, k):
    labels = np.arange(20) % k
    view = {"fit": [1.0] * 20, "stability": [None] * 20, "names": []}
    view |= {"probability": [], "second": [], "second_probability": []}
    places = places_of(np.zeros((20, 2)), labels, k)
    found = profiles_of(table(n=range(20)), places, labels, view, k)
    assert [one["size"] for one in found] == [20 // k] * k
    assert all(len(one["typical"]) == min(5, 20 // k) for one in found)


def test_many_rows_are_sampled_with_listed_ones_and_counterparts(rng):
    pairs = np.column_stack([np.arange(3000), rng.permutation(5000)[:3000]])
    listed = {1, 5999}, {7, *range(4000, 4100)}
    first, second = sampled([6000, 5000], listed, {(0, 1): pairs}, most=1100)
    assert (len(first), len(second)) == (600, 500)
    assert listed[0] <= set(first)
    assert listed[1] <= set(second)
    assert set(second) >= set(pairs[np.isin(pairs[:, 0], first), 1].tolist())
    assert sampled([600, 500], [set(), set()], {}, most=1100) == [None, None]
    # listed rows may be more
    assert sampled([5000], [set(range(300))], {}, most=100) == [list(range(300))]


def test_values_are_short_texts_and_as_many_as_fit(table, monkeypatch):
    columns = {
        "n": ["1.5", "12345678", "2.25", ""],
        "day": ["2020-01-01", "", "2020-01-03", "2020-02-01"],
        "stock": ["yes", "no", "", "yes"],
        "text": ["a\nb " * 100, "<b>&", "", "=1+1"],
    }
    one = table(**columns)
    short = {**columns, "text": ["a b " * 39 + "a b…", *columns["text"][1:]]}
    assert values_in(one, [], None, 2000) == list(map(list, short.items()))
    best = [{"columns": [{"column": "stock"}, {"column": "day"}]}]
    for room, names in ((20, ["stock"]), (30, ["n", "day", "stock"])):
        shown = values_in(one, best, [0, 3], room)
        assert [name for name, _ in shown] == names
        assert ["stock", ["yes", "yes"]] in shown
    monkeypatch.setattr("mvcc.tables.explaining._shown_rows.MOST_CHARACTERS", 40)  # of two views
    best[0] |= {"typical": [], "misfits": [], "borderline": []}
    facts = {"views": [{}, {}], "profiles": [best, best]}
    add_rows(facts, [one, one], {})
    assert [[name for name, _ in view["values"]] for view in facts["views"]] == [["stock"]] * 2


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("motorcycles", 1),
        ("my Motorcycle!", 1),
        ("cars", 1),
        ("Armenia", None),  # a word of its own
        ("politics", None),  # nobody's word
        ("care", None),
        ("kind 7", None),
        ("", None),
    ],
)
def test_a_cluster_that_is_named_with_a_word_of_another_one_is_told(name, other):
    own = [["genocide", 0.3, 0.0], ["armenian", 0.2, 0.0], ["armenia", 0.1, 0.0]]
    profiles = [{"words": own}, {"words": [["motorcycle", 0.5, 0.1], ["car", 0.2, 0.1]]}]
    notes = misnamed("posts", [name, "cars and motorcycles"], profiles)
    assert [*notes] == [0] * (other is not None)
    for note in notes.values():
        assert f"posts: cluster 0 was named {name!r}" in note
        assert "cluster 1; its own words are genocide, armenian, armenia." in note


@pytest.mark.parametrize(
    ("stops", "rule"), [(["3:05", "12:00"], "12:00"), (["3:05:30", "12:00:30"], "12:00:30")]
)
def test_durations_are_told_as_they_are_written_and_not_in_seconds(table, stops, rule):
    found = table(stop=stops * 40, x=[n % 7 for n in range(80)])
    (trait, *_) = distinguishing_columns(found, np.arange(80) % 2, 2)[1]
    assert (trait["rule"], trait["medians"]) == (f"= {rule}", [rule, stops[0]])
    assert value_text(found.X[0, 0], found.used[0].shown_as) == stops[0]
    assert value_text(-1.5, "in seconds") == "-0:00:01.500"
    assert value_text(3599.9996, "in seconds") == "1:00:00"


def test_zero_has_no_sign():
    assert written(-0.0, "number") == value_text(-0.0, "number") == "0"
