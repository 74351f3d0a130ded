"""The values that a configuration may hold: each type says in words what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from mvcc._messages import clipped
from mvcc.experiments._problems import nearest, shown
from mvcc.experiments._yaml import scalar

Base: TypeAlias = Literal["pck-means", "mpck-means"]
Transfer: TypeAlias = Literal["constraint-propagation", "direct-mapping", "cluster-membership", "single-view"]
Closure: TypeAlias = Literal["full", "view", "none"]
Scaling: TypeAlias = Literal["minmax", "none"]
Study: TypeAlias = Literal["main", "closure", "thresholds", "embedding", "shapes", "rewired", "views"]


def allowed(words: str) -> WrapValidator:
    """Answer every mistake in a value by saying what is allowed."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        def fits(other: Any) -> bool:
            try:
                handler(other)
            except ValidationError:
                return False
            return True

        try:
            return handler(value)
        except ValidationError:
            hint = ""
            if isinstance(value, str) and fits(scalar(value)):
                hint = " Write it without quotes."
            elif isinstance(value, int | float) and fits(shown(value)):
                hint = " Write it in quotes."
            raise ValueError(f"{shown(value)} is not allowed. Allowed: {words}.{hint}") from None

    return WrapValidator(check)


def one_of(names: Sequence[str]) -> BeforeValidator:
    def check(value: Any) -> Any:
        if value not in names:
            guess = nearest(value, names) if isinstance(value, str) else "."
            raise ValueError(f"{shown(value)} is not allowed{guess} Allowed: {', '.join(names)}.")
        return value

    return BeforeValidator(check)


def list_of(words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"{shown(value)} is not allowed. Allowed: a list of {words}.")
        return tuple(value)

    return BeforeValidator(check)


def _increasing(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for before, after in pairwise(numbers):
        if after <= before:
            raise ValueError(f"{after} after {before} is not allowed; the numbers must increase, without repeats.")
    return numbers


def _distinct(names: tuple[str | float, ...]) -> tuple[str | float, ...]:
    twice = [f"{name}" for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"{clipped(', '.join(twice))} stands in the list more than once; keep one.")
    return names


def loader_options(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)} is not allowed. Allowed: a section with one `option: value` per line.")
    if taken := sorted({"name", "data_dir", "random_state"} & value.keys()):
        raise ValueError(f"{', '.join(taken)} cannot be set here: the run itself hands it to the loader.")
    return dict(sorted(value.items()))


def one_or_list_of(words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if value in ([], (), {}) or isinstance(value, dict):
            raise ValueError(f"{shown(value)} is not allowed. Allowed: a single value, or a list of {words}.")
        return tuple(value) if isinstance(value, list | tuple) else (value,)

    return BeforeValidator(check)


Name = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$", max_length=64),
    allowed("1 to 64 letters, digits, _ and -, not beginning with -"),
]
Scalar = Annotated[str | int | float | bool, allowed("a single text, number, true or false")]
Components = Annotated[int, Field(ge=1, le=10**6), allowed("a whole number from 1 to 10^6")]
Sigma = Annotated[float, Field(gt=0), allowed("a number above 0")]
Threshold = Annotated[float, Field(gt=0, le=1)]
ViewThreshold = Annotated[Threshold, allowed("a number above 0, up to 1")]
Portion = Annotated[float, Field(ge=0, le=1), allowed("a number from 0 to 1 (0.2 for 20 %)")]
Count = Annotated[int, Field(ge=0, le=10**9), allowed("a whole number from 0 to 10^9")]
Portions = Annotated[tuple[Portion, ...], list_of("portions such as [0.2, 0.4, 1.0]"), AfterValidator(_increasing)]
Counts = Annotated[tuple[Count, ...], list_of("numbers such as [10, 25, 50]"), AfterValidator(_increasing)]
Thresholds = Annotated[
    tuple[Annotated[Threshold | Literal["cv"], allowed("a number above 0, up to 1, or cv")], ...],
    one_or_list_of("thresholds such as [0.5, 0.75, cv]"),
    AfterValidator(_distinct),
]
Closures = Annotated[
    tuple[Annotated[Closure, one_of(get_args(Closure))], ...],
    one_or_list_of("readings such as [full, view, none]"),
    AfterValidator(_distinct),
]
Bases = Annotated[
    tuple[Annotated[Base, one_of(get_args(Base))], ...],
    list_of("clustering algorithms such as [pck-means, mpck-means]"),
    AfterValidator(_distinct),
]
Transfers = Annotated[
    tuple[Annotated[Transfer, one_of(get_args(Transfer))], ...],
    list_of("transfer methods such as [constraint-propagation, single-view]"),
    AfterValidator(_distinct),
]
