"""Methods label every row of every table, and find blobs that gaps do not hide."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from mvcc import JointGraphClustering
from scripts.field import methods
from scripts.field.methods import EACH, GRID, GROUPS, IMML, MVLEARN, PAIRS, CannotRun, prepared
from scripts.field.protocols import Task, aligned, mask_a
from scripts.field.scores import of_objects, score
from tests.packages import replace_clusterers


@pytest.fixture
def task():
    y = np.repeat([0, 1, 2], 30)
    rng = np.random.default_rng(0)
    views = [rng.normal(scale=0.5, size=(90, 4)) + 6 * np.eye(4)[(y + v) % 3] for v in (0, 1)]
    return Task(views, [np.arange(90)] * 2, y)


METHODS = {name: GROUPS[group][name] for group in GROUPS for name in GROUPS[group]}
NOT_HERE = {*IMML, *MVLEARN, "joint with counts in all tables"}


@pytest.mark.parametrize("name", [name for name in METHODS if name not in NOT_HERE])
@pytest.mark.parametrize("protocol", [mask_a, aligned])
@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_methods_find_blobs(task, name, protocol):
    given = protocol(task, 0.4, np.random.default_rng(1))
    labels = METHODS[name](given, 0)
    assert [len(found) for found in labels] == [len(X) for X in given.views]
    found = score(labels, given)
    # means in the place of gaps mislead k-means
    assert found["F_views"] > (0.6 if name == "k-means" else 0.95)
    if name != "k-means" and not name.startswith(EACH):
        assert found["ACC"] > 0.95


@pytest.mark.parametrize(
    ("name", "n_pairs", "n_wrong"), [("20 pairs", 20, 0), ("160 pairs, 10 % wrong", 160, 16)]
)
def test_pairs_are_of_the_first_table_half_of_them_must_links_and_some_are_wrong(
    task, name, n_pairs, n_wrong, monkeypatch
):
    given, seen = mask_a(task, 0.4, np.random.default_rng(1)), []

    class Watched(JointGraphClustering):
        def fit(self, views, y=None, *, constraints=None, mappings=None):
            seen.extend(constraints)
            return super().fit(views, constraints=constraints, mappings=mappings)

    monkeypatch.setattr(methods, "JointGraphClustering", Watched)
    PAIRS[name](given, 0)
    judged, second = seen
    y = given.y[given.objects[0]]
    together = y[judged.pairs[:, 0]] == y[judged.pairs[:, 1]]
    assert second is None
    assert together.sum() == n_pairs / 2 == (~together).sum()
    assert (judged.must_link != together).sum() == n_wrong


def test_counts_are_refused_where_there_are_negative_values(task):
    with pytest.raises(CannotRun, match="negative values"):
        GRID["joint with counts in all tables"](task, 0)


def test_rows_of_sparse_tables_get_length_1_and_other_columns_are_standardized(task):
    counts = np.eye(5) * 3
    assert (prepared(counts) == np.eye(5)).all()
    ready = prepared(task.views[0])
    assert ready.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert ready.std(axis=0) == pytest.approx(1)


@pytest.fixture
def packages(monkeypatch):
    """Put k-means in the place of the other packages, which are not among those of the tests."""
    seen = []

    class Filled:
        def __init__(self, n_clusters, random_state, **options):
            self.model = KMeans(n_clusters, random_state=random_state)

        def fit_predict(self, tables):
            seen.append(tables)
            return self.model.fit_predict(np.nan_to_num(np.hstack(tables)))

    names = ("MultiviewSpectralClustering", "MultiviewCoRegSpectralClustering")
    replace_clusterers(monkeypatch, "mvlearn", dict.fromkeys(names, Filled))
    replace_clusterers(monkeypatch, "imml", dict.fromkeys(IMML, Filled))
    return seen


@pytest.mark.parametrize("name", IMML)
def test_imml_gets_a_row_for_every_object_and_nan_for_what_is_missing(task, name, packages):
    given = mask_a(task, 0.4, np.random.default_rng(1))
    labels = IMML[name](given, 0)
    assert [len(found) for found in labels] == [len(X) for X in given.views]
    for table, objects in zip(packages[0], given.objects, strict=True):
        assert np.flatnonzero(~np.isnan(table).any(axis=1)).tolist() == objects.tolist()


@pytest.mark.parametrize("name", MVLEARN)
def test_mvlearn_gets_complete_data_alone(task, name, packages):
    order = np.random.default_rng(0).permutation(90)
    given = Task([task.views[0], task.views[1][order]], [np.arange(90), order], task.y)
    labels = MVLEARN[name](given, 0)
    assert packages[0][1] == pytest.approx(prepared(task.views[1]))
    assert (of_objects(labels, given) == labels[0]).all()
    with pytest.raises(CannotRun, match="rows are missing"):
        MVLEARN[name](mask_a(task, 0.4, np.random.default_rng(1)), 0)
