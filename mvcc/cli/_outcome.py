"""What `mvcc cluster` prints of a clustering: in words, or as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import counted
from mvcc.cli._shared import print_json, remark, say

if TYPE_CHECKING:
    from mvcc.results import Clustering, ViewFacts

_MOST_NAMED = 12  # clusters, in the terminal
_WIDTH = 80  # columns of a terminal


def print_outcome(clustering: Clustering, out: Path, as_json: bool) -> None:
    """Print a clustering that was written to a folder."""
    notes = [*clustering.warnings, *_doubts(clustering)]
    for note in notes:
        remark(f"Note: {note}")
    if as_json:
        print_json(_document(clustering, out, notes))
        return
    for line in _lines(clustering, out):
        say(line)


def _wrapped(sentence: str, indent: str = "  ") -> str:
    """Break a sentence into lines; paths stay whole."""
    return fill(
        sentence, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _document(clustering: Clustering, out: Path, notes: list[str]) -> dict[str, Any]:
    facts = clustering.to_dict()
    profiles = clustering.profiles or [()] * len(clustering.views)
    views = []
    for view, of_view in zip(clustering.views, profiles, strict=True):
        entry: dict[str, Any] = {"name": view.name, "rows": view.n_rows}
        if view.n_all_rows:
            entry |= {
                "all_rows": view.n_all_rows,
                "all_sizes": view.all_sizes,
                "all_f": view.all_f,
                "all_ari": view.all_ari,
                "all_labels": str(out / view.name / "labels"),
            }
        entry |= {
            "given": len(view.given),
            "violated": len(view.violated),
            "dropped": len(view.dropped),
            **_effect(clustering, view),
            "labels": str(out / view.name / "labels.csv"),
            "reference_f": view.reference_f,
            "names": view.names,
            "profiles": [{"name": profile.name, "size": profile.size} for profile in of_view],
            "outliers": len(view.outliers),
        }
        views.append(entry)
    return {
        "folder": str(out),
        "report": str(out / "report.html"),
        "views": views,
        "warnings": notes,
        "comparison": facts["comparison"],
        "continued": facts.get("continued"),
        "together": facts.get("together"),
        "joint": facts.get("joint"),
        "co_em": facts["co_em"],
        "stability_runs": facts["stability_runs"],
        "seconds": clustering.seconds,
    }


def _lines(clustering: Clustering, out: Path) -> Iterator[str]:
    from mvcc.results import column_lines, found_in_words

    yield _wrapped(found_in_words(clustering))
    if clustering.comparison:
        yield _wrapped(clustering.comparison.sentence)
    if clustering.continued:
        yield f"Since {clustering.continued.former}:"
        yield from (_wrapped(f"  {sentence}") for sentence in clustering.continued.in_words())
    yield from map(_wrapped, clustering.together.in_words() if clustering.together else ())
    if clustering.together and clustering.together.open:
        yield f"To settle them: mvcc review {shlex.quote(str(out))}"
    yield from _clusters(clustering)
    co_em = clustering.co_em
    if co_em and co_em.propagates and clustering.settings["threshold"] == "cv":
        yield f"Threshold: {co_em.threshold:g}, chosen by cross-validation"
    for number, view in enumerate(clustering.views):
        yield _wrapped(f"{view.name}: {'; '.join(_parts(clustering, number))}")
        yield from (f"  {line}" for line in column_lines(view.columns))
    if clustering.names_from:
        yield f"Names: {clustering.names_from}"
    for view in clustering.views:
        if view.n_all_rows:
            yield _wrapped(_sampled(view, out))
    yield f"Clusters: {out}/*/labels.csv"
    yield f"Report: {out / 'report.html'}"


def _parts(clustering: Clustering, number: int) -> Iterator[str]:
    """Give what there is to say of a view."""
    view = clustering.views[number]
    from mvcc.results import columns_used

    yield counted(view.n_rows, "row")
    yield columns_used(view.columns)
    yield f"{counted(len(view.given), 'constraint')} given, {len(view.violated)} violated"
    if view.dropped:
        yield f"{len(view.dropped)} dropped"
    propagated, inferred = view.n_propagated.total, view.n_inferred.total
    if clustering.joint:
        if view.n_moved:
            yield f"{counted(view.n_moved, 'row')} moved by constraints"
    elif len(clustering.views) > 1:
        received = view.n_received.total
        yield f"{propagated} transferred, {inferred} of them inferred; {received} received"
    elif propagated:
        yield f"{propagated} propagated, {inferred} of them inferred"
    if clustering.stability_runs.agreement:
        yield f"agreement of stability runs {clustering.stability_runs.agreement[number]:.2f}"
    if view.reference_f is not None:
        yield f"F against the labels {view.reference_f:.2f}{_of_others(clustering, number)}"


def _of_others(clustering: Clustering, number: int) -> str:
    """Give F against the labels of the methods that the result was compared with."""
    others = clustering.comparison.methods[1:] if clustering.comparison else ()
    said = ", ".join(
        f"{one.method} {F:.2f}"
        for one in others
        for F in one.reference_f[number : number + 1]
        if F is not None
    )
    return f" ({said})" if said else ""


def _effect(clustering: Clustering, view: ViewFacts) -> dict[str, int]:
    """Count what the constraints did: the rows that they moved, or how many were propagated."""
    if clustering.joint:
        return {"moved": view.n_moved}
    return {
        "propagated": view.n_propagated.total,
        "inferred": view.n_inferred.total,
        "received": view.n_received.total,
    }


def _clusters(clustering: Clustering) -> Iterator[str]:
    """List the clusters: name, and rows in each view."""
    for place, cluster in enumerate(clustering.clusters if clustering.profiles else ()):
        profiles = [of_view[cluster] for of_view in clustering.profiles]
        if place == _MOST_NAMED:
            more = counted(len(clustering.clusters) - _MOST_NAMED, "more cluster")
            yield f"… and {more}; see the report."
            return
        name = clustering.titles[cluster] or "nothing sets it apart"
        rows = " + ".join(str(profile.size) for profile in profiles)
        start = f"  {cluster}  "
        yield _wrapped(f"{start}{name} ({rows} rows)", " " * len(start))


def _sampled(view: ViewFacts, out: Path) -> str:
    """Say that the clusters of all rows come from some of them."""
    against = ""
    if view.all_f is not None:
        against = f"; F of all rows against the labels {view.all_f:.2f}"
    return (
        f"{view.name}: the clusters come from a sample of {view.n_rows} of {view.n_all_rows} rows; "
        f"those of all rows are in {out}/{view.name}/labels{against}"
    )


def _doubts(clustering: Clustering) -> Iterator[str]:
    """Say in which views inferred constraints may be wrong, by the two indicators of §6.4."""
    from mvcc.propagation import SMALLEST_DIVERGENCE

    if not clustering.co_em or not clustering.co_em.propagates:
        return
    for view in clustering.views:
        if not view.suspicious or not view.n_inferred.total:
            continue
        why = "the report says why"
        if view.closest and view.divergence is not None and view.divergence < SMALLEST_DIVERGENCE:
            first, second = view.closest
            why = (
                f"clusters {first} and {second} overlap (separation {view.divergence:.2g}; below "
                f"{SMALLEST_DIVERGENCE:g} is risky)"
            )
        yield f"What was inferred for nearby rows of {view.name} may be wrong: {why}."
