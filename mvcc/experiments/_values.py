"""The values that a configuration may hold: each type says in words what is allowed."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from mvcc._utils.settings import (
    allowed,
    alone_or_several,
    distinct,
    got,
    increasing,
    not_one_of,
    one_of,
)
from mvcc.datasets import registry
from mvcc.multiview import base_names, check_method, own_transfer_names

Closure: TypeAlias = Literal["full", "view", "none"]
Scaling: TypeAlias = Literal["minmax", "none"]
Study: TypeAlias = Literal[
    "main", "closure", "thresholds", "embedding", "shapes", "rewired", "views", "beyond"
]


def data_set(value: Any) -> Any:
    if value not in tuple(registry()):
        raise ValueError(not_one_of(value, registry()))
    return value


def loader_options(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"must be a section with one `option: value` per line, got {got(value)}.")
    if taken := sorted({"name", "data_dir", "random_state"} & value.keys()):
        raise ValueError(
            f"{', '.join(taken)} cannot be set here: the run itself hands it to the loader."
        )
    return dict(sorted(value.items()))


def transfer_method(value: Any) -> str:
    """Return the name of a method that can be used here, of mvcc or of another package."""
    if not isinstance(value, str):
        raise ValueError(f"must be a name such as {own_transfer_names()[0]}, got {got(value)}.")
    check_method(value)
    return value


def sections_of_options(value: Any) -> Any:
    if not isinstance(value, dict) or not all(
        isinstance(options, dict) and options for options in value.values()
    ):
        raise ValueError(
            f"must be a section for each method, such as `constraint-propagation: {{regularization: 1e-3}}`, got "
            f"{got(value)}."
        )
    return {name: dict(sorted(options.items())) for name, options in sorted(value.items())}


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
_List = Field(min_length=1, strict=False)
Portions = Annotated[tuple[Portion, ...], _List, AfterValidator(increasing)]
Counts = Annotated[tuple[Count, ...], _List, AfterValidator(increasing)]
Thresholds = Annotated[
    tuple[Annotated[Threshold | Literal["cv"], allowed("a number above 0, up to 1, or cv")], ...],
    _List,
    BeforeValidator(alone_or_several),
    AfterValidator(distinct),
]
Closures = Annotated[
    tuple[Closure, ...], _List, BeforeValidator(alone_or_several), AfterValidator(distinct)
]
# the default is left out, so that results of configs before this option keep their identity
Init = Annotated[
    Literal["auto"] | None,
    BeforeValidator(lambda value: None if value == "neighborhoods" else value),
    one_of(("neighborhoods", "auto")),
]
Bases = Annotated[tuple[Annotated[str, one_of(base_names())], ...], _List, AfterValidator(distinct)]
Transfers = Annotated[
    tuple[Annotated[str, BeforeValidator(transfer_method)], ...], _List, AfterValidator(distinct)
]
TransferOptions = Annotated[dict[str, dict[str, Scalar]], BeforeValidator(sections_of_options)]
