"""Answers of several people: as constraints, and as facts about how people agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mvcc._utils.messages import shown
from mvcc.exceptions import DataError
from mvcc.multiview import OUTLIER, Agreement, AnswerHistory
from mvcc.results import AgreementFacts, Dispute, PersonFacts, Said, Together
from mvcc.tables._layout import ANSWERS
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._people import AnsweredObjects, Person, ids_in_answers
from mvcc.tables.reading._records import GROUPS, LOG

if TYPE_CHECKING:
    from mvcc.constraints import Constraints


def constraints_of(shared: Agreement, objects: AnsweredObjects) -> list[Constraints]:
    """Return the constraints of every view that follow from what nobody disputes.

    Two groups are told apart only if one person has both: two people may call one group by two
    names.
    """
    from mvcc.multiview import GroupLinks  # numba, which takes half a second to import

    history = shared.history
    numbers = {name: number for number, name in history.names.items()}
    known = [names for names in shared.apart if names <= numbers.keys()]
    apart = {frozenset(numbers[name] for name in names) for names in known}
    members = [(one, says) for one, says in history.answers.items() if isinstance(says, int)]
    rows = objects.rows_of_each(one for one, _ in members)
    return GroupLinks(members, rows, objects.n_views, apart).constraints


def refuse_other_rows(
    inputs: Inputs,
    person: Person,
    history: AnswerHistory,
    objects: AnsweredObjects,
) -> None:
    """Refuse groups and constraints of a folder that do not follow from its log.

    They would have no effect, since those of several people follow from their logs.
    """
    if Path(person.path).name == ANSWERS:
        return
    answered = objects.rows(history.answers)
    names = [GROUPS, *(f"{table.name}.csv" for table in inputs.tables)]
    for path in (Path(person.path).with_name(name) for name in names):
        named = ids_in_answers([str(path)]) if path.exists() else set()
        for table, rows in zip(inputs.tables, answered, strict=True):
            named -= {table.ids[row] for row in rows}
        known = [name for name in sorted(named) if any(name in one.row for one in inputs.tables)]
        if known:
            raise DataError(
                f"{path}: it names {shown(known[0])}, about which there is no answer in {LOG}. With"
                f" several people, groups and constraints follow from {LOG} alone: write an answer"
                " there, or give constraints with --constraints."
            )


def together(
    shared: Agreement, histories: dict[str, AnswerHistory], objects: AnsweredObjects
) -> Together:
    """Return the facts about several people's answers."""
    disputed = []
    for one, rows in objects.rows_of_each(shared.disputed).items():
        names = objects.names(rows)
        said = [
            Said(who, str(histories[who].said(one)), "" if group == OUTLIER else group)
            for who, group in shared.said[one].items()
        ]
        if names:  # else its rows are gone
            disputed.append(Dispute(id=names[0], rows=tuple(names), said=tuple(said)))
    renamed = [
        (group.name, tuple(Said(who, own, group.name) for who, own in group.names.items()))
        for group in shared.groups
        if len({own.casefold() for own in group.names.values()}) > 1
    ]
    alone = [group for group in shared.groups if len(group.names) == 1]
    return Together(
        people=tuple(PersonFacts(who, len(own.answers)) for who, own in histories.items()),
        agreements=tuple(AgreementFacts(**vars(pair)) for pair in shared.pairs),
        renamed=tuple(renamed),
        alone=tuple((group.name, next(iter(group.names))) for group in alone),
        disputed=tuple(disputed),
    )
