"""What ``clustering.json`` holds of one view: every row, what its columns are, its constraints."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, StrictBool, StrictStr, model_validator

from mvcc._utils.messages import clipped
from mvcc.results._profile import (
    Count,
    Facts,
    Number,
    Positive,
    Share,
    ValueFacts,
    Weight,
)
from mvcc.results._sureness import Sureness, sureness_of

PICTURE = r"^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$"  # nothing that is fetched


class Given(NamedTuple):
    """A constraint of the user's, and where it was given."""

    i: Count  # row number in the view
    j: Count  # row number in the view
    must_link: StrictBool  # else a cannot-link
    weight: Weight  # as given; 1 is usual
    satisfied: StrictBool  # whether the clusters keep it
    reason: StrictStr  # file and line, or the answer that it follows from


class LinkFacts(NamedTuple):
    """A constraint between two rows, and where it comes from."""

    i: Count  # row number in the view
    j: Count  # row number in the view
    must_link: StrictBool  # else a cannot-link
    weight: Weight  # 1 if given, less if inferred
    reason: StrictStr  # where it comes from, in words


class Moved(NamedTuple):
    """A row that constraints moved: its cluster without them, and which of them is near."""

    row: Count  # row number in the view
    without: Count  # its cluster without constraints
    reason: StrictStr  # the nearest constraint, in words


class Pair(NamedTuple):
    """A row of one view and a row of another."""

    i: Count  # row number in the first view
    j: Count  # row number in the second view


class Suspicious(NamedTuple):
    """A match that seems to be wrong: how likely it is, and whether it was left out."""

    i: Count  # row number in the first view
    j: Count  # row number in the second view
    suspicion: Share  # probability that it is wrong
    dropped: StrictBool  # whether it was left out


class PictureFacts(NamedTuple):
    """A small picture of a row, as an address that holds it."""

    row: Count  # its number
    source: Annotated[StrictStr, Field(pattern=PICTURE)]  # a data address


class Example(NamedTuple):
    """A value of a column, as it is in the file and as it is used."""

    written: StrictStr  # as it is in the file
    read: StrictStr  # as it is used


class ColumnFacts(Facts):
    """What a column was clustered as, if it was, and why or how."""

    name: StrictStr  # of the column
    # what it was clustered as; null if it was not used
    kind: Literal["number", "text", "category", "date", "picture"] | None
    note: StrictStr  # how, or why not
    n_missing: Count  # missing values
    examples: tuple[Example, ...] = ()  # the first two values


class LinkCounts(Facts):
    """Numbers of constraints of both kinds."""

    must_link: Count  # number of must-links
    cannot_link: Count  # number of cannot-links

    @property
    def total(self) -> int:
        return self.must_link + self.cannot_link


_OF_ONE_ROW = ("moved", "pictures")
NO_LINKS = LinkCounts(must_link=0, cannot_link=0)


class ViewFacts(Facts):
    """One view: its rows in the order of the file, and their clusters.

    Only the joint method has moved rows and probabilities, only co-EM has propagated constraints
    and the indicators of §6.4.
    """

    name: StrictStr  # of the view
    source: StrictStr  # path of the table
    n_rows: Positive  # rows that were clustered
    n_all_rows: Positive | None = None  # rows of a folder, of which a sample was clustered
    n_features: Count  # columns that were used
    features: StrictStr  # how columns became features, in words
    n_components: Positive  # dimensions in which rows were clustered
    unused: tuple[StrictStr, ...] = ()  # columns of no use
    columns: tuple[ColumnFacts, ...] = ()  # every column of the table
    ids: tuple[StrictStr, ...]  # of the rows
    labels: tuple[Count, ...]  # cluster of each row
    reference: tuple[StrictStr, ...] | None  # known class of each row, if a column has it
    x: tuple[Number, ...]  # place of each row in the map
    y: tuple[Number, ...]  # place of each row in the map
    axes: tuple[StrictStr, StrictStr]  # titles of the map
    fit: tuple[Share, ...] = ()  # of each row, as a rank from 0 to 1
    # of each row: share of stability runs that keep its cluster
    stability: tuple[Share | None, ...]
    probability: tuple[Share, ...] = ()  # of the cluster of each row
    second: tuple[Count, ...] = ()  # next cluster of each row
    second_probability: tuple[Share, ...] = ()  # of that cluster
    given: tuple[Given, ...]  # constraints
    violated: tuple[LinkFacts, ...]  # constraints that the clusters violate
    dropped: tuple[LinkFacts, ...]  # constraints that were left out, since others contradict them
    reference_f: Number | None  # pairwise F-measure with the known classes
    reference_ari: Number | None  # adjusted Rand index with the known classes
    names: tuple[StrictStr, ...] = ()  # of the clusters in this view, if `mvcc ask` named them
    outliers: tuple[StrictStr, ...] = ()  # ids of rows that were left out as outliers
    moved: tuple[Moved, ...] = ()  # rows that constraints moved
    n_moved: Count = 0  # their number; lists are cut
    propagated: tuple[LinkFacts, ...] = ()  # constraints that co-EM transferred from this view
    received: tuple[LinkFacts, ...] = ()  # constraints that co-EM transferred to it
    n_propagated: LinkCounts = NO_LINKS  # their number; lists are cut
    n_inferred: LinkCounts = NO_LINKS  # those of them that were not given
    n_received: LinkCounts = NO_LINKS  # their number; lists are cut
    disagreement: Share = 0  # share of rows whose cluster its Gaussians contradict (§6.4)
    divergence: Weight | None = None  # smallest of two clusters, in nats (§6.4); null if infinite
    closest: tuple[Count, Count] | None = None  # these two clusters
    suspicious: StrictBool = False  # whether the indicators of §6.4 warn
    sample: tuple[Count, ...] | None = None  # row numbers that the report draws; null for all
    values: tuple[ValueFacts, ...] = ()  # of the columns that the report shows
    picture_column: StrictStr = ""  # column of picture files that the report shows
    pictures: tuple[PictureFacts, ...] = ()  # of typical rows
    all_sizes: tuple[Count, ...] = ()  # of the clusters, over all rows of a folder
    all_f: Number | None = None  # as `reference_f`, over all rows of a folder
    all_ari: Number | None = None  # as `reference_ari`, over all rows of a folder

    def counts(self, name: str) -> LinkCounts:
        """Count the given, propagated or received constraints, beyond where lists are cut."""
        if name == "given":
            must_links = sum(link.must_link for link in self.given)
            return LinkCounts(must_link=must_links, cannot_link=len(self.given) - must_links)
        return getattr(self, f"n_{name}")

    def is_cut(self, name: str) -> bool:
        """Tell whether a list lacks some of its constraints."""
        return len(getattr(self, name)) < self.counts(name).total

    @cached_property
    def sureness(self) -> list[Sureness]:
        """How sure the cluster of every row is."""
        return sureness_of(self.fit, self.stability, self.probability, self.second_probability)

    @model_validator(mode="after")
    def _every_row_has_its_values(self) -> Self:
        for name in (
            "ids",
            "labels",
            "reference",
            "x",
            "y",
            "stability",
            *(("fit",) if self.fit else ()),
            *(("probability", "second", "second_probability") if self.probability else ()),
        ):
            values = getattr(self, name)
            if values is not None and len(values) != self.n_rows:
                raise ValueError(f"`{name}` has {len(values)} entries for {self.n_rows} rows")
        for name in ("given", "violated", "dropped", "propagated", "received", *_OF_ONE_ROW):
            entries: Iterable[tuple[Any, ...]] = getattr(self, name)
            largest = max(
                (max(entry[: 1 if name in _OF_ONE_ROW else 2]) for entry in entries), default=0
            )
            if largest >= self.n_rows:
                raise ValueError(
                    f"`{name}` names row {largest}, but the rows are 0 … {self.n_rows - 1}"
                )
        if self.sample is not None and (
            list(self.sample) != sorted(set(self.sample))
            or max(self.sample, default=0) >= self.n_rows
        ):
            raise ValueError(f"`sample` must hold rows 0 … {self.n_rows - 1}, ascending")
        n_shown = self.n_rows if self.sample is None else len(self.sample)
        for column, values in self.values:
            if len(values) != n_shown:
                raise ValueError(
                    f"`values` has {len(values)} entries of {clipped(column)} for {n_shown} rows"
                )
        return self
