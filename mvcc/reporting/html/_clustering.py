"""The report of a clustering: what was found in your own tables, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvcc._utils.messages import why_unwritten
from mvcc._utils.outputs import replace_file
from mvcc.constraints import kind_of
from mvcc.exceptions import StoreError
from mvcc.propagation import LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE
from mvcc.reporting.html._cards import cards_of, titles_of
from mvcc.reporting.html._page import rendered
from mvcc.reporting.html._scatter import KINDS, TOLD, class_names, page_data
from mvcc.reporting.html._words import (
    N_COLORS,
    SHAPES,
    Confusion,
    cluster_names,
    cluster_sections,
    confusion,
    percent,
    plural,
    repeatability,
    rows_of_settings,
)
from mvcc.results import (
    CLUSTERING,
    Clustering,
    ColumnFacts,
    Relation,
    Sureness,
    ViewFacts,
    columns_table,
    columns_used,
    found_in_words,
)

LONGEST_LIST = 100
_MOST_DOUBTFUL = 20  # rows of a list


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
    titles = [titles_of(clustering, view) for view in clustering.views]
    names = cluster_names(clustering)
    return rendered(
        "clustering",
        data,
        title=f"Clusters of {clustering.title}",
        facts=clustering,
        warnings=[*map(_notice, clustering.warnings), *_unfit(clustering)],
        sections=sections,
        cards=cards_of(clustering, names, titles),
        clusters=cluster_sections(clustering),
        found=found_in_words(clustering),
        titles=titles,
        names=names,
        n_drawn=[len(view["ids"]) for view in data["views"]],
        relations=relations,
        has_doubts=any(
            [
                *(section.has_doubts for section in sections),
                *(one.suspicious.entries or one.differing.entries for one in relations),
                *(one.relation.hardly_agree for one in relations),
            ]
        ),
        unused=_unused(clustering),
        switches=_switches(clustering),
        most_listed=_most_listed(clustering),
        columns_table=columns_table,
        columns_used=columns_used,
        most_columns=LONGEST_LIST,
        unlabeled=[not any(view.reference or ()) for view in clustering.views],
        lacks_labels=any(not all(view.reference or ("",)) for view in clustering.views),
        classes=_listed(class_names(clustering)),
        settings=rows_of_settings(clustering.settings),
        machine=rows_of_settings(clustering.machine),
        file=CLUSTERING,
        n_colors=N_COLORS,
        n_symbols=len(SHAPES),
        has_stability=any(None not in view.stability for view in clustering.views),
        repeatability=repeatability,
    )


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
    """The content of the page about one view; no row is both ``between`` and ``nowhere``."""

    number: int
    view: ViewFacts
    violated: Listed
    dropped: Listed
    propagated: Listed
    moved: Listed
    between: Listed
    n_between: int
    nowhere: Listed
    n_nowhere: int
    outliers: Listed
    suspicion: list[Notice]

    @property
    def has_doubts(self) -> bool:
        view = self.view
        return bool(
            self.n_between or self.n_nowhere or view.outliers or view.violated or view.dropped
        )


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


def _notice(warning: str) -> Notice:
    return Notice(warning.replace("see the report", "see “Doubts” below"))


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
    between = [row for row, kind in enumerate(view.sureness) if kind is Sureness.BETWEEN]
    nowhere = [row for row, kind in enumerate(view.sureness) if kind is Sureness.NOWHERE]
    between.sort(key=lambda row: _sure(view, row))
    nowhere.sort(key=lambda row: view.fit[row])
    return ViewSection(
        number,
        view,
        violated=_listed(view.violated),
        dropped=_listed(view.dropped),
        propagated=_listed(view.propagated, view.n_propagated.total),
        moved=_listed(view.moved, view.n_moved),
        between=_listed(
            [(row, _why_between(view, row)) for row in between[:_MOST_DOUBTFUL]], len(between)
        ),
        n_between=len(between),
        nowhere=_listed(
            [(row, _why_nowhere(view, row)) for row in nowhere[:_MOST_DOUBTFUL]], len(nowhere)
        ),
        n_nowhere=len(nowhere),
        outliers=_listed(view.outliers),
        suspicion=list(_suspicion(view)),
    )


def _sure(view: ViewFacts, row: int) -> float:
    """Return how far the cluster of a row is ahead of its second choice."""
    if view.probability:
        return view.probability[row] - view.second_probability[row]
    return view.stability[row] or 0.0


def _why_between(view: ViewFacts, row: int) -> str:
    share = view.stability[row]
    repeated = "" if share is None else f"in {percent(share)} of repetitions in this cluster"
    if not view.probability:
        return repeated
    own, other = percent(view.probability[row]), percent(view.second_probability[row])
    said = f"{own} in favor of this cluster, {other} of cluster {view.second[row]}"
    return said if share in (None, 1) else f"{said}; {repeated}"


def _why_nowhere(view: ViewFacts, row: int) -> str:
    if view.fit[row] == 0:
        return "fits its cluster worst of all rows"
    return f"fits its cluster worse than {percent(1 - view.fit[row])} of the rows"


def _listed(entries: Sequence[Any], total: int = 0) -> Listed:
    """Take the first entries of a list that may have been cut before."""
    first = entries[:LONGEST_LIST]
    return Listed(first, max(len(entries), total) - len(first))


def _unused(facts: Clustering) -> list[tuple[str, Listed]]:
    """List the columns of every view that were left out, with the reason."""
    unused: list[tuple[str, list[ColumnFacts]]] = [
        (view.name, [column for column in view.columns if column.kind is None])
        for view in facts.views
    ]
    return [(name, _listed(columns)) for name, columns in unused if columns]


def _related(facts: Clustering, relation: Relation) -> Related:
    first, second = (facts.views[number] for number in relation.views)
    if relation.agreement is None:
        kept = len(relation.pairs) - relation.n_left_out
        agreement = f"each of {plural(kept, 'match', 'matches')} is one object, in one cluster"
    elif not relation.pairs:
        agreement = "no rows are matched"
    else:
        agreement = (
            f"{percent(relation.agreement)} of {plural(len(relation.pairs), 'match', 'matches')} "
            f"are in the same cluster; by chance it would be {percent(relation.by_chance or 0)}"
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
    rows = []
    for section in sections:
        doubtful = (*section.between.entries, *section.nowhere.entries)
        own = {*(row for row, _ in doubtful), *(one.row for one in section.moved.entries)}
        own.update(picture.row for picture in section.view.pictures)
        for listed in (section.violated, section.dropped, section.propagated):
            own.update(row for link in listed.entries for row in link[:2])
        rows.append(own)
    for own, profiles in zip(rows, facts.profiles, strict=False):
        own.update(row for profile in profiles for row in profile.typical)
    for one in relations:
        for listed in (one.differing, one.suspicious):
            for at, view in enumerate(one.relation.views):
                rows[view].update(pair[at] for pair in listed.entries)
    return rows


def _switches(facts: Clustering) -> list[Switch]:
    switches = []
    for name in KINDS:
        for must_link in (True, False):
            links = sum((getattr(view, name) for view in facts.views), ())
            drawn = sum(link.must_link == must_link for link in links)
            counts = [view.counts(name) for view in facts.views]
            total = sum(one.must_link if must_link else one.cannot_link for one in counts)
            kind = kind_of(must_link)
            switches.append(Switch(f"{name} {kind}", f"{TOLD[name]} {kind}s", total, drawn))
    violated = sum(len(view.violated) for view in facts.views)
    return [*switches, Switch("violated", "mark violated ones", violated, violated)]


def _most_listed(facts: Clustering) -> int:
    """Return the length at which lists of constraints were cut, 0 where none was."""
    return max(
        (len(getattr(view, name)) for view in facts.views for name in KINDS if view.is_cut(name)),
        default=0,
    )
