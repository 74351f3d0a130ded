"""Clusters that continue earlier ones keep their numbers and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.arrays import Ints
from mvcc._utils.ids import why_unknown
from mvcc._utils.messages import counted, enumerated, for_reader, shown
from mvcc.exceptions import DataError, MvccError
from mvcc.results import Changes, Continued
from mvcc.tables.correcting._corrections import CarryingOver, Corrections, opened_in
from mvcc.tables.output._former import Former, id_column_in
from mvcc.tables.reading._column import Column
from mvcc.tables.reading._columns import read_like
from mvcc.tables.reading._rows import spelled_like
from mvcc.tables.reading._table import Table

if TYPE_CHECKING:
    import pandas as pd

    from mvcc.tables.fitting._fit import Fit
    from mvcc.tables.model._saved import SavedClustering
    from mvcc.tables.reading._inputs import Inputs
    from mvcc.tables.reading._kinds import Understood

_MOST = 1 / 2  # of the rows of a cluster: where these are, the cluster is
_PART = 1 / 10  # of a cluster, at least, that another one takes over
_FEW = 1 / 10  # of the ids of a table
_CHANCE = 0.02  # of an adjusted Rand index
_ENOUGH = 5  # shared rows for each former cluster, or the stored model decides


def rows_in_both(before: Ints, after: Ints, sizes: tuple[int, int]) -> Ints:
    """Count the rows of every two clusters; a negative number is that of a row without one."""
    counts = np.zeros(sizes, dtype=np.int64)
    is_clustered = (before >= 0) & (after >= 0)
    np.add.at(counts, (before[is_clustered], after[is_clustered]), 1)
    return counts


def numbers_like(counts: Ints) -> Ints:
    """Give clusters the numbers of the former ones that they share most rows with, in sum.

    A cluster takes over a number if half of its own rows, or half of those of the former cluster,
    are in both (`rows_in_both`); the others get numbers that no former cluster has.
    """
    # SciPy is of no use before tables have been read
    from scipy.optimize import linear_sum_assignment

    n_former, n_current = counts.shape
    former, current = linear_sum_assignment(counts, maximize=True)
    n_shared = counts[former, current]
    smaller = np.minimum(counts.sum(axis=1)[former], counts.sum(axis=0)[current])
    is_same = (n_shared > 0) & (n_shared >= _MOST * smaller)
    numbers = np.full(n_current, -1, dtype=np.int64)
    numbers[current[is_same]] = former[is_same]
    is_new = numbers < 0
    numbers[is_new] = n_former + np.arange(is_new.sum())
    return numbers


def renumbered(counts: Ints, former: Ints) -> tuple[Ints, dict[str, Any]]:
    """Return `numbers_like` and their ``Changes``; ``former`` are the numbers in use before."""
    numbers = numbers_like(counts)
    aligned = np.zeros((len(counts), 1 + max(numbers)), dtype=np.int64)
    aligned[:, numbers] = counts
    split, merged = tuple(_divided(aligned, former)), tuple(_divided(aligned.T, numbers))
    explained = {part for _, parts in (*split, *merged) for part in parts}
    return numbers, {
        "shared": int(aligned.sum()),
        "kept": int(np.trace(aligned)),
        "split": split,
        "merged": merged,
        "new": tuple(sorted({*numbers.tolist()} - {*former.tolist()} - explained)),
        "vanished": tuple(sorted({*former.tolist()} - {*numbers.tolist()} - explained)),
    }


def _divided(counts: Ints, clusters: Ints) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Give the clusters (rows) that several of the other clustering took over, and these."""
    sizes, of_others, origin = counts.sum(axis=1), counts.sum(axis=0), counts.argmax(axis=0)
    for cluster in clusters.tolist():
        share = counts[cluster] / max(sizes[cluster], 1)
        is_most = counts[cluster] >= _MOST * of_others
        parts = np.flatnonzero((share >= _PART) & is_most & (origin == cluster))
        if len(parts) > 1:
            yield cluster, tuple(parts.tolist())


@dataclass(frozen=True, eq=False)
class Continuation:
    """A fit whose clusters have the numbers of a former clustering, if there is one."""

    fit: Fit
    facts: Continued | None = None
    names: Sequence[list[str]] = ()  # of the clusters, per view, as people gave them before
    names_from: str = ""  # where
    corrections: Corrections = ()  # the former ones whose numbers mean the same clusters now
    warnings: Sequence[str] = ()

    def named(self, names: list[list[str]]) -> list[list[str]]:
        """Give clusters without a name the one that they had before, unless another one has it."""
        if not any(map(any, self.names)):
            return names
        filled = []
        for former, new in zip(self.names, names, strict=True):
            free = ["" if name in new else name for name in former]
            filled.append([name or before for name, before in zip(new or free, free, strict=True)])
        return filled


def continued(former: Former | None, inputs: Inputs, fit: Fit) -> Continuation:
    """Give clusters the numbers of the former ones, if any, as `numbers_like`."""
    if former is None:
        return Continuation(fit)
    facts, tables = former.facts, inputs.tables
    numbers, changes, like = _numbered(former, tables, fit)
    n_numbers = max(former.n_numbers, *(1 + int(of_view.max()) for of_view in numbers))
    fit = fit.with_numbers(numbers, n_numbers)
    gone = set(range(n_numbers)).difference(*(of_view.tolist() for of_view in fit.numbers))
    new_facts = Continued(
        former=former.called, finished=facts.finished, changes=changes, retired=tuple(sorted(gone))
    )
    names = {view.name: dict(enumerate(view.names)) for view in facts.views}
    kept_names = []
    for table in tables:
        names_of_view = names.get(like.get(table.name, table.name), {}) | dict.fromkeys(gone, "")
        kept_names.append([names_of_view.get(n, "") for n in range(n_numbers)])
    carrying = CarryingOver(
        facts.numbered_alike,
        [[tables[view].name for view in views] for views in numbered_alike(fit)],
        {view.name for view in facts.views} - like.keys(),
        former.strange(inputs),
    )
    corrections, warnings = carrying.of(former.corrections)
    warnings += _doubtful_ids(former, tables, fit)
    present = [table.name for table in tables]
    new = enumerated(name for name in present if facts.view(name) is None)
    away = enumerated(view.name for view in facts.views if view.name not in present)
    if new and away:
        warnings.append(
            f"New here: {new}. Only in {former.called}: {away}. A table that is the same needs its"
            f" former name{for_reader(' (--view NAME=FILE)', '')}."
        )
    for path in former.gone:
        warnings.append(f"{path} is not there; its answers are those that {former.called} has.")
    return Continuation(fit, new_facts, kept_names, facts.names_from, corrections, warnings)


def _doubtful_ids(former: Former, tables: Sequence[Table], fit: Fit) -> Iterator[str]:
    """Warn of tables with hardly any id of their view, or whose ids seem to name other rows."""
    for table, labels in zip(tables, fit.labels, strict=True):
        view = former.facts.view(table.name)
        if view is None or table.name in former.numbered:
            continue
        shared, before = _shared(former, table), id_column_in(view)
        n_shared = int((shared >= 0).sum())
        is_same = None in (before, table.id_column) or before == table.id_column
        if n_shared and (is_same or n_shared >= _FEW * min(len(table.ids), len(view.ids))):
            is_enough = n_shared >= _ENOUGH * len({*view.labels})
            if is_enough and not (
                _agree(shared, labels) or _are_like_before(shared, former, table)
            ):
                yield (
                    f"{table.name} shares {counted(n_shared, 'id')} with {former.called}, but"
                    " these rows agree with its clusters only by chance. If ids begin anew in each"
                    f" table, corrections and answers of {former.called} are about other rows here:"
                    " write ids that it does not have."
                )
            continue
        columns = ((table.id_column, "here"), (before, "there"))
        named = " and ".join(f"{shown(name)} {where}" for name, where in columns if name)
        remedy = f"name the column of their ids ({for_reader('--id-column', 'set_index')})"
        if named:
            named = f" The column of ids is {named}."
        if before and before == table.id_column:
            remedy = "write their ids as they were"
        spelled = why_unknown(table.ids, view.ids, former.called)
        yield (
            f"{table.name} has {n_shared or 'none'} of the {counted(len(view.ids), 'id')} that"
            f" {former.called} has: {shown(table.ids[0])} here, {shown(view.ids[0])} there."
            + (spelled or f"{named} If its rows are the same ones, {remedy}.")
        )


def _agree(before: Ints, after: Ints) -> bool:
    """Tell whether rows that both clusterings have agree by more than chance."""
    from sklearn.metrics import adjusted_rand_score  # as late as in `numbers_like`

    of_shared = [labels[before >= 0] for labels in (before, after)]
    if not all(map(np.ptp, of_shared)):  # one cluster agrees with any others
        return True
    return float(adjusted_rand_score(*of_shared)) > _CHANCE


def _are_like_before(shared: Ints, former: Former, table: Table) -> bool:
    """Tell whether the stored model puts rows where they were, though other clusters are found."""
    try:
        return _agree(shared, _predicted(former.model(), table))
    except MvccError:  # a lost model, or other columns: nothing more can be said
        return False


def _numbered(
    former: Former, tables: Sequence[Table], fit: Fit
) -> tuple[list[Ints], tuple[Changes, ...], dict[str, str]]:
    """Return former numbers by view, what changed, and as which one other views are numbered."""
    facts, n_found = former.facts, fit.n_numbers
    opened = [*opened_in(former.corrections)]
    free = np.setdiff1d(np.arange(n_found + len(opened)), opened)[:n_found]
    numbers, changes, like = [free for _ in tables], [], dict[str, str]()
    for views in fit.method.numbered_alike:
        known = [tables[view] for view in views if facts.view(tables[view].name)]
        if not known:
            continue
        # of views that were numbered apart, one gives the numbers, and those that were like it
        first = known[0].name
        (giving,) = (names for names in facts.numbered_as_one if first in names)
        like |= {tables[view].name: first for view in views if tables[view].name not in giving}
        known = [table for table in known if table.name in giving]
        called = tuple(table.name for table in known)
        former_labels = [view.labels for view in facts.views if view.name in called]
        clusters = np.unique(np.concatenate(former_labels))
        before, by_model = _former_clusters(former, known, len(clusters))
        after = [fit.labels[view] for view in views if tables[view].name in called]
        counts = rows_in_both(before, np.concatenate(after), (former.n_numbers, n_found))
        new, fields = renumbered(counts, clusters)
        changes.append(Changes(views=called, by_model=by_model, **fields))
        for view in views:
            numbers[view] = new
    return numbers, tuple(changes), like


def numbered_alike(fit: Fit) -> list[list[int]]:
    """Return the views in which the same number is the same cluster, as facts have it."""
    sets = fit.method.numbered_alike
    if fit.method.job.method == "joint":
        return sets
    return [[view] for views in sets for view in views]


def _former_clusters(former: Former, tables: list[Table], n_clusters: int) -> tuple[Ints, bool]:
    """Return the former cluster of every row, if any, and whether the stored model tells it."""
    shared = np.concatenate([_shared(former, table) for table in tables])
    if (shared >= 0).sum() >= _ENOUGH * n_clusters:
        return shared, False
    model = former.model()
    try:
        return np.concatenate([_predicted(model, table) for table in tables]), True
    except DataError as error:
        if (shared >= 0).any():
            return shared, False
        raise DataError(
            f"Nothing tells which cluster of {former.called} is which one here: no row is in both,"
            f" and {error}"
        ) from None


def _shared(former: Former, table: Table) -> Ints:
    """Return the former cluster of every row by its id; numbers of rows name none."""
    view = former.facts.view(table.name)
    assert view is not None
    if table.is_numbered or table.name in former.numbered:
        return np.full(len(table.ids), -1)
    clusters = dict(zip(view.ids, view.labels, strict=True))
    return np.array([clusters.get(name, -1) for name in spelled_like(table.ids, clusters)])


def _predicted(model: SavedClustering, table: Table) -> Ints:
    """Return the clusters that the stored model puts the rows of a table into."""
    view = model.view(table.name)
    columns = {column.name: column for column in table.used}
    # a column that is constant here has no kind, nor had one of numbers in former versions
    for name, value in table.constants.items():
        columns[name] = Column(name, "category" if isinstance(value, str) else "number")
    frame = table.frame.assign(**table.constants)
    for column in view.used:
        kind = column.kind or "number"  # in an older model, a constant has none
        current = columns.get(column.name)
        if current is None or current.kind != kind:
            reading = _read_again(column, current, frame)
            if reading is None or reading.mistake is not None:
                raise DataError(f"{table.name} has no {kind} column {column.name!r}.")
            frame[column.name] = reading.values
    frame = frame[view.columns]
    if view.mixed:
        return view.predicted(frame)
    numbers = frame.to_numpy(dtype=np.float64)
    if np.isnan(numbers).any():
        raise DataError(f"{table.name} has rows with missing values.")
    return view.predicted(numbers)


def _read_again(former: Column, current: Column | None, frame: pd.DataFrame) -> Understood | None:
    """Read a column of another kind as it was read before, if its values are those of the file."""
    if current is None or current.kind in ("date", "picture"):
        return None
    if current.kind == "number" and current.note:
        return None
    return read_like([former], frame)[former.name]
