"""The report of a clustering: what was found in your own tables, and how far to trust it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvcc._utils.messages import why_unwritten
from mvcc._utils.outputs import replace_file
from mvcc.constraints import kind_of
from mvcc.exceptions import StoreError
from mvcc.propagation import LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE
from mvcc.reporting.html._page import rendered
from mvcc.reporting.html._scatter import DRAWN_AT_FIRST, KINDS, MANY, class_names, page_data
from mvcc.reporting.html._words import (
    N_COLORS,
    SYMBOLS,
    Confusion,
    cluster_names,
    cluster_sections,
    confusion,
    percent,
    plural,
    repeatability,
    rows_of_settings,
)
from mvcc.results import CLUSTERING, Clustering, Relation, ViewFacts, found_in_words

LONGEST_LIST = 100
_MOST_TITLES = 3  # of a cluster, in its card
_MOST_SUSPECT = 20  # rows that are least stable, or fit worst


def write_clustering_report(clustering: Clustering, path: Path) -> None:
    """Write the report of a clustering to a file that is replaced.

    Raises StoreError: if the file cannot be written.
    """
    page = clustering_page(clustering)
    try:
        replace_file(path, page)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {why_unwritten(error, 'choose another place')}"
        ) from error


def clustering_page(clustering: Clustering) -> bytes:
    """Return the report of a clustering: one HTML page that needs nothing else, and no network."""
    sections = [_section(clustering, number) for number in range(len(clustering.views))]
    relations = [_related(clustering, relation) for relation in clustering.relations]
    data = page_data(clustering, _listed_rows(clustering, sections, relations))
    return rendered(
        "clustering.html",
        data,
        draws_by_card=any(len(view["ids"]) > MANY for view in data["views"]),
        title=f"Clusters of {clustering.title}",
        facts=clustering,
        warnings=[*(Notice(text) for text in clustering.warnings), *_unfit(clustering)],
        sections=sections,
        sizes=_sizes(clustering),
        clusters=cluster_sections(clustering),
        found=found_in_words(clustering),
        titles=_titles_of_rows(clustering),
        names=cluster_names(clustering),
        n_drawn=[len(view["ids"]) for view in data["views"]],
        relations=relations,
        switches=_switches(clustering),
        most_listed=_most_listed(clustering),
        most_columns=LONGEST_LIST,
        unlabeled=[not any(view.reference or ()) for view in clustering.views],
        lacks_labels=any(not all(view.reference or ("",)) for view in clustering.views),
        classes=_listed(class_names(clustering)),
        settings=rows_of_settings(clustering.settings),
        machine=rows_of_settings(clustering.machine),
        file=CLUSTERING,
        n_colors=N_COLORS,
        n_symbols=len(SYMBOLS),
        has_stability=any(None not in view.stability for view in clustering.views),
        repeatability=repeatability,
    )


def _titles_of_rows(clustering: Clustering) -> list[list[str]]:
    """Return what `show` names first of some typical rows of every cluster; empty without it."""
    titled = clustering.settings.get("show") or {}
    views = [number for number, view in enumerate(clustering.views) if view.name in titled]
    if not views or not clustering.profiles or not clustering.views[views[0]].values:
        return [[] for _ in range(clustering.n_clusters)]
    view = clustering.views[views[0]]
    titles = dict(zip(view.sample or range(view.n_rows), view.values[0].values, strict=True))
    return [
        [titles[row] for row in profile.typical if row in titles][:_MOST_TITLES]
        for profile in clustering.profiles[views[0]]
    ]


@dataclass(frozen=True)
class Notice:
    """What the reader must see: what was seen and, if known apart, its meaning and remedy."""

    seen: str
    means: str = ""
    do: str = ""


@dataclass(frozen=True)
class Listed:
    """The first entries of a long list, and how many more there are."""

    entries: Sequence[Any]
    more: int


@dataclass(frozen=True)
class ViewSection:
    """The content of the page about one view."""

    number: int
    view: ViewFacts
    violated: Listed
    dropped: Listed
    propagated: Listed
    moved: Listed
    unstable: list[int]
    misfits: list[int]
    outliers: Listed
    suspicion: list[Notice]


@dataclass(frozen=True)
class Size:
    """A cluster's rows in each view: number, and share of the largest cluster, for the bar."""

    cluster: int
    counts: list[int]
    shares: list[float]
    bars: list[float]


@dataclass(frozen=True)
class Related:
    """Two views beside each other."""

    relation: Relation
    views: tuple[ViewFacts, ViewFacts]
    differing: Listed
    suspicious: Listed
    agreement: str
    confusion: Confusion | None


@dataclass(frozen=True)
class Switch:
    """A checkbox for one kind of constraint: how many there are, and how many of them are drawn."""

    name: str
    label: str
    count: int
    drawn: int
    checked: bool


def _unfit(facts: Clustering) -> Iterator[Notice]:
    """Give the two warnings of §6.4, where constraints were propagated at all."""
    if facts.co_em is not None and facts.co_em.propagates:
        for view in facts.views:
            if view.n_inferred.total:
                yield from _suspicion(view)


def _suspicion(view: ViewFacts) -> Iterator[Notice]:
    compare = (
        "Run it again with --transfer direct-mapping, which infers no constraints, and compare; if "
        "both agree, the result does not rest on the inference."
    )
    if view.disagreement > LARGEST_DISAGREEMENT:
        yield Notice(
            f"In “{view.name}”, {percent(view.disagreement)} of the rows are in another cluster "
            "than the one whose center is nearest to them (more than "
            f"{percent(LARGEST_DISAGREEMENT)} is suspicious).",
            "The constraints, not the distances, make these clusters: they are hardly round. "
            "Constraint Propagation takes every cluster to be round, so that it may have inferred "
            "wrong constraints.",
            f"{compare} Other features (--features) may give rounder clusters.",
        )
    if view.divergence is not None and view.divergence < SMALLEST_DIVERGENCE:
        yield Notice(
            f"In “{view.name}”, {_closest(view)} overlap (separation {view.divergence:.2g}; below "
            f"{SMALLEST_DIVERGENCE:g} is risky, 0 is the same place).",
            "Rows between the two belong to either. What Constraint Propagation infers about rows "
            "near them may be wrong.",
            f"{compare} Fewer clusters (-k) may describe these data better.",
        )


def _closest(view: ViewFacts) -> str:
    if view.closest is None:
        return "two clusters"
    names = [
        f"{one} ({view.names[one]})" if view.names and view.names[one] else str(one)
        for one in view.closest
    ]
    return f"clusters {' and '.join(names)}"


def _section(facts: Clustering, number: int) -> ViewSection:
    view = facts.views[number]
    stability = [
        (share, row) for row, share in enumerate(view.stability) if share is not None and share < 1
    ]
    return ViewSection(
        number,
        view,
        violated=_listed(view.violated),
        dropped=_listed(view.dropped),
        propagated=_listed(view.propagated, view.n_propagated.total),
        moved=_listed(view.moved, view.n_moved),
        unstable=[row for _, row in sorted(stability)[:_MOST_SUSPECT]],
        misfits=sorted(range(len(view.fit)), key=lambda row: view.fit[row])[:_MOST_SUSPECT],
        outliers=_listed(view.outliers),
        suspicion=list(_suspicion(view)),
    )


def _listed(entries: Sequence[Any], total: int = 0) -> Listed:
    """Take the first entries of a list that may have been cut before."""
    first = entries[:LONGEST_LIST]
    return Listed(first, max(len(entries), total) - len(first))


def _sizes(facts: Clustering) -> list[Size]:
    counts = [Counter(view.labels) for view in facts.views]
    largest = max(
        max(of_view.values()) / view.n_rows
        for view, of_view in zip(facts.views, counts, strict=True)
    )
    sizes = []
    for cluster in facts.clusters:
        of_cluster = [of_view[cluster] for of_view in counts]
        shares = [size / view.n_rows for view, size in zip(facts.views, of_cluster, strict=True)]
        sizes.append(
            Size(cluster, of_cluster, shares, [round(100 * share / largest, 1) for share in shares])
        )
    return sizes


def _related(facts: Clustering, relation: Relation) -> Related:
    first, second = (facts.views[number] for number in relation.views)
    if relation.agreement is None:
        kept = len(relation.pairs) - relation.n_left_out
        agreement = f"{plural(kept, 'pair')} of matched rows: each is one object, in one cluster"
    elif not relation.pairs:
        agreement = "no rows are related"
    else:
        agreement = (
            f"{percent(relation.agreement)} of {plural(len(relation.pairs), 'related pair')} of "
            "rows are in the same cluster; if they were matched at random, it would be "
            f"{percent(relation.by_chance or 0)}"
        )
    held_out = relation.held_out
    found = None if held_out is None else confusion(held_out, first.name, second.name)
    return Related(
        relation,
        (first, second),
        _listed(relation.differing),
        _listed(relation.suspicious),
        agreement,
        found,
    )


def _listed_rows(
    facts: Clustering, sections: list[ViewSection], relations: list[Related]
) -> list[set[int]]:
    """Collect the rows of every view that the page names."""
    rows = [{*section.unstable, *section.misfits} for section in sections]
    for own, profiles in zip(rows, facts.profiles, strict=False):
        own.update(row for one in profiles for row in one.rows)
    for section in sections:
        for listed in (section.violated, section.dropped, section.propagated):
            rows[section.number].update(row for link in listed.entries for row in link[:2])
        rows[section.number].update(moved.row for moved in section.moved.entries)
    for one in relations:
        for listed in (one.differing, one.suspicious):
            for at, view in enumerate(one.relation.views):
                rows[view].update(pair[at] for pair in listed.entries)
    return rows


def _switches(facts: Clustering) -> list[Switch]:
    switches = []
    for name in KINDS:
        for must_link in (True, False):
            drawn = [
                sum(link.must_link == must_link for link in getattr(view, name))
                for view in facts.views
            ]
            counts = [view.counts(name) for view in facts.views]
            total = sum(one.must_link if must_link else one.cannot_link for one in counts)
            kind = f"{name} {kind_of(must_link)}"
            switches.append(
                Switch(kind, f"{kind}s", total, sum(drawn), max(drawn) <= DRAWN_AT_FIRST)
            )
    violated = sum(len(view.violated) for view in facts.views)
    return [*switches, Switch("violated", "violated ones marked", violated, violated, True)]


def _most_listed(facts: Clustering) -> int:
    """Return the length at which lists of constraints were cut, 0 where none was."""
    return max(
        (len(getattr(view, name)) for view in facts.views for name in KINDS if view.is_cut(name)),
        default=0,
    )
