"""What the page of corrections shows and may send, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from mvcc.results import Sureness
from mvcc.tables.asking._pages import Page
from mvcc.tables.asking._session_parts import MOST_LETTERS
from mvcc.tables.correcting._corrections import rows_in

if TYPE_CHECKING:
    from mvcc.tables.asking._review import Labels, ReviewSession

_MOST_ROWS = 200  # of a cluster
_MOST_LISTED = 40  # of each kind of doubt, and matches
_MOST_MOVED = 12  # rows that a correction moved
_TYPICAL = 2  # of each view


class ReviewPage(Page):
    """Corrections of one result in one page or more, whose requests `read_body` has read."""

    command, gets = "review", ("rows", "parts")
    posts = ("correct", "undo", "finish")

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self._session = session

    @property
    def version(self) -> int:
        """The number of lines of the log."""
        return self._session.version

    def now(self) -> dict[str, Any]:
        """Return clusters, doubts, matches that seem to be wrong, and corrections."""
        session, facts = self._session, self._session.facts
        several = len(facts.numbered_alike) > 1
        clusters = [
            {"id": f"{names[0]}:{cluster}" if several else str(cluster),
             "name": self._name(names[0], cluster), "sizes": self._sizes(names, cluster),
             "typical": self._shown(self._typical(names, cluster))}
            for names in facts.numbered_alike
            for cluster in facts.clusters
            if any(self._sizes(names, cluster).values())
        ]  # fmt: skip
        doubts, listed = session.doubts(), {}
        for kind in (Sureness.BETWEEN, Sureness.NOWHERE):
            rows = [one for one in doubts if one.kind is kind]
            shown = self._shown([one.id for one in rows[:_MOST_LISTED]])
            told = [
                {"row": row, "second": one.second} for row, one in zip(shown, rows, strict=False)
            ]
            listed[kind.value] = {"n": len(rows), "rows": told}
        matches = session.doubted_matches()[:_MOST_LISTED]
        disputes = session.disputes()
        shown_disputes = [
            one | {"rows": self._shown(rows_in(one["id"]))} for one in disputes[:_MOST_LISTED]
        ]
        return {
            "status": {"version": session.version},
            "clusters": clusters,
            **listed,
            "disputed": {"n": len(disputes), "rows": shown_disputes},
            "matches": [one | {"rows": self._shown(rows_in(one["id"]))} for one in matches],
            "corrections": session.corrections,
            "most_letters": MOST_LETTERS,
        }

    def rows(self, id: str) -> dict[str, Any]:
        """Return the rows of a cluster, the least sure first."""
        labels, session = self._session.labels(), self._session
        view, _, number = id.rpartition(":")
        alike = [names for names in session.facts.numbered_alike if not view or view in names]
        own = [
            row
            for row, label in labels.items()
            if str(label) == number and row.partition(":")[0] in alike[0]
        ]
        unsure = {one.id: place for place, one in enumerate(session.doubts())}
        own.sort(key=lambda row: unsure.get(row, len(unsure)))
        return {"n": len(own), "rows": self._shown(own[:_MOST_ROWS])}

    def parts(self, id: str) -> dict[str, Any]:
        """Return how a cluster may be split: per part its size, and some of its rows."""
        sizes, shown = [0, 0], [list[str](), list[str]()]
        for view, own in self._session.parts(id).items():
            for part in (0, 1):
                rows = [f"{view}:{row}" for row, of_row in own.items() if of_row == part]
                sizes[part] += len(rows)
                shown[part] += rows[: 2 * _TYPICAL]
        parts = zip(sizes, shown, strict=True)
        return {"parts": [{"n": n, "rows": self._shown(rows)} for n, rows in parts]}

    def correct(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take a correction; return the new state, and which rows it moved."""
        self.refuse_stale(said)
        before = self._session.labels()
        self._session.record([(said["id"], said["answer"])])
        return {**self.now(), "told": self._moved(before) | {"said": self._session.corrections[-1]}}

    def undo(self, said: dict[str, Any]) -> dict[str, Any]:
        """Take back the last correction; return the new state."""
        self.refuse_stale(said)
        before, last = self._session.labels(), self._session.corrections[-1:]
        self._session.undo()
        return {**self.now(), "told": self._moved(before) | {"said": f"Taken back: {last[0]}"}}

    def finish(self, said: dict[str, Any]) -> dict[str, Any]:
        """Return what comes next."""
        return {"folder": str(self._session.folder), "n": len(self._session.corrections)}

    def _moved(self, before: Labels) -> dict[str, Any]:
        """Tell how many rows are in another cluster, and name some with both."""
        after = self._session.labels()
        rows = [row for row in {**before, **after} if before.get(row) != after.get(row)]
        some = [f"{row} from {_called(before, row)} to {_called(after, row)}" for row in rows]
        return {"n_moved": len(rows), "moved": list(islice(some, _MOST_MOVED))}

    def _name(self, view: str, cluster: int) -> str:
        facts = self._session.facts
        told = facts.view(view)
        given = told.names[cluster] if told and told.names else ""
        return given or facts.titles[cluster]

    def _sizes(self, views: list[str], cluster: int) -> dict[str, int]:
        facts = self._session.facts
        told = zip(facts.views, facts.profiles, strict=True)
        return {view.name: own[cluster].size for view, own in told if view.name in views}

    def _typical(self, views: list[str], cluster: int) -> list[str]:
        facts = self._session.facts
        found: list[str] = []
        for view, profiles in zip(facts.views, facts.profiles, strict=True):
            if view.name in views:
                rows = profiles[cluster].typical[:_TYPICAL]
                found += [f"{view.name}:{view.ids[row]}" for row in rows]
        return found

    def _shown(self, ids: list[str]) -> list[Any]:
        told: list[Any] = self.with_numbers([asdict(row) for row in self._session.rows(ids)])
        return told


def _called(labels: Labels, row: str) -> str:
    return str(labels[row]) if row in labels else "none"
