"""Mails of newsgroups: headers, body, and what the author wrote."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Ints
from scripts.two_tables import texts_of_groups

N_MAILS = 150  # of a group
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")  # not allowed in a workbook


def mails(first: int) -> tuple[pd.DataFrame, Ints]:
    """Return as many mails of each newsgroup: headers, body, and what the author wrote."""
    rows, kinds = [], []
    for kind, texts in enumerate(texts_of_groups()):
        chosen = np.random.default_rng(1).permutation(len(texts))[first : first + N_MAILS]
        rows += [_mail(texts[index]) for index in chosen]
        kinds += [kind] * len(chosen)
    return pd.DataFrame(rows), np.array(kinds)


def _mail(text: str) -> dict[str, Any]:
    head, _, body = text.partition("\n\n")
    fields = dict(re.findall(r"^([\w-]+): (.*)$", head, re.MULTILINE))
    said = body.rpartition("\n--\n")[0] or body  # without the signature
    lines = [line for line in said.split("\n") if not re.match(r"\s*[>|:]|.*(writes|wrote):", line)]
    wanted = ("Subject", "From", "Organization", "Lines")
    return {name: fields.get(name) for name in wanted} | {
        "head": head,
        "body": _CONTROL.sub(" ", body),
        "own": _CONTROL.sub(" ", "\n".join(lines)),
    }
