"""Constraints hold sorted, frozen arrays of the same types, whatever they were made by."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skops.io
from scipy import sparse
from sklearn import config_context

from mvcc import (
    ConstrainedViews,
    Constraints,
    JointGraphClustering,
    JointSpectralFeatures,
    PCKMeans,
    close_views,
    cluster_views,
    propagate_constraints,
    suspicious_matches,
)
from mvcc.constraints._map import ConstraintMap, unify
from mvcc.exceptions import InvalidInputError

X = np.random.default_rng(0).normal(size=(12, 2))
LABELS = np.arange(12) % 3
GIVEN = Constraints(
    [[0, 3], [3, 6], [1, 2], [4, 5]], [True, True, False, False], [1.0, 2.0, 0.5, 3.0]
)
BOTH = Constraints(
    [[0, 3], [0, 3], [1, 4], [4, 7]], [True, False, True, False], [1.0, 2.0, 3.0, 4.0]
)
RELATED = np.column_stack((np.arange(12), np.arange(12)[::-1]))
EMPTY = Constraints([], [])


def read_back(folder):
    GIVEN.to_csv(folder / "constraints.csv")
    return Constraints.read_csv(folder / "constraints.csv")


def stored_by_skops(_):
    content = skops.io.dumps(GIVEN)
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


MADE = {
    "arrays": lambda _: GIVEN,
    "nothing": lambda _: EMPTY,
    "pairs": lambda _: Constraints.from_pairs([(0, 1)], [(1, 2)]),
    "labels": lambda _: Constraints.from_labels(LABELS, 5, 0),
    "closure": lambda _: GIVEN.closure(),
    "closure of equal weights": lambda _: Constraints(GIVEN.pairs, GIVEN.must_link).closure(),
    "union": lambda _: GIVEN.max_union(Constraints([[0, 3], [7, 8]], [True, False], [9.0, 1.0])),
    "unified": lambda _: unify(GIVEN, Constraints([[0, 3], [7, 8]], [False, False])),
    "unified with neighborhoods": lambda _: unify(Constraints([[0, 1]], [True]).closure(), GIVEN),
    "map": lambda _: ConstraintMap(RELATED)(GIVEN),
    "map of both kinds": lambda _: ConstraintMap(RELATED)(BOTH),
    "map of nothing": lambda _: ConstraintMap(RELATED)(EMPTY),
    "views": lambda _: close_views([GIVEN, None], {(0, 1): RELATED})[0][1],
    "propagation": lambda _: propagate_constraints(X, LABELS, GIVEN, 0.4),
    "propagation of both kinds to one pair": lambda _: propagate_constraints(X, LABELS, BOTH, 0.1),
    "propagation of nothing": lambda _: propagate_constraints(X, LABELS, EMPTY, 0.4),
    "propagation to nowhere": lambda _: propagate_constraints(X, LABELS, GIVEN, 0.4, candidates=[]),
    "file": read_back,
    "file of skops": stored_by_skops,
}


@pytest.mark.parametrize("way", MADE)
@pytest.mark.parametrize("most_listed", [2**20, -1], ids=["listed", "neighborhoods"])
def test_constraints_are_sorted_frozen_and_of_equal_types(monkeypatch, tmp_path, way, most_listed):
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most_listed)
    made = MADE[way](tmp_path)
    assert made.pairs.shape == (len(made), 2)
    assert made.must_link.shape == made.weights.shape == (len(made),)
    assert (made.pairs.dtype, made.must_link.dtype, made.weights.dtype) == (
        np.int64,
        np.bool_,
        np.float64,
    )
    assert not any(array.flags.writeable for array in (made.pairs, made.must_link, made.weights))
    assert (made.pairs[:, 0] < made.pairs[:, 1]).all()
    # must-links before cannot-links of the same pair
    assert made == Constraints(made.pairs[::-1], made.must_link[::-1], made.weights[::-1])
    kinds = np.where(made.must_link, 0, 1)
    assert np.array_equal(np.lexsort((kinds, *made.pairs.T[::-1])), np.arange(len(made)))


class Frame:
    """A table of another library than pandas, as polars has them."""

    def __init__(self, frame):
        self.frame, self.columns, self.shape = frame, list(frame.columns), frame.shape

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, names):
        return Frame(self.frame[names])

    def __array__(self, dtype=None, copy=None):
        return self.frame.to_numpy(dtype)


def test_columns_of_any_library_may_be_in_another_order_for_new_rows():
    kind = np.repeat([0, 1, 2], 20)
    values = np.random.default_rng(0).normal(size=(60, 4)) + np.outer(kind, [6, -6, 0, 1])
    table = pd.DataFrame(values, columns=list("abcd"))
    model = JointGraphClustering(3, random_state=0).fit([table])
    turned = table[list("dcba")]
    arrow = pa.table(turned.to_dict("list"))
    for other in (turned, Frame(turned), arrow):
        np.testing.assert_array_equal(model.predict(other), model.labels_[0])
    of_arrow = JointGraphClustering(3, random_state=0).fit([arrow])
    np.testing.assert_array_equal(of_arrow.predict(table), of_arrow.labels_[0])


@pytest.mark.parametrize("table", [sparse.csr_array(np.eye(9)), pa.table({"a": X[:, 0]})])
def test_a_table_alone_is_told_from_a_list_of_views(table):
    with pytest.raises(InvalidInputError, match=r"for a single view give \[views\]"):
        JointGraphClustering(2).fit(table)


def test_a_frame_of_sparse_columns_is_clustered_as_a_sparse_matrix():
    X = sparse.csr_array(np.random.default_rng(0).poisson(0.3, size=(60, 30)).astype(float))
    frame = pd.DataFrame.sparse.from_spmatrix(X)
    one, other = (
        JointGraphClustering(3, random_state=0).fit([data]).labels_ for data in (frame, X)
    )
    assert one[0].tolist() == other[0].tolist()


@pytest.mark.parametrize("fit", [PCKMeans(2).fit, lambda X: JointGraphClustering(2).fit([X])])
def test_masked_values_are_missing(fit):
    rows = np.ma.masked_array(X.copy())
    fit(rows)
    rows[5, 1] = np.ma.masked
    with pytest.raises(InvalidInputError, match=r"contains NaN.*in row 5, column 1"):
        fit(rows)
    with pytest.raises(InvalidInputError, match=r"not 'NAType'\. The first .* row 5, column 1\."):
        fit(np.where(rows.mask, pd.NA, X.astype(object)))
    labels = np.ma.masked_array(LABELS, LABELS == 1)
    with pytest.raises(InvalidInputError, match="y has masked values; leave such rows out"):
        Constraints.from_labels(labels, 2)


def test_a_missing_value_of_a_sparse_matrix_is_named_by_its_place():
    rows = sparse.csc_array(np.where(np.eye(12, 2, -5), np.nan, X))
    with pytest.raises(InvalidInputError, match=r"contains NaN\. The first .* row 5, column 0\."):
        JointGraphClustering(2).fit([rows])


def test_constrained_views_are_no_list_of_views():
    given = ConstrainedViews([X, X], [GIVEN, None])
    with pytest.raises(InvalidInputError, match=r"views must be a list .*, not ConstrainedViews"):
        suspicious_matches(given, {(0, 1): RELATED}, [LABELS, LABELS])


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("features", ["auto", "spectral"])
def test_what_other_transformers_shall_give_changes_no_clusters(output, features):
    table = pd.DataFrame(X, columns=["a", "b"])
    views = {"numbers": table, "missing": table.where(table < 1)}
    options = {"method": "co-em", "transfer": "direct-mapping", "features": features}
    chosen = {} if features == "auto" else options

    def outcome():
        joint = JointSpectralFeatures(2).fit([X])
        model = JointGraphClustering(2, random_state=0).fit([X])
        found = cluster_views(views, n_clusters=2, stability_runs=1, **chosen)
        given = [Constraints.from_labels(LABELS, 6, 0)]  # by which a metric helps
        known = JointGraphClustering(2, random_state=0).fit([X], constraints=given)
        return (
            *(joint.transform(X), model.labels_[0], model.predict(X), model.predict_proba(X)),
            known.labels_[0],
            *(found.predict(rows, name) for name, rows in views.items()),
            *(found.parts(f"{name}:0")[name].to_numpy() for name in views),
        )

    expected = outcome()
    with config_context(transform_output=output):
        for one, other in zip(outcome(), expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
