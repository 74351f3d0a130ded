"""The parts of ``clustering.json``: kinds of values, one cluster, the values of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, StrictStr, model_validator

_ROUNDING = 1e-9  # a mean of shares may end so far above 1

Count = Annotated[int, Field(strict=True, ge=0, le=2**53)]
Positive = Annotated[int, Field(strict=True, ge=1, le=2**53)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1 + _ROUNDING)]


class Facts(BaseModel):
    """What a later version adds is not shown, but nothing to refuse."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())


Quantiles = tuple[Number, Number, Number, Number, Number]


class ShareFacts(NamedTuple):
    """A category or a word, with the shares of rows that have it in a cluster and outside."""

    value: StrictStr
    inside: Share
    outside: Share


class Borderline(NamedTuple):
    """A row that might as well be in another cluster."""

    row: Count
    other: Count


class ValueFacts(NamedTuple):
    """A column with its values, as texts."""

    column: StrictStr
    values: tuple[StrictStr, ...]


class ColumnProfile(Facts):
    """What sets a cluster apart in a column.

    `rule` holds for the shares `inside` and `outside` of rows; `words` say it in a name. Numbers
    and dates have the quantiles 5, 25, 50, 75 and 95 % in the cluster and outside, categories their
    shares.
    """

    column: StrictStr
    kind: Literal["number", "date", "category"]
    rule: StrictStr
    inside: Share
    outside: Share
    words: StrictStr
    quantiles: tuple[Quantiles, Quantiles] | None = None
    medians: tuple[StrictStr, StrictStr] | None = None
    shares: tuple[ShareFacts, ...] = ()

    @model_validator(mode="after")
    def _quantiles_have_medians(self) -> Self:
        if (self.quantiles is None) != (self.medians is None):
            raise ValueError("`quantiles` and `medians` must both be there, or neither")
        return self


class ClusterProfile(Facts):
    """One cluster of one view."""

    size: Count
    name: StrictStr
    columns: tuple[ColumnProfile, ...]
    words: tuple[ShareFacts, ...]
    typical: tuple[Count, ...]
    borderline: tuple[Borderline, ...]
    misfits: tuple[Count, ...]

    @property
    def rows(self) -> Iterator[int]:
        """The rows that are named."""
        yield from (*self.typical, *(one.row for one in self.borderline), *self.misfits)


class HeldOut(Facts):
    """How matched rows agree that were clustered without their matches.

    The `table` counts them by the cluster of their row in the first view, and in the second.
    """

    agreement: Share
    by_chance: Share
    n: Count
    table: tuple[tuple[Count, ...], ...]
