"""Relations name views by their numbers, and no view that is not there."""

import pytest

from mvcc.constraints import check_mappings
from mvcc.exceptions import InvalidInputError


@pytest.mark.parametrize("key", [(2, 0), (0, 2), (-1, 0), (0, -1), (1, 1)])
def test_relations_name_two_different_views_that_are_there(key):
    with pytest.raises(InvalidInputError, match=r"does not name two different views of 0 … 1"):
        check_mappings({key: [[0, 0]]}, [3, 3])
