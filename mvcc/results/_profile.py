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

    value: StrictStr  # the category or word
    inside: Share  # share of rows in the cluster that have it
    outside: Share  # share of rows outside


class Borderline(NamedTuple):
    """A row that might as well be in another cluster."""

    row: Count  # row number in the view
    other: Count  # the other cluster


class ValueFacts(NamedTuple):
    """A column with its values, as texts."""

    column: StrictStr  # name
    values: tuple[StrictStr, ...]  # of the rows that the report shows


class ColumnProfile(Facts):
    """What sets a cluster apart in a column, with quantiles of numbers and shares of categories."""

    column: StrictStr  # name
    kind: Literal["number", "date", "category"]  # of the column
    rule: StrictStr  # such as "≥ 3"
    inside: Share  # share of rows in the cluster for which the rule holds
    outside: Share  # share of rows outside
    words: StrictStr  # the rule as part of a name
    # 5, 25, 50, 75 and 95 %, inside and outside
    quantiles: tuple[Quantiles, Quantiles] | None = None
    medians: tuple[StrictStr, StrictStr] | None = None  # inside and outside, as texts
    shares: tuple[ShareFacts, ...] = ()  # of categories

    @model_validator(mode="after")
    def _quantiles_have_medians(self) -> Self:
        if (self.quantiles is None) != (self.medians is None):
            raise ValueError("`quantiles` and `medians` must both be there, or neither")
        return self


class ClusterProfile(Facts):
    """One cluster of one view."""

    size: Count  # number of rows
    name: StrictStr  # from what sets it apart
    columns: tuple[ColumnProfile, ...]  # that set it apart, the best first
    words: tuple[ShareFacts, ...]  # of texts that set it apart
    typical: tuple[Count, ...]  # row numbers
    borderline: tuple[Borderline, ...]  # rows that might be in another cluster
    misfits: tuple[Count, ...]  # row numbers of those that fit worst

    @property
    def rows(self) -> Iterator[int]:
        """The rows that are named."""
        yield from (*self.typical, *(one.row for one in self.borderline), *self.misfits)


class HeldOut(Facts):
    """How matched rows agree that were clustered without their matches."""

    agreement: Share  # share of matched rows in the same cluster
    by_chance: Share  # the same if clusters were drawn at random
    n: Count  # number of matched rows
    # counts by the cluster in the first view and in the second
    table: tuple[tuple[Count, ...], ...]
