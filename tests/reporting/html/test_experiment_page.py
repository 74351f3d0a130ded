"""The page of experiments has curves to choose from, figures, claims and provenance."""

import json
import re

import pandas as pd
import pytest

from mvcc.reporting.claims import Verdict
from mvcc.reporting.figures._style import METHODS
from mvcc.reporting.html import _experiment, experiment_page
from mvcc.reporting.html._experiment import learning_curves
from tests.experiments.conftest import edit_manifest
from tests.reports import few_claims


def write(folder):
    return experiment_page(folder).decode()


@pytest.fixture
def without_figures_and_claims(monkeypatch):
    """Leave out of a page what takes longest."""
    monkeypatch.setattr(_experiment, "_figures", lambda results: [])
    with few_claims():
        yield


def data_of(page):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', page)[1])


def assert_it_opens_with_the_verdicts(page):
    """Check that each verdict has a look of its own, and that nothing is unfolded."""
    style, _, rest = page.partition("</style>")
    looks = {str(verdict): str(verdict).replace(" ", "-") for verdict in Verdict}
    opening = [rest.index(f'<span class="verdict {look}">{words}') for words, look in looks.items()]
    claim = rest.index('<a href="#claim-1">CP beats Single View</a>')
    assert max(opening) < claim < rest.index('id="short"')
    assert '<details id="claim-1">' in page
    assert not re.search("<details[^>]* open", page)
    rules = [re.findall(rf"\.verdict\.{look}[:a-z]* {{(.*?)}}", style) for look in looks.values()]
    assert len({tuple(rule) for rule in rules}) == len(Verdict)
    assert re.findall(r"<summary>(Constraint.*|Figure.*)</summary>", page)[:2] == [
        "Constraint Propagation against Direct Mapping, trial by trial",
        "Figure 4. Comparison of multi-view constrained clustering performance",
    ]


def test_a_page_has_curves_figures_claims_and_provenance_and_is_repeated(finish, curves, tmp_path):
    folder = finish(tmp_path / "letters", curves(bases=("pck-means",), fractions=(1.0,)))
    page = write(folder)
    assert page == write(folder)
    assert "<h1>Experiment letters</h1>" in page
    assert page.count('src="data:image/svg+xml;base64,') >= 2
    assert "1. CP beats Single View: " in page
    assert '<th scope="row">features.method</th><td><bdi>spectral</bdi></td>' in page
    assert len(data_of(page)["curves"]) == 1
    assert "script-src" in page[:2000]
    assert_it_opens_with_the_verdicts(page)


@pytest.mark.usefixtures("without_figures_and_claims")
def test_several_experiments_are_listed_and_chosen_by_name(finish, curves, tmp_path):
    few = {"bases": ("pck-means",), "fractions": (0.4,)}
    finish(tmp_path / "all" / "b", curves("protein", **few))
    other = curves("letters_digits", **few).assign(study="closure", closure="view")
    finish(tmp_path / "all" / "a", other)
    page = write(tmp_path / "all")
    assert "<h1>2 experiments in all</h1>" in page
    names = list(dict.fromkeys(one["experiment"] for one in data_of(page)["curves"]))
    assert names == ["Protein · main · multi-view", "Letters/Digits · closure · multi-view"]


def test_a_curve_has_its_means_and_standard_errors_if_there_are_several_trials(curves):
    table = curves(bases=("pck-means",))
    one = next(one for one in learning_curves(table) if one["setting"] == "40% mapped")
    names = [curve["name"] for curve in one["curves"]]
    assert names == [style.title for style in METHODS.values()]
    rows = table[(table["method"] == "direct-mapping") & (table["mapped"] == 0.4)]
    curve = one["curves"][1]
    assert curve["x"] == rows["n_constraints"].tolist()
    assert curve["y"] == rows["mean"].tolist()
    assert curve["errors"] == [0.01, 0.01, 0.01]
    assert curve["trials"] == rows["trials"].tolist()
    figures = learning_curves(curves(trials=1))
    assert all(set(curve["errors"]) == {0.0} for one in figures for curve in one["curves"])


@pytest.mark.parametrize(("schedule", "logarithmic"), [((10, 40), True), ((0, 40), False)])
def test_small_numbers_have_room_unless_one_is_zero(curves, schedule, logarithmic):
    found = learning_curves(curves(schedule=schedule))
    assert {one["logarithmic"] for one in found} == {logarithmic}


def test_a_method_that_a_setting_does_not_concern_is_in_each(curves):
    figures = learning_curves(curves(bases=("pck-means",)))
    alone = [one["curves"][-1] for one in figures]
    assert len(figures) == 3
    assert all(curve["name"] == "Single View" and curve["y"] == alone[0]["y"] for curve in alone)


def test_a_setting_is_named_by_what_was_varied(curves):
    table = curves(bases=("pck-means",), fractions=(0.4,))
    varied = [table, table.replace({"threshold": {"0.5": "cv"}}).assign(closure="view")]
    assert [one["setting"] for one in learning_curves(pd.concat(varied))] == [
        "closure full, threshold 0.5",
        "closure full, threshold cross-validated",
        "closure view, threshold 0.5",
        "closure view, threshold cross-validated",
    ]


@pytest.mark.usefixtures("without_figures_and_claims")
def test_two_runs_of_the_same_are_told_apart_by_their_folders(finish, curves, tmp_path):
    for name in ("a", "b"):
        finish(tmp_path / "twice" / name, curves(bases=("pck-means",), fractions=(0.4,)))
    page = write(tmp_path / "twice")
    names = {one["experiment"] for one in data_of(page)["curves"]}
    assert names == {f"Letters/Digits · main · multi-view · {name}" for name in "ab"}
    assert "The claims cannot be tested: " in page


@pytest.mark.usefixtures("without_figures_and_claims")
def test_what_a_manifest_says_is_text_and_never_markup(finish, curves, tmp_path):
    folder = finish(tmp_path / "<b>x", curves(bases=("pck-means",), fractions=(0.4,)))
    evil = {"data": ["<img src=x>"], "note": "</script>"}
    evil["runs"] = [{"command": "<script>alert(1)</script>"}, 7]
    edit_manifest(folder, lambda manifest: manifest.update(evil))
    page = write(folder)
    for text in ("<script>alert", "<img src=x", "<b>x"):
        assert text not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "Run 2" in page
