"""Views that tell different groups apart, views of noise, and views that a person weighs."""

import numpy as np
import pytest

from mvcc import JointGraphClustering, pairwise_f_measure
from mvcc.exceptions import InvalidInputError


def three_views(seed=0, n=240):
    """Return two views in which two of six groups are one, and a third that tells all apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 6
    clear = [8 * np.eye(6)[np.where(y == 1, 0, y)] + rng.normal(size=(n, 6)) for _ in range(2)]
    return [*clear, 4 * np.eye(6)[y] + rng.normal(size=(n, 6))], y


def score(model, y):
    return np.mean([pairwise_f_measure(y, own) for own in model.labels_])


def fitted(views, n_matches=None, k=6, **options):
    rows = [(row, row) for row in range(len(views[0]) if n_matches is None else n_matches)]
    mappings = {(v, v + 1): rows for v in range(len(views) - 1)}
    return JointGraphClustering(k, random_state=0, **options).fit(views, mappings=mappings)


def test_edges_that_other_views_contradict_are_weakened(monkeypatch):
    draws = [three_views(seed) for seed in range(2)]
    now = np.mean([score(fitted(views), y) for views, y in draws])
    monkeypatch.setattr("mvcc.embedding._across_views.CONTRADICTION_POWER", 0.0)
    assert now > np.mean([score(fitted(views), y) for views, y in draws]) + 0.05


def test_agreement_is_told_for_all_views_in_their_order():
    views, _ = three_views()
    found = fitted(views).view_agreement_
    assert found.shape == (3, 3)
    assert np.array_equal(found, found.T)
    assert np.diag(found).tolist() == [1, 1, 1]
    assert (found > 0.3).all()
    turned = fitted(views[::-1]).view_agreement_
    np.testing.assert_allclose(turned, found[::-1, ::-1], atol=0.02)
    apart = fitted(views, n_matches=2).view_agreement_
    np.testing.assert_array_equal(np.isnan(apart), ~np.eye(3, dtype=np.bool_))


def test_equal_weights_change_nothing_and_noise_can_be_left_out():
    views, y = three_views()
    noisy = [*views, np.random.default_rng(1).normal(size=(240, 6))]
    plain = fitted(noisy)
    alike = fitted(noisy, view_weights=[2, 2, 2, 2])
    assert all(map(np.array_equal, plain.labels_, alike.labels_))
    weighed = fitted(noisy, view_weights=[1, 1, 1, 0])
    assert score(weighed, y) >= score(fitted(views), y) - 0.05
    assert score(weighed, y) > score(plain, y) - 0.01
    matches = {(0, 1): [(row, row) for row in range(60)]}
    plain, light = (
        JointGraphClustering(6, random_state=0, view_weights=weights).fit(views, mappings=matches)
        for weights in (None, [0, 0, 1])
    )
    assert all(map(np.array_equal, plain.embedding_, light.embedding_))


def test_rows_that_only_a_view_of_weight_0_sees_are_clustered():
    views, y = three_views()
    model = fitted(views[::2], n_matches=120, view_weights=[0, 1])
    assert pairwise_f_measure(y[120:], model.labels_[0][120:]) > 0.6


@pytest.mark.parametrize(
    "weights", [[1], [1, 1, -1], [1, 1, np.nan], [0, 0, 0], [1, 1, np.inf], ["a", 1, 1], 1]
)
def test_weights_are_one_number_of_0_or_more_for_each_view(weights):
    views, _ = three_views()
    with pytest.raises(InvalidInputError, match="view_weights"):
        fitted(views, view_weights=weights)
