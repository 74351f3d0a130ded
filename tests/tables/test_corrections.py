"""Corrections of a result: each returns a new one, can be undone, and holds for a new fit."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from mvcc import load_model
from mvcc.exceptions import InvalidInputError
from mvcc.tables.explaining import _shown_rows
from tests.tables.test_cluster_views import JUDGED, MATCHES, MOVING, SHOP, SURVEY, VIEWS, clustered


@pytest.fixture(scope="module")
def found():
    return clustered(constraints=None, stability_runs=2)


def alone(result, view, cluster):
    """Return the id of a row of a cluster that is matched with no other row."""
    labels = result.labels[view].iloc[40:]
    return labels.index[labels == cluster][0]


def moved(before, after):
    """Return the rows that are in another cluster, as `compare` lists them."""
    views = before.compare(after)["views"]
    return {(view["name"], row["id"], row["to"]) for view in views for row in view["moved"]}


def test_a_merged_cluster_has_the_rows_of_both_and_its_number_is_gone(found, tmp_path):
    before = found.facts
    merged = found.merge(0, 1)
    for view in VIEWS:
        wanted = found.labels[view].replace(1, 0)
        pd.testing.assert_series_equal(merged.labels[view], wanted)
    assert merged.sizes().index.tolist() == [0, 2]
    assert repr(merged.model) == (
        "<SavedClustering: 2 clusters of shop (3 columns), survey (3 columns)>"
    )
    assert repr(merged) == repr(found).replace("3 clusters", "2 clusters")
    with pytest.raises(InvalidInputError, match="there is no cluster 1; they are 0 and 2"):
        merged.profile(1)
    # a comparison numbers clusters as those that they share most rows with
    larger = found.sizes().sum(axis=1)[[0, 1]].idxmax()
    sentence = f"Clusters 0 and 1 were merged into {larger}."
    assert sentence in found.compare(merged)["in_words"]
    assert merged.facts["profiles"][0][0]["columns"]
    for name in ("typical", "misfits"):  # of the cluster that stayed as it is
        profiles = zip(merged.facts["profiles"], before["profiles"], strict=True)
        assert all(after[2][name] == own[2][name] for after, own in profiles)
    assert found.facts == before
    new = found.predict(VIEWS["survey"], "survey")
    merged.model.save(tmp_path / "model.skops")
    for model in (merged, load_model(tmp_path / "model.skops")):
        predicted = model.predict(VIEWS["survey"], "survey")
        np.testing.assert_array_equal(predicted, np.where(new == 1, 0, new))


def test_a_merged_cluster_has_the_probabilities_of_both(found):
    before, after = (result.facts["views"][0] for result in (found, found.merge(0, 1)))
    of_both = [{*pair} <= {0, 1} for pair in zip(before["labels"], before["second"], strict=True)]
    assert 0 < sum(of_both) < len(of_both)
    for row, is_of_both in enumerate(of_both):
        second = before["second_probability"][row]
        wanted = before["probability"][row] + (second if is_of_both else 0)
        assert after["probability"][row] == pytest.approx(min(wanted, 1), abs=1e-4)
        assert after["second_probability"][row] == (0 if is_of_both else second)


def test_held_out_matches_have_a_column_for_a_cluster_that_a_correction_opens():
    found = clustered(constraints=None, comparison=True)
    before, after = (
        np.array(result.facts["relations"][0]["held_out"]["table"])
        for result in (found, found.split(0, name="the other half"))
    )
    np.testing.assert_array_equal(after, np.pad(before, (0, 1)))


def test_a_row_is_moved_with_its_matches_and_is_certain_there(found):
    target = (found.labels["shop"]["s3"] + 1) % 3
    after = found.move({"shop": "s3"}, int(target))
    assert {row[:2] for row in moved(found, after)} == {("shop", "s3"), ("survey", "103")}
    assert after.labels["shop"]["s3"] == after.labels["survey"][103] == target
    view = after.facts["views"][0]
    assert view["probability"][3] == view["stability"][3] == 1
    assert (view["second"][3], view["second_probability"][3]) == (target, 0)
    assert "of the stability runs agree" in found.explain("shop", "s3")
    assert "a correction has put it" in after.explain("shop", "s3")


def test_rows_may_be_any_list_of_ids(found):
    several = pd.Series([103, 104], index=["one", "other"])
    lists = [[103, 104], several, range(103, 105), {103: 1, 104: 1}.keys(), several.array]
    wanted, *others = (found.move({"survey": rows}, 0).corrections for rows in lists)
    assert others == [wanted] * 4


def test_constraints_that_a_correction_violates_are_counted_as_such():
    before = clustered()
    i, j = JUDGED["shop"].query("kind == 'must-link'")[["i", "j"]].iloc[0]
    assert before.facts["views"][0]["violated"] == []
    other = int((before.labels["shop"][i] + 1) % 3)
    after = before.move({"shop": i}, other).facts["views"][0]
    named = {(after["ids"][row[0]], after["ids"][row[1]]) for row in after["violated"]}
    assert (i, j) in named
    assert all(i in pair for pair in named)
    kept = [link[4] for link in after["given"]]
    assert kept.count(False) == len(named)


def test_what_constraints_moved_is_told_by_the_clusters_as_they_are_now():
    found = clustered(constraints=MOVING)
    before = found.facts["views"][0]
    row, other, _ = before["moved"][0]
    id, label = before["ids"][row], before["labels"][row]
    third = ({0, 1, 2} - {label, other}).pop()
    for after, wanted in (
        (found, [other]),
        (found.merge(third, other), [third]),
        (found.merge(label, other), []),
        (found.move({"shop": id}, other), []),
        (found.move({"shop": id}, third), []),
    ):
        moved = after.facts["views"][0]["moved"]
        assert [cluster for one, cluster, _ in moved if one == row] == wanted
        said = after.explain("shop", id).partition("Without the constraints it would be in ")[2]
        assert said.partition(",")[0] == "".join(f"cluster {one}" for one in wanted)


@pytest.mark.parametrize("most", [_shown_rows.MOST_POINTS, 60])
def test_rows_that_fit_nowhere_are_left_out_of_all_that_names_them(found, most, monkeypatch):
    drawn = partial(_shown_rows.sampled, most=most)
    monkeypatch.setattr(_shown_rows, "sampled", drawn)
    after = clustered().move({"survey": [101, 150]}, None)
    shop, survey = after.facts["views"]
    assert (shop["outliers"], survey["outliers"]) == (["s1"], ["101", "150"])
    assert [len(after.labels[view]) for view in VIEWS] == [89, 88]
    assert "s1" not in after.labels["shop"]
    assert len(after.facts["relations"][0]["pairs"]) == 39
    given = {(shop["ids"][i], shop["ids"][j]) for i, j, *_ in shop["given"]}
    pairs = set(zip(JUDGED["shop"]["i"], JUDGED["shop"]["j"], strict=True))
    assert given == {pair for pair in pairs if "s1" not in pair}
    drawn = [shop["ids"][row] for row in shop["sample"] or range(89)]
    assert dict(shop["values"])["kind"] == SHOP.loc[drawn, "kind"].tolist()
    assert "s1" in after.move({"shop": "s1"}, 0).labels["shop"], "a person may think again"
    with pytest.raises(InvalidInputError, match="no row with the id 's1': it was left out"):
        after.explain("shop", "s1")


def test_a_word_in_place_of_a_cluster_is_no_other_correction(found):
    for word in ("undo", "match", "new", "new:x", "outlier", "rename:z", "nobody"):
        with pytest.raises(InvalidInputError, match="There is no cluster"):
            found.rename(0, "x").move({"shop": "s1"}, word)


def test_parts_follow_from_the_corrected_matches(found):
    apart = found
    shop, survey = found.facts["views"]
    for i, j in found.facts["relations"][0]["pairs"]:
        rows = {"shop": shop["ids"][i], "survey": int(survey["ids"][j])}
        apart = apart.match(rows, same=False)
    before, after = found.parts(0), apart.parts(0)
    assert not all(before[view].equals(after[view]) for view in VIEWS)


def test_the_proposed_parts_of_two_merged_clusters_are_these_clusters(found):
    merged = found.merge(0, 1)
    split = merged.split(0, name="the other half")
    for view in VIEWS:
        assert adjusted_rand_score(found.labels[view], split.labels[view]) > 0.95
    assert split.sizes().index.tolist() == [0, 2, 3]
    assert split.profile(3)["shop"]["columns"].size
    assert split.facts["titles"][3] == "the other half"


def test_the_proposed_parts_are_the_same_ones_every_time():
    frame = pd.DataFrame(np.random.default_rng(0).uniform(size=(200, 5)), columns=list("abcde"))
    found = clustered({"shop": frame}, 2, matches=None, constraints=None, stability_runs=0)
    first, *others = (found.parts(0)["shop"] for _ in range(8))
    assert all(first.equals(other) for other in others)


def test_clusters_or_parts_by_id_are_not_taken_for_ids(found):
    message = "survey must be ids, not a Series that has a {} for each"
    with pytest.raises(InvalidInputError, match=message.format("part")):
        found.split(0, {"survey": found.parts(0)["survey"]})
    with pytest.raises(InvalidInputError, match=message.format("cluster")):
        found.move({"survey": found.labels["survey"]}, 0)


def test_a_match_joins_two_rows_and_a_wrong_one_parts_them(found):
    text = alone(found, "shop", 0)
    image = alone(found, "survey", 1)
    joined = found.match({"shop": text, "survey": image})
    assert moved(found, joined) == {("survey", str(image), 0)}
    both = joined.move({"shop": text}, 2)
    assert both.labels["survey"][image] == 2
    parted = found.match({"shop": "s3", "survey": 103}, same=False)
    assert moved(found, parted) == set()
    assert len(parted.facts["relations"][0]["pairs"]) == 39
    target = int((found.labels["shop"]["s3"] + 1) % 3)
    assert {row[0] for row in moved(parted, parted.move({"shop": "s3"}, target))} == {"shop"}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["joint", "co-em"])
def test_a_result_without_its_last_match_is_made_anew(method):
    given = {"matches": {("shop", "survey"): [(3, 3)]}, "constraints": None, "method": method}
    parted = clustered(**given, stability_runs=0).match({"shop": "s3", "survey": 103}, same=False)
    for result in (parted, clustered(**given, stability_runs=0, continues=parted)):
        (told,) = result.facts["relations"]
        assert (told["pairs"], told["agreement"], told["differing"]) == ([], None, [])


@pytest.fixture(scope="module")
def corrected(found):
    """Return what a result becomes by a correction of every kind."""
    split = found.merge(0, 1).split(0, name="half")
    moved = split.move({"shop": ["s3", "s60"], "survey": 170}, 2).rename("half", "the half")
    joined = moved.match({"shop": "s50", "survey": 151})
    return joined.match({"shop": "s7", "survey": 107}, same=False).move({"survey": 150}, None)


def test_corrections_hold_when_the_result_is_made_anew_also_twice(corrected):
    before, after = corrected, clustered(constraints=None, continues=corrected)
    again = clustered(constraints=None, continues=after, seed=5).rename(2, "others")
    for result in (after, again):
        assert result.corrections[:7] == before.corrections
        for view in VIEWS:
            pd.testing.assert_series_equal(result.labels[view], before.labels[view])
    undone, never = (result.undo().undo().undo().facts for result in (after, before))
    assert undone["relations"][0]["pairs"] == never["relations"][0]["pairs"]
    assert not any("corrections name" in warning for warning in again.facts["warnings"])
    assert again.labels["shop"]["s3"] == 2
    assert again.facts["titles"][2:] == ["others", "the half"]


def test_corrections_of_rows_that_are_gone_have_no_effect_and_are_counted(corrected):
    fewer = VIEWS | {"shop": SHOP.drop(["s3", "s50", "s7"])}
    pairs = MATCHES["shop", "survey"]
    matches = {("shop", "survey"): pairs[~pairs["shop"].isin(["s3", "s7"])]}
    after = clustered(fewer, constraints=None, matches=matches, continues=corrected)
    (warning,) = (one for one in after.facts["warnings"] if "of corrections" in one)
    assert "3 rows" in warning
    assert after.labels["shop"]["s60"] == 2
    assert len(after.undo().undo().undo().corrections) == 4


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda found: found.merge(0, 0), "Cluster 0 cannot be merged into itself"),
    (lambda found: found.merge(0, 9), "There is no cluster '9' among 0, 1, 2."),
    (lambda found: found.rename(0, " "), "The name of a cluster must be"),
    (lambda found: found.rename(0, None), "The name of a cluster must be a text .* got None"),
    (lambda found: found.split(0, name=np.nan), "The name of a cluster must be a text"),
    (lambda found: found.rename(0, "7"), "'7' must not be the name of a cluster"),
    (lambda found: found.rename(0, "b").rename(1, "b"), "There is a cluster 'b' already"),
    (lambda found: found.move({"shop": "s999"}, 0), "shop has no row with the id 's999'"),
    (lambda found: found.move({"shops": "s9"}, 0), "there is no view 'shops'"),
    (lambda found: found.move({}, 0), r"no row is named in {}; give {view: ids}"),
    (lambda found: found.move({"shop": []}, 0), r"no row is named in {'shop': \[\]}; give"),
    (lambda found: found.move({"shop": np.arange(90) < 3}, 0),
     r"rows of shop must be ids, not a mask; give index\[mask\]"),
    (lambda found: found.move({"shop": [["s1"], ([],)]}, 0), r"\['s1'\] cannot be the id of a row"),
    (lambda found: found.move({"shop": np.array([["s1"]])}, 0), "cannot be the id of a row"),
    (lambda found: found.explain("shop", ["s1"]), r"shop: \['s1'\] cannot be the id of a row"),
    (lambda found: found.move("s9", 0), "rows must be a dict"),
    (lambda found: found.move({"shop": list(SHOP.index)}, None), "left with fewer than two ro"),
    (lambda found: found.split(0, {"shop": list(SHOP.index)}), "is not in cluster 0"),
    (lambda found: found.split(0, {"shop": alone(found, "shop", 0)}).split(3),
     "Cluster 3 has fewer than 4 rows of each view, too few to propose parts"),
    (lambda found: found.match({"shop": ["s1", "s2"]}), "two rows of two views, as {view: id"),
    (lambda found: found.match({"shop": "s1", "survey": 150}, same="no"), "same must be True"),
])  # fmt: skip
def test_a_correction_that_means_nothing_is_refused(found, wrong, message):
    with pytest.raises(InvalidInputError, match=message):
        wrong(found)


def test_a_row_whose_id_has_a_line_break_is_not_taken_for_others():
    ids = ["p", "r", "p\nshop:r", *SHOP.index[3:]]
    found = clustered({"shop": SHOP.set_axis(ids)}, matches={}, constraints=None, stability_runs=0)
    for rows in (ids[2], ids[:3]):
        message = r"shop: the id 'p\\nshop:r' contains a line br"
        with pytest.raises(InvalidInputError, match=message):
            found.move({"shop": rows}, None)
    assert found.move({"shop": ids[:2]}, None).corrections == ["shop:p, shop:r were left out."]


def test_views_that_were_clustered_without_matches_get_none():
    apart, rows = clustered(matches={}, stability_runs=0), {"shop": "s3", "survey": 103}
    with pytest.raises(InvalidInputError, match="Cluster them with this match, in a file for"):
        apart.match(rows)
    with pytest.raises(InvalidInputError, match=r"views that were clustered without matches\.$"):
        apart.match(rows, same=False)


def test_where_views_are_numbered_apart_a_cluster_is_named_with_its_view():
    found = clustered(method="co-em", transfer="direct-mapping", stability_runs=0)
    with pytest.raises(InvalidInputError, match="Name a view as well, such as 'shop:1'"):
        found.merge(0, 1)
    with pytest.raises(InvalidInputError, match="There is no cluster 'shop:0' among survey:0, sur"):
        found.merge("shop:0", "survey:1")
    message = "There is no cluster 'survey:1' among shop:0, shop:1"
    with pytest.raises(InvalidInputError, match=message):
        found.move({"shop": "s3"}, "survey:1")
    with pytest.raises(InvalidInputError, match="views that are numbered apart; move each"):
        found.move({"shop": "s3", "survey": 103}, None)
    merged = found.merge("shop:0", "shop:1")
    assert set(merged.labels["shop"]) == {0, 2}
    pd.testing.assert_series_equal(merged.labels["survey"], found.labels["survey"])
    one = merged.merge("shop:0", "shop:2").merge("survey:0", "survey:1")
    one = one.merge("survey:0", "survey:2")
    (told,) = one.facts["relations"]
    assert (told["agreement"], told["by_chance"]) == (1, 1)
    named = found.rename("shop:0", "Alpha")
    for view, called in (("shop", "cluster 0 (Alpha);"), ("survey", "cluster 0;")):
        labels = named.labels[view]
        assert called in named.explain(view, labels.index[labels == 0][0])
    with pytest.raises(InvalidInputError, match=r"is not in cluster shop:0 \(Alpha\)\."):
        named.split("shop:0", {"survey": labels.index[labels == 0][0]})
    alone = merged.move({"shop": "s3"}, 0)
    assert moved(merged, alone) == {("shop", "s3", 0)}
    survey = found.labels["survey"]
    unlike = survey.index[survey != found.labels["shop"]["s3"]][0]
    assert moved(found, found.match({"shop": "s3", "survey": unlike})) == set()


CO_EM = {"method": "co-em", "transfer": "direct-mapping"}


@pytest.mark.parametrize(
    ("changed", "numbered"),
    [({"views": VIEWS | {"other": SURVEY}}, ["shop"]), (CO_EM, ["shop", "survey"])],
    ids=["a third table", "co-em"],
)
def test_corrections_of_clusters_hold_where_their_numbers_need_a_view_now(found, changed, numbered):
    after = clustered(constraints=None, continues=found.rename(0, "none").merge(2, 1), **changed)
    renamed = [f"Cluster {view}:0 is now called none." for view in numbered]
    merged = [f"Cluster {view}:1 was merged into {view}:2." for view in numbered]
    assert after.corrections == renamed + merged
    assert not any("correction" in warning for warning in after.facts["warnings"])


def test_corrections_of_clusters_of_co_em_hold_for_the_view_that_gives_the_numbers():
    before = clustered(stability_runs=0, **CO_EM).rename("shop:0", "one").rename("survey:0", "two")
    after = clustered(stability_runs=0, continues=before)
    assert after.corrections == ["Cluster 0 is now called one."]
    assert "Without effect: 1 correction of survey, by " in after.facts["warnings"][-1]


APART = {"matches": None}


@pytest.mark.parametrize(
    "changed",
    [CO_EM, APART, {"views": VIEWS | {"other": SURVEY}}, {"views": {"survey": SURVEY}, **APART}],
    ids=["co-em", "no matches", "a third table", "one table"],
)
def test_corrections_of_rows_hold_for_every_table_that_keeps_its_numbers(found, changed):
    before = found.split(1, name="half").move({"shop": "s3", "survey": 170}, 2)
    before = before.move({"shop": "s60", "survey": 171}, None)
    after = clustered(constraints=None, continues=before, **changed)
    again = clustered(constraints=None, continues=after, seed=5, **changed)
    for result in (after, again):
        if "shop" in result.labels:
            assert result.labels["shop"]["s3"] == 2
            assert "s60" not in result.labels["shop"].index
        assert result.labels["survey"][170] == 2
        assert 171 not in result.labels["survey"].index
        assert not any("Without effect" in one for one in result.facts["warnings"])
        parts = before.labels["survey"] == 3
        assert (result.labels["survey"][before.labels["survey"].index[parts]] == 3).all()
    told = [one for one in after.facts["warnings"] if "of corrections name" in one]
    assert len(told) == ("shop" not in after.labels)


def test_a_correction_named_by_a_table_that_is_gone_holds_for_those_numbered_alike():
    views = VIEWS | {"other": SURVEY}
    before = clustered(views, constraints=None).rename("shop:0", "none").merge("shop:1", "shop:2")
    left = {name: views[name] for name in ("survey", "other")}
    after = clustered(left, constraints=None, continues=before, **APART)
    renamed, merged = after.corrections
    assert renamed == "Cluster survey:0 is now called none."
    assert merged == "Cluster survey:2 was merged into survey:1."
    assert not any("ffect" in one for one in after.facts["warnings"])


def test_a_table_that_was_away_has_the_corrections_of_its_rows_once_it_is_back(found):
    before = found.move({"shop": ["s0", alone(found, "shop", 0)], "survey": 170}, 2)
    alone_again = clustered({"survey": SURVEY}, constraints=None, continues=before, **APART)
    after = clustered(constraints=None, continues=alone_again)
    for view in VIEWS:
        pd.testing.assert_series_equal(after.labels[view], before.labels[view])
    assert not any("Without effect" in one for one in after.facts["warnings"])


def test_a_table_that_was_away_gets_no_number_that_a_correction_opened():
    before = clustered(constraints=None, **APART)
    before = before.split("shop:0", {"shop": alone(before, "shop", 0)}, "the split")
    assert before.facts["n_clusters"] == 4
    before = before.rename("shop:1", "one")
    away = clustered({"survey": SURVEY}, constraints=None, continues=before, **APART)
    back = clustered(constraints=None, n_clusters=5, continues=away, **APART)
    assert back.sizes()["shop"][3] == 1
    assert "Without effect: 1 correction of shop, by " in back.facts["warnings"][-1]
    assert 3 not in back.undo().labels["shop"].to_numpy()


@pytest.mark.parametrize("between", [CO_EM, APART], ids=["co-em", "no matches"])
def test_divided_corrections_count_once_where_views_are_numbered_alike_again(found, between):
    merged = found.rename(0, "zero").merge(1, 2)
    split = merged.split(0, {"shop": alone(merged, "shop", 0)}, "one").rename("one", "the one")
    before = split.move({"shop": ["s0", alone(split, "shop", 0)], "survey": 100}, 1)
    apart = clustered(constraints=None, continues=before, **between)
    assert not any("have no effect" in one for one in apart.facts["warnings"])
    after = clustered(constraints=None, continues=apart)
    assert after.facts["titles"] == before.facts["titles"]
    for view in VIEWS:
        pd.testing.assert_series_equal(after.labels[view], before.labels[view])
    told = [one for one in after.facts["warnings"] if "correction" in one]
    lost = "Without effect: 1 correction of survey, by numbers of clusters that"
    assert [one[: len(lost)] for one in told] == [lost] * (between is APART)


@pytest.mark.parametrize(
    ("first", "step"),
    [(0, 1), (1, 1), (0, -1), (1, -1)],
    ids=["the same table", "one row less on top", "the same in another order", "others in another"],
)
def test_corrections_of_numbered_rows_hold_only_for_the_same_table(first, step):
    shop = SHOP.set_axis(range(len(SHOP))[::step])
    called, views = shop.index, {"shop": shop, "survey": SURVEY}
    later = views | {"shop": shop.iloc[first:].set_axis(range(len(SHOP) - first)[::step])}
    matches = {("shop", "survey"): [(row, row) for row in range(40)]}
    before = clustered(views, constraints=None, matches=matches).rename(0, "zero")
    before = before.match({"shop": called[60], "survey": 151}).move({"shop": called[80]}, None)
    before = before.move({"shop": called[3], "survey": 170}, 2)
    matches = {("shop", "survey"): [(row - first, row) for row in range(first, 40)]}
    after = clustered(later, constraints=None, matches=matches, continues=before)
    assert ([60, 51] in after.facts["relations"][0]["pairs"]) == (not first)
    assert after.labels["survey"][170] == 2
    assert len(after.labels["shop"]) == 89
    assert len(after.corrections) == 4 - 2 * first
    told = [one for one in after.facts["warnings"] if "correction" in one]
    lost = "Without effect: 3 corrections of shop, by numbers of rows that may be other ones now."
    assert told == [lost] * first
