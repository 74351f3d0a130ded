"""The results folder: what is finished stays, what was changed is not read.

Every file is written as a whole or not at all. The ledger of the folder has its checksum before it
is there, and the manifest once the run is finished.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc import results
from mvcc._utils.files import LEDGER, damage_of, sha256_of, write_whole
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.reading import StrPath, content_of
from mvcc.exceptions import StoreError

if TYPE_CHECKING:
    import pandas as pd

_KEY = ["trial", *results.CELL]
_OF_ALL_TRIALS = (results.SCORES, results.CURVES, results.EXAMPLE)
_TRIAL = re.compile(r"([0-9]{4}|[1-9][0-9]{4,})\.csv\.gz")
_RUN_AGAIN = "The same `mvcc run` sets it aside and computes it again."


class ResultsStore:
    """The results of one experiment in one folder."""

    def __init__(self, folder: StrPath) -> None:
        self.folder = Path(folder)
        self.trials = self.folder / "trials"
        elsewhere = "choose another folder by --out; what was stored before is intact"
        self._out = OutputFolder(self.folder, results.RUN_KIND, elsewhere=elsewhere)

    @contextmanager
    def held(self, on_note: Callable[[str], None]) -> Iterator[None]:
        """Hold the folder for this run alone, and clear away what killed runs left half written."""
        self.refuse_link(self.trials)
        self._out.on_note = on_note
        with self._out:
            yield

    @staticmethod
    def refuse_link(folder: Path) -> None:
        """Refuse a link in the place of a folder that a run would write to."""
        if folder.is_symlink():
            raise StoreError(
                f"{folder} is a link, and mvcc would write to where it leads. Choose another --out."
            )

    def manifest(self) -> results.Manifest | None:
        """Return what the folder says of its runs, or None where there is none yet."""
        path = self.folder / results.MANIFEST
        try:
            return results.parse_manifest(content_of(path))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise StoreError(
                f"{path} cannot be read: {why}. Restore it, start afresh with --fresh, or choose"
                " --out."
            ) from error

    def write_manifest(self, manifest: results.Manifest) -> Path | None:
        """Store what is known of the runs; return where a manifest that somebody changed went."""
        path, aside = self.folder / results.MANIFEST, None
        if self._manifest_is_changed():
            with self._out.explained(path):
                aside = self._free_place_aside(path)
                write_whole(aside, content_of(path))
        self._out.put(results.MANIFEST, manifest.to_json(), noted=False)
        return aside

    def _manifest_is_changed(self) -> bool:
        """Tell whether the manifest is not written as mvcc writes one, notes of a user included."""
        path = self.folder / results.MANIFEST
        try:
            content = content_of(path)
            return results.parse_manifest(content).to_json() != content
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def seal(self, manifest: results.Manifest) -> None:
        """Store the manifest of a finished run with all checksums, which the ledger may forget."""
        manifest.checksums = {}
        for name, checksums in sorted(self.checksums().items()):
            if (path := self.folder / name).exists():
                checksum = sha256_of(_bytes_of(path))
                if checksum not in checksums:  # damaged, and shall be told
                    checksum = checksums[-1]
                manifest.checksums[name] = checksum
        self.write_manifest(manifest)
        with self._out.explained(self.folder):
            self._out.forget()

    def checksums(self) -> results.Checksums:
        """Return the checksums that every file may have, by its name as seen from the folder."""
        listed = {}
        if (manifest := self.manifest()) is not None:
            listed = manifest.checksums
        try:
            return results.known_checksums(self.folder, listed)
        except OSError as error:
            raise StoreError(
                f"{self.folder / LEDGER} cannot be read: {error.strerror}. Make it readable."
            ) from error

    def damaged(self) -> dict[str, str]:
        """Say of every damaged file of the results that is here, by its name, what is wrong."""
        known = self.checksums()
        damaged = {}
        for name in sorted({*known, *_OF_ALL_TRIALS, *map(self._name, self.stored())}):
            if (self.folder / name).exists() and (why := self._damage_of(name, known)):
                damaged[name] = why
        return damaged

    def _damage_of(self, name: str, known: results.Checksums) -> str:
        return damage_of(_bytes_of(self.folder / name), known.get(name, []))

    def set_aside(self, name: str) -> Path:
        """Move a file out of the way, without deleting anything; return where to."""
        path = self.folder / name
        with self._out.explained(path):
            target = self._free_place_aside(path)
            os.replace(path, target)
        return target

    def _free_place_aside(self, path: Path) -> Path:
        """Return a name in the folder beside a file where nothing is yet."""
        aside = path.parent / "set-aside"
        stem, _, suffix = path.name.partition(".")
        self.refuse_link(aside)
        aside.mkdir(exist_ok=True)
        copies = (aside / f"{stem}.{n}.{suffix}" for n in count(2))
        return next(to for to in chain([aside / path.name], copies) if not os.path.lexists(to))

    def stored(self) -> set[int]:
        """Return the numbers of the trials that are here, intact or not."""
        matches = map(_TRIAL.fullmatch, (path.name for path in self.trials.glob("*.csv.gz")))
        return {int(match[1]) for match in matches if match}

    def finished(self, damaged: Collection[str]) -> set[int]:
        """Return the numbers of the trials that are here, but for damaged ones."""
        return {trial for trial in self.stored() if self._name(trial) not in damaged}

    def nameless(self) -> Path | None:
        """Return the first file named like results, where no manifest says whose they are."""
        if self.stored():
            return self.trials
        return next(filter(Path.exists, (self.folder / name for name in _OF_ALL_TRIALS)), None)

    def holds_only_summary(self) -> bool:
        """Tell whether curves are here without any of the trials that they were made from."""
        return (self.folder / results.SCORES).exists() and not self.stored()

    def holds_summary(self) -> bool:
        """Tell whether scores and curves are here, and what else was made from all trials."""
        names = {results.SCORES, results.CURVES, *(self.checksums().keys() & _OF_ALL_TRIALS)}
        return all((self.folder / name).exists() for name in names)

    def write_example(self, example: dict[str, Any] | None) -> None:
        """Store the cluster that Figure 3 shows, where the experiment has one."""
        if example is not None:
            text = json.dumps(example, indent=2, ensure_ascii=False)
            self._out.put(results.EXAMPLE, f"{text}\n".encode())

    def write_trial(self, trial: int, rows: pd.DataFrame) -> None:
        """Store a finished trial, and remove its former failure, or set it aside if changed."""
        self._out.put(self._name(trial), _csv_bytes(rows, compress=True))
        failure = self._failure(trial)
        path = self.folder / failure
        with self._out.explained(path):
            if self._is_failure(failure):
                path.unlink()
            elif path.exists() and failure in self.checksums():
                self.set_aside(failure)

    def write_failure(self, trial: int, report: str) -> Path:
        """Store why a trial failed; return where."""
        name = self._failure(trial)
        if (self.folder / name).exists() and not self._is_failure(name):
            self.set_aside(name)
        self._out.put(name, f"Trial {trial} failed. {report}".encode("utf-8", "backslashreplace"))
        return self.folder / name

    def failures(self) -> list[str]:
        """Return the names of the files that say why unfinished trials failed."""
        names = [f"{self.trials.name}/{path.name}" for path in self.trials.glob("*.error.txt")]
        return sorted(filter(self._is_failure, names))

    def read_trial(self, trial: int) -> pd.DataFrame:
        """Return the rows of a trial, from its file or the scores; none if neither has it."""
        import pandas as pd  # here and below: who only verifies files needs no tables

        known = self.checksums()
        if trial in self.stored():
            return self._read_trial(trial, known)
        if not (self.folder / results.SCORES).exists():
            return pd.DataFrame()
        scores = self._read(results.SCORES, known)
        return scores[scores["trial"] == trial].reset_index(drop=True)

    def summarize(self, trials: Iterable[int]) -> None:
        """Write ``scores.csv.gz`` and ``curves.csv`` of stored trials."""
        import pandas as pd

        known = self.checksums()
        scores = pd.concat(
            [self._read_trial(trial, known) for trial in sorted(trials)], ignore_index=True
        )
        self._out.put(results.SCORES, _csv_bytes(scores, compress=True))
        self._out.put(results.CURVES, _csv_bytes(summarize(scores), compress=False))

    def clear(self) -> list[Path]:
        """Remove what former runs stored, the manifest last; set others aside, and return where."""
        moved = []
        if self._manifest_is_changed():
            moved.append(self.set_aside(results.MANIFEST))
        moved += [self.set_aside(name) for name in self.damaged()]
        with self._out.explained(self.folder):
            for name in (*map(self._name, self.stored()), *self.failures(), *_OF_ALL_TRIALS):
                (self.folder / name).unlink(missing_ok=True)
            self._out.forget()
            (self.folder / results.MANIFEST).unlink(missing_ok=True)
        return moved

    def _name(self, trial: int) -> str:
        return f"{self.trials.name}/{trial:04d}.csv.gz"

    def _failure(self, trial: int) -> str:
        return f"{self.trials.name}/{trial:04d}.error.txt"

    def _is_failure(self, name: str) -> bool:
        """Tell whether `write_failure` wrote a file, and nobody has changed it since."""
        is_file = (self.folder / name).is_file()
        return is_file and not self._damage_of(name, self.checksums())

    def _read_trial(self, trial: int, known: results.Checksums) -> pd.DataFrame:
        rows = self._read(self._name(trial), known)
        if set(rows["trial"]) != {trial}:
            raise StoreError(
                f"{self.folder / self._name(trial)} does not hold trial {trial}. {_RUN_AGAIN}"
            )
        return rows

    def _read(self, name: str, known: results.Checksums) -> pd.DataFrame:
        path = self.folder / name
        content = _bytes_of(path)
        if why := damage_of(content, known.get(name, [])):
            raise StoreError(f"{path} is damaged: {why}. {_RUN_AGAIN}")
        try:
            rows = results.parse_table(results.unpacked(content), results.TEXTS)
        except ValueError as error:
            raise StoreError(f"{path} cannot be read: {error}. {_RUN_AGAIN}") from error
        if missing := [column for column in ("f_measure", *_KEY) if column not in rows]:
            raise StoreError(f"{path} cannot be read: it has no column {missing[0]}. {_RUN_AGAIN}")
        return rows


def summarize(scores: pd.DataFrame) -> pd.DataFrame:
    """Return learning curves: mean and standard error of every cell over the trials."""
    import numpy as np
    import pandas as pd

    cells = scores.sort_values("trial", kind="stable").groupby(
        list(results.CELL), sort=False, dropna=False
    )
    f = cells["f_measure"]
    measures = [name for name in scores.columns if name not in (*_KEY, "f_measure")]
    curves = pd.DataFrame(
        {"mean": f.mean(), "standard_error": f.std(ddof=1) / np.sqrt(f.size()), "trials": f.size()}
        | {name: cells[name].mean() for name in measures}
    )
    return curves.reset_index()


def _csv_bytes(table: pd.DataFrame, *, compress: bool) -> bytes:
    text = table.to_csv(index=False, lineterminator="\n").encode()
    if not compress:
        return text
    packed = BytesIO()
    # no time, no name: the same bytes
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:
        file.write(text)
    return packed.getvalue()


def _bytes_of(path: Path) -> bytes:
    try:
        return content_of(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {error.strerror or error}. Make it a readable file."
        ) from error
