"""What a person said so far, one thing after the other, and the groups that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mvcc._utils.messages import clipped, nearest, shown
from mvcc.exceptions import InvalidInputError

UNSURE, OUTLIER, NEW = "unsure", "outlier", "new"
LAST = 10  # answers that settle the number of groups where they open none
_NOT_NAMES = (NEW, UNSURE, OUTLIER, "undo", "none")
_NOT_BEFORE_NAMES = (f"{NEW}:", "merge:", "rename:")

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Answer:
    """What was said of an object: the number of a group, or that it is unsure or an outlier.

    ``opens`` is the name of the group where it was opened by the answer, else empty.
    """

    of: int
    says: int | str
    opens: str = ""
    guessed: bool = False


@dataclass(frozen=True)
class Merge:
    """The members of one group belong to another."""

    kept: int
    gone: int


@dataclass(frozen=True)
class Rename:
    """A group has another name."""

    group: int
    name: str


Entry = Answer | Merge | Rename


@dataclass(eq=False)
class AnswerHistory:
    """Answers in their order, and what follows from them.

    Attributes
    ----------
    answers : dict {object: number of a group, "unsure" or "outlier"}
    names : dict {number: name}
        Of all groups, in the order in which they were opened.
    opened_at : dict {number: int}
        How many answers had been given when a group was opened.
    first_answers : list of Answer
        That put an object into a group; without those that were changed later.
    looked_at : set of int
        Objects that were answered again.
    """

    entries: list[Entry] = field(default_factory=list)
    answers: dict[int, int | str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    opened_at: dict[int, int] = field(default_factory=dict)
    first_answers: list[Answer] = field(default_factory=list)
    looked_at: set[int] = field(default_factory=set)

    def say(self, entry: Entry) -> None:
        """Take down one more thing."""
        self.entries.append(entry)
        if isinstance(entry, Rename):
            self.names[entry.group] = entry.name
        elif isinstance(entry, Merge):
            self.answers = {
                one: entry.kept if says == entry.gone else says
                for one, says in self.answers.items()
            }
            del self.names[entry.gone]
        else:
            self._answer(entry)

    def undo(self) -> Entry:
        """Forget the last thing; all is as if it had never been said."""
        if not self.entries:
            raise InvalidInputError("There is nothing to undo.")
        *entries, last = self.entries
        self.__init__()  # type: ignore[misc]
        for entry in entries:
            self.say(entry)
        return last

    def members(self) -> dict[int, Ints]:
        """Return the objects of every group, in the order of the answers."""
        found: dict[int, list[int]] = {number: [] for number in self.names}
        for one, says in self.answers.items():
            if isinstance(says, int):
                found[says].append(one)
        return {number: np.array(own, dtype=np.int64) for number, own in found.items()}

    def asked(self) -> Ints:
        """Return all objects that were answered."""
        return np.array(list(self.answers), dtype=np.int64)

    def is_settled(self) -> bool:
        """Tell whether the last ten answers that name a group opened none."""
        return len(self.first_answers) >= LAST and not any(
            answer.opens for answer in self.first_answers[-LAST:]
        )

    def next_number(self) -> int:
        """Return the number of the next group that is opened."""
        return 1 + max([0, *self.opened_at])

    def next_name(self) -> str:
        """Return the name of the next group, if it is given none."""
        number, taken = self.next_number(), set(self.names.values())
        while f"group {number}" in taken:
            number += 1
        return f"group {number}"

    def group(self, which: Any) -> int:
        """Return the number of a group that is named or numbered."""
        if isinstance(which, str):
            for number, name in self.names.items():
                if name == which:
                    return number
        elif (
            isinstance(which, int | np.integer)
            and not isinstance(which, bool)
            and int(which) in self.names
        ):
            return int(which)
        known = ", ".join(map(shown, self.names.values())) or "none so far"
        guess = nearest(which, self.names.values()) if isinstance(which, str) else "."
        raise InvalidInputError(
            f"There is no group {shown(which)}; the groups are {clipped(known, 200)}{guess}"
        )

    def check_name(self, name: Any, group: int | None = None) -> str:
        """Return a name that a group may have."""
        if (
            not isinstance(name, str)
            or not name.strip()
            or name != name.strip()
            or not name.isprintable()
        ):
            raise InvalidInputError(
                f"The name of a group must be a text without blanks at its ends, got {shown(name)}."
            )
        if name in _NOT_NAMES or name.startswith(_NOT_BEFORE_NAMES):
            raise InvalidInputError(
                f"{shown(name)} must not be the name of a group: it is an answer of its own."
            )
        if any(other == name and number != group for number, other in self.names.items()):
            raise InvalidInputError(f"There is a group {shown(name)} already; give another name.")
        return name

    def _answer(self, answer: Answer) -> None:
        before = self.answers.get(answer.of)
        if answer.opens:
            assert isinstance(answer.says, int)
            self.opened_at[answer.says] = len(self.answers)
            self.names[answer.says] = answer.opens
        if before is None and isinstance(answer.says, int):
            self.first_answers.append(answer)
        if before is not None:
            self.looked_at.add(answer.of)
            if before == answer.says:
                return
            del self.answers[answer.of]
        self.answers[answer.of] = answer.says
        if isinstance(before, int) and before not in self.answers.values():
            del self.names[before]
