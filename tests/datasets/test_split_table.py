"""Tables split into two views: related rows are one row, and every draw has other rows."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from mvcc import load_dataset

TABLES = {"digits_halves": load_digits, "wine": load_wine, "breast_cancer": load_breast_cancer}


def together(name, views):
    """Put the columns of both views beside each other as the table has them."""
    if name == "digits_halves":
        return np.concatenate([half.reshape(-1, 8, 4) for half in views], axis=2).reshape(-1, 64)
    return np.hstack(views)


@pytest.mark.parametrize("name", TABLES)
def test_related_rows_are_one_row_of_the_table_and_of_its_class(name):
    table, data = TABLES[name](), load_dataset(name, random_state=0)
    related = data.relations[0, 1]
    rows = together(name, [X[of_view] for X, of_view in zip(data.views, related.T, strict=True)])
    known = {
        (*row, label) for row, label in zip(table.data.tolist(), table.target.tolist(), strict=True)
    }
    for y, of_view in zip(data.labels, related.T, strict=True):
        assert {
            (*row, label) for row, label in zip(rows.tolist(), y[of_view].tolist(), strict=True)
        } <= known


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_the_first_view_and_most_of_the_second_have_a_partner(name):
    data = load_dataset(name, random_state=1)
    related = data.relations[0, 1]
    assert related[:, 0].tolist() == list(range(len(data.views[0])))
    assert len(set(related[:, 1].tolist())) == len(related)
    assert len(related) / len(data.views[1]) == pytest.approx(5 / 6, abs=0.01)


def test_partners_do_not_follow_from_the_order_of_the_rows():
    related = load_dataset("digits_halves", random_state=0).relations[0, 1]
    assert (related[:, 0] == related[:, 1]).mean() < 0.1
