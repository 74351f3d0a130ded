"""The checksums of a run: in its manifest once it is finished, before that in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mvcc._utils.files import is_inside, is_sha256
from mvcc._utils.ledger import LEDGER, entries_in

RUN_KIND = "a run"
Checksums = dict[str, list[str]]  # the latest last


def known_checksums(folder: Path, listed: Mapping[str, str]) -> Checksums:
    """Return the checksums that each file of a run may have, ``listed`` or in the ledger.

    A process that is killed between ledger and file leaves the former file in place, which is as
    good as the new one.
    """
    known: Checksums = {name: [checksum] for name, checksum in listed.items()}
    for checksum, kind, name in entries_in(folder / LEDGER):
        if kind == RUN_KIND and is_sha256(checksum) and is_inside(name):
            known.setdefault(name, []).append(checksum)
    return known
