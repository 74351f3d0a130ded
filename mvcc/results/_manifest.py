"""What a results folder says of itself: ``manifest.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mvcc._utils.files import is_inside
from mvcc._utils.messages import clipped, first_problem
from mvcc._utils.reading import parse_json

_CHOOSE_KERNELS = (
    "; to take the same kernels on both, set OPENBLAS_CORETYPE, for most processors to Haswell"
)


class Run(BaseModel):
    """One run into the folder. One that was interrupted has not ``finished``."""

    model_config = ConfigDict(strict=True)

    # the command line, and the commit of the checkout that mvcc ran from, if it was one
    command: str
    commit: str | None
    versions: dict[str, str]  # {package: version}: also of the packages that `transfers` come from
    # {name: {"package": ..., "module": ...}}: where the transfer methods of other packages come
    # from; not set where there are none
    transfers: dict[str, dict[str, str]] = {}
    machine: dict[str, Any]  # what the bits of a result may depend on beside the versions
    started: str  # in UTC
    finished: str | None = None
    seconds: float | None = None
    computed: int | None = None  # trials finished by this run
    failed: list[int] | None = None  # trials that failed in it


class Manifest(BaseModel):
    """What the results of a folder are results of."""

    model_config = ConfigDict(strict=True)

    config: dict[str, Any]  # the configuration, complete with its defaults
    data: dict[str, str]  # {file: sha256}
    runs: list[Run] = Field(min_length=1)  # all runs that the results come from, the latest last
    # {file: sha256}: of every file of the results, as seen from the folder. Those of a run in
    # progress are in the ledger of the folder
    checksums: dict[str, str] = {}

    @property
    def trials(self) -> int:
        """Number of trials that the results are, or are to become."""
        return int(self.config["trials"])

    def to_json(self) -> bytes:
        tree = self.model_dump(mode="json", exclude_unset=True)
        return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()


def parse_manifest(content: bytes) -> Manifest:
    """Read the content of the file; a ValueError says what is wrong with it."""
    try:
        manifest = Manifest.model_validate(parse_json(content))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from error
    trials = manifest.config.get("trials")
    if type(trials) is not int or trials < 1:
        raise ValueError("config.trials: it is not a number of trials")
    if not all(map(is_inside, manifest.checksums)):
        raise ValueError("checksums: a name that leads out of the folder")
    return manifest


def differences(stored: Manifest, current: Manifest) -> list[str]:
    """List in what a stored run and the current one differ; trials may be added at any time."""
    differing: list[tuple[str, str, str]] = []  # in what, in the folder, now
    for section in ("config", "data"):
        old, new = (dict(leaves_of(getattr(manifest, section))) for manifest in (stored, current))
        for key in sorted({*old, *new} - {"trials"}):
            if old.get(key, {}) != new.get(key, {}):  # an empty section is none
                was, now = (clipped(str(leaves.get(key, "not set")), 200) for leaves in (old, new))
                differing.append((f"{section}: {clipped(key)}:", was, now))
    this = current.runs[0]
    for package in ("mvcc", *sorted({origin["package"] for origin in this.transfers.values()})):
        ours = this.versions[package]
        former = {clipped(run.versions.get(package, "unknown")) for run in stored.runs}
        differing += [(f"{package}: version", theirs, ours) for theirs in sorted(former - {ours})]
    for name, origin in sorted(this.transfers.items()):
        ours = _source(origin)
        former = {_source(run.transfers.get(name, {})) for run in stored.runs}
        differing += [(f"{name}:", theirs, ours) for theirs in sorted(former - {ours})]
    return [f"{subject} {theirs} in the folder, {ours} now" for subject, theirs, ours in differing]


def environment_differences(one: Run, other: Run) -> list[str]:
    """List what may give two runs of one config other bits: versions, processor."""
    lines = []
    for section in ("versions", "machine"):
        old, new = getattr(one, section), getattr(other, section)
        keys = sorted({*old, *new} - {"system", "cores"})
        lines += [
            f"{clipped(key)}: {_worded(old, key)} and "
            f"{_worded(new, key)}{_CHOOSE_KERNELS if key == 'blas' else ''}"
            for key in keys
            if old.get(key) != new.get(key)
        ]
    return lines


def _source(origin: dict[str, str]) -> str:
    return clipped(f"{origin.get('module', 'unknown')} of {origin.get('package', 'unknown')}", 200)


def _worded(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key, "not recorded")
    return clipped(", ".join(map(str, value)) if isinstance(value, list) else str(value), 200)


def leaves_of(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Give nested settings under dotted keys, in their order; lists of plain values are whole."""
    for key, value in tree.items():
        inside, nested = value, (Mapping, list, tuple)
        if isinstance(value, list | tuple) and any(isinstance(entry, nested) for entry in value):
            inside = dict(enumerate(value))
        if isinstance(inside, Mapping) and inside:
            yield from leaves_of(inside, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
