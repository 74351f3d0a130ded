from sklearn.utils.estimator_checks import parametrize_with_checks
from mvcc import *


@parametrize_with_checks(
    [
        PCKMeans(3),
        MPCKMeans(3),
        MPCKMeans(3, metric="full"),
        MPCKMeans(3, metric="full", shared_metric=True),
        PCKMeans(),
        MPCKMeans(),
    ]
)
def test_checks(estimator, check):
    check(estimator)
