"""Parts of ``clustering.json``: kinds of values, one cluster, and a view with all of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, model_validator

from mvcc._utils.messages import clipped

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
        yield from (*self.typical, *(entry.row for entry in self.borderline), *self.misfits)


class HeldOut(Facts):
    """How matched rows agree that were clustered without their matches."""

    agreement: Share  # share of matched rows in the same cluster
    by_chance: Share  # the same if clusters were drawn at random
    n: Count  # number of matched rows
    # counts by the cluster in the first view and in the second
    table: tuple[tuple[Count, ...], ...]


_UNDECIDED = 0.5  # of the probability of its cluster: the second choice is nearly as likely
_WORST_FIT = 0.05  # a twentieth of all rows fits worse


class Sureness(StrEnum):
    """Every row is exactly one of these."""

    SURE = "sure"
    BETWEEN = "between"  # two clusters
    NOWHERE = "nowhere"  # it fits its cluster worst, and there is no better one


def sureness_of(
    fit: Sequence[float],
    stability: Sequence[float | None],
    probability: Sequence[float],
    second_probability: Sequence[float],
) -> list[Sureness]:
    """Tell for every row of a view how sure its cluster is."""
    # Without probabilities, which only the joint method has, a row is between two clusters if a
    # stability run puts it into another one. What former versions did not store is empty.
    if probability:
        chances = zip(probability, second_probability, strict=True)
        between = [second > _UNDECIDED * first for first, second in chances]
    else:
        between = [share is not None and share < 1 for share in stability]
    sureness = [Sureness.BETWEEN if undecided else Sureness.SURE for undecided in between]
    for row, share in enumerate(fit):
        if share < _WORST_FIT:
            sureness[row] = Sureness.NOWHERE
    return sureness


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
    weight: Weight  # as given, or less if inferred
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


# of the lists whose entries begin with rows: how many of these
ENDS = dict.fromkeys(("given", "violated", "dropped", "propagated", "received"), 2)
ENDS |= dict.fromkeys(("moved", "pictures"), 1)
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
    cautions: tuple[StrictStr, ...] = ()  # warnings about its clusters, before corrections
    names: tuple[StrictStr, ...] = ()  # of the clusters in this view, if people named them
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

    @property
    def is_in_memory(self) -> bool:
        """Whether the table was not read from a file."""
        return self.source == f"views[{self.name!r}]"

    @property
    def shown_rows(self) -> Sequence[int]:
        """The numbers of the rows that the report draws, ascending."""
        return range(self.n_rows) if self.sample is None else self.sample

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
        by_row = ["ids", "labels", "reference", "x", "y", "stability"]
        if self.fit:
            by_row.append("fit")
        if self.probability:
            by_row += ["probability", "second", "second_probability"]
        check_lengths({f"`{name}`": getattr(self, name) for name in by_row}, self.n_rows, "rows")
        for name, n_ends in ENDS.items():
            rows = (row for entry in getattr(self, name) for row in entry[:n_ends])
            check_numbers(f"`{name}`", "row", rows, self.n_rows)
        if self.sample is not None and (
            list(self.sample) != sorted(set(self.sample))
            or max(self.sample, default=0) >= self.n_rows
        ):
            raise ValueError(f"`sample` must hold rows 0 … {self.n_rows - 1}, ascending")
        shown = {f"`values` of {clipped(column)}": values for column, values in self.values}
        check_lengths(shown, len(self.shown_rows), "rows")
        return self


def check_lengths(lists: Mapping[str, Sized | None], n: int, things: str) -> None:
    """Refuse a list, by where it is, that has not one entry for each of n things."""
    for where, values in lists.items():
        if values is not None and len(values) != n:
            raise ValueError(f"{where} has {len(values)} entries for {n} {things}")


def check_numbers(where: str, thing: str, numbers: Iterable[int], n: int) -> None:
    """Refuse numbers of rows or clusters beyond those that there are."""
    if (largest := max(numbers, default=0)) >= n:
        raise ValueError(f"{where} names {thing} {largest}, but the {thing}s are 0 … {n - 1}")
