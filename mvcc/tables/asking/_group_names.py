"""New names of groups: short, and unlike the handles of groups."""

from __future__ import annotations

import re

from mvcc._utils.messages import shown
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import OPENS, RENAME

MOST_LETTERS = 200  # of a name
_HANDLE = re.compile("g[0-9]+")


def looks_like_handle(name: str) -> bool:
    """Tell whether a name would take the answers that are meant for the group with this handle."""
    return _HANDLE.fullmatch(name) is not None


def check_new_name(answer: str) -> None:
    """Refuse an answer that gives a group a name that is too long, or looks like a handle.

    Logs may hold such names from before they were refused; these stay.
    """
    if not answer.startswith((OPENS, RENAME)):
        return
    name = answer.partition(":")[2]
    if looks_like_handle(name):
        raise InvalidInputError(
            f"{shown(name)} must not be the name of a group: g with a number stands for the group "
            f"of this number. Choose another name."
        )
    if len(name) > MOST_LETTERS:
        raise InvalidInputError(
            f"The name {shown(name)} has {len(name)} letters; a group's name has at most "
            f"{MOST_LETTERS}."
        )
