"""Answers to `mvcc ask` for a clustering: constraints, named groups and outliers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sized
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mvcc._utils.messages import agreeing, counted, enumerated, row_name, shown, view_and_id
from mvcc._utils.reading import MOST_LINE, opened
from mvcc.exceptions import DataError
from mvcc.multiview import OUTLIER, Agreement, AnswerHistory, GroupLinks, agreement
from mvcc.results import Dispute, PersonFacts, Said, Together
from mvcc.tables._job import Job
from mvcc.tables._layout import ANSWERS
from mvcc.tables.reading._inputs import AnsweredObjects, Answers, Inputs, read_history
from mvcc.tables.reading._people import (
    GROUP_COLUMNS,
    GROUPS,
    LOG,
    Person,
    log_in,
    read_groups,
    read_people,
    rows_in_answers,
    rows_that_stand,
)
from mvcc.tables.reading._read_inputs import with_checksums

if TYPE_CHECKING:
    from mvcc.constraints import Constraints


class _Group(NamedTuple):
    objects: set[int]
    counts: bool  # whether it is proposed as a cluster


class _Found(NamedTuple):
    groups: dict[str, _Group]  # by name
    links: list[Constraints]  # of every view, but those given
    sizes: dict[str, int]  # how many entries each file has
    source: str  # the file that names the groups


def answer_files(job: Job) -> list[str]:
    """Return the files of answers of a job: of its folders, else groups beside constraints."""
    if job.asked:
        paths = [log_in(folder) for folder in job.asked]
        if len(paths) == 1 and paths[0].name == LOG:
            names = (GROUPS, *(f"{view}.csv" for view in job.views))
            paths += [paths[0].with_name(name) for name in names]
        return [str(path) for path in paths if path.exists()]
    beside = dict.fromkeys(Path(path).parent / GROUPS for path in job.constraints.values())
    return [str(path) for path in beside if _lists_groups(path)][:1]


def answered_rows(job: Job, inputs: Inputs) -> set[tuple[str, str]]:
    """Return the rows, as views and ids, that what stands in the folders of answers names."""
    paths = [path for path in answer_files(job) if Path(path).name not in (LOG, ANSWERS)]
    rows = set(map(view_and_id, rows_that_stand(read_people(job.asked, []))))
    rows |= rows_in_answers(paths, inputs.tables)
    return {row for row in rows if inputs.find(row_name(*row))}


def _lists_groups(path: Path) -> bool:
    """Tell whether a file that nobody has named is a list of groups."""
    try:
        with opened(path) as file:
            header = file.readline(MOST_LINE).decode("utf-8-sig").strip()
            return header in (",".join(GROUP_COLUMNS), ",".join(GROUP_COLUMNS[:2]))
    except (OSError, ValueError):
        return False


def with_answers(
    job: Job,
    inputs: Inputs,
    matched: Inputs | None = None,
    beside: Mapping[str, list[str]] = {},
) -> Inputs:
    """Return inputs with the answers of a job about objects as `matched`, and without outliers.

    Rows that are gone mean those that were `beside` them.
    """
    notes = list[str]()
    people = read_people(job.asked, notes)
    files = answer_files(job)
    if not files:
        return inputs
    # answers may be of rows that the tables do not have; a former result may be in memory
    continues = matched is not None or job.continues is not None
    objects = AnsweredObjects(matched or inputs, continues or job.unknown == "skip", beside)
    histories = {person.name: read_history(person, objects) for person in people}
    shared = agreement(histories)
    history = shared.history
    answered = history.answers.keys() - objects.absent.values()
    contents = _of_logs(files, people, shared, objects)
    if len(people) > 1 or Path(files[0]).name == ANSWERS:
        for person in people:
            _check_other_rows(person, histories[person.name], objects, notes)
    else:
        contents = _of_files(job, files, contents, answered, objects, notes)
    outliers = {obj for obj in answered if history.answers[obj] == OUTLIER}
    if objects.absent:
        n = len(objects.absent)
        notes.append(
            f"{counted(n, 'answered row')} of {enumerated(job.asked)} cannot be found in these"
            f" tables; what was answered of {agreeing(n, 'it', 'them')} has no effect."
        )
    if objects.moved:
        n, (name, row) = len(objects.moved), next(iter(objects.moved.items()))
        notes.append(
            f"{counted(n, 'answered row')} of {enumerated(job.asked)} {agreeing(n, 'is', 'are')}"
            f" gone; what was answered of {agreeing(n, 'it', 'them')} holds for rows that were"
            f" matched with {agreeing(n, 'it', 'them')}, such as {shown(row)} for {shown(name)}."
        )
    rows = {name: objects.rows(group.objects) for name, group in contents.groups.items()}
    groups = {name: per_view for name, per_view in rows.items() if any(map(len, per_view))}
    answers = Answers(
        groups,
        sum(contents.groups[name].counts for name in groups),
        history.n_since_new,
        objects.rows(outliers),
        contents.source,
        inputs.tables,
        people,
        objects.rows_found(),
        _together(shared, histories, objects),
    )
    pairs = zip(inputs.constraints, contents.links, strict=True)
    whole = replace(
        inputs,
        constraints=[given.joined(links) for given, links in pairs],
        answers=answers,
        files=inputs.files + with_checksums(list(contents.sizes.items())),
        notes=(*inputs.notes, *notes),
    )
    return _without_outliers(whole, len(outliers))


def _of_files(
    job: Job,
    files: list[str],
    of_log: _Found,
    answered: Collection[int],
    objects: AnsweredObjects,
    notes: list[str],
) -> _Found:
    """Return what the files of one folder say, and the log where there are no such files.

    People may write each of them by themselves. A note counts the objects of which they do not say
    what the log says. If they say the same, no less, and some rows are gone, constraints of the
    log join theirs, in place of those by these rows.
    """
    from mvcc.tables.reading._constraints import constraints_beside  # numba, as in `read_inputs`

    paths = {Path(path).name: path for path in files}
    groups, links, sizes, source = of_log
    differing = set[int]()
    group_of = {obj: name for name, group in groups.items() for obj in group.objects}
    if GROUPS in paths:
        source = paths[GROUPS]
        groups = _groups_in(source, objects, notes)
        sizes[source] = len(groups)
        listed = {(obj, name) for name, group in groups.items() for obj in group.objects}
        differing = {obj for obj, _ in listed ^ group_of.items()}.intersection(answered)
    if beside := constraints_beside(job, paths, objects, notes):
        sizes |= beside.sizes
        for i, j, together in beside.links:
            if {i, j} <= group_of.keys() and together != (group_of[i] == group_of[j]):
                differing |= {i, j}
        differing |= {obj for link in objects.links(links) for obj in link[:2]} - beside.objects
        pairs, n_links = zip(beside.added, links, strict=True), _total(links)
        links = beside.added
        if objects.absent and not differing and n_links <= beside.n_lines:
            links = [added.joined(more.select(~more.is_among(added))) for added, more in pairs]
    if differing and files[1:]:
        notes.append(
            f"{enumerated(files[1:])} do not say the same as {LOG} about"
            f" {counted(len(differing), 'answered object')}, and count as they are; without them,"
            f" {LOG} counts."
        )
    return _Found(groups, links, sizes, source)


def _of_logs(
    files: list[str], people: list[Person], shared: Agreement, objects: AnsweredObjects
) -> _Found:
    """Return what people have said in their logs, and nobody disputes."""
    history, clusters = shared.history, shared.counted
    named = [(history.names[group], members) for group, members in history.members().items()]
    groups = {name: _Group(set(members.tolist()), name in clusters) for name, members in named}
    sizes = Counter(dict.fromkeys(files, 0))  # nothing is used of a log with older answers only
    for person in people:
        sizes[person.path] += len(person.records)
    # two groups are told apart only if one person has both: two people may call one by two names
    group_numbers = {name: group for group, name in history.names.items()}
    known = [names for names in shared.apart if names <= group_numbers.keys()]
    apart = {frozenset(group_numbers[name] for name in names) for names in known}
    rows, n_views = objects.rows_of_each(history.answers), len(objects.inputs.tables)
    links = GroupLinks(history, rows, n_views, apart).constraints
    named_in = [person.path for person in people if groups]
    return _Found(groups, links, dict(sizes), enumerated(dict.fromkeys(named_in)))


def _check_other_rows(
    person: Person, history: AnswerHistory, objects: AnsweredObjects, notes: list[str]
) -> None:
    """Refuse what does not follow from a log, which has no effect; note it if rows may be gone."""
    if Path(person.path).name == ANSWERS:
        return
    answered, tables = [*map(set, objects.rows(history.answers))], objects.inputs.tables
    names = [GROUPS, *(f"{table.name}.csv" for table in tables)]
    for path in filter(Path.exists, (Path(person.path).with_name(name) for name in names)):
        ids = {id for _, id in rows_in_answers([str(path)])}
        for table, rows in zip(tables, answered, strict=True):
            ids -= {id for id in ids if table.row.find(id) in rows}
        known = [id for id in sorted(ids) if any(table.row.find(id) >= 0 for table in tables)]
        if known and objects.may_lack:
            notes.append(
                f"{path}: {counted(len(known), 'row')} that it names, such as {shown(known[0])},"
                f" {agreeing(len(known), 'is', 'are')} of no object that is answered in {LOG}; what"
                " it says of them has no effect."
            )
        elif known:
            raise DataError(
                f"{path}: it names {shown(known[0])}, about which there is no answer in {LOG}. With"
                " several people or answers of a former result, groups and constraints follow from"
                f" {LOG} alone: write an answer there, or give constraints with --constraints."
            )


def _together(
    shared: Agreement, histories: dict[str, AnswerHistory], objects: AnsweredObjects
) -> Together | None:
    """Return the facts about the answers of several people, if there are several."""
    if len(histories) < 2:
        return None
    disputed = []
    for obj, rows in objects.rows_of_each(shared.disputed).items():
        names = objects.names(rows)
        said = [
            Said(who, str(histories[who].said(obj)), "" if group == OUTLIER else group)
            for who, group in shared.said[obj].items()
        ]
        if names:  # else its rows are gone
            disputed.append(Dispute(id=names[0], rows=tuple(names), said=tuple(said)))
    renamed = [
        (group.name, tuple(Said(who, name, group.name) for who, name in group.names.items()))
        for group in shared.groups
        if len({name.casefold() for name in group.names.values()}) > 1
    ]
    alone = [group for group in shared.groups if len(group.names) == 1]
    return Together(
        people=tuple(PersonFacts(who, len(history.answers)) for who, history in histories.items()),
        agreements=tuple(shared.pairs),
        renamed=tuple(renamed),
        alone=tuple((group.name, next(iter(group.names))) for group in alone),
        disputed=tuple(disputed),
    )


def _without_outliers(inputs: Inputs, n_objects: int) -> Inputs:
    """Leave out the rows of outliers, if any, and the constraints and matches that touch them."""
    if not n_objects or inputs.answers is None:
        return inputs
    kept_rows, left_out = [], []
    for table, outliers in zip(inputs.tables, inputs.answers.outliers, strict=True):
        rows = np.setdiff1d(np.arange(len(table.ids)), outliers)
        if len(rows) < 2:
            raise DataError(
                f"{table.path}: of {len(table.ids)} rows, only {len(rows)} "
                f"{agreeing(len(rows), 'is', 'are')} not marked as an outlier."
            )
        kept_rows.append(rows)
        if len(outliers):
            left_out.append(f"{counted(len(outliers), 'row')} of {table.name}")
    used = inputs.on_rows(kept_rows)
    n_constraints = _total(inputs.constraints) - _total(used.constraints)
    n_matches = _total(inputs.relations.values()) - _total(used.relations.values())
    left_out.append(f"{counted(n_constraints, 'constraint')} and {counted(n_matches, 'match')}")
    note = f"Left out as {counted(n_objects, 'outlier')}: {', '.join(left_out)}."
    return replace(used, notes=(*inputs.notes, note))


def _total(lists: Iterable[Sized]) -> int:
    return sum(map(len, lists))


def _groups_in(path: str, objects: AnsweredObjects, notes: list[str]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for line, (name, members, *counts) in read_groups(path, notes):
        where = f"{path}:{line}"
        if name in groups:
            raise DataError(f"{where}: {shown(name)} is there already.")
        if not name or name != name.strip() or not name.isprintable():
            raise DataError(f"{where}: {shown(name)} is not a valid name of a group.")
        if counts not in ([], ["yes"], ["no"]):
            raise DataError(f"{where}: counted must be yes or no, got {shown(counts[0])}.")
        ids = [id.strip() for id in members.split("\n")]
        try:
            groups[name] = _Group({objects.find(id) for id in ids if id}, counts != ["no"])
        except DataError as error:
            raise DataError(f"{where}: {error}") from error
    return groups
