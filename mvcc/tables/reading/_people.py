"""Files of answers, and the people who gave them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, shown, view_and_id
from mvcc._utils.reading import content_of
from mvcc._utils.text import decoded, delimiter_of, read_text, records_of
from mvcc.exceptions import DataError, InvalidInputError, MvccError
from mvcc.multiview import UNSURE, Answer, answers_standing
from mvcc.results import CLUSTERING, refuse_aside
from mvcc.tables._layout import ANSWERS
from mvcc.tables.reading._rows import leads_with_zeros
from mvcc.tables.reading._table import Table

LOG, GROUPS = "asked.csv", "groups.csv"
LOG_COLUMNS = ["id", "answer", "when"]
ANSWER_COLUMNS = [*LOG_COLUMNS, "who", "rows"]
GROUP_COLUMNS = ["name", "members", "counted"]  # without the last one, all count

Record = tuple[int, list[str]]  # line and fields
CutLine = tuple[int, str]  # line and text of what was not written to its end
Rows = list[Ints]  # of every view, ascending


def read_log(
    path: str | Path, error: type[MvccError] = DataError
) -> tuple[list[Record], CutLine | None]:
    """Return the records of a log of answers, and a last line that was cut off."""
    headers = [LOG_COLUMNS]
    if Path(path).name == ANSWERS:  # those of former versions lack the rows
        headers = [ANSWER_COLUMNS, ANSWER_COLUMNS[:-1]]
    records, cut = read_records(path, error, appended=True)
    return _without_header(path, records, headers, error), cut


def rows_of_answers(folder: Path) -> dict[str, list[str]]:
    """Return the rows of the object of each row that the answers in a result name."""
    records = read_log(folder / ANSWERS)[0] if (folder / ANSWERS).exists() else []
    return {fields[0]: fields[4].split("\n") for _, fields in records if "".join(fields[4:])}


def read_groups(path: str | Path, notes: list[str]) -> list[Record]:
    """Return the records of a list of groups, and note what was assumed of the file."""
    records, _ = read_records(path, notes=notes)
    return _without_header(path, records, [GROUP_COLUMNS, GROUP_COLUMNS[:2]], DataError)


def read_records(
    path: str | Path,
    error: type[MvccError] = DataError,
    *,
    appended: bool = False,
    notes: list[str] | None = None,
) -> tuple[list[Record], CutLine | None]:
    """Return the records of a CSV file, the header first, and a last line that was cut off.

    If lines are ``appended``, one without an end was cut off, unless it has all values. With
    ``notes``, which get what was assumed, the file may be encoded as other programs do.
    """
    try:
        content = content_of(path)
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}.") from problem
    end = len(content)
    if appended:  # some programs end lines by CR alone
        end = 1 + max(map(content.rfind, (b"\n", b"\r")))
    if notes is None:
        text = decoded(content[:end], str(path), error)
    else:
        text, _, assumed = read_text(content, str(path), error)
        notes += assumed
    delimiter = delimiter_of(text.partition("\n")[0])
    records = list(records_of(text, str(path), error, delimiter))
    n_columns = len(records[0][1]) if records else 0
    for line, fields in records:
        if len(fields) != n_columns:
            got = f"{len(fields)}: {clipped(delimiter.join(fields))}"
            raise error(f"{path}:{line}: there must be {n_columns} values, got {got}")
    if end == len(content):
        return records, None
    last = text.count("\n") + 1
    try:
        rest = decoded(content[end:], str(path), error)
        last_records = [values for _, values in records_of(rest, str(path), error, delimiter)]
    except error:  # cut within a letter or a quoted value
        last_records = []
    if [len(values) for values in last_records] == [n_columns]:
        return [*records, (last, last_records[0])], None
    return records, (last, content[end:].decode(errors="replace"))


def _without_header(
    path: str | Path, records: list[Record], headers: list[list[str]], error: type[MvccError]
) -> list[Record]:
    """Return records without the first one, which must be one of some headers."""
    if not records or records[0][1] not in headers:
        columns = [",".join(fields) for _, fields in records[:1]] or ["nothing"]
        wanted = ",".join(headers[0])
        raise error(f"{path}:1: the columns must be {wanted}, got {clipped(columns[0])}.")
    return records[1:]


@dataclass(frozen=True)
class Person:
    """Somebody who answered."""

    name: str  # what the log says, or the name of the folder
    path: str  # the log
    records: list[Record]  # its lines about this person: id, answer, when


def log_in(folder: str) -> Path:
    """Return the log in a folder of answers, or in a folder of results that has all answers."""
    log, answers = Path(folder) / LOG, Path(folder) / ANSWERS
    return answers if answers.exists() and not log.exists() else log


def read_people(folders: Sequence[str], notes: list[str]) -> list[Person]:
    """Return who answered, with one log each, and note lines that were cut off."""
    people: dict[str, Person] = {}
    for folder, name in zip(folders, _names(folders), strict=True):
        for name_of_result in (ANSWERS, CLUSTERING):
            refuse_aside(Path(folder) / name_of_result)
        path = log_in(folder)
        if not path.exists():
            raise DataError(
                f"{folder}: there is no {LOG} in it; name the folder that `mvcc ask` has written"
                " to."
            )
        of_people = {} if path.name == ANSWERS else {name: list[Record]()}
        records, cut = read_log(path)
        if cut:
            line, text = cut
            notes.append(
                f"{path}:{line}: the last line, {shown(text)}, is cut off; it was not used."
            )
        for line, fields in records:
            who = "".join(fields[3:4]).strip()  # a log does not say who has answered
            of_people.setdefault(who or name, []).append((line, fields[:3]))
        for who, answers in of_people.items():
            person = Person(who, str(path), answers)
            people[who] = _longer(people.get(who, person), person)
    return list(people.values())


def _names(folders: Sequence[str]) -> Iterator[str]:
    """Name people after their folders, by as much of the paths as tells them apart."""
    real = [os.path.realpath(folder) for folder in folders]
    for index, path in enumerate(real):
        if path in real[:index]:
            raise DataError(
                f"{folders[index]} is named twice (--asked); name each folder of answers once."
            )
    split_paths = [Path(os.path.abspath(folder)).parts for folder in folders]
    fewest = 1
    while len({parts[-fewest:] for parts in split_paths}) < len(split_paths):
        fewest += 1
    answers = [path for path in map(log_in, folders) if path.name == ANSWERS and path.exists()]
    logs = [read_log(path)[0] for path in answers]
    # a longer name of a former result stays: it told apart a folder that is gone now
    known = {fields[3].strip() for records in logs for _, fields in records}
    for parts in split_paths:
        longer = ["/".join(parts[-n:]) for n in range(min(fewest, len(parts)), len(parts) + 1)]
        yield next((name for name in longer if name in known), longer[0])


def _longer(first: Person, second: Person) -> Person:
    """Return the newer one of two logs of a person: it begins with all that the other one has."""
    former, newer = sorted((first, second), key=lambda person: len(person.records))
    said = [[fields for _, fields in person.records] for person in (former, newer)]
    if said[1][: len(said[0])] != said[0]:
        raise DataError(
            f"{first.path} and {second.path} both have answers of {shown(first.name)}, and they"
            " differ. Rename one of the folders, or leave it out."
        )
    return newer


def rows_that_stand(people: Iterable[Person]) -> set[str]:
    """Return the rows about which answers of some people stand, but those they are unsure of."""
    rows = set[str]()
    for person in people:
        said = (Answer(name, text) for _, (name, text, *_) in person.records)
        with suppress(InvalidInputError):  # reading the answers raises it
            last = {line.id: line.answer for line in answers_standing(said) if line.is_about_object}
            rows |= {name for name, text in last.items() if text != UNSURE}
    return rows


def rows_in_answers(paths: list[str], tables: Sequence[Table] = ()) -> set[tuple[str, str]]:
    """Return the rows that files of answers name, as views, which `tables` tell, and ids."""
    from mvcc.constraints import ConstraintFile  # numba, which takes half a second to import

    named: list[str] = []
    rows: set[tuple[str, str]] = set()
    for path in paths:
        if Path(path).name in (LOG, ANSWERS):
            named += [name for _, (name, *_) in read_records(path, appended=True)[0][1:]]
        elif Path(path).name == GROUPS:
            for _, (_, members, *_) in read_groups(path, []):
                named += members.split("\n")
        else:
            for record in ConstraintFile.read(path).records.values():
                ids = map(str.strip, record[:2])
                rows |= {(_view_with(id, Path(path).stem, tables), id) for id in ids}
    return rows | {view_and_id(name.strip()) for name in named}


def _view_with(id: str, view: str, tables: Sequence[Table]) -> str:
    """Return the view that a file of constraints of ``view`` names a row of: its own first."""
    tables = sorted(tables, key=lambda table: table.name != view)
    if leads_with_zeros(id):  # which tell the table that has it so
        tables.sort(key=lambda table: id not in table.row)
    return next((table.name for table in tables if table.row.find(id) >= 0), view)
