"""What the pages of questions and of corrections show and may send, as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import first_problem, row_name, typed
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import UNDO
from mvcc.tables.asking._card import Card, ShownRow, Status, told_group
from mvcc.tables.asking._log import LoggedSession
from mvcc.tables.asking._session import AskSession
from mvcc.tables.correcting._corrections import LEFT_OUT, MOST_LETTERS, names_of, rows_in

if TYPE_CHECKING:
    from mvcc.tables.asking._review import ReviewSession
    from mvcc.tables.correcting._draft import Draft

_MOST_POINTS = 1500  # of a plane
_MOST_ROWS = 200  # of a cluster
_MOST_LISTED = 40  # of each kind of doubt, and matches
_MOST_MOVED = 12  # rows that a correction moved
_TYPICAL = 2  # of each view


_Version = Annotated[int, Field(ge=0, le=2**31)]  # the number of things that were said


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    answer: str
    again: bool = False
    version: _Version


class _Finish(BaseModel):
    model_config = _Answer.model_config

    version: _Version = 0


_BODIES: dict[str, type[BaseModel]] = {"answer": _Answer, "finish": _Finish}
POSTS = tuple(_BODIES)  # requests that say something


class Stale(Exception):
    """Something was said since the page was told the state; here is the present one."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__("something was said since.")
        self.state = state


class Page(ABC):
    """What a page shows and may send: lines of its log, a method for each of its requests."""

    command: ClassVar[str]  # whose page it is
    gets: ClassVar[tuple[str, ...]]  # requests that ask for something by an id

    def __init__(self, session: LoggedSession) -> None:
        self._session = session
        # the numbers of folders and paths that the pages were told of
        self._images: dict[tuple[str, str], str] = {}

    @abstractmethod
    def now(self) -> dict[str, Any]:
        """Return all that the page shows."""

    def image(self, number: str) -> tuple[str, str]:
        """Return the folder and path of a picture that a page was told of; empty for others."""
        paths = {key: path for path, key in self._images.copy().items()}  # pages are told of more
        return paths.get(number, ("", ""))

    def say(self, request: str, content: bytes) -> dict[str, Any]:
        """Do what the body of a request says, unless the page does not know the present state."""
        try:
            said = _BODIES[request].model_validate_json(content)
        except ValidationError as error:
            raise InvalidInputError(
                f"the request is not understood: {first_problem(error)}."
            ) from error
        if not isinstance(said, _Answer):
            return self.finish()
        if said.version != self._session.version:
            raise Stale(self.now())
        return self.answer(said.id, said.answer, said.again)

    @abstractmethod
    def answer(self, id: str, answer: str, again: bool) -> dict[str, Any]:
        """Take a line of the log; return the new state, and what came of the line."""

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """Return what comes next."""

    def told(self, shown: Card | ShownRow) -> dict[str, Any]:
        """Return a card or a row for a page, with numbers instead of the paths of pictures."""
        return asdict(shown, dict_factory=self._with_numbers)

    def _with_numbers(self, fields: list[tuple[str, Any]]) -> dict[str, Any]:
        values, images = dict(fields), self._images
        if "images" in values:
            paths = [(self._session.folders[values["view"]], path) for path in values["images"]]
            values["images"] = [images.setdefault(path, str(len(images))) for path in paths]
        return values


class AskPage(Page):
    """Questions to one person in one page or more; `then` says what comes next, and how."""

    command, gets = "ask", ("card", "nearest")
    _session: AskSession

    def __init__(self, session: AskSession, then: Callable[[Status], tuple[str, str]]) -> None:
        super().__init__(session)
        self._then = then

    def now(self) -> dict[str, Any]:
        """Return the card, the groups, what was said, and the status."""
        session = self._session
        cards = [self.told(session.card(question)) for question in session.next()]
        return {
            "card": next(iter(cards), None),
            "groups": list(map(told_group, session.groups)),
            "said": list(map(asdict, session.said)),
            "status": asdict(session.status),
            "most_letters": MOST_LETTERS,
        }

    def card(self, id: str) -> dict[str, Any]:
        """Return the card of a row, also of one that was answered before."""
        return {"card": self.told(self._session.card(self._session.question(id)))}

    def nearest(self, id: str) -> dict[str, Any]:
        """Return the rows nearest to a card, per view, and the place of its rows among all."""
        session = self._session
        question = session.question(id)
        views = zip(session.nearest(question).items(), session.planes, question.rows, strict=True)
        return {
            "views": [
                {"view": view, "rows": list(map(asdict, near)), **_plot(plane, rows)}
                for (view, near), plane, rows in views
            ]
        }

    def answer(self, id: str, answer: str, again: bool) -> dict[str, Any]:
        """Tell whether an answer was the first guess, or which question is open again."""
        if answer == UNDO:
            return {"undone": self._session.undo(), **self.now()}
        line = self._session.answer(id, answer, again=again)
        return {**self.now(), "told": {"id": line.id, "answer": line.says, "guessed": line.guessed}}

    def finish(self) -> dict[str, Any]:
        status = self._session.status
        next_step, command = self._then(status)
        return {"what": next_step, "then": command, "status": asdict(status)}


def _plot(plane: Floats, rows: tuple[int, ...]) -> dict[str, Any]:
    """Return points of a plane, 100 units wide or high, and those of some rows."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    width = max(float((high - low).max()), np.finfo(float).tiny)
    points = ((plane - (low + high) / 2) * 100 / width).round(1)
    return {
        "points": points[:: -(-len(points) // _MOST_POINTS)].tolist(),
        "marked": points[list(rows)].tolist(),
    }


class ReviewPage(Page):
    """Corrections of one result in one page or more."""

    command, gets = "review", ("rows", "find", "parts")
    _session: ReviewSession

    def now(self) -> dict[str, Any]:
        """Return what programs take, its lists cut, and the rows that are shown of it."""
        state, listed, names = self._session.document(), {}, list[str]()
        for cluster in state["clusters"]:
            for view, in_view in cluster["rows"].items():
                in_view["typical"] = [row_name(view, id) for id in in_view["typical"][:_TYPICAL]]
                names += in_view["typical"]
        for name in ("between", "nowhere", "disputed", "violated", "matches"):
            listed[name] = _cut(state[name])
            names += [entry["id"] for entry in listed[name]["rows"]]
        return {
            **state,
            **listed,
            "shown": self._shown(names),
            "status": {"version": self._session.version},
            "most_letters": MOST_LETTERS,
        }

    def rows(self, id: str) -> dict[str, Any]:
        """Return the rows of a cluster, those of `doubts` first, in their order."""
        session, (view, _, number) = self._session, id.rpartition(":")
        name = row_name(view or session.facts.views[0].name, number)
        views, cluster = session.draft.cluster(name)
        names = [session.facts.views[view].name for view in views]
        members = session.entries(lambda v, row: v.name in names and v.labels[row] == cluster)
        shown = self._shown(entry["id"] for entry in members[:_MOST_ROWS])
        return {"n": len(members), "rows": list(shown.values())}

    def find(self, id: str) -> dict[str, Any]:
        """Return the rows that an id or the beginning of a title names, and their matches."""
        session, names = self._session, self._session.find(id)
        entries = {name: {"id": name, "cluster": None} for name in names[:_MOST_LISTED]}
        inside = session.entries(lambda v, row: row_name(v.name, v.ids[row]) in entries)
        entries |= {entry["id"]: entry for entry in inside}  # others were left out
        matches = _cut(session.matches_of(entries.keys()))
        return {
            "n": len(names),
            "rows": list(entries.values()),
            "matches": matches,
            "shown": self._shown([*entries, *(match["id"] for match in matches["rows"])]),
            "version": session.version,
        }

    def parts(self, id: str) -> dict[str, Any]:
        """Return how a cluster may be split: per part its size, and some of its rows."""
        parts, by_view = [], self._session.parts(id).items()
        for part in (0, 1):
            views = [
                [row_name(view, id) for id in part_of if part_of[id] == part]
                for view, part_of in by_view
            ]
            some = self._shown(row for rows in views for row in rows[: 2 * _TYPICAL])
            parts.append({"n": sum(map(len, views)), "rows": list(some.values())})
        return {"parts": parts}

    def answer(self, id: str, answer: str, again: bool) -> dict[str, Any]:
        """Tell which correction was made or taken back, and which rows that moved."""
        before = self._session.draft
        self._session.record([(id, answer)])
        former, now = before.sentences, self._session.draft.sentences
        said = "Taken back: a correction without effect."
        if len(now) < len(former):
            said = f"Taken back: {former[-1]}"
        elif answer != UNDO:
            said = now[-1]
        return {**self.now(), "told": self._moved(before) | {"said": said}}

    def finish(self) -> dict[str, Any]:
        folder, n = self._session.folder, len(self._session.draft.sentences)
        return {"folder": str(folder), "typed": typed(folder), "n": n}

    def _moved(self, before: Draft) -> dict[str, Any]:
        """Tell how many rows are in another cluster, and name some with both."""
        after, moved = self._session.draft, list[str]()
        rows = after.moved_since(before)
        for v, i in rows[:_MOST_MOVED]:
            both = [draft.labels[v][i] for draft in (before, after)]
            origin, target = ("none" if label == LEFT_OUT else label for label in both)
            (name,) = names_of(after.found.views, [(v, i)])
            moved.append(f"{name} from {origin} to {target}")
        return {"n_moved": len(rows), "moved": moved}

    def _shown(self, names: Iterable[str]) -> dict[str, Any]:
        """Return what a person sees of rows, each named alone or below another one."""
        ids = [row for name in names for row in rows_in(name)]
        return dict(zip(ids, map(self.told, self._session.rows(ids)), strict=True))


def _cut(entries: list[Any]) -> dict[str, Any]:
    """Return the first of a list, and how many there are."""
    return {"n": len(entries), "rows": entries[:_MOST_LISTED]}
