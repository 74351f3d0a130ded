"""Kinds of values in a configuration: each says in words what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from pydantic import BeforeValidator, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import InitErrorDetails

from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.settings._problems import KeyPath
from mvcc._utils.settings._yaml import scalar


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
            elif isinstance(value, int | float) and fits(got(value)):
                hint = " Write it in quotes."
            raise ValueError(f"must be {words}, got {got(value)}.{hint}") from None

    return WrapValidator(check)


def one_of(names: Sequence[str]) -> BeforeValidator:
    """Allow some names; those of a type are written as a Literal instead."""

    def check(value: Any) -> Any:
        if value not in names:
            raise ValueError(not_one_of(value, names))
        return value

    return BeforeValidator(check)


def not_one_of(value: Any, names: Iterable[str]) -> str:
    """Say which names are allowed, and which of them is nearest to a value."""
    guess = nearest(value, names) if isinstance(value, str) else "."
    return f"must be one of {', '.join(names)}, got {got(value)}{guess}"


def got(value: Any) -> str:
    """Return a value as messages show it, true and false as they are written in YAML."""
    return str(value).lower() if isinstance(value, bool) else shown(value)


def refuse(problems: Iterable[tuple[KeyPath, str]]) -> None:
    """Refuse parts of a value that is validated: where each is inside it, and what is wrong."""
    errors: list[InitErrorDetails] = [
        {"type": "value_error", "loc": path, "input": None, "ctx": {"error": ValueError(text)}}
        for path, text in problems
    ]
    if errors:
        raise ValidationError.from_exception_data("refused", errors)


def alone_or_several(value: Any) -> Any:
    """Let a single value stand for a list of one."""
    if isinstance(value, list | tuple):
        return tuple(value)
    return value if isinstance(value, dict) else (value,)


def increasing(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for before, after in pairwise(numbers):
        if after <= before:
            raise ValueError(
                f"the numbers must increase, without repeats, got {after} after {before}."
            )
    return numbers


def distinct(names: tuple[str | float, ...]) -> tuple[str | float, ...]:
    twice = [str(name) for name, times in Counter(names).items() if times > 1]
    if twice:
        listed = clipped(", ".join(twice))
        raise ValueError(f"{listed} stands in the list more than once; keep one.")
    return names
