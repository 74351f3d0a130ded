"""Checks of the options that data sets share."""

from __future__ import annotations

from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from mvcc._utils.messages import shown
from mvcc.exceptions import InvalidInputError

T = TypeVar("T")


def check_choice(value: Any, name: str, allowed: tuple[T, ...]) -> T:
    """Return the one of the allowed values that was chosen; True and False are not taken for 1 and 0."""
    single = isinstance(value, str | int | float | np.generic)
    if not single or value not in allowed or isinstance(value, bool) is not isinstance(allowed[0], bool):
        raise InvalidInputError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}.")
    return allowed[allowed.index(value)]


def check_multiple(value: Any, name: str, factor: int, high: int) -> int:
    """Return a positive multiple of the factor, up to a limit, or say that it must be one."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not 0 < int(value) <= high or value % factor:
        raise InvalidInputError(
            f"{name} must be a positive multiple of {factor}, not {shown(value)}; the largest allowed is {high}."
        )
    return int(value)
