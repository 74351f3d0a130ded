"""What ``clustering.json`` has to hold before a page is made of it, damaged or foreign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sized
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StrictBool, StrictStr, ValidationError, model_validator

from mvcc._utils.exchange import is_aside
from mvcc._utils.messages import clipped, first_problem, typed
from mvcc._utils.reading import content_of, parse_json
from mvcc.exceptions import StoreError
from mvcc.results._changes import Continued, Corrected, Together
from mvcc.results._view import (
    ClusterProfile,
    Count,
    Facts,
    HeldOut,
    Number,
    Pair,
    Positive,
    Share,
    Suspicious,
    ViewFacts,
    Weight,
    check_lengths,
    check_numbers,
)

CLUSTERING = "clustering.json"
SCHEMA = 1


class Relation(Facts):
    """The matched rows of two views, and whether they agree if the method lets them differ."""

    views: tuple[Count, Count]  # numbers of the two views
    source: StrictStr  # path of the file of matches
    pairs: tuple[Pair, ...]  # matched rows
    agreement: Share | None  # share of matched rows in the same cluster, if they may differ
    by_chance: Share | None  # the same if clusters were drawn at random
    differing: tuple[Pair, ...]  # matched rows in different clusters
    suspicious: tuple[Suspicious, ...] = ()  # matches that seem wrong
    hardly_agree: StrictBool = False  # whether the views agree little on which rows are alike
    held_out: HeldOut | None = None  # how matched rows agree without their matches

    @property
    def n_left_out(self) -> int:
        """How many matches were left out since they seem wrong."""
        return sum(match.dropped for match in self.suspicious)


class CoEM(Facts):
    """The run of co-EM (Algorithm 2)."""

    iterations: Count  # until it stopped
    converged: StrictBool  # else it ended in a cycle or at the limit
    objectives: tuple[tuple[Number, ...], ...]  # of each view, by iteration (Eq. 1)
    propagates: StrictBool  # whether the transfer method is Constraint Propagation, or made of it
    threshold: Number | None  # t_V; null if the method has none
    transfer: StrictStr  # name of the transfer method
    base: StrictStr  # name of the base algorithm


class JointGraph(Facts):
    """The joint method: one graph for each set of views that matches connect."""

    objective: Number  # Eq. 1 before spreading
    n_objects: Positive  # matched rows are one object
    connected: tuple[tuple[Count, ...], ...]  # numbers of the views that matches connect, by set
    anchors: tuple[Count, ...] = ()  # of each view; 0 if the graph is exact
    recall: tuple[Share, ...] = ()  # of nearest rows; only former versions wrote it
    residual: Number | None = None  # the largest of the eigenvectors


class StabilityRuns(Facts):
    """How alike clusterings from other random starts are."""

    count: Count  # number of runs
    agreement: tuple[Number, ...]  # of each view: mean adjusted Rand index of runs and result


class Compared(Facts):
    """What a method keeps of constraints and matches that were held out."""

    method: StrictStr  # its name
    kept: Share | None  # share of held-out constraints that it keeps
    kept_error: Weight | None  # standard error of that share
    agreement: Share | None  # share of matched rows in the same cluster when their match is cut
    by_chance: Share | None  # the same if clusters were drawn at random
    stability: Number  # mean adjusted Rand index of its runs
    # of each view: F against its labels, with all constraints and matches; null without labels
    reference_f: tuple[Share | None, ...] = ()


class Comparison(Facts):
    """The method of a job beside others."""

    folds: Count  # of the constraints; 0 if none were held out
    n_judgments: Count  # constraints that were held out
    n_matches: Count  # matches that were cut
    sampled: Positive | None  # number of rows compared, if there are too many for all
    methods: Annotated[tuple[Compared, ...], Field(min_length=2)]  # first that of the job
    sentence: StrictStr  # the result in words
    # true if it is ahead of k-means and behind no other method, false if behind one, else null
    helps: StrictBool | None


class Input(Facts):
    """A file that was read."""

    path: StrictStr  # as it was given
    sha256: StrictStr  # checksum of the file
    rows: Count  # number of rows


class Clustering(Facts):
    """All facts of a clustering, consistent with each other."""

    schema_: Literal[1] = Field(alias="schema")  # version of this format
    kind: Literal["clustering"]  # of file
    title: StrictStr  # of the report
    n_clusters: Positive  # numbers of clusters, those of vanished ones included
    views: Annotated[tuple[ViewFacts, ...], Field(min_length=1)]  # the tables
    names: tuple[StrictStr, ...] = ()  # of the clusters, if people named them
    titles: tuple[StrictStr, ...] = ()  # the names, or what sets clusters without one apart
    names_from: StrictStr = ""  # the file of groups that the names come from
    continued: Continued | None = None  # the clustering whose numbers the clusters have
    corrected: Corrected | None = None  # what people have changed since
    together: Together | None = None  # how several people who answered agree
    relations: tuple[Relation, ...]  # the matches of each two views
    comparison: Comparison | None = None  # of the method with others; null without
    joint: JointGraph | None = None  # facts of the joint method; null with co-EM
    co_em: CoEM | None  # facts of co-EM; null with the joint method
    stability_runs: StabilityRuns  # repeated clusterings
    warnings: tuple[StrictStr, ...]  # in words
    settings: dict[str, Any]  # as in cluster.yaml
    profiles: tuple[tuple[ClusterProfile, ...], ...] = ()  # per view: what sets each cluster apart
    inputs: tuple[Input, ...]  # files that were read
    command: StrictStr  # that was run
    versions: dict[str, StrictStr]  # of mvcc, Python and libraries
    machine: dict[str, Any]  # processor, threads, system
    finished: StrictStr  # date and time
    seconds: Number  # from start to end
    model_sha256: StrictStr = ""  # checksum of model.skops

    def view(self, name: str) -> ViewFacts | None:
        """Return the view of a name, if there is one."""
        return next((view for view in self.views if view.name == name), None)

    @property
    def corrections(self) -> list[str]:
        """A sentence for each correction that stands."""
        if self.corrected is None:
            return []
        return list(self.corrected.sentences)

    @property
    def into(self) -> tuple[tuple[int, ...], ...]:
        """What each cluster of every view was merged into; empty without corrections."""
        if self.corrected is None:
            return ()
        return self.corrected.into_of_views or (self.corrected.into,) * len(self.views)

    @property
    def clusters(self) -> list[int]:
        """The numbers of the clusters, without those that have vanished or were merged."""
        retired = getattr(self.corrected or self.continued, "retired", ())
        return [cluster for cluster in range(self.n_clusters) if cluster not in retired]

    @property
    def numbered_alike(self) -> list[list[str]]:
        """The names of views in which the same number is the same cluster."""
        names = [view.name for view in self.views]
        if self.joint is None:
            return [[name] for name in names]
        return [[names[index] for index in indices] for indices in self.joint.connected]

    @property
    def numbered_as_one(self) -> list[list[str]]:
        """The same, but all views of co-EM, which numbers them alike as far as it can."""
        return self.numbered_alike if self.joint else [[view.name for view in self.views]]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``clustering.json`` holds."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def to_json(self) -> bytes:
        """Return the content of ``clustering.json``."""
        return "".join(_parts(self.to_dict())).encode("utf-8", "backslashreplace")

    @model_validator(mode="after")
    def _the_parts_fit(self) -> Self:
        n_views, k = len(self.views), self.n_clusters
        of_clusters: dict[str, Sized | None] = {
            "names": self.names or None,
            "titles": self.titles or None,
            **{f"profiles.{index}": profiles for index, profiles in enumerate(self.profiles)},
        }
        for index, view in enumerate(self.views):
            of_clusters[f"views.{index}.names"] = view.names or None
            check_numbers(f"views.{index}.labels", "cluster", view.labels, k)
            check_numbers(f"views.{index}.second", "cluster", view.second, k)
        check_lengths(of_clusters, k, "clusters")
        for index, (view, profiles) in enumerate(zip(self.views, self.profiles, strict=False)):
            for profile in profiles:
                check_numbers(f"profiles.{index}", "row", profile.rows, view.n_rows)
                others = (other for _, other in profile.borderline)
                check_numbers(f"profiles.{index}", "cluster", others, k)
        for index, relation in enumerate(self.relations):
            self._check_relation(f"relations.{index}", relation)
        if (self.co_em is None) == (self.joint is None):
            raise ValueError("either `co_em` or `joint` must be there")
        if self.joint and sorted(sum(self.joint.connected, ())) != list(range(n_views)):
            raise ValueError(f"joint.connected must name each of the {n_views} views once")
        of_views: dict[str, Sized | None] = {"profiles": self.profiles or None}
        if self.co_em:
            for index, values in enumerate(self.co_em.objectives):
                of_views[f"co_em.objectives.{index}"] = values
        if self.comparison:
            for index, method in enumerate(self.comparison.methods):
                of_views[f"comparison.methods.{index}.reference_f"] = method.reference_f or None
        if self.stability_runs.count:
            of_views["stability_runs.agreement"] = self.stability_runs.agreement
        check_lengths(of_views, n_views, "views")
        return self

    def _check_relation(self, where: str, relation: Relation) -> None:
        if max(relation.views) >= len(self.views) or relation.views[0] == relation.views[1]:
            raise ValueError(
                f"{where}.views is {list(relation.views)}, not the numbers of two views"
            )
        k = self.n_clusters
        if relation.held_out and [len(row) for row in relation.held_out.table] != [k] * k:
            raise ValueError(f"{where}.held_out.table must have {k} rows of {k} counts")
        pairs = [*relation.pairs, *relation.differing]
        pairs += [Pair(match.i, match.j) for match in relation.suspicious]
        for end, index in enumerate(relation.views):
            rows = (pair[end] for pair in pairs)
            check_numbers(where, "row", rows, self.views[index].n_rows)


def read_facts(folder: Path, name: str = CLUSTERING) -> Clustering:
    """Read ``clustering.json`` of a folder, or a file like it, or raise a StoreError."""
    path = folder / name
    try:
        facts = parse_json(content_of(path))
    except (FileNotFoundError, NotADirectoryError):
        refuse_aside(path)
        raise StoreError(
            f"{folder} holds no clustering: there is no {CLUSTERING}. Name a folder that `mvcc "
            "cluster` wrote."
        ) from None
    except (OSError, ValueError) as error:
        raise _damaged(str(path), getattr(error, "strerror", None) or str(error)) from error
    if not isinstance(facts, dict):
        raise _damaged(str(path), "it is not a JSON object")
    return parse_facts(facts, str(path))


def refuse_aside(path: Path) -> None:
    """Say of a file of a clustering that a killed command has put aside how it comes back."""
    if is_aside(path):
        raise StoreError(
            f"{path} is not there: a command that was replacing the clustering was killed, or still"
            " runs. The former files are beside their places. This puts them back: mvcc review"
            f" {typed(path.parent)} --json"
        )


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
        raise _damaged(source, first_problem(error)) from error


def _damaged(source: str, why: str) -> StoreError:
    return StoreError(
        f"{source} cannot be read: {why}. Restore the file, or run `mvcc cluster` again to write "
        "it anew."
    )


def _parts(value: Any) -> Iterator[str]:
    """Give JSON in parts: made all at once, it takes ten times its size in memory."""
    if isinstance(value, dict) and value:
        between = "{"
        for key, of_key in value.items():
            yield f"{between}{json.dumps(key)}: "
            yield from _parts(of_key)
            between = ", "
        yield "}"
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        between = "["
        for entry in value:
            yield between
            yield from _parts(entry)
            between = ", "
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False, allow_nan=False)
