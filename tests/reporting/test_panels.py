"""Panels show one reading of one study each, in the paper's order, and say what tells them
apart.
"""

from __future__ import annotations

import pandas as pd

from mvcc.reporting.figures._panels import main_experiment, panels_by_base, panels_by_view


def test_only_the_study_and_the_experiment_asked_for(curves):
    single = curves("letters_digits", views=("letters",))
    rows = main_experiment(
        pd.concat([curves(), single, curves("rings").assign(study="shapes")]), "single-view"
    )
    assert len(rows) == len(single)
    assert set(rows["view"]) == {"letters"}
    assert main_experiment(curves(), "single-view").empty


def test_of_several_readings_the_papers_is_shown_and_named(curves):
    table = pd.concat([curves().assign(closure=closure) for closure in ("none", "full", "view")])
    rewired = curves().assign(rewired=0.5)
    rows = main_experiment(pd.concat([table, rewired[rewired["mapped"].notna()]]), "multi-view")
    assert len(rows) == len(curves())
    assert set(rows["closure"]) == {"full"}
    assert set(rows["reading"]) == {"closure full · rewired 0.0"}


def test_the_only_reading_is_shown_and_named_if_it_is_not_the_papers(curves):
    assert set(main_experiment(curves(), "multi-view")["reading"]) == {""}
    rows = main_experiment(curves().assign(closure="view"), "multi-view")
    assert len(rows) == len(curves())
    assert set(rows["reading"]) == {"closure view"}


def test_of_several_thresholds_one_is_shown_and_named_beside_the_methods_that_have_none(curves):
    other = curves(methods=("constraint-propagation",)).assign(threshold="0.75")
    rows = main_experiment(pd.concat([curves(), other]), "multi-view")
    assert len(rows) == len(curves())
    assert set(rows["reading"]) == {"threshold 0.5"}


def test_each_panel_holds_the_rows_of_its_title(curves):
    table = pd.concat([curves("protein"), curves("four_quadrants")]).sample(frac=1, random_state=1)
    panels = panels_by_base(main_experiment(table, "multi-view"))
    places = [(panel.row, panel.column, panel.title) for panel in panels]
    assert places == [
        (0, 0, "Four Quadrants, PCK-Means"),
        (0, 1, "Four Quadrants, MPCK-Means"),
        (1, 0, "Protein, PCK-Means"),
        (1, 1, "Protein, MPCK-Means"),
    ]
    for panel, dataset in zip(panels, ("four_quadrants",) * 2 + ("protein",) * 2, strict=True):
        assert set(panel.points["dataset"]) == {dataset}
        assert panel.points["base"].nunique() == 1
        assert len(panel.points) == len(curves()) / 2


def test_a_view_gives_its_name_to_a_panel_unless_it_is_alone_or_all(curves):
    tables = [
        curves("letters_digits", views=("digits", "letters")),
        curves("four_quadrants", views=("A",)),
        curves("protein", views=("all",)),
        curves("my_own", views=("left", "right")),
    ]
    panels = panels_by_view(main_experiment(pd.concat(tables), "single-view"))
    assert [(panel.row, panel.column, panel.title) for panel in panels] == [
        (0, 0, "Four Quadrants"),
        (0, 1, "Protein"),
        (1, 0, "Letters"),
        (1, 1, "Digits"),
        (2, 0, "Left"),
        (2, 1, "Right"),
    ]
    assert [set(panel.points["view"]) for panel in panels[2:4]] == [{"letters"}, {"digits"}]


def test_multi_view_panels_are_named_after_the_data_set(curves):
    panels = panels_by_view(
        main_experiment(pd.concat([curves("protein"), curves("rec_talk")]), "multi-view")
    )
    assert [panel.title for panel in panels] == ["Protein", "Rec/Talk"]


def test_details_tell_folders_readings_and_trials_where_they_differ(curves):
    tables = [
        curves("protein").assign(folder="first"),
        curves("protein").assign(folder="second", closure="none"),
        curves("rec_talk", trials=3),
    ]
    panels = panels_by_view(main_experiment(pd.concat(tables), "multi-view"))
    assert [panel.detail for panel in panels] == [
        "first · 12 trials",
        "second · closure none · 12 trials",
        "3 trials",
    ]
