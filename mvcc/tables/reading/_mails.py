"""Mails in a column of texts: what people wrote, without headers and signatures."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

_FIELD = re.compile(r"[A-Za-z][\w-]{0,30}:(\s|$)")
_SENDER = re.compile(r"(from|von|de|da)\s*:", re.IGNORECASE)
_SUBJECT = re.compile(r"(subject|betreff|objet|asunto|oggetto)\s*:(.*)", re.IGNORECASE)
_MOST_SIGNED = 10  # lines of a signature, so that a line of dashes further up ends no mail
_ENOUGH = 0.1  # of the texts that have headers or a signature


def are_mails(texts: pd.Series[Any]) -> bool:
    """Tell whether some texts begin with headers or end with a signature."""
    filled = texts.dropna()
    with_lines = filled[filled.str.contains("\n", regex=False)]
    n_mails = sum(body_of(text) != text for text in with_lines)
    return n_mails > 0 and n_mails >= _ENOUGH * len(filled)


def body_of(text: str) -> str:
    """Return a mail's subject and text, without signature; as it is if nothing else is in it."""
    lines = text.split("\n")
    n_head = _n_head(lines)
    subjects = [subject[2] for line in lines[:n_head] if (subject := _SUBJECT.match(line))]
    bodies = lines[n_head:]
    below = bodies[-_MOST_SIGNED - 1 :]
    if signs := [n for n, line in enumerate(below) if line.rstrip() == "--"]:
        bodies = bodies[: len(bodies) - len(below) + signs[-1]]
    if n_head == 0 and not signs:
        return text
    return "\n".join([*subjects, *bodies]).strip() or text


def _n_head(lines: list[str]) -> int:
    """Return the number of lines of a mail's headers; a line with a blank continues one."""
    n = 0
    while n < len(lines) and (_FIELD.match(lines[n]) or (n and re.match(r"[ \t]+\S", lines[n]))):
        n += 1
    is_head = any(_SENDER.match(line) or _SUBJECT.match(line) for line in lines[:n])
    return n if n > 1 and is_head else 0
