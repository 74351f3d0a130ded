"""The report of a clustering: what was found in your own tables, and how far to trust it.

That of a folder is the report of its clustering, or of its experiments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from os.path import exists, realpath  # the first is false for what cannot be a path
from pathlib import Path
from typing import Any, NamedTuple

from mvcc import results
from mvcc._utils.messages import percent, why_unwritten
from mvcc._utils.outputs import put_back, replace_file, write_output
from mvcc.constraints import kind_of
from mvcc.exceptions import StoreError
from mvcc.propagation import LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE
from mvcc.reporting.html import _clusters as clusters
from mvcc.reporting.html._page import N_COLORS, SHAPES, rendered

REPORT, REPORT_KIND = "report.html", "a report"
LONGEST_LIST = 100
_MOST_DOUBTFUL = 20  # rows of a list


def write_report(
    folder: Path, path: Path | None = None, *, fresh: bool = False, inputs: Iterable[str] = ()
) -> Path:
    """Write the report of a folder.

    That of its clustering if it holds one, else that of the experiments below it. It goes to
    ``path``, by default ``report.html`` in the folder. Another report is replaced only if
    ``fresh``, and none that was changed since, nor any of ``inputs``, such as the tables of a
    clustering.
    """
    path = path or folder / REPORT
    if realpath(path.parent) == realpath(folder):
        put_back(folder)
    if exists(folder / results.CLUSTERING):
        page = clustering_page(results.read_facts(folder))
    else:
        results.refuse_aside(folder / results.CLUSTERING)
        try:
            results.find_experiments(folder)
        except StoreError as error:
            raise StoreError(
                f"there is no {results.CLUSTERING} in {folder}, and {error}"
            ) from error
        # pandas and scipy.stats, which the report of a clustering does without
        from mvcc.reporting.html._experiment import experiment_page

        page = experiment_page(folder)
    write_output(path, page, REPORT_KIND, fresh=fresh, inputs=inputs)
    return path


def write_clustering_report(clustering: results.Clustering, path: Path) -> None:
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


def clustering_page(clustering: results.Clustering) -> bytes:
    """Return the report of a clustering: one HTML page that needs nothing else, and no network."""
    views, relations = clustering.views, clustering.relations
    sections = [_section(index, view) for index, view in enumerate(views)]
    data = clusters.page_data(clustering, _listed_rows(clustering, sections))
    titles = [clusters.titles_of(clustering, view) for view in views]
    cards = list(results.listed_clusters(clustering, clustering.numbered_as_one))
    names, apart = [[""] * clustering.n_clusters for _ in views], [""] * len(views)
    for card in cards:
        for index in card.views:
            names[index][card.number] = card.title
            apart[index] = card.id.removesuffix(f"{card.number}")
    if any(apart):
        data["apart"] = apart
    sizes = [Counter(view.labels) for view in views]
    lists = [(view, name) for view in views for name in clusters.TOLD]
    return rendered(
        "clustering",
        data,
        title=f"Clusters of {clustering.title}",
        facts=clustering,
        notes=[*_notes(clustering)],
        sections=sections,
        sizes=sizes,
        largest=max(
            max(counts.values()) / view.n_rows for counts, view in zip(sizes, views, strict=True)
        ),
        found=results.found_in_words(clustering),
        titles=titles,
        cards=cards,
        names=names,  # of the clusters of every view
        apart=apart,  # what stands before the numbers of clusters of every view
        titles_in=partial(clusters.titles_in, clustering, titles),
        pictures_in=partial(clusters.pictures_in, clustering),
        in_percent=clusters.in_percent,
        split_in=clusters.split_in,
        n_drawn=[len(view["ids"]) for view in data["views"]],
        listed=_listed,
        has_doubts=any(section["has_doubts"] for section in sections)
        or any(one.suspicious or one.differing or one.hardly_agree for one in relations),
        switches=[*_switches(clustering)],
        # the length at which lists of constraints were cut
        most_listed=max(
            (len(getattr(view, name)) for view, name in lists if view.is_cut(name)), default=0
        ),
        columns_table=results.columns_table,
        columns_used=results.columns_used,
        unlabeled=[not any(view.reference or ()) for view in views],
        lacks_labels=any(not all(view.reference or ("",)) for view in views),
        classes=_listed(clusters.class_names(clustering)),
        file=results.CLUSTERING,
        n_colors=N_COLORS,
        n_symbols=len(SHAPES),
        has_stability=any(None not in view.stability for view in views),
    )


class Notice(NamedTuple):
    """What the reader must see: what was seen and, if known apart, its meaning and remedy."""

    seen: str
    means: str = ""
    do: str = ""


class Listed(NamedTuple):
    """The first entries of a long list, and the length of it."""

    entries: Sequence[Any]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.entries)


def _notes(facts: results.Clustering) -> Iterator[Notice]:
    """Give the notes of §6.4, where constraints were propagated at all, and those of the job."""
    if facts.co_em is not None and facts.co_em.propagates:
        for view in facts.views:
            if view.n_inferred.total:
                yield from _suspicion(view)
    for note in facts.warnings:
        yield Notice(note.replace("see the report", "see “Doubts” below"))


def _suspicion(view: results.ViewFacts) -> Iterator[Notice]:
    compare = (
        "Run it again with --transfer direct-mapping, which infers no constraints, and compare; if "
        "both agree, the result does not rest on the inference."
    )
    if view.disagreement > LARGEST_DISAGREEMENT:
        yield Notice(
            f"In “{view.name}”, {percent(view.disagreement)} of the rows are in another cluster "
            "than the one whose center is nearest to them ("
            f"{percent(LARGEST_DISAGREEMENT)} or more is suspicious).",
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


def _closest(view: results.ViewFacts) -> str:
    if view.closest is None:
        return "two clusters"
    names = view.names or ("",) * (max(view.closest) + 1)
    texts = [f"{cluster} ({names[cluster]})".removesuffix(" ()") for cluster in view.closest]
    return f"clusters {' and '.join(texts)}"


def _section(index: int, view: results.ViewFacts) -> dict[str, Any]:
    """Return what the page says of a view; no row is both ``between`` and ``nowhere``."""
    between = [row for row, kind in enumerate(view.sureness) if kind is results.Sureness.BETWEEN]
    nowhere = [row for row, kind in enumerate(view.sureness) if kind is results.Sureness.NOWHERE]
    between.sort(key=lambda row: _sure(view, row))
    nowhere.sort(key=lambda row: view.fit[row])
    why_between = [(row, _why_between(view, row)) for row in between[:_MOST_DOUBTFUL]]
    listed = nowhere[:_MOST_DOUBTFUL]
    highest = max((view.fit[row] for row in listed), default=-1)
    low = sorted(fit for fit in view.fit if fit <= highest)
    why_nowhere = [(row, _why_nowhere(view, row, low)) for row in listed]
    return {
        "number": index,
        "view": view,
        "between": Listed(why_between, len(between)),
        "nowhere": Listed(why_nowhere, len(nowhere)),
        "has_doubts": any((between, nowhere, view.outliers, view.violated, view.dropped)),
        "suspicion": list(_suspicion(view)),
    }


def _sure(view: results.ViewFacts, row: int) -> float:
    """Return how far the cluster of a row is ahead of its second choice."""
    if view.probability:
        return view.probability[row] - view.second_probability[row]
    return view.stability[row] or 0.0


def _why_between(view: results.ViewFacts, row: int) -> str:
    share, reasons = view.stability[row], []
    if view.probability:
        first, second = percent(view.probability[row]), percent(view.second_probability[row])
        reasons.append(f"{first} in favor of this cluster, {second} of cluster {view.second[row]}")
    if share is not None and not (reasons and share == 1):
        reasons.append(f"in {percent(share)} of repetitions in this cluster")
    return "; ".join(reasons)


def _why_nowhere(view: results.ViewFacts, row: int, low: list[float]) -> str:
    """Say how badly a row fits; `low` are the lowest fits, its own among them, ascending."""
    n_better = view.n_rows - bisect_right(low, view.fit[row])
    if n_better == view.n_rows - 1:
        return "fits its cluster worst of all rows"
    return f"fits its cluster worse than {percent(n_better / view.n_rows)} of the rows"


def _listed(entries: Sequence[Any], total: int = 0) -> Listed:
    """Take the first entries of a list that may have been cut before."""
    return Listed(entries[:LONGEST_LIST], max(len(entries), total))


def _listed_rows(facts: results.Clustering, sections: list[dict[str, Any]]) -> list[set[int]]:
    """Collect the rows of every view that the page names."""
    rows = []
    for view, section in zip(facts.views, sections, strict=True):
        named = {row for row, _ in (*section["between"].entries, *section["nowhere"].entries)}
        named.update(move.row for move in view.moved[:LONGEST_LIST])
        named.update(picture.row for picture in view.pictures)
        for links in (view.violated, view.dropped, view.propagated):
            named.update(row for link in links[:LONGEST_LIST] for row in (link.i, link.j))
        rows.append(named)
    for named, profiles in zip(rows, facts.profiles, strict=False):
        named.update(row for profile in profiles for row in profile.typical)
    for relation in facts.relations:
        for pairs in (relation.differing, relation.suspicious):
            for side, index in enumerate(relation.views):
                rows[index].update(pair[side] for pair in pairs[:LONGEST_LIST])
    return rows


def _switches(facts: results.Clustering) -> Iterator[dict[str, Any]]:
    """Give a checkbox for each kind of constraint: how many there are, how many are drawn."""
    for name, must_link in product(clusters.TOLD, (True, False)):
        kind = kind_of(must_link)
        links = [link for view in facts.views for link in getattr(view, name)]
        counts = [view.counts(name) for view in facts.views]
        yield {
            "name": f"{name} {kind}",
            "label": f"{clusters.TOLD[name]} {kind}s",
            "count": sum(getattr(count, kind.replace("-", "_")) for count in counts),
            "drawn": sum(link.must_link == must_link for link in links),
        }
    n = sum(len(view.violated) for view in facts.views)
    yield {"name": "violated", "label": "mark violated ones", "count": n, "drawn": n}
