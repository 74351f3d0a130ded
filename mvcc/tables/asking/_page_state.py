"""What the page of questions shows and may send, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.types import Floats
from mvcc.tables.asking._pages import Page
from mvcc.tables.asking._session_parts import MOST_LETTERS

if TYPE_CHECKING:
    from mvcc.multiview import Question
    from mvcc.tables.asking._session import AskSession


_MOST_POINTS = 1500


class PageState(Page):
    """Questions to one person in one page or more, whose requests `read_body` has read.

    `then` is what to do when the questions are answered.
    """

    def __init__(self, session: AskSession, then: str) -> None:
        super().__init__()
        self._session, self._then = session, then
        self._asked_at = -1
        self._question: Question | None = None

    command, gets = "ask", ("card", "nearest")
    posts = ("answer", "undo", "merge", "rename", "finish")

    @property
    def version(self) -> int:
        """The number of lines of the log."""
        return self._session.status.version

    def now(self) -> dict[str, Any]:
        """Return the card, the groups, what was said, and the status."""
        session, status = self._session, self._session.status
        if status.version != self._asked_at:
            self._question = next(iter(session.next()), None)
            self._asked_at = status.version
        return {
            "card": self._question and self.with_numbers(asdict(session.card(self._question))),
            "groups": [
                {"group": group.handle, "name": group.name, "size": group.size}
                for group in session.groups
            ],
            "said": list(map(asdict, session.said)),
            "status": asdict(status),
            "most_letters": MOST_LETTERS,
        }

    def card(self, id: str) -> dict[str, Any]:
        """Return the card of a row, also of one that was answered before."""
        return {"card": self.with_numbers(asdict(self._session.card(self._session.question(id))))}

    def nearest(self, id: str) -> dict[str, Any]:
        """Return the rows nearest to a card, per view, and the place of its rows among all."""
        session = self._session
        question = session.question(id)
        views = zip(session.nearest(question), session.planes, question.rows, strict=True)
        return {"views": [asdict(near) | _plot(plane, rows) for near, plane, rows in views]}

    def answer(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take an answer; return the new state, and whether the answer was the first guess."""
        self.refuse_stale(said)
        line = self._session.answer(said["id"], said["answer"], again=said.get("again", False))
        return {**self.now(), "told": {"id": line.id, "answer": line.says, "guessed": line.guessed}}

    def undo(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take back the last answer; return the new state and the question that is open again."""
        self.refuse_stale(said)
        return {"undone": self._session.undo(), **self.now()}

    def merge(self, said: dict[str, Any]) -> dict[str, Any]:
        """Put one group into another; return the new state."""
        self.refuse_stale(said)
        self._session.merge(said["kept"], said["gone"])
        return self.now()

    def rename(self, said: dict[str, Any]) -> dict[str, Any]:
        """Give a group another name; return the new state."""
        self.refuse_stale(said)
        self._session.rename(said["group"], said["name"])
        return self.now()

    def finish(self, said: dict[str, Any]) -> dict[str, Any]:
        """Return what comes next."""
        return {"then": self._then, "status": asdict(self._session.status)}


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
