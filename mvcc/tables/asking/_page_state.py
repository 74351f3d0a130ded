"""What the page of questions is told, and what it may say, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.types import Floats
from mvcc.tables.asking._group_names import MOST_LETTERS

if TYPE_CHECKING:
    from mvcc.multiview import Question
    from mvcc.tables.asking._session import AskSession


_MOST_POINTS = 1500


class Stale(Exception):
    """Something was said since the page was told the state; here is the present one."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__("something was said since.")
        self.state = state


class PageState:
    """Questions to one person in one page or more, whose requests `read_body` has read.

    Parameters
    ----------
    session : AskSession
    then : str
        What to do when the questions are answered.
    """

    def __init__(self, session: AskSession, then: str) -> None:
        self._session = session
        self._then = then
        self._version = -1
        self._question: Question | None = None
        self._images: dict[str, str] = {}  # by number, what the pages were told

    def now(self) -> dict[str, Any]:
        """Return the card, the groups, what was said, and the status."""
        session, status = self._session, self._session.status
        if status.version != self._version:
            self._question = next(iter(session.next()), None)
            self._version = status.version
        return {
            "card": self._question and self._with_numbers(asdict(session.card(self._question))),
            "groups": [
                {"group": group.handle, "name": group.name, "size": group.size}
                for group in session.groups
            ],
            "said": [{"id": id, "answer": answer} for id, answer in session.said],
            "status": asdict(status),
            "most_letters": MOST_LETTERS,
        }

    def card(self, id: str) -> dict[str, Any]:
        """Return the card of a row, also of one that was answered before."""
        return {"card": self._with_numbers(asdict(self._session.card(self._session.question(id))))}

    def nearest(self, id: str) -> dict[str, Any]:
        """Return the rows nearest to a card, per view, and the place of its rows among all."""
        session = self._session
        question = session.question(id)
        views = zip(session.nearest(question), session.planes, question.rows, strict=True)
        return {"views": [asdict(near) | _plot(plane, rows) for near, plane, rows in views]}

    def answer(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take an answer; return the new state, and whether the answer was the first guess."""
        self._refuse_stale(said)
        line = self._session.answer(said["id"], said["answer"], again=said.get("again", False))
        return {**self.now(), "told": {"id": line.id, "answer": line.says, "guessed": line.guessed}}

    def undo(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take back the last answer; return the new state and the question that is open again."""
        self._refuse_stale(said)
        return {"undone": self._session.undo(), **self.now()}

    def merge(self, said: dict[str, Any]) -> dict[str, Any]:
        """Put one group into another; return the new state."""
        self._refuse_stale(said)
        self._session.merge(said["kept"], said["gone"])
        return self.now()

    def rename(self, said: dict[str, Any]) -> dict[str, Any]:
        """Give a group another name; return the new state."""
        self._refuse_stale(said)
        self._session.rename(said["group"], said["name"])
        return self.now()

    def finish(self, said: dict[str, Any]) -> dict[str, Any]:
        """Return what comes next."""
        return {"then": self._then, "status": asdict(self._session.status)}

    def image(self, number: str) -> str:
        """Return the path of a picture that a page was told of; empty for other numbers."""
        return self._images.get(number, "")

    def _refuse_stale(self, said: dict[str, Any]) -> None:
        """Refuse what a page says that does not know the present state."""
        if said["version"] != self._session.status.version:
            raise Stale(self.now())

    def _with_numbers(self, value: Any) -> Any:
        """Return a value with a number in the place of every path of a picture."""
        if isinstance(value, dict):
            return {
                key: self._numbers(own) if key == "images" else self._with_numbers(own)
                for key, own in value.items()
            }
        return (
            [self._with_numbers(own) for own in value]
            if isinstance(value, (list, tuple))
            else value
        )

    def _numbers(self, paths: list[Any]) -> list[str]:
        known = {path: number for number, path in self._images.items()}
        for path in map(str, paths):
            self._images[known.setdefault(path, str(len(known)))] = path
        return [known[str(path)] for path in paths]


def _plot(plane: Floats, rows: tuple[int, ...]) -> dict[str, Any]:
    """Return points of a plane, 100 units wide or high, and those of some rows."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    places = (
        (plane - (low + high) / 2) * 100 / max(float((high - low).max()), np.finfo(float).tiny)
    ).round(1)
    return {
        "points": places[:: -(-len(places) // _MOST_POINTS)].tolist(),
        "marked": places[list(rows)].tolist(),
    }
