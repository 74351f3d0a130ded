"""What the parts of a stored model must be: attributes, and estimators made of them.

Sizes have names, which stand for the same number in all parts of an estimator: ``in`` and ``out``
are its columns, ``n`` the rows that were clustered, ``p`` the anchors, ``k`` the clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

OF_FEATURES = 1e150  # whose squares are floats

Sizes = dict[str, int]
# returns a value that fits, and adds its sizes to the known ones
Rule = Callable[[Any, Sizes], Any]


class Unfit(Exception):
    """A value that no model of mvcc has; the message names its place."""


def require(fits: bool) -> None:
    if not fits:
        raise Unfit


def read(rule: Rule, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
    """Return what is stored, made anew, and the number of columns it makes of ``n_in``."""
    sizes["in"] = n_in
    return rule(stored, sizes), sizes.get("out", n_in)


@dataclass(frozen=True)
class Parts:
    """The rule of an object of exactly one of some classes, by its attributes."""

    by_attributes: dict[type, Rule]

    def __or__(self, others: Parts) -> Parts:
        return Parts(self.by_attributes | others.by_attributes)

    def __call__(self, stored: Any, sizes: Sizes) -> Any:
        require(type(stored) in self.by_attributes)
        return self.by_attributes[type(stored)](vars(stored), sizes)


def estimator(
    kind: type, needs: Mapping[str, Rule], make: Callable[..., Any] | None = None
) -> Parts:
    """Return the part that is made of these attributes: by its class, or as ``make`` does."""

    def rule(stored: dict[str, Any], sizes: Sizes) -> Any:
        values = {}
        for name, of_value in needs.items():
            try:
                require(name in stored)
                values[name] = of_value(stored[name], sizes)
            except Unfit as unfit:
                unfit.args = unfit.args or (f"{name} of {kind.__name__}",)
                raise
        if make is not None:
            return make(**values)
        made = kind(**{name: values[name] for name in signature(kind).parameters if name in values})
        vars(made).update(values)
        return made

    return Parts({kind: rule})


def chain(*rules: Rule) -> Parts:
    """Return the part of a pipeline of as many steps."""

    def rule(stored: dict[str, Any], sizes: Sizes) -> Any:
        made, n = [], sizes["in"]
        steps = in_list(stored.get("steps"), len(rules))
        for step_rule, named in zip(rules, steps, strict=True):
            require(isinstance(named, tuple | list) and len(named) == 2)
            step, n = read(step_rule, named[1], n)
            made.append(step)
        sizes["out"] = n
        return make_pipeline(*made)

    return Parts({Pipeline: rule})


def in_list(value: Any, n: int) -> list[Any]:
    require(isinstance(value, list) and len(value) == n)
    return list(value)


def bind(name: str, size: int, sizes: Sizes) -> None:
    require(sizes.setdefault(name, size) == size >= 1)


def check_array(value: Any, dtypes: tuple[str, ...], shape: tuple[str, ...], sizes: Sizes) -> None:
    """Refuse anything but an array of some types and of a shape by the names of sizes."""
    require(type(value) is np.ndarray and value.ndim == len(shape))
    require(value.dtype.str[1:] in dtypes and value.dtype.isnative)
    for name, size in zip(shape, value.shape, strict=True):
        bind(name, size, sizes)


def array(
    *shape: str,
    least: float = -OF_FEATURES,
    most: float = OF_FEATURES,
    below: str = "",
    dtypes: tuple[str, ...] = ("f8",),
) -> Rule:
    """Return the rule of an array of numbers in a range, which may end below a size."""

    def rule(value: Any, sizes: Sizes) -> NDArray[Any]:
        check_array(value, dtypes, shape, sizes)
        highest = most
        if below:
            highest = sizes[below] - 1
        require(bool(value.min() >= least and value.max() <= highest))  # NaN neither
        return value

    return rule


def size(name: str) -> Rule:
    def rule(value: Any, sizes: Sizes) -> int:
        checked: int = number(1, 2**62, int)(value, sizes)
        bind(name, checked, sizes)
        return checked

    return rule


def number(least: float, most: float, kind: type[int | float] = float) -> Rule:
    def rule(value: Any, sizes: Sizes) -> float:
        require(type(value) in (kind, int) and least <= value <= most)
        return kind(value)

    return rule


def words(*choices: Any) -> Rule:
    def rule(value: Any, sizes: Sizes) -> Any:
        require(any(type(value) is type(choice) and value == choice for choice in choices))
        return value

    return rule


def are_texts(value: Any) -> bool:
    """Tell whether a value is a list of texts, which can be compared with others."""
    return type(value) is list and all(type(text) is str for text in value)
