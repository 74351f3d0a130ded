"""What `mvcc cluster` prints: a clustering or, if k is unknown, numbers and how to be asked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from mvcc import propagation, results, tables
from mvcc._utils.messages import counted, typed, wrapped
from mvcc.cli._job_options import words_of
from mvcc.cli._shared import remark_notes, say, say_json
from mvcc.exceptions import ConfigError
from mvcc.results import Clustering

_AS_IN_FACTS = ("comparison", "continued", "together", "joint", "co_em", "stability_runs")
_MOST_NAMED = 12  # clusters, in the terminal
_BESIDE = ("k", "kept_error", "rows", "all_rows")  # not columns of a table of numbers
_WIDTH = 80  # columns of a terminal


def print_outcome(clustering: Clustering, out: Path) -> None:
    notes = [*_doubts(clustering), *clustering.warnings]
    remark_notes(notes)
    say_json(_document(clustering, out, notes))
    for line in _lines(clustering, out):
        say(line)


def _wrapped(sentence: str, indent: str = "  ") -> str:
    """Break a sentence into lines; paths stay whole."""
    return "\n".join(wrapped(sentence, _WIDTH, rest=indent))


def _document(clustering: Clustering, out: Path, notes: list[str]) -> dict[str, Any]:
    facts = clustering.to_dict()
    profiles = clustering.profiles or [()] * len(clustering.views)
    views = []
    for view, of_view in zip(clustering.views, profiles, strict=True):
        entry: dict[str, Any] = {"name": view.name, "rows": view.n_rows}
        if view.n_all_rows:
            entry["all_rows"] = view.n_all_rows
            entry |= {name: getattr(view, name) for name in ("all_sizes", "all_f", "all_ari")}
            entry["all_labels"] = out / view.name / "labels"
        entry |= {name: len(getattr(view, name)) for name in ("given", "violated", "dropped")}
        if clustering.joint:
            entry["moved"] = view.n_moved
        else:
            for name in ("propagated", "inferred", "received"):
                entry[name] = getattr(view, f"n_{name}").total
        entry |= {
            "labels": out / view.name / "labels.csv",
            "reference_f": view.reference_f,
            "names": view.names,
            "profiles": [{"name": profile.name, "size": profile.size} for profile in of_view],
            "outliers": len(view.outliers),
        }
        views.append(entry)
    return {
        "folder": out,
        "report": out / "report.html",
        "views": views,
        "warnings": notes,
        **{name: facts.get(name) for name in _AS_IN_FACTS},
        "seconds": clustering.seconds,
    }


def _lines(clustering: Clustering, out: Path) -> Iterator[str]:
    yield _wrapped(results.found_in_words(clustering))
    if clustering.comparison:
        yield _wrapped(clustering.comparison.sentence)
    if clustering.continued:
        of_found = ", before corrections" if clustering.corrected else ""
        yield f"Since {clustering.continued.former}{of_found}:"
        yield from (_wrapped(f"  {sentence}") for sentence in clustering.continued.in_words())
    if clustering.together:
        yield from map(_wrapped, clustering.together.in_words())
        is_sampled = any(view.n_all_rows for view in clustering.views)
        if clustering.together.open and not is_sampled:  # mvcc review takes no samples
            yield f"To settle them: mvcc review {typed(out)}"
    yield from _clusters(clustering)
    co_em = clustering.co_em
    if co_em and co_em.propagates and clustering.settings["threshold"] == "cv":
        yield f"Threshold: {co_em.threshold:g}, chosen by cross-validation"
    for index, view in enumerate(clustering.views):
        yield _wrapped(f"{view.name}: {'; '.join(_parts(clustering, index))}")
        yield from (f"  {line}" for line in results.column_lines(view.columns))
    if clustering.names_from:
        yield f"Names: {clustering.names_from}"
    for view in clustering.views:
        if view.n_all_rows:
            yield _wrapped(_sampled(view, out))
    yield f"Clusters: {out}/*/labels.csv"
    yield f"Report: {out / 'report.html'}"


def _parts(clustering: Clustering, index: int) -> Iterator[str]:
    view = clustering.views[index]
    yield counted(view.n_rows, "row")
    yield results.columns_used(view.columns)
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
        yield f"agreement of stability runs {clustering.stability_runs.agreement[index]:.2f}"
    if view.reference_f is not None:
        said = f"F against the labels {view.reference_f:.2f}"
        if others := ", ".join(_of_others(clustering, index)):
            said += f" ({others})"
        yield said


def _of_others(clustering: Clustering, index: int) -> Iterator[str]:
    """Give F against the labels of the methods that the result was compared with."""
    if clustering.comparison:
        for compared in clustering.comparison.methods[1:]:
            for F in compared.reference_f[index : index + 1]:  # it may be empty
                if F is not None:
                    yield f"{compared.method} {F:.2f}"


def _clusters(clustering: Clustering) -> Iterator[str]:
    """List the clusters: name, and rows in each view that is numbered alike."""
    listed = list(results.listed_clusters(clustering, clustering.numbered_as_one))
    for id, name, cluster, views in listed[:_MOST_NAMED]:
        rows = " + ".join(str(clustering.profiles[view][cluster].size) for view in views)
        start = f"  {id}  "
        said = f"{name or 'nothing sets it apart'} ({rows} {'row' if rows == '1' else 'rows'})"
        yield _wrapped(f"{start}{said}", " " * len(start))
    if len(listed) > _MOST_NAMED:
        more = counted(len(listed) - _MOST_NAMED, "more cluster")
        yield f"… and {more}; see the report."


def _sampled(view: results.ViewFacts, out: Path) -> str:
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
    if not clustering.co_em or not clustering.co_em.propagates:
        return
    for view in clustering.views:
        if not view.suspicious or not view.n_inferred.total:
            continue
        why = "the report says why"
        smallest = propagation.SMALLEST_DIVERGENCE
        if view.closest and view.divergence is not None and view.divergence < smallest:
            first, second = view.closest
            why = (
                f"clusters {first} and {second} overlap (separation {view.divergence:.2g}; below "
                f"{smallest:g} is risky)"
            )
        yield f"What was inferred for nearby rows of {view.name} may be wrong: {why}."


def asking_command(job: tables.Job, config: Path | None, given: dict[str, Any]) -> str | None:
    """Return the command that asks about the tables of a job; None if it would refuse a folder."""
    if any(os.path.isdir(view.path) for view in job.views.values()):
        return None
    asking, folders = f"mvcc ask {words_of(config, given)}", job.asked
    if not folders and config is None:
        folders = ("asked",)
    if len(folders) == 1:
        asking += f" --out {typed(folders[0])}"
    return asking


def refuse_unknown(
    error: tables.UnknownNumberError, job: tables.Job, asking: str | None
) -> NoReturn:
    """Print criteria, and refuse a job whose answers do not give the number of clusters."""
    if error.inputs is not None:
        facts = tables.number_criteria(job, error.inputs)
        say_json(facts)
        if facts["k"]:
            _print_criteria(facts)
    words = str(error)
    if asking:
        words += f" To be asked:\n  {asking}"
    raise ConfigError(words) from None


def as_range(text: str | None) -> range | None:
    """Return the numbers of clusters of a range such as 2-12, None for anything else."""
    bounds = re.fullmatch(r"(\d{1,7})-(\d{1,7})", text or "")
    if not bounds:
        return None
    low, high = map(int, bounds.groups())
    if low < 2 or high <= low:
        raise ConfigError(
            "a range of numbers of clusters (-k) must ascend from 2 or more, such as 2-12, got "
            f"{text}."
        )
    return range(low, high + 1)


def print_numbers(tried: list[dict[str, Any]], out: Path, asking: str | None) -> None:
    """Print how good each number of clusters is, and the command that asks, if one can."""
    table, curves = out / tables.CHOICE, out / tables.CURVES
    say_json({"tried": tried, "table": table, "curves": curves, "ask": asking})
    columns = [
        name for name, value in tried[0].items() if name not in _BESIDE and value is not None
    ]
    said = {"kept": "constraints kept", "by_chance": "by chance"}
    titles = ["  k", *(said.get(name, name) for name in columns)]
    say("  ".join(titles))
    for entry in tried:
        values = [f"{entry[name]:.2f}" for name in columns]
        if "kept" in columns:
            values[columns.index("kept")] += f" ± {entry['kept_error']:.2f}"
        cells = zip([str(entry["k"]), *values], titles, strict=True)
        say("  ".join(text.rjust(len(title)) for text, title in cells))
    if tried[0]["rows"] < tried[0]["all_rows"]:
        say(f"These are of a sample: {tried[0]['rows']} of {tried[0]['all_rows']} rows.")
    say(f"Table: {table}")
    say(f"Curves: {curves}")
    last = "No number was chosen."
    if asking:
        last += f" To be asked, which tells more:\n  {asking}"
    say(last)


def _print_criteria(facts: dict[str, Any]) -> None:
    width = max(map(len, facts["criteria"]))
    say(f"{'k':{width}}{''.join(f'{k:6}' for k in facts['k'])}   best")
    for name, values in facts["criteria"].items():
        cells = "".join(f"{value:6.2f}" for value in values)
        say(f"{name:{width}}{cells}   {facts['best'][name]:>4}")
    if len(facts["criteria"]) > 1:
        say("They are right two times in five and one in three; if they agree, three in five.")
    else:
        say("It is right one time in three. Twenty rows matched with others would tell more.")
