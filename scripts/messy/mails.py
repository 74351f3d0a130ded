"""Mails of newsgroups: headers, body, and what the author wrote."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

N_MAILS = 150  # of a group
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")  # not allowed in a workbook


def mails(first: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return mails of four newsgroups, as many of each: headers, body, and what its author
    wrote.
    """
    rows, kinds = [], []
    folders = sorted(Path(os.environ["MVCC_DATA"], "20newsgroups").iterdir())
    for kind, folder in enumerate(folders):
        paths = sorted(folder.iterdir())
        chosen = np.random.default_rng(1).permutation(len(paths))[first : first + N_MAILS]
        for index in chosen:
            rows.append(_mail(paths[index].read_text("latin-1")))
            kinds.append(kind)
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
