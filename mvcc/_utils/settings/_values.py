"""Kinds of values in a configuration: each says in words what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from pydantic import BeforeValidator, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import InitErrorDetails

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.settings._problems import KeyPath, shown
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
            elif isinstance(value, int | float) and fits(shown(value)):
                hint = " Write it in quotes."
            raise ValueError(f"must be {words}, got {shown(value)}.{hint}") from None

    return WrapValidator(check)


def refuse(problems: Iterable[tuple[KeyPath, str]]) -> None:
    """Refuse parts of a value that is being validated: where each is inside of it, and what is wrong with it."""
    found: list[InitErrorDetails] = [
        {"type": "value_error", "loc": path, "input": None, "ctx": {"error": ValueError(text)}}
        for path, text in problems
    ]
    if found:
        raise ValidationError.from_exception_data("refused", found)


def one_of(names: Sequence[str]) -> BeforeValidator:
    def check(value: Any) -> Any:
        if value not in names:
            guess = nearest(value, names) if isinstance(value, str) else "."
            raise ValueError(f"must be one of {', '.join(names)}, got {shown(value)}{guess}")
        return value

    return BeforeValidator(check)


def list_of(words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"must be a list of {words}, got {shown(value)}.")
        return tuple(value)

    return BeforeValidator(check)


def increasing(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for before, after in pairwise(numbers):
        if after <= before:
            raise ValueError(f"the numbers must increase, without repeats, got {after} after {before}.")
    return numbers


def distinct(names: tuple[str | float, ...]) -> tuple[str | float, ...]:
    twice = [f"{name}" for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"{clipped(', '.join(twice))} stands in the list more than once; keep one.")
    return names


def one_or_list_of(words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if value in ([], (), {}) or isinstance(value, dict):
            raise ValueError(f"must be a single value, or a list of {words}, got {shown(value)}.")
        return tuple(value) if isinstance(value, list | tuple) else (value,)

    return BeforeValidator(check)
