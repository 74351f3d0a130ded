"""How input is spoilt: values, rows, arrays, texts and trees of values."""

import numpy as np
from hypothesis import strategies as st

from mvcc import Constraints
from tests.robustness.damaging import HUGE, ODD_FLOATS, ODD_TEXTS, damaged, damaged_tree

SMALLEST = 5e-324


class _Thing:
    """Nothing that anybody expects, under the same name in every process."""

    def __repr__(self):
        return "thing"


ODD_OBJECTS = (
    *(None, True, False, ..., int, slice(1), _Thing(), b"\xff", 1 + 2j),
    *([], {}, (), [[]], {"a": 1}, {1, 2}),
)
TYPES = (
    *(None, np.int8, np.uint64, np.float16, np.longdouble, complex, object, bool),
    *"U9 S3 M8[s] m8[s]".split(),
)

odd_numbers = st.sampled_from([*HUGE, *ODD_FLOATS, -1, 0, 1, 2**31, 10**18])
odd_objects = st.sampled_from(ODD_OBJECTS)
odd_values = odd_numbers | odd_objects | st.sampled_from(ODD_TEXTS)


@st.composite
def spoilt_rows(draw, rows, values=odd_values):
    """Spoil a list of rows: replace, add, drop or repeat values and rows."""
    rows = [list(row) for row in rows]
    for _ in range(draw(st.integers(1, 3))):
        if not rows:
            break
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.integers(0, 7)):
            case 0 | 1 | 2 if rows[at]:
                rows[at][draw(st.integers(0, len(rows[at]) - 1))] = draw(values)
            case 3:
                rows[at].append(draw(values))
            case 4:
                rows[at] = rows[at][:-1]
            case 5:
                rows.append(list(rows[at]))
            case 6:
                rows[at].reverse()
            case 7:
                del rows[at]
    return rows


def spoilt_list(values):
    """Spoil a list of single values."""
    return spoilt_rows([(value,) for value in values]).map(
        lambda rows: [row[0] if row else [] for row in rows]
    )


def any_array(lists):
    """Give lists as they are, as arrays of any type that they fit, or something else altogether."""
    return lists | st.builds(_converted, lists, st.sampled_from(TYPES)) | odd_values


def _converted(values, dtype):
    try:
        with np.errstate(all="ignore"):
            return np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        return values


WEIGHTS = st.sampled_from([1.0, 1.0, 0.5, 0.0, 1e-300, 1e6, 1e300, SMALLEST])


@st.composite
def judged(draw, n):
    """Draw constraints between n rows, of one weight or of many; they may contradict each other."""
    if n < 2:
        return Constraints([], [])
    row, step = st.integers(0, n - 1), st.integers(1, n - 1)
    pairs = draw(st.lists(st.builds(lambda i, step: (i, (i + step) % n), row, step), max_size=12))
    one = draw(st.none() | WEIGHTS)
    weights = [draw(WEIGHTS) if one is None else one for _ in pairs]
    must_link = [draw(st.booleans()) for _ in pairs]
    return Constraints(np.reshape(pairs, (-1, 2)).astype(int), must_link, weights)


_draws = st.randoms(use_true_random=True)


@st.composite
def spoilt_bytes(draw, text):
    """Spoil the lines, words, bytes or encoding of a text; of JSON also its values."""
    return damaged(text.encode(), draw(_draws))


@st.composite
def spoilt_tree(draw, tree):
    """Spoil a tree: other values, nested, moved, repeated or left out, keys renamed."""
    return damaged_tree(tree, draw(_draws))
