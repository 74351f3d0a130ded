"""Constraints are the samples of model selection, and views pass through pipelines."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from mvcc import (
    ConstrainedViews,
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MultiViewConstrainedClustering,
    NeighborhoodKFold,
    PCKMeans,
    PerView,
    close_views,
)
from mvcc.constraints import n_satisfied
from mvcc.exceptions import InvalidInputError
from tests.strategies import related_views, seeds

pytestmark = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

RNG = np.random.default_rng(5)
Y = RNG.permutation(np.arange(60) % 3)
OTHER = np.column_stack((3 * Y, 5 * RNG.integers(2, size=60))) + RNG.normal(size=(60, 2))
TEXTS = pd.DataFrame(
    2.5 * np.eye(3, 2)[Y] + RNG.normal(size=(60, 2)),
    index=[f"t{i}" for i in range(60)],
    columns=["length", "words"],
)
IMAGES = pd.DataFrame(OTHER, index=[f"i{i}" for i in range(60)], columns=["light", "size"])
VIEWS = {"texts": TEXTS, "images": IMAGES}
JUDGED = {"texts": Constraints.from_labels(Y, 24, 0), "images": Constraints.from_labels(Y, 12, 1)}
MATCHES = {
    ("texts", "images"): pd.DataFrame({"texts": TEXTS.index[:30], "images": IMAGES.index[:30]})
}
THRESHOLDS = [0.05, 0.5, 0.9]


def data():
    return ConstrainedViews(VIEWS, JUDGED, MATCHES)


@pytest.fixture(scope="module")
def fitted():
    return model().fit(data())


def model(threshold=0.5, **options):
    return MultiViewConstrainedClustering(
        PCKMeans(3, init="neighborhoods"),
        ConstraintPropagation(threshold),
        max_iter=4,
        random_state=0,
        **options,
    )


def assert_same_labels(one, other):
    for found, expected in zip(one.labels_, other.labels_, strict=True):
        np.testing.assert_array_equal(found, expected)


# ---- constrained views


def test_positions_choose_constraints_view_after_view():
    whole = data()
    assert (len(whole), whole.shape, whole.sizes) == (36, (36,), [60, 60])
    texts, images = whole.constraints
    part = whole[[25, 3, 24, 0]]
    assert part.constraints == [texts.select(np.array([0, 3])), images.select(np.array([0, 1]))]
    assert part.views is not whole.views
    assert part.views["texts"] is TEXTS
    np.testing.assert_array_equal(part.mappings[0, 1], whole.mappings[0, 1])
    assert whole[:24].constraints == [texts, Constraints([], [])]
    assert whole[-1].constraints[1] == images.select(np.array([11]))
    assert whole[np.arange(36) >= 24].constraints == [Constraints([], []), images]
    assert len(whole[[]]) == 0
    assert len(whole[[5, 5]]) == 2  # a repeated constraint counts again
    assert whole[:].constraints == whole.constraints


def test_a_file_and_line_stay_with_the_constraints_that_are_chosen(tmp_path):
    JUDGED["texts"].to_csv(tmp_path / "pairs.csv")
    whole = ConstrainedViews([TEXTS], [Constraints.read_csv(tmp_path / "pairs.csv")])
    assert whole[[7]].constraints[0].source_of(0) == "line 9 of pairs.csv"


def test_constrained_views_say_what_they_are():
    assert (
        repr(data())
        == "<ConstrainedViews: 36 constraints; views 'texts' (60 rows), 'images' (60 rows)>"
    )
    revived = pickle.loads(pickle.dumps(data()))
    assert revived.constraints == data().constraints


@pytest.mark.parametrize(
    "positions", [36, [40], 0.5, "x", [0.5], np.ones(3, bool), (1, 2, 3), {"a": 1}]
)
def test_positions_that_are_not_there_are_an_index_error(positions):
    with pytest.raises(
        IndexError, match=r"is not a choice among 36 constraints; their positions are 0 … 35"
    ) as caught:
        data()[positions]
    assert isinstance(caught.value, InvalidInputError)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: ConstrainedViews({}), "views is empty"),
        (lambda _: ConstrainedViews(data()), "ConstrainedViews already"),
        (lambda _: ConstrainedViews(VIEWS, {"text": None}), "no view 'text'.*Did you mean 'texts'"),
        (lambda _: ConstrainedViews(VIEWS, None, {(0, 1): [(0, 99)]}), "row 99 of view 'images'"),
        (lambda _: ConstrainedViews([np.float64(3)]), r"views\[0\] is not a table"),
        (lambda _: ConstrainedViews([object()]), r"views\[0\] is not a table"),
        (lambda _: model().fit(data(), constraints=JUDGED), "of their own; give no others"),
        (lambda _: model().fit(data(), mappings=MATCHES), "of their own; give no others"),
        (lambda _: model().fit(VIEWS, JUDGED), "y must be None, got .*known labels as constraints"),
        (lambda fitted: fitted.score(VIEWS), "score needs ConstrainedViews.*not dict"),
        (lambda fitted: fitted.score(data()[[]]), "X has no constraints"),
    ],
)
def test_misuse_is_explained(fitted, call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(fitted)


def test_the_score_is_the_share_of_constraints_that_the_labels_satisfy(fitted):
    satisfied = [n_satisfied(c, y) for c, y in zip(data().constraints, fitted.labels_, strict=True)]
    assert fitted.score(data()) == sum(satisfied) / 36
    each = [fitted.score(data()[position]) for position in range(36)]
    assert set(each) <= {0.0, 1.0}
    assert np.mean(each) == pytest.approx(fitted.score(data()))


def turned():
    return ConstrainedViews(dict(reversed(VIEWS.items())), JUDGED, MATCHES)


def test_the_score_finds_views_by_their_names(fitted):
    assert fitted.score(data()) < 1  # else the labels of any view would do
    other = model().fit(turned())
    assert other.score(data()) == other.score(turned())
    for same in (
        turned(),
        ConstrainedViews(list(VIEWS.values()), list(JUDGED.values())),
        ConstrainedViews(VIEWS | {"texts": TEXTS[["words", "length"]]}, JUDGED),
    ):
        assert fitted.score(same) == fitted.score(data())


NOISE, ONE = RNG.normal(size=(60, 7)), Constraints.from_pairs([(0, 1)])


@pytest.mark.parametrize(
    ("views", "message"),
    [
        (
            {"texts": TEXTS, "pictures": IMAGES},
            "no view 'pictures'; the views are 'texts', 'images'",
        ),
        ({"texts": TEXTS, "images": NOISE}, r"X\['images'\] has 7 features, .* was fitted with 2"),
        ([TEXTS, NOISE], r"X\[1\] has 7 features, but view 'images' was fitted with 2"),
        ([IMAGES, TEXTS], r"X\[0\] must have the columns .* it lacks 'length', 'words'"),
        (
            {"texts": TEXTS, "images": IMAGES[:50]},
            r"X\['images'\] must have the 60 rows .*, not 50",
        ),
        ({"texts": TEXTS}, "X has 1 views, but 2 were fitted; all of"),
        (VIEWS | {"sounds": NOISE}, "X has 3 views, but 2 were fitted"),
    ],
    ids=["name", "features", "list", "columns", "rows", "fewer", "more"],
)
def test_other_views_than_the_fitted_ones_get_no_score(fitted, views, message):
    judged = ConstrainedViews(views, [ONE] + [None] * (len(views) - 1))
    with pytest.raises(InvalidInputError, match=message):
        fitted.score(judged)


def test_views_that_were_fitted_without_names_get_no_score_under_names():
    message = "X: there is no view 'texts'; the views are numbered 0 … 1"
    with pytest.raises(InvalidInputError, match=message):
        model().fit(list(VIEWS.values())).score(data())


# ---- folds


@given(related_views(), seeds)
def test_what_is_held_out_never_follows_from_the_rest(drawn, seed):
    lists, relations = drawn
    constraints = [Constraints(*arguments) for arguments in lists]
    whole = ConstrainedViews([np.zeros((9, 1))] * len(constraints), constraints, relations)
    splitter = NeighborhoodKFold(4, random_state=seed)
    try:
        folds = list(splitter.split(whole))
    except InvalidInputError:  # too few neighborhoods
        reject()
    assert 2 <= len(folds) == splitter.get_n_splits(whole) <= 4
    assert set(np.concatenate([test for _, test in folds])) == set(range(len(whole)))
    told, _ = close_views([None] * len(constraints), whole.mappings)  # by relations alone
    for train, test in folds:
        assert len(test)
        np.testing.assert_array_equal(np.sort(np.concatenate((train, test))), np.arange(len(whole)))
        implied, _ = close_views(whole[train].constraints, whole.mappings)
        for held_out, known, anyway in zip(whole[test].constraints, implied, told, strict=True):
            followed = set(map(tuple, held_out.pairs)) & set(map(tuple, known.pairs))
            assert followed <= set(map(tuple, anyway.pairs))


def test_a_constraint_is_held_out_with_either_of_its_ends():
    apart = Constraints.from_pairs(cannot_link=[(2 * i, 2 * i + 1) for i in range(10)])
    whole = ConstrainedViews([np.zeros((20, 1))], [apart])
    times = np.zeros(10, int)
    for _, test in NeighborhoodKFold(20, random_state=0).split(whole):
        times[test] += 1
    assert times.tolist() == [2] * 10


def test_a_seed_gives_the_same_folds_again():
    def folds(seed):
        return [test.tolist() for _, test in NeighborhoodKFold(5, random_state=seed).split(data())]

    assert folds(0) == folds(0) != folds(1)


def test_the_number_of_folds_is_what_was_asked_for_unless_there_are_fewer_neighborhoods():
    splitter = NeighborhoodKFold(10)
    assert splitter.get_n_splits() == splitter.get_n_splits(data()) == 10
    few = ConstrainedViews([TEXTS], [Constraints.from_pairs([(0, 1), (2, 3)], [(0, 4)])])
    assert splitter.get_n_splits(few) == len(list(splitter.split(few))) == 3
    assert (
        repr(NeighborhoodKFold(random_state=1)) == "NeighborhoodKFold(n_splits=10, random_state=1)"
    )


@pytest.mark.parametrize(
    ("splitter", "X", "message"),
    [
        (NeighborhoodKFold(1), data(), "n_splits must be an integer of at least 2, got 1"),
        (NeighborhoodKFold("3"), data(), "n_splits must be .*, got '3'"),
        (NeighborhoodKFold(random_state="x"), data(), "random_state must be .*, got 'x'"),
        (NeighborhoodKFold(), np.eye(3), "divides constraints: ConstrainedViews.* not ndarray"),
        (
            NeighborhoodKFold(),
            data()[[]],
            "at least two; the constraints have 0. Give more constraints.$",
        ),
        (NeighborhoodKFold(), ConstrainedViews([TEXTS], [ONE]), "the constraints have 1"),
    ],
    ids=["one", "text", "seed", "array", "none", "too few"],
)
def test_folds_that_cannot_be_are_explained(splitter, X, message):
    with pytest.raises(InvalidInputError, match=message):
        list(splitter.split(X))


# ---- grid search


def by_hand(n_splits):
    """Return the mean share of held-out constraints that are satisfied, for every threshold."""
    shares = []
    for threshold in THRESHOLDS:
        folds = []
        for train, test in NeighborhoodKFold(n_splits, random_state=0).split(data()):
            found = model(threshold).fit(data()[train])
            held_out = data()[test].constraints
            right = sum(n_satisfied(c, y) for c, y in zip(held_out, found.labels_, strict=True))
            folds.append(right / len(test))
        shares.append(np.mean(folds))
    return shares


def test_a_grid_search_finds_what_a_loop_finds_and_fits_all_constraints_again():
    search = GridSearchCV(
        model(), {"transfer__threshold": THRESHOLDS}, cv=NeighborhoodKFold(3, random_state=0)
    )
    search.fit(data())
    expected = by_hand(3)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], expected)
    assert len(set(expected)) > 1  # else nothing was searched
    best = THRESHOLDS[int(np.argmax(expected))]
    assert search.best_params_ == {"transfer__threshold": best}
    assert_same_labels(search.best_estimator_, model(best).fit(data()))
    assert search.score(data()) == search.best_estimator_.score(data())
    found = search.predict({"images": IMAGES})["images"]
    np.testing.assert_array_equal(found, search.best_estimator_.predict(IMAGES, 1))


# ---- pipelines


def pipeline(transformer=None, **options):
    return Pipeline(
        [("scale", PerView(transformer or StandardScaler())), ("cluster", model(**options))]
    )


def test_a_pipeline_transforms_every_view_by_itself():
    scaled = {name: StandardScaler().fit_transform(view) for name, view in VIEWS.items()}
    matches = {(0, 1): [(i, i) for i in range(30)]}
    expected = model().fit(scaled, constraints=JUDGED, mappings=matches)
    found = pipeline().fit(data())
    assert_same_labels(found["cluster"], expected)
    new = TEXTS.iloc[:7]
    scaler = StandardScaler().fit(TEXTS)
    np.testing.assert_array_equal(
        found.predict({"texts": new})["texts"], expected.predict(scaler.transform(new), "texts")
    )
    assert found.score(data()) == expected.score(data())
    np.testing.assert_array_equal(pipeline().fit_predict(data())[1], expected.labels_[1])


def test_ids_are_understood_behind_a_transformer():
    found = pipeline().fit(VIEWS, cluster__constraints=JUDGED, cluster__mappings=MATCHES)
    assert_same_labels(found["cluster"], pipeline().fit(data())["cluster"])
    assert found["cluster"].feature_names_in_[0].tolist() == ["length", "words"]


def test_views_may_begin_as_anything_that_a_transformer_takes():
    words = pd.Series(
        ["red apple", "red cherry", "green pea", "green bean", None], index=list("abcde")
    ).fillna("blue")
    sizes = pd.DataFrame({"cm": [8, np.nan, 1, 1.2, 7], "kind": list("ffvvf")}, index=list("vwxyz"))
    views = {"words": words, "sizes": sizes}
    before = PerView(
        {
            "words": make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)),
            "sizes": make_pipeline(FunctionTransformer(lambda t: t[["cm"]]), SimpleImputer()),
        }
    )
    together = pd.DataFrame({"i": ["a"], "j": ["b"], "kind": ["must-link"]})
    same = pd.DataFrame({"words": ["a", "b"], "sizes": ["v", "w"]})
    whole = ConstrainedViews(views, {"words": together}, {("words", "sizes"): same})
    found = make_pipeline(
        before, MultiViewConstrainedClustering(PCKMeans(2), DirectMapping(), random_state=0)
    ).fit(whole)
    assert found[-1].labels_[1][0] == found[-1].labels_[1][1]
    assert found[0].transform(views)["words"].index.tolist() == list("abcde")


def test_one_transformer_for_each_view_by_position_or_by_name():
    by_name = PerView({"images": "passthrough", "texts": PCA(1)}).fit_transform(VIEWS)
    assert by_name["images"] is IMAGES
    assert by_name["texts"].columns.tolist() == ["pca0"]
    assert by_name["texts"].index.equals(TEXTS.index)
    first, second = PerView([PCA(1), "passthrough"]).fit_transform([TEXTS.to_numpy(), OTHER])
    np.testing.assert_array_equal(first, by_name["texts"])
    assert second is OTHER
    numbered = PerView({0: PCA(1), 1: "passthrough"}).fit([TEXTS, OTHER])
    assert numbered.transform({1: OTHER})[1] is OTHER


def test_the_transformer_that_was_given_is_not_fitted():
    scaler = StandardScaler()
    before = PerView(scaler).fit(VIEWS)
    assert not hasattr(scaler, "mean_")
    assert len({id(one) for one in before.transformers_}) == 2
    assert clone(before).transformer.get_params() == scaler.get_params()
    assert before.set_params(transformer__with_mean=False).transformer is scaler


@pytest.mark.parametrize(
    ("transformer", "message"),
    [
        (
            3,
            r"transformer must be a transformer, such as StandardScaler\(\), or 'passthrough',"
            " got 3",
        ),
        (StandardScaler, "transformer must be .*, got .*andardScaler.*"),
        ("pass", "transformer must be .*, got 'pass'"),
        ([StandardScaler()], "transformer has 1 entries for 2 views"),
        ({"texts": StandardScaler()}, "transformer must be .*, got None for view 'images'"),
        ({"text": StandardScaler(), 1: "passthrough"}, "no view 'text'.*Did you mean 'texts'"),
        (
            OneHotEncoder(),
            r"OneHotEncoder\(\) makes view 'texts' a sparse matrix"
            r".*sparse_output=False.* takes it as",
        ),
    ],
)
def test_transformers_that_cannot_be_are_explained(transformer, message):
    with pytest.raises(InvalidInputError, match=message):
        PerView(transformer).fit_transform(VIEWS)


def test_nothing_is_transformed_before_a_fit():
    with pytest.raises(NotFittedError):
        PerView(StandardScaler()).transform(VIEWS)


# ---- what scikit-learn expects of an estimator


def test_metadata_is_routed_to_the_clustering():
    with config_context(enable_metadata_routing=True):
        routed = Pipeline(
            [
                ("scale", PerView(StandardScaler())),
                ("cluster", model().set_fit_request(constraints=True, mappings=True)),
            ]
        ).fit(VIEWS, constraints=JUDGED, mappings=MATCHES)
        again = clone(routed).fit_predict(VIEWS, constraints=JUDGED, mappings=MATCHES)
    np.testing.assert_array_equal(again[1], routed["cluster"].labels_[1])
    assert_same_labels(routed["cluster"], pipeline().fit(data())["cluster"])
    requests = model().get_metadata_routing()
    assert set(requests.fit.requests) == {"constraints", "mappings"}
    assert set(requests.predict.requests) == {"view"}


def test_constrained_views_need_no_routing_and_where_it_is_enabled_a_scorer():
    """Pipeline.score then hands on a sample_weight that nobody gave; a search does without."""

    def score(pipeline, X, y=None):
        return pipeline[-1].score(pipeline[:-1].transform(X))

    grid, cv = {"cluster__transfer__threshold": [0.05, 0.9]}, NeighborhoodKFold(2, random_state=0)
    plain = GridSearchCV(pipeline(), grid, cv=cv, error_score="raise").fit(data())
    with config_context(enable_metadata_routing=True):
        routed = GridSearchCV(pipeline(), grid, cv=cv, error_score="raise", scoring=score).fit(
            data()
        )
        assert score(routed.best_estimator_, data()) == routed.score(data())
        alone = GridSearchCV(
            model(), {"transfer__threshold": [0.5]}, cv=cv, error_score="raise"
        ).fit(data())
        assert alone.score(data()) == alone.best_estimator_.score(data())
        new = routed.predict({"texts": TEXTS})["texts"]
    assert plain.score(data()) == routed.best_estimator_.score(data())
    np.testing.assert_array_equal(
        routed.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(new, plain.predict({"texts": TEXTS})["texts"])


def test_a_threshold_may_be_set_where_the_transfer_is_the_default():
    default = MultiViewConstrainedClustering(PCKMeans(3))
    assert default.get_params()["transfer"] is None
    assert clone(default).set_params(transfer__threshold=0.3).transfer.threshold == 0.3
    assert default.set_params(base__n_clusters=2).transfer is None
    for refused in ({"transfer__limit": 1}, {"transfer__threshold": 0.5, "transfer__limit": 1}):
        with pytest.raises(ValueError, match="limit"):
            default.set_params(**refused)
        assert default.transfer is None
    assert default.set_params(transfer=None, transfer__threshold=0.4).transfer.threshold == 0.4
    assert default.set_params(transfer=None).transfer is None
    with pytest.raises(ValueError, match="threshold"):
        default.set_params(transfer=DirectMapping(), transfer__threshold=0.4)
