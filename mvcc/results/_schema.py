"""What ``clustering.json`` has to hold before a page is made of it, damaged or foreign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, StrictBool, StrictStr, ValidationError, model_validator

from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of, parse_json
from mvcc.exceptions import StoreError
from mvcc.results._changes import Continued
from mvcc.results._profile import (
    ClusterProfile,
    Count,
    Facts,
    HeldOut,
    Number,
    Positive,
    Share,
    ValueFacts,
    Weight,
)
from mvcc.results._sureness import Sureness, sureness_of

CLUSTERING = "clustering.json"
SCHEMA = 1


class Given(NamedTuple):
    """A constraint of the user's, and where it was given."""

    i: Count
    j: Count
    must_link: StrictBool
    weight: Weight
    satisfied: StrictBool
    reason: StrictStr


class LinkFacts(NamedTuple):
    """A constraint between two rows, and where it comes from."""

    i: Count
    j: Count
    must_link: StrictBool
    weight: Weight
    reason: StrictStr


class Moved(NamedTuple):
    """A row that constraints moved: its cluster without them, and which of them is near."""

    row: Count
    without: Count
    reason: StrictStr


class Pair(NamedTuple):
    """A row of one view and a row of another."""

    i: Count
    j: Count


class Suspicious(NamedTuple):
    """A match that seems to be wrong: how likely it is, and whether it was left out."""

    i: Count
    j: Count
    suspicion: Share
    dropped: StrictBool


class ColumnFacts(Facts):
    """What a column was clustered as, if it was, and why or how."""

    name: StrictStr
    kind: Literal["number", "text", "category", "date"] | None
    note: StrictStr
    n_missing: Count


class LinkCounts(Facts):
    """Numbers of constraints of both kinds."""

    must_link: Count
    cannot_link: Count

    @property
    def total(self) -> int:
        return self.must_link + self.cannot_link


NO_LINKS = LinkCounts(must_link=0, cannot_link=0)


class ViewFacts(Facts):
    """One view: its rows in the order of the file, and their clusters.

    Outliers, which were left out, are listed by id. If there are many rows, only a `sample` is
    drawn; `values` are those of the sample, else of all rows. If the view is a folder, its rows are
    some of `n_all_rows`; `all_sizes` are those of the clusters of all rows, and `all_f` and
    `all_ari` compare these with the labels of all rows.

    The joint method moves rows; co-EM propagates constraints, and looks at the shape of the
    clusters. Only the joint method tells the `probability` of the cluster of every row, and the
    `second` choice with its own.
    """

    name: StrictStr
    source: StrictStr
    n_rows: Positive
    n_all_rows: Positive | None = None
    n_features: Count
    features: StrictStr
    n_components: Positive
    unused: tuple[StrictStr, ...] = ()
    columns: tuple[ColumnFacts, ...] = ()
    ids: tuple[StrictStr, ...]
    labels: tuple[Count, ...]
    reference: tuple[StrictStr, ...] | None
    x: tuple[Number, ...]
    y: tuple[Number, ...]
    axes: tuple[StrictStr, StrictStr]
    fit: tuple[Share, ...] = ()
    stability: tuple[Share | None, ...]
    probability: tuple[Share, ...] = ()
    second: tuple[Count, ...] = ()
    second_probability: tuple[Share, ...] = ()
    given: tuple[Given, ...]
    violated: tuple[LinkFacts, ...]
    dropped: tuple[LinkFacts, ...]
    reference_f: Number | None
    reference_ari: Number | None
    names: tuple[StrictStr, ...] = ()
    outliers: tuple[StrictStr, ...] = ()
    moved: tuple[Moved, ...] = ()
    n_moved: Count = 0
    propagated: tuple[LinkFacts, ...] = ()
    received: tuple[LinkFacts, ...] = ()
    n_propagated: LinkCounts = NO_LINKS
    n_inferred: LinkCounts = NO_LINKS
    n_received: LinkCounts = NO_LINKS
    disagreement: Share = 0
    divergence: Weight | None = None
    closest: tuple[Count, Count] | None = None
    suspicious: StrictBool = False
    sample: tuple[Count, ...] | None = None
    values: tuple[ValueFacts, ...] = ()
    all_sizes: tuple[Count, ...] = ()
    all_f: Number | None = None
    all_ari: Number | None = None

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
        for name in ("given", "violated", "dropped", "propagated", "received", "moved"):
            entries: Iterable[tuple[Any, ...]] = getattr(self, name)
            largest = max(
                (max(entry[: 1 if name == "moved" else 2]) for entry in entries), default=0
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


class Relation(Facts):
    """The related rows of two views, and whether they agree where the method lets them differ."""

    views: tuple[Count, Count]
    source: StrictStr
    pairs: tuple[Pair, ...]
    agreement: Share | None
    by_chance: Share | None
    differing: tuple[Pair, ...]
    suspicious: tuple[Suspicious, ...] = ()
    hardly_agree: StrictBool = False
    held_out: HeldOut | None = None


class CoEM(Facts):
    """The run of co-EM (Algorithm 2)."""

    iterations: Count
    converged: StrictBool
    objectives: tuple[tuple[Number, ...], ...]
    propagates: StrictBool
    threshold: Number | None
    transfer: StrictStr
    base: StrictStr


class JointGraph(Facts):
    """The joint method: one graph for each set of views that matches connect.

    ``anchors`` are those of each view, none where the graph is exact; ``residual`` is the largest
    of the eigenvectors. ``recall`` was the share of the nearest rows that former versions found.
    """

    objective: Number
    n_objects: Positive
    connected: tuple[tuple[Count, ...], ...]
    anchors: tuple[Count, ...] = ()
    recall: tuple[Share, ...] = ()
    residual: Number | None = None


class StabilityRuns(Facts):
    """How alike the clusterings are that begin otherwise."""

    count: Count
    agreement: tuple[Number, ...]


class Compared(Facts):
    """What a method keeps of constraints and matches that were held out."""

    method: StrictStr
    kept: Share | None
    kept_error: Weight | None
    agreement: Share | None
    by_chance: Share | None
    stability: Number


class Comparison(Facts):
    """The method of a job beside others, in a sample of so many rows where all are too many."""

    folds: Count
    n_judgments: Count
    n_matches: Count
    sampled: Positive | None
    methods: Annotated[tuple[Compared, ...], Field(min_length=2)]
    sentence: StrictStr
    helps: StrictBool | None


class Input(Facts):
    """A file that was read."""

    path: StrictStr
    sha256: StrictStr
    rows: Count


class Clustering(Facts):
    """All facts of a clustering, consistent with each other."""

    schema_: Literal[1] = Field(alias="schema")
    kind: Literal["clustering"]
    title: StrictStr
    n_clusters: Positive
    views: Annotated[tuple[ViewFacts, ...], Field(min_length=1)]
    names: tuple[StrictStr, ...] = ()
    titles: tuple[StrictStr, ...] = ()  # the names, or what sets clusters without one apart
    names_from: StrictStr = ""  # the file of groups that the names come from
    continued: Continued | None = None  # the clustering whose numbers the clusters have
    relations: tuple[Relation, ...]
    comparison: Comparison | None = None
    joint: JointGraph | None = None
    co_em: CoEM | None
    stability_runs: StabilityRuns
    warnings: tuple[StrictStr, ...]
    settings: dict[str, Any]
    profiles: tuple[tuple[ClusterProfile, ...], ...] = ()
    inputs: tuple[Input, ...]
    command: StrictStr
    versions: dict[str, StrictStr]
    machine: dict[str, Any]
    finished: StrictStr
    seconds: Number
    model_sha256: StrictStr = ""

    def view(self, name: str) -> ViewFacts | None:
        """Return the view of a name, if there is one."""
        return next((view for view in self.views if view.name == name), None)

    @property
    def clusters(self) -> list[int]:
        """The numbers of the clusters, without those that have vanished."""
        retired = self.continued.retired if self.continued else ()
        return [cluster for cluster in range(self.n_clusters) if cluster not in retired]

    @property
    def numbered_alike(self) -> list[list[str]]:
        """The names of views in which the same number is the same cluster."""
        names = [view.name for view in self.views]
        if self.joint is None:
            return [[name] for name in names]
        return [[names[number] for number in numbers] for numbers in self.joint.connected]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``clustering.json`` holds."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def to_json(self) -> bytes:
        """Return the content of ``clustering.json``."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "backslashreplace")

    @model_validator(mode="after")
    def _the_parts_fit(self) -> Self:
        n_views = len(self.views)
        for number, view in enumerate(self.views):
            for where, found in (("labels", view.labels), ("second", view.second)):
                if (largest := max(found, default=0)) >= self.n_clusters:
                    raise ValueError(
                        f"views.{number}.{where} has a cluster {largest}, but `n_clusters` is "
                        f"{self.n_clusters}"
                    )
        for where, names in (
            ("names", self.names),
            ("titles", self.titles),
            *((f"views.{number}.names", view.names) for number, view in enumerate(self.views)),
        ):
            if names and len(names) != self.n_clusters:
                raise ValueError(f"{where} has {len(names)} entries for {self.n_clusters} clusters")
        if self.profiles and [len(own) for own in self.profiles] != [self.n_clusters] * n_views:
            raise ValueError(
                f"profiles must have {self.n_clusters} clusters for each of {n_views} views"
            )
        for number, (view, profiles) in enumerate(zip(self.views, self.profiles, strict=False)):
            if wrong := next(
                (row for one in profiles for row in one.rows if row >= view.n_rows), None
            ):
                raise ValueError(
                    f"profiles.{number} names row {wrong}, but the rows are 0 … {view.n_rows - 1}"
                )
            if wrong := next(
                (o for one in profiles for _, o in one.borderline if o >= self.n_clusters), None
            ):
                raise ValueError(
                    f"profiles.{number} names cluster {wrong}, but `n_clusters` is "
                    f"{self.n_clusters}"
                )
        for number, relation in enumerate(self.relations):
            self._check_relation(f"relations.{number}", relation)
        if (self.co_em is None) == (self.joint is None):
            raise ValueError("either `co_em` or `joint` must be there")
        if self.joint and sorted(sum(self.joint.connected, ())) != list(range(n_views)):
            raise ValueError(f"joint.connected must name each of the {n_views} views once")
        for number, values in enumerate(self.co_em.objectives if self.co_em else ()):
            if len(values) != n_views:
                raise ValueError(
                    f"co_em.objectives.{number} has {len(values)} entries for {n_views} views"
                )
        if self.stability_runs.count and len(self.stability_runs.agreement) != n_views:
            raise ValueError(
                f"stability_runs.agreement has {len(self.stability_runs.agreement)} entries for "
                f"{n_views} views"
            )
        return self

    def _check_relation(self, where: str, relation: Relation) -> None:
        if max(relation.views) >= len(self.views) or relation.views[0] == relation.views[1]:
            raise ValueError(
                f"{where}.views is {list(relation.views)}, not the numbers of two views"
            )
        sizes = [self.views[number].n_rows for number in relation.views]
        table = relation.held_out.table if relation.held_out else ()
        if table and {len(table), *map(len, table)} != {self.n_clusters}:
            raise ValueError(
                f"{where}.held_out.table must have {self.n_clusters} rows of {self.n_clusters} "
                "counts"
            )
        for name in ("pairs", "differing", "suspicious"):
            pairs: Iterable[Pair | Suspicious] = getattr(relation, name)
            if wrong := next(
                (pair for pair in pairs if pair.i >= sizes[0] or pair.j >= sizes[1]), None
            ):
                raise ValueError(
                    f"{where}.{name} has the pair {[wrong.i, wrong.j]}, but the views have {sizes} "
                    "rows"
                )
        k = self.n_clusters
        if (
            relation.held_out is not None
            and [len(row) for row in relation.held_out.table] != [k] * k
        ):
            raise ValueError(f"{where}.held_out.table must have {k} rows of {k} counts")


def read_facts(folder: Path) -> Clustering:
    """Read ``clustering.json`` of a folder, or raise a StoreError."""
    path = folder / CLUSTERING
    try:
        facts = parse_json(content_of(path))
    except FileNotFoundError:
        raise StoreError(
            f"{folder} holds no clustering: there is no {CLUSTERING}. Name a folder that `mvcc "
            "cluster` wrote."
        ) from None
    except (OSError, ValueError) as error:
        raise _damaged(str(path), getattr(error, "strerror", None) or str(error)) from error
    if not isinstance(facts, dict):
        raise _damaged(str(path), "it is not a JSON object")
    return parse_facts(facts, str(path))


def parse_facts(facts: Mapping[str, Any], source: str = "these facts") -> Clustering:
    """Check the facts of a clustering that a page shows; a StoreError says what is wrong, where."""
    if facts.get("kind") != "clustering":
        raise _damaged(
            source, 'it is not what `mvcc cluster` writes: `"kind": "clustering"` is missing'
        )
    if facts.get("schema") != SCHEMA:
        raise StoreError(
            f"{source} cannot be read: it is of another version of mvcc (schema "
            f"{clipped(str(facts.get('schema')))}; this one reads {SCHEMA}). Use the mvcc that "
            "wrote it, or run `mvcc cluster` again."
        )
    try:
        return Clustering.model_validate(facts)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = first["msg"].removeprefix("Value error, ")
        raise _damaged(source, clipped(f"{where}: {what}" if where else what, 300)) from error


def _damaged(source: str, why: str) -> StoreError:
    return StoreError(
        f"{source} cannot be read: {why}. Restore the file, or run `mvcc cluster` again to write "
        "it anew."
    )
