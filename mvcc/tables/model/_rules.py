"""What the parts of a stored model must be: attributes, and estimators made of them.

Sizes have names, which stand for the same number in all parts of an estimator: ``in`` and ``out``
are its columns, ``n`` the rows that were clustered, ``k`` the clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from mvcc._utils.messages import shown
from mvcc._utils.types import Ints

OF_FEATURES = 1e150  # whose squares are floats

Sizes = dict[str, int]
Rule = Callable[[Any, Sizes], Any]  # returns a value that fits


class Unfit(Exception):
    """A value that no model of mvcc has."""


class Part(Protocol):
    """What a model may hold in some place."""

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        """Return what is stored, made anew, and the number of columns it makes of ``n_in``."""


@dataclass(frozen=True)
class Estimator:
    """An estimator of exactly one class."""

    kind: type
    needs: dict[str, Rule]
    given: tuple[str, ...] = ()  # what the class is called with; the others are set afterwards
    make: Callable[..., Any] | None = None  # makes it of its attributes, where this is another way
    out: str = "in"  # the name of the number of columns that it makes

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        sizes["in"] = n_in
        return self.made(stored, sizes), sizes.get(self.out, 0)

    def made(self, stored: Any, sizes: Sizes) -> Any:
        """Return the estimator, made anew, and add its sizes to those that are known."""
        refuse_other_type(stored, self.kind)
        values = {}
        for name, rule in self.needs.items():
            if name not in vars(stored):
                raise Unfit(f"{self.kind.__name__} has no {name}")
            try:
                values[name] = rule(vars(stored)[name], sizes)
            except Unfit as problem:
                raise Unfit(f"{name} of {self.kind.__name__} {problem}") from None
        if self.make is not None:
            return self.make(**values)
        made = self.kind(**{name: values.pop(name) for name in self.given})
        vars(made).update(values)
        return made


@dataclass(frozen=True)
class Chain:
    """A pipeline of as many steps."""

    parts: tuple[Part, ...]
    kind = Pipeline

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        refuse_other_type(stored, Pipeline)
        steps = vars(stored).get("steps")
        n = len(self.parts)
        if not (isinstance(steps, list) and len(steps) == n and all(map(_is_pair, steps))):
            raise Unfit(f"a pipeline must have {n} steps")
        made = []
        for part, (_, step) in zip(self.parts, steps, strict=True):
            one, n_in = part.read(step, n_in, **sizes)
            made.append(one)
        return make_pipeline(*made), n_in


@dataclass(frozen=True)
class Choice:
    """One of several parts, by its class."""

    parts: tuple[Any, ...]

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        for part in self.parts:
            if type(stored) is part.kind:
                found: tuple[Any, int] = part.read(stored, n_in, **sizes)
                return found
        kinds = " or ".join(part.kind.__name__ for part in self.parts)
        raise Unfit(f"{type(stored).__name__} is where {kinds} must be")


def refuse_other_type(stored: Any, kind: type) -> None:
    if type(stored) is not kind:
        raise Unfit(f"{type(stored).__name__} is where {kind.__name__} must be")


def _is_pair(step: Any) -> bool:
    return isinstance(step, tuple | list) and len(step) == 2


def bind(name: str, size: int, sizes: Sizes) -> None:
    if sizes.setdefault(name, size) != size or size < 1:
        raise Unfit(f"has {size} entries where {max(sizes[name], 1)} must be")


def check_array(value: Any, dtypes: tuple[str, ...], shape: tuple[str, ...], sizes: Sizes) -> None:
    """Refuse anything but an array of some types and of a shape by the names of sizes."""
    dtype = value.dtype if type(value) is np.ndarray else None
    if dtype is None or dtype.str[1:] not in dtypes or not dtype.isnative:
        found = shown(getattr(value, "dtype", value))
        raise Unfit(f"must be an array of {' or '.join(dtypes)}, got {found}")
    if value.ndim != len(shape):
        raise Unfit(f"has {value.ndim} dimensions, not {len(shape)}")
    for name, size in zip(shape, value.shape, strict=True):
        bind(name, size, sizes)


def floats(
    *shape: str, least: float = -OF_FEATURES, most: float = OF_FEATURES, single: bool = False
) -> Rule:
    def rule(value: Any, sizes: Sizes) -> NDArray[Any]:
        check_array(value, ("f8", "f4") if single else ("f8",), shape, sizes)
        if not (value.min() >= least and value.max() <= most):  # NaN neither
            raise Unfit(f"must be from {least:g} to {most:g}")
        checked: NDArray[Any] = value
        return checked

    return rule


def integers(*shape: str, below: str) -> Rule:
    """Return the rule of an array of numbers from 0, below a size."""

    def rule(value: Any, sizes: Sizes) -> Ints:
        check_array(value, ("i8",), shape, sizes)
        if not 0 <= value.min() <= value.max() < sizes[below]:
            raise Unfit(f"must be from 0 to {sizes[below] - 1}")
        checked: Ints = value
        return checked

    return rule


def size(name: str) -> Rule:
    def rule(value: Any, sizes: Sizes) -> int:
        bind(name, whole(1, 2**62)(value, sizes), sizes)
        return int(value)

    return rule


def whole(least: int, most: int) -> Rule:
    def rule(value: Any, sizes: Sizes) -> int:
        if type(value) is not int or not least <= value <= most:
            raise Unfit(f"must be a whole number from {least} to {most}, got {shown(value)}")
        return value

    return rule


def number(least: float, most: float) -> Rule:
    def rule(value: Any, sizes: Sizes) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            raise Unfit(f"must be a number from {least:g} to {most:g}, got {shown(value)}")
        return float(value)

    return rule


def words(*known: Any) -> Rule:
    def rule(value: Any, sizes: Sizes) -> Any:
        if not any(type(value) is type(one) and value == one for one in known):
            raise Unfit(f"must be {' or '.join(map(repr, known))}, got {shown(value)}")
        return value

    return rule


def are_texts(value: Any) -> bool:
    """Tell whether a value is a list of texts, which can be compared with others."""
    return type(value) is list and all(type(one) is str for one in value)
