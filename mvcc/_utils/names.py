"""Names of rows, such as texts:17, and of two views, such as texts:images."""

from __future__ import annotations


def row_name(view: str, id: object) -> str:
    """Return the name of a row of a view."""
    return f"{view}:{id}"


def view_and_id(name: str) -> tuple[str, str]:
    """Return the view and the id of the row of a name; only ids may have colons themselves."""
    view, _, id = name.partition(":")
    return view, id


def pair_name(view: str, other: str) -> str:
    """Return the name of two views."""
    return f"{view}:{other}"


def views_of_pair(pair: str) -> tuple[str, ...]:
    """Return the views of a name of two; a wrong name has more or fewer."""
    return tuple(pair.split(":"))
