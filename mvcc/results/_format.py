"""What a results folder is made of: its files, the columns of its tables, and the words in them."""

from __future__ import annotations

from gzip import GzipFile
from io import BytesIO
from typing import Literal, NamedTuple
from zlib import error as ZlibError

MANIFEST, SCORES, CURVES, EXAMPLE = "manifest.json", "scores.csv.gz", "curves.csv", "example.json"


class Cell(NamedTuple):
    """A point of a learning curve, as results name it; what a method does not use is None."""

    experiment: str
    dataset: str
    view: str | None
    base: str | None
    method: str
    closure: Literal["full", "view", "none"] | None
    threshold: str | None
    mapped: float | None
    rewired: float | None
    n_constraints: int


CELL = Cell._fields
TEXTS = CELL[:7]  # the columns of them that are text, also where all of one is empty
KINDS = ("must_link", "cannot_link")
_PER_KIND = (
    "propagated_{}s", "weight_{}s", "precision_{}",
    "inferred_{}s", "inferred_weight_{}s", "inferred_precision_{}",
)  # fmt: skip
MEASURES = (
    *(name.format(kind) for kind in KINDS for name in _PER_KIND),
    "iterations", "converged", "chosen_threshold", "disagreement", "divergence",
)  # fmt: skip

PROPAGATION, DIRECT_MAPPING, SINGLE_VIEW = "constraint-propagation", "direct-mapping", "single-view"
# the paper's transfer methods, and its base algorithms: how results and people call them
TRANSFERS = {
    PROPAGATION: "Constraint Propagation",
    DIRECT_MAPPING: "Direct Mapping",
    "cluster-membership": "Cluster Membership",
    SINGLE_VIEW: "Single View",
}
BASES = {"pck-means": "PCK-Means", "mpck-means": "MPCK-Means"}
JOINT, K_MEANS = "joint", "k-means"  # methods that cluster by themselves: what they do has no base
# studies: joint beside the paper's methods, and what other packages offer
BEYOND, BEYOND_PEERS = ("beyond", "peers")
CROSS_VALIDATED = "cv"
POOLED = "all"  # the view that is all views of a data set together

_MOST_PACKED = 100  # bytes of a table in one of its file; those of ours are ten


def unpacked(content: bytes) -> bytes:
    """Unpack a table; what is damaged, or would fill the memory, is a ValueError."""
    most = 2**20 + _MOST_PACKED * len(content)
    try:
        with GzipFile(fileobj=BytesIO(content)) as file:
            text = file.read(most + 1)
    except (OSError, EOFError, ZlibError) as error:
        raise ValueError(str(error)) from error
    if len(text) > most:
        raise ValueError(f"it unpacks to more than {most} bytes, which no table does")
    return text
