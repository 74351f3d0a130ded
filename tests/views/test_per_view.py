"""Transformers change the columns of their view, never its rows, and errors name the view."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import get_tags

from mvcc import (
    ConstrainedViews,
    Constraints,
    DirectMapping,
    JointGraphClustering,
    JointSpectralFeatures,
    MultiViewConstrainedClustering,
    PairMetric,
    PCKMeans,
    PerView,
    SpectralFeatures,
    spectral_features,
)
from mvcc.exceptions import InvalidInputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
TEXTS = pd.DataFrame(RNG.normal(size=(8, 2)), index=list("abcdefgh"), columns=["length", "words"])
SOUNDS = RNG.normal(size=(6, 3))
VIEWS = {"texts": TEXTS, "sounds": SOUNDS}


def pipeline(transformer):
    model = MultiViewConstrainedClustering(PCKMeans(2), DirectMapping(), random_state=0)
    return Pipeline([("features", PerView(transformer)), ("clusters", model)])


# ---- set_output


@pytest.mark.parametrize(
    "transformer", [PCA(2), [PCA(2), PCA(2)], {"sounds": PCA(2), "texts": PCA(2)}]
)
def test_set_output_goes_to_every_transformer_before_and_after_the_fit(transformer):
    before = PerView(transformer)
    assert before.set_output(transform="pandas") is before
    for fitted in (
        before.fit(VIEWS),
        PerView(clone(transformer, safe=False)).fit(VIEWS).set_output(transform="pandas"),
    ):
        made = fitted.transform(VIEWS)
        assert [list(made[name].columns) for name in VIEWS] == [["pca0", "pca1"]] * 2
        assert isinstance(clone(fitted).fit_transform(VIEWS)["sounds"], pd.DataFrame)
        assert isinstance(fitted.set_output().transform(VIEWS)["sounds"], pd.DataFrame)
        assert isinstance(
            fitted.set_output(transform="default").transform(VIEWS)["sounds"], np.ndarray
        )


def test_features_have_numbers_and_names_as_those_of_other_estimators_for_views():
    steps = make_pipeline(PerView([StandardScaler(), "passthrough"]), PerView([PCA(1), PCA(2)]))
    steps.set_output(transform="pandas").fit(VIEWS)
    assert steps.n_features_in_ == [2, 3]
    assert list(steps.feature_names_in_[0]) == ["length", "words"]
    assert steps.feature_names_in_[1] is None
    of_both = [list(names) for names in steps.get_feature_names_out()]
    assert of_both == [["pca0"], ["pca0", "pca1"]]
    assert [list(names) for names in steps[:-1].get_feature_names_out()] == [
        ["length", "words"],
        ["x0", "x1", "x2"],
    ]
    assert steps._repr_html_()
    with pytest.raises(InvalidInputError, match="input_features has 1 entries for 2 views"):
        steps.get_feature_names_out([["length", "words"]])


@pytest.mark.parametrize(
    "estimator",
    [
        JointGraphClustering(),
        JointSpectralFeatures(),
        MultiViewConstrainedClustering(PCKMeans()),
        PerView(),
    ],
)
def test_scikit_learns_checks_know_that_views_are_no_single_table(estimator):
    assert not get_tags(estimator).input_tags.two_d_array


def test_texts_have_no_number_of_features():
    documents = PerView([CountVectorizer(), "passthrough"]).fit([["red wool", "oak"], ["a", "b"]])
    assert documents.n_features_in_ == [None, None]
    assert [list(names) for names in documents.get_feature_names_out()] == [
        ["oak", "red", "wool"],
        [],
    ]


class Bare(BaseEstimator):
    def fit(self, X):
        return self

    def transform(self, X):
        return X


def test_a_transformer_without_output_to_set_is_named_and_one_that_passes_views_through_is_not():
    with pytest.raises(InvalidInputError, match=r"Bare\(\) has no set_output"):
        PerView([PCA(1), Bare()]).set_output(transform="pandas")
    assert (
        PerView(["passthrough", PCA(1)])
        .set_output(transform="pandas")
        .fit_transform(VIEWS)["texts"]
        is TEXTS
    )


def test_views_are_transformed_by_fit_transform_as_in_a_pipeline_where_there_is_one():
    made, same = PerView([SpectralFeatures(2), Bare()]).fit_transform([SOUNDS, SOUNDS])
    assert np.array_equal(made, spectral_features(SOUNDS, 2))  # new rows only up to rounding
    assert same is SOUNDS


class OfColumnsAlone(PairMetric):
    """A metric whose fit_transform takes no constraints, unlike its fit."""

    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X)


@pytest.mark.parametrize("metric", [PairMetric(), OfColumnsAlone()])
def test_a_transformer_that_learns_from_constraints_gets_those_of_its_view(metric):
    kind = np.arange(12) % 2
    X = np.random.default_rng(0).normal(size=(12, 2)) * [0.3, 2] + np.outer(kind, [1, 0])
    known = Constraints.from_labels(kind, 20, 0)
    expected = PairMetric().fit_transform(X, constraints=known)
    data = ConstrainedViews([X, X], [None, known])
    per_view = PerView(metric).fit(data)
    assert not np.array_equal(per_view.transform([X, X])[0], expected)
    for made in (per_view.transform(data), PerView(metric).fit_transform(data)):
        np.testing.assert_array_equal(made.views[1], expected)


# ---- rows


class Rows(TransformerMixin, BaseEstimator):
    def __init__(self, rows):
        self.rows = rows

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X.iloc[self.rows] if isinstance(X, pd.DataFrame) else X[self.rows]


ARRAY = TEXTS.to_numpy()


@pytest.mark.parametrize(
    ("X", "rows", "message"),
    [
        (
            TEXTS,
            slice(4, None),
            r"Rows\(.* of view 0 makes 4 rows of 8; constraints and relations name",
        ),
        (ARRAY, slice(4, None), "of view 0 makes 4 rows of 8"),
        (ARRAY, [0, 1, 2, 3, 4, 5, 6, 7, 7], "of view 0 makes 9 rows of 8"),
        (TEXTS, slice(None, None, -1), "of view 0 changes the row index; .* in their order"),
        (TEXTS, [0, 1, 2, 3, 4, 5, 6, 6], "of view 0 changes the row index"),
    ],
    ids=["dropped", "dropped from an array", "added", "turned", "repeated"],
)
def test_a_transformer_that_drops_or_sorts_rows_is_refused(X, rows, message):
    """Constraints would silently be on other rows."""
    judged = [Constraints.from_pairs(must_link=[(0, 1)])]
    for views, view in (([X], "0"), ({"texts": X}, "'texts'")):
        with pytest.raises(InvalidInputError, match=message.replace("view 0", f"view {view}")):
            PerView(Rows(rows)).fit_transform(ConstrainedViews(views, judged))


def test_rows_of_an_array_may_become_a_dataframe_that_numbers_them():
    def sorted_frame(X):
        return pd.DataFrame(X).sort_values(0)

    with config_context(transform_output="pandas"):
        made = PerView(StandardScaler()).fit_transform([SOUNDS])[0]
    assert made.index.tolist() == list(range(6))
    with pytest.raises(InvalidInputError, match="of view 0 changes the row index"):
        PerView(FunctionTransformer(sorted_frame)).fit_transform([SOUNDS])


def test_all_rows_in_their_order_pass_whatever_their_index_holds():
    odd = TEXTS.set_axis(["a", "a", None, 3, 2.5, "x", (1, 2), np.nan])
    assert PerView(Rows(slice(None))).fit_transform({"texts": odd})["texts"].index.equals(odd.index)


# ---- views that a transformer is given


@pytest.mark.parametrize(
    ("X", "said"),
    [(SOUNDS, r"an array of shape \(6, 3\)"), (TEXTS, "a DataFrame")],
    ids=["array", "frame"],
)
def test_rows_of_which_nobody_says_the_view_are_explained(X, said):
    fitted = pipeline(StandardScaler()).fit(VIEWS)
    expected = (
        f"X is {said}, where views are needed; give its rows as {{view: rows}}.*the views are"
        " 'texts', 'sounds'"
    )
    with pytest.raises(InvalidInputError, match=expected):
        fitted.predict(X, view="sounds")
    message = f"views must be a list .* not {said}; for a single view give"
    with pytest.raises(InvalidInputError, match=message):
        fitted.fit(X)


def test_behind_a_transformer_views_are_predicted_in_every_form():
    fitted = pipeline(StandardScaler()).fit(VIEWS)
    texts, sounds = (fitted.predict({name: rows})[name] for name, rows in VIEWS.items())
    np.testing.assert_array_equal(texts, fitted["clusters"].labels_[0])
    for found in (
        fitted.predict([TEXTS, SOUNDS]),
        list(fitted.predict(ConstrainedViews(VIEWS)).values()),
    ):
        np.testing.assert_array_equal(found[0], texts)
        np.testing.assert_array_equal(found[1], sounds)


@pytest.mark.parametrize("second", [StandardScaler(), "passthrough"], ids=["other", "passthrough"])
def test_two_transformers_for_one_view_are_refused(second):
    message = "transformer: 0 is a view that another key names, too"
    with pytest.raises(InvalidInputError, match=message):
        PerView({"texts": PCA(1), 0: second, "sounds": PCA(1)}).fit(VIEWS)


def test_an_error_of_a_transformer_says_which_view_it_is_of():
    with pytest.raises(ValueError, match="n_components=3") as caught:
        PerView(PCA(3)).fit(VIEWS)
    assert caught.value.__notes__ == ["This is about view 'texts'."]
    fitted = PerView(make_pipeline(StandardScaler())).fit(list(VIEWS.values()))
    with pytest.raises(ValueError, match="features") as caught:
        fitted.transform({1: SOUNDS[:, :2]})
    assert caught.value.__notes__ == ["This is about view 1."]
