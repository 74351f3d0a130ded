"""Looking through results on disk: what is whole or damaged, and why equal ones disagree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from mvcc.exceptions import StoreError
from mvcc.experiments._store import ResultsStore
from mvcc.results import CURVES, MANIFEST, Manifest, environment_differences, find_manifests


@dataclass(frozen=True)
class Finding:
    """What is known of one results folder."""

    folder: Path
    status: str  # ok, unfinished or damaged
    verified: int  # files whose checksum is right
    trials: int  # that the results are of
    stored: int  # those of them whose own files are here
    notes: list[str]  # what is wrong, or worth knowing


def check_results(paths: Iterable[Path]) -> tuple[list[Finding], list[str]]:
    """Verify every results folder among and below the given ones; say why curves differ."""
    folders: set[Path] = set()
    for path in paths:
        result_folders = find_manifests(path)
        if not result_folders:
            raise StoreError(
                f"{path}: there are no results here or below: no folder has a {MANIFEST} or "
                "clustering.json. Give the folder that `mvcc run` or `mvcc cluster` wrote to, or "
                "one above it."
            )
        folders.update(result_folders)
    findings, manifests = [], {}
    for folder in sorted(folders):
        finding, manifest = _check(folder)
        findings.append(finding)
        if finding.status == "ok" and manifest is not None:
            manifests[folder] = manifest
    return findings, _disagreements(manifests)


def _check(folder: Path) -> tuple[Finding, Manifest | None]:
    store = ResultsStore(folder)
    damaged: dict[str, str] = {}
    try:
        manifest = store.manifest()
        assert manifest is not None  # the folder was found by it
        checksums, stored = store.checksums(), store.stored()
        if checksums:
            damaged = store.damaged()
    except StoreError as error:
        return Finding(folder, "damaged", 0, 0, 0, [str(error)]), None
    notes = [f"{name}: {why}." for name, why in damaged.items()]
    failures = store.failures()
    notes += [f"{name}: this trial failed; the file says why." for name in failures]
    missing = [name for name in checksums if "/" not in name and not (folder / name).exists()]
    notes += [
        f"{name}: it is missing; the same `mvcc run`, without --fresh, writes it again."
        for name in missing
    ]
    verified = sum((folder / name).exists() and name not in damaged for name in checksums)
    status = "ok"
    if damaged or missing:
        status = "damaged"
    elif not store.holds_summary() or manifest.runs[-1].finished is None or failures:
        status = "unfinished"
        notes.append("the same `mvcc run`, without --fresh, continues it.")
    elif not checksums:
        notes.append("its files cannot be verified: the manifest has no checksums.")
        status = "damaged"
    return Finding(folder, status, verified, manifest.trials, len(stored), notes), manifest


def _disagreements(manifests: dict[Path, Manifest]) -> list[str]:
    """Compare the curves of folders that should have the same."""
    lines = []
    for (folder, ours), (other, theirs) in combinations(manifests.items(), 2):
        is_same = (ours.config, ours.data) == (theirs.config, theirs.data)
        if is_same and ours.checksums.get(CURVES) != theirs.checksums.get(CURVES):
            why = "; ".join(environment_differences(ours.runs[-1], theirs.runs[-1]))
            why = why or "nothing that the manifests record: one of them is not what it says"
            lines.append(
                f"{folder} and {other} have the same config and data, but other curves: {why}."
            )
    return lines
