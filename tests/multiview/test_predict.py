"""New rows of a view go to the clusters that the view has learned."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import NotFittedError

from mvcc import (
    ConstrainedViews,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
)
from mvcc.exceptions import InvalidInputError

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3
TEXTS = pd.DataFrame(6 * np.eye(3, 2)[Y] + RNG.normal(size=(60, 2)), columns=["length", "words"])
IMAGES = 6 * np.eye(3)[Y[:50]] + RNG.normal(size=(50, 3))
JUDGED = Constraints.from_labels(Y, 20, 0)


@cache
def fitted(base=None):
    return fit(base, {"texts": TEXTS, "images": IMAGES})


def fit(base, views):
    model = MultiViewConstrainedClustering(base or PCKMeans(3), DirectMapping(), random_state=0)
    matches = {(0, 1): [(i, i) for i in range(30)]}
    return model.fit(views, constraints=[JUDGED, None], mappings=matches)


@pytest.mark.parametrize(
    "base", [PCKMeans(3), MPCKMeans(3), MPCKMeans(3, metric="full")], ids=["pck", "mpck", "full"]
)
def test_a_view_predicts_as_its_clusterer_does(base, rng):
    model = fitted(base)
    new = rng.normal(size=(20, 2))
    np.testing.assert_array_equal(model.predict(new), model.clusterers_[0].predict(new))
    np.testing.assert_array_equal(model.predict(IMAGES, 1), model.clusterers_[1].predict(IMAGES))
    named, numbered = model.predict(IMAGES, view="images"), model.predict(IMAGES, np.int64(1))
    np.testing.assert_array_equal(named, numbered)


def test_several_views_are_predicted_at_once_under_the_keys_that_they_come_in():
    model = fitted()
    found = model.predict({"images": IMAGES[:4], 0: TEXTS})
    assert list(found) == ["images", 0]
    np.testing.assert_array_equal(found["images"], model.predict(IMAGES[:4], 1))
    np.testing.assert_array_equal(found[0], model.predict(TEXTS))


def test_a_list_of_views_is_predicted_in_the_order_of_the_fit():
    model = fitted()
    for views in ([TEXTS[:7], IMAGES], (TEXTS[:7].to_numpy().tolist(), IMAGES.tolist())):
        found = model.predict(views)
        assert isinstance(found, list)
        np.testing.assert_array_equal(found[0], model.labels_[0][:7])
        np.testing.assert_array_equal(found[1], model.labels_[1])
    alone = MultiViewConstrainedClustering(PCKMeans(3), random_state=0).fit([IMAGES])
    np.testing.assert_array_equal(alone.predict([IMAGES])[0], alone.predict(IMAGES))


def test_the_columns_of_a_dataframe_are_found_by_name():
    model = fitted()
    np.testing.assert_array_equal(
        model.predict(TEXTS[["words", "length"]]), model.predict(TEXTS.to_numpy())
    )
    unnamed = fit(None, [TEXTS.to_numpy(), IMAGES])
    np.testing.assert_array_equal(unnamed.predict(TEXTS), model.predict(TEXTS))


def test_nothing_is_predicted_or_judged_before_a_fit():
    model = MultiViewConstrainedClustering(PCKMeans(3))
    with pytest.raises(NotFittedError):
        model.predict(IMAGES)
    with pytest.raises(NotFittedError):
        model.score(ConstrainedViews([IMAGES], [JUDGED.select(slice(0, 0))]))


NO_VIEW = "no view 'image'; the views are 'texts', 'images'. Did you mean 'images'"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((IMAGES, "image"), NO_VIEW),
        ((IMAGES, 2), "view: there is no view 2; the views are"),
        ((IMAGES, -1), "there is no view -1"),
        ((IMAGES,), "X has 3 features, but view 'texts' was fitted with 2"),
        ((TEXTS.assign(day=1.0),), "view 'texts' was fitted with; it has in addition 'day'"),
        ((TEXTS[["words"]],), "it lacks 'length'"),
        ((TEXTS.rename(columns={"words": "word"}),), "it lacks 'words' and has in addition 'word'"),
        ((TEXTS.assign(words="x"),), "X has columns that are not numeric: 'words'"),
        ((TEXTS[["words", "words", "length"]],), "X has several columns 'words'"),
        ((TEXTS * np.nan,), "X.*NaN"),
        (([1.0, 2.0],), "X.*2D"),
        (([TEXTS],), "X has 1 views, but 2 were fitted; give some of them as a dict"),
        (([IMAGES, TEXTS],), r"X\[0\] has 3 features, but view 'texts' was fitted with 2"),
        (([[[1.0, 2.0], [3.0]]],), r"X\[0\] is not an array"),
        (({"images": IMAGES * np.nan},), r"X\['images'\].*NaN"),
        (({"sounds": IMAGES},), "there is no view 'sounds'"),
    ],
)
def test_rows_that_cannot_be_predicted_are_explained(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fitted().predict(*arguments)


class Halves(ClusterMixin, BaseEstimator):
    """Clusters rows by the sign of their first feature, and cannot predict."""

    def fit(self, X, y=None, *, constraints=None):
        self.labels_, self.objective_ = (X[:, 0] > 0).astype(np.int64), 0.0
        return self


def test_a_base_that_cannot_predict_is_named():
    model = MultiViewConstrainedClustering(Halves(), DirectMapping()).fit([IMAGES])
    with pytest.raises(InvalidInputError, match=r"Halves\(\) has no predict; choose another base"):
        model.predict(IMAGES)
