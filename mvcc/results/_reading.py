"""What experiments left on disk: find their folders and read their curves, scores and examples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from os.path import isdir, isfile  # false for what cannot be a path
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.files import LEDGER, damage_of, entries_in, is_inside, is_sha256
from mvcc._utils.messages import clipped, in_brief
from mvcc._utils.reading import content_of, parse_json
from mvcc.exceptions import StoreError
from mvcc.results import _format as names

if TYPE_CHECKING:
    import pandas as pd

# What else a method or an experiment may lack stays empty: Single View has no mapping, one trial no
# standard error.
_VALUES = ("mean", "f_measure")
_REQUIRED = {"experiment", "dataset", "method", "n_constraints", "trial", "trials", *_VALUES}
_SHARES = {"mapped", "rewired", *_VALUES}
_LARGEST = 10**15  # of all other numbers
_LONGEST_TEXT = 100
_MARKUP = "<>|`[]\\&"  # what Markdown, HTML or rich would act on
_NO_LABEL = f"not a text of at most {_LONGEST_TEXT} visible characters without {_MARKUP}"
_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Results:
    """All experiments below a folder, or that of the folder itself, read when first asked for."""

    # everything has three columns, or entries, more than its file: ``folder``, as seen from this
    # one, ``study`` and ``features``
    folder: Path

    @cached_property
    def curves(self) -> pd.DataFrame:
        return self._tables(names.CURVES, (), ("mean", "standard_error", "trials"))

    @cached_property
    def scores(self) -> pd.DataFrame:
        return self._tables(names.SCORES, ("trial",), ("f_measure",))

    @cached_property
    def examples(self) -> list[dict[str, Any]]:
        examples = []
        for experiment in find_experiments(self.folder):
            if (path := experiment / names.EXAMPLE).exists():
                manifest = read_manifest(experiment)
                example = _parse_json(path, _read_verified(path, manifest))
                examples.append({**example, **_origin(experiment, manifest, self.folder)})
        return examples

    def gaps(self) -> list[str]:
        """Say which experiments are left out or lack trials, since a run was stopped or failed."""
        trials = self.curves.groupby("folder")["trials"].max()
        gaps, again = list[str](), "the same `mvcc run`, without --fresh,"
        for folder in find_manifests(self.folder):
            name = folder_name(folder, self.folder)
            with suppress(StoreError, LookupError, TypeError, ValueError):  # it is of no run
                planned, n = int(read_manifest(folder)["config"]["trials"]), trials.get(name, 0)
                if not n and _is_experiment(folder):
                    gaps.append(f"{name} is left out: it lies in another experiment; move it away.")
                elif not n:
                    gaps.append(f"{name} is left out: it has no {names.CURVES}; {again} writes it.")
                elif n < planned:
                    gaps.append(f"{name} has {n:g} of {planned} trials; {again} adds the others.")
        return gaps

    def _tables(self, name: str, keys: tuple[str, ...], values: tuple[str, ...]) -> pd.DataFrame:
        import pandas as pd  # here and below: pandas and matplotlib would slow down `mvcc --help`

        tables = []
        for experiment in find_experiments(self.folder):
            manifest = read_manifest(experiment)
            table = _read_table(experiment / name, manifest, (*keys, *names.CELL), values)
            tables.append(table.assign(**_origin(experiment, manifest, self.folder)))
        return pd.concat(tables, ignore_index=True)


def find_experiments(results_dir: Path) -> list[Path]:
    """Return the folders of finished experiments below a folder, or only itself if it is one."""
    if _is_experiment(results_dir):
        return [results_dir]
    folders, problem = [], "there is no folder"
    if isdir(results_dir):
        folders = [*filter(_is_experiment, _folders_with(names.CURVES, results_dir))]
        problem = "no finished experiment below"
    if not folders:
        raise StoreError(
            f"{problem} {clipped(str(results_dir), 1000)}: a finished experiment is a folder with "
            f"{names.CURVES} and {names.MANIFEST}. Give the folder that `mvcc run` wrote to or one "
            "above it, or finish the run first."
        )
    return folders


def find_manifests(results_dir: Path) -> list[Path]:
    """Return the folders with a manifest in and below a folder, but for manifests set aside."""
    folders = _folders_with(names.MANIFEST, results_dir)
    return [folder for folder in folders if folder.name != "set-aside"]


def _folders_with(name: str, folder: Path) -> list[Path]:
    """Return each folder with such a file once; links in the folder itself are followed."""
    # a link beside what it leads to is left out
    folders = {path.parent for path in (*folder.glob(f"*/{name}"), *folder.rglob(name))}
    links_first = sorted(folders, key=lambda path: (not path.is_symlink(), path))
    return sorted({path.resolve(): path for path in links_first}.values())


def read_manifest(experiment: Path) -> dict[str, Any]:
    """Read the ``manifest.json`` of one experiment, as it is."""
    path = experiment / names.MANIFEST
    try:
        return _parse_json(path, content_of(path))
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error


def _is_experiment(folder: Path) -> bool:
    return isfile(folder / names.CURVES) and isfile(folder / names.MANIFEST)


def _origin(experiment: Path, manifest: dict[str, Any], results_dir: Path) -> dict[str, str]:
    path = experiment / names.MANIFEST
    try:
        study, features = manifest["config"]["study"], manifest["config"]["features"]["method"]
    except (KeyError, TypeError) as error:
        raise _damaged(path, "its `config` does not tell the study and the features") from error
    if not (is_label(study) and is_label(features)):
        raise _damaged(path, f"the study or the features in its `config` are {_NO_LABEL}")
    folder = folder_name(experiment, results_dir)
    return {"folder": folder, "study": study, "features": features}


def folder_name(experiment: Path, results_dir: Path) -> str:
    """Return the folder of an experiment as seen from another one, or its own name."""
    inside = experiment.relative_to(results_dir)
    return inside.as_posix() if inside.parts else experiment.resolve().name


def _read_verified(path: Path, manifest: dict[str, Any]) -> bytes:
    """Return the content of a file as it was written; foreign results have no checksums at all."""
    listed = manifest.get("checksums")
    try:
        content = content_of(path)
        if listed is None:
            return content
        if not isinstance(listed, dict) or not all(
            isinstance(checksum, str) for checksum in listed.values()
        ):
            raise _damaged(
                path.parent / names.MANIFEST, "its `checksums` are not a text for each file"
            )
        why = damage_of(content, known_checksums(path.parent, listed).get(path.name, []))
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error
    if why:
        raise _damaged(path, why)
    return content


def _parse_json(path: Path, content: bytes) -> dict[str, Any]:
    try:
        tree = parse_json(content)
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(tree, dict):
        raise _damaged(path, "it is not a JSON object")
    return tree


def _read_table(
    path: Path, manifest: dict[str, Any], key: tuple[str, ...], values: tuple[str, ...]
) -> pd.DataFrame:
    content = _read_verified(path, manifest)
    try:
        if path.suffix == ".gz":
            content = names.unpacked(content)
        table = parse_table(content, names.TEXTS)
    except ValueError as error:  # the decoder's are
        raise _damaged(path, in_brief(error, 300)) from error
    columns = (*key, *values, *names.MEASURES)
    if missing := [name for name in columns if name not in table]:
        raise _damaged(path, f"missing columns: {', '.join(missing)}")
    if table.empty:
        raise _damaged(path, "it has no rows")
    for column, wrong, why in _mistakes(table, columns, list(key), _methods(manifest)):
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            value = clipped(str(column.iloc[row]))
            # line 1 is the header
            raise _damaged(path, f"line {row + 2}: {column.name} is {value}, {why}")
    return table


def _mistakes(
    table: pd.DataFrame, columns: Iterable[str], key: list[str], methods: list[str]
) -> Iterator[tuple[pd.Series, pd.Series, str]]:
    """Give columns with the rows where they are wrong, and why; those of numbers become floats."""
    # figures and claims rely on labels, numbers of 0 or more, known methods and bases, and one row
    # per place
    import pandas as pd

    for name in columns:
        column = table[name]
        if name in names.TEXTS:
            unreadable = [text for text in column.dropna().unique() if not is_label(text)]
            yield column, column.isin(unreadable), _NO_LABEL
        else:
            most = 1 if name in _SHARES else _LARGEST
            # pandas fails at 1e400 as a whole number
            words = column.astype("str") if column.dtype == object else column
            table[name] = pd.to_numeric(words, errors="coerce").astype(float)
            wrong = column.notna() & ~table[name].between(0, most)
            yield column, wrong, f"not a number from 0 to {most:g}"
        if name in _REQUIRED:
            yield column, column.isna(), "but must have a value"
    bases = list(names.BASES)
    method, base, threshold = table["method"], table["base"], table["threshold"]
    is_transfer = method.isin(names.TRANSFERS)
    is_mapped = is_transfer & (method != names.SINGLE_VIEW) & (table["experiment"] == "multi-view")
    has_threshold = pd.to_numeric(threshold, errors="coerce").between(0, 1)
    has_threshold |= threshold == names.CROSS_VALIDATED
    has_threshold |= threshold.isna() & (method != names.PROPAGATION)
    neither = f"neither a number from 0 to 1 nor {names.CROSS_VALIDATED}"
    yield method, ~method.isin(methods), f"none of {', '.join(methods)}"
    yield base, ~base.isin(bases) & (base.notna() | is_transfer), f"none of {', '.join(bases)}"
    yield table["mapped"], is_mapped & table["mapped"].isna(), "but must have a value"
    yield threshold, ~has_threshold, neither
    again = "but a row of the same place has come before"
    yield table["n_constraints"], table.duplicated(key), again


def _methods(manifest: dict[str, Any]) -> list[str]:
    """Return the methods that an experiment may have: the paper's, and those it was run with."""
    others: list[Any] = []
    with suppress(KeyError, TypeError):
        named = manifest["config"]["multi_view"]["transfers"]
        if isinstance(named, list):
            others = named
    return list(dict.fromkeys((*names.TRANSFERS, *filter(is_label, others))))


def parse_table(content: bytes, texts: Iterable[str]) -> pd.DataFrame:
    """Parse a CSV file, every number to its last bit; a ValueError says why it is not a table."""
    import pandas as pd

    # pandas takes minutes for a million columns
    if max(map(len, content.splitlines()), default=0) > _LONGEST_LINE:
        raise ValueError(f"a line has more than {_LONGEST_LINE} characters")
    options: dict[str, Any] = {"index_col": False, "low_memory": False}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # newer ones do so unasked
        options["float_precision"] = "round_trip"
    with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
        try:
            return pd.read_csv(BytesIO(content), dtype=dict.fromkeys(texts, "str"), **options)
        except pd.errors.ParserWarning as error:
            raise ValueError("some rows are longer than the header") from error


def is_label(value: object) -> bool:
    """Tell whether a value is short and visible and marks nothing up, as pages and figures need."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_TEXT
        and value.isprintable()
        and not set(value) & set(_MARKUP)
    )


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot read the results in {path}: {why}. "
        "Restore the file, or run the experiment again with `mvcc run` to write it anew."
    )


RUN_KIND = "a run"
Checksums = dict[str, list[str]]  # the latest last


def known_checksums(folder: Path, listed: Mapping[str, str]) -> Checksums:
    """Return the checksums that each file of a run may have, ``listed`` or in the ledger."""
    # a process killed between ledger and file leaves the former file, which is as good
    known: Checksums = {name: [checksum] for name, checksum in listed.items()}
    for checksum, kind, name in entries_in(folder / LEDGER):
        if kind == RUN_KIND and is_sha256(checksum) and is_inside(name):
            known.setdefault(name, []).append(checksum)
    return known
