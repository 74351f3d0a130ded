"""What ids are that no row has, where most of them are something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mvcc._utils.messages import shown

_BETWEEN = re.compile(r"[\W_]+")


def why_unknown(
    unknown: Iterable[str],
    ids: Iterable[str],
    table: str,
    columns: Iterable[str] = (),
    cells: Iterable[tuple[str, Iterable[object]]] = (),
) -> str:
    """Say what most of several ids are, which no row of a table has; nothing if it is not plain.

    ``columns`` are the names of its columns, ``cells`` those with their values.
    """
    names, known = {*unknown}, {*ids}
    if len(names) < 2 or names & known:  # the same in letters, so a number instead of a text
        return ""
    if _are_most(names, names.intersection(columns)):
        return (
            f" Most of them are columns of {table}: write its columns as rows, as table.T of"
            " pandas does."
        )
    for column, values in cells:
        if _are_most(names, names.intersection(map(str, values))):
            said = shown(column)
            return f" Most of them are in the column {said}: name the rows by set_index({said})."
    bare = {_bare(id): id for id in known}
    longer = {start: id for id in known for start in _starts(id)}
    alike: dict[str, str] = {}
    for name in sorted(names):
        shorter = (start for start in _starts(name) if start in known)
        if id := next(filter(None, (bare.get(_bare(name)), longer.get(name), *shorter)), None):
            alike[name] = id
    if not _are_most(names, alike):
        return ""
    name, id = next(iter(alike.items()))
    return (
        f" Most of them are ids of {table} but for hyphens, blanks, case or an ending, such as"
        f" {shown(name)} for {shown(id)}: write both alike."
    )


def _are_most(names: set[str], found: Iterable[str]) -> bool:
    return 2 * len([*found]) > len(names)


def _bare(id: str) -> str:
    return _BETWEEN.sub("", id).casefold()


def _starts(id: str) -> Iterator[str]:
    """Yield what stands before each hyphen, blank and the like."""
    return (id[: sign.start()] for sign in _BETWEEN.finditer(id))
