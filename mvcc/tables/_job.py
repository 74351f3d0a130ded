"""What is to be clustered, and how: the settings of `mvcc cluster`, from a YAML file, from options, or from both."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.settings import (
    KeyPath,
    Problems,
    Section,
    allowed,
    assign,
    one_of,
    put,
    read_yaml,
    refuse,
    shown,
    validated,
)
from mvcc.multiview import base_names, transfer_names

METHODS = ("joint", "co-em")
DEFAULT_FEATURES: dict[str, Literal["auto", "spectral"]] = {"joint": "auto", "co-em": "spectral"}
FEATURES = ("auto", "counts", "histograms", "scaled", "spectral", "pca", "none")
Kind = Literal["number", "text", "category", "date"]
_MANY_ROWS, _RUNS, _RUNS_OF_MANY = 100_000, 10, 3  # stability runs
_OF_CO_EM = ("base", "transfer", "threshold", "closure")

_Path = Annotated[
    str,
    Field(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$"),
    allowed("the path of a file, in 4096 characters at most and none that cannot be printed"),
]
_Column = Annotated[str, Field(min_length=1), allowed("the name of a column")]
_Features = Annotated[Literal["auto", "counts", "histograms", "scaled", "spectral", "pca", "none"], one_of(FEATURES)]
_Components = Annotated[int, Field(ge=1, le=10**6), allowed("a whole number from 1 to 10^6")]
_NumberOfClusters = Annotated[
    Annotated[int, Field(ge=1, le=10**6)] | Literal["auto"], allowed("a whole number from 1 to 10^6, or auto")
]
_Threshold = Annotated[Annotated[float, Field(gt=0, le=1)] | Literal["cv"], allowed("a number above 0, up to 1, or cv")]


def _columns(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class View(Section):
    """One collection: a table with a row per instance.

    Attributes
    ----------
    path : str
        CSV, TSV, Excel (.xlsx), JSON, Parquet, NPZ, NPY or ARFF, or a folder of Parquet files.
    id_column : str or None
        The column that names the rows; by default one called ``id`` or without a name, else one that is called
        like an id and has distinct values; else rows are numbered from 0.
    labels_column : str or None
        True labels, which are only compared with the clusters.
    ignore : tuple of str
        Columns that are not used.
    columns : tuple of str, or dict, or None
        The only columns that are used; or by name what a column is used as: number, text, category, date or ignore.
    features, n_components
        As for all views, where this one is an exception.
    """

    path: _Path = Field(examples=["texts.csv"])
    id_column: _Column | None = None
    labels_column: _Column | None = None
    ignore: Annotated[tuple[_Column, ...], BeforeValidator(_columns)] = ()
    columns: Annotated[
        dict[str, Kind | Literal["ignore"]] | tuple[_Column, ...] | None,
        BeforeValidator(_columns),
        allowed("a list of columns, or number, text, category, date or ignore for each of some columns"),
    ] = None
    features: _Features | None = None
    n_components: _Components | None = None


class Job(Section):
    """Everything that `mvcc cluster` is told.

    Attributes
    ----------
    views : dict of View
        By name, in the order of the results.
    matches : dict
        By ``view:view``, the file of pairs of ids that are the same object.
    constraints : dict
        By view, the file of must-links and cannot-links.
    show : dict
        By view, the columns that `mvcc ask` shows of a row; they are clustered as others are.
    asked : str or None
        The folder of `mvcc ask`: what was answered there counts beside the constraints.
    n_clusters : int or "auto"
        "auto" is the number of groups that the answers name.
    method : {"joint", "co-em"}
        ``JointGraphClustering``, or the paper's ``MultiViewConstrainedClustering``.
    base, transfer, threshold, closure
        As in ``MultiViewConstrainedClustering``; the joint method has none of them.
    on_conflict : {"error", "drop"}
        Stop where constraints contradict each other, or leave out what contradicts heavier ones.
    features : {"auto", "counts", "histograms", "scaled", "spectral", "pca", "none"}
        How the columns become the space that is clustered: by the rule of ``AutoFeatures``, which "counts",
        "histograms" and "scaled" override; or "spectral" and "pca", with ``n_components``. By default "auto" with the
        joint method, and "spectral" with co-EM.
    stability_runs : int or None
        How many more clusterings, with other seeds and without a tenth of the constraints, tell how stable the
        result is. By default 10, or 3 from 100,000 rows on.
    comparison : bool
        Whether the result is compared with other methods, by what is held out.
    compare_co_em : bool
        Whether the comparison of a joint clustering includes co-EM as well, which takes most of its time.
    sample : int or None
        Of a folder, how many rows the model is fitted on; by default 100,000, or fewer where memory is low.
    seed : int
    """

    views: dict[str, View] = Field(examples=["{texts: texts.csv, images: images.npz}"])
    matches: dict[str, _Path] = Field(default={}, examples=["{texts:images: matches.csv}"])
    constraints: dict[str, _Path] = Field(default={}, examples=["{texts: pairs.csv}"])
    show: dict[str, Annotated[tuple[_Column, ...], BeforeValidator(_columns)]] = Field(
        default={}, examples=["{texts: [title, body]}"]
    )
    asked: _Path | None = Field(default=None, examples=["asked"])
    n_clusters: _NumberOfClusters = Field(examples=["5"])
    method: Annotated[Literal["joint", "co-em"], one_of(METHODS)] = "joint"
    base: Annotated[str, one_of(base_names())] = "mpck-means"
    transfer: Annotated[str, one_of(transfer_names())] = "constraint-propagation"
    threshold: _Threshold = 0.75
    closure: Annotated[Literal["full", "view", "none"], one_of(("full", "view", "none"))] = "full"
    on_conflict: Annotated[Literal["error", "drop"], one_of(("error", "drop"))] = "error"
    features: _Features | None = Field(default=None, validate_default=True)
    n_components: _Components | None = None
    stability_runs: Annotated[int | None, Field(ge=0, le=1000), allowed("a whole number from 0 to 1000")] = None
    comparison: Annotated[bool, Field(strict=True), allowed("true or false")] = True
    compare_co_em: Annotated[bool, Field(strict=True), allowed("true or false")] = False
    sample: Annotated[int | None, Field(ge=2, le=10**9), allowed("a whole number from 2 to 10^9")] = None
    seed: Annotated[int, Field(ge=0, lt=2**63), allowed("a whole number from 0 to 2^63 - 1")] = 0

    @field_validator("views")
    @classmethod
    def _names(cls, views: dict[str, View]) -> dict[str, View]:
        if not views:
            raise ValueError("there is no view; give at least one, such as `texts: texts.csv`.")
        refuse(
            (
                (name,),
                f"{shown(name)} cannot be the name of a view, which folders and columns are named by. Allowed: "
                f"letters, digits, _ and -, not beginning with a digit or -.",
            )
            for name in views
            if not name.replace("-", "_").isidentifier() or len(name) > 64
        )
        return views

    @field_validator("features", mode="before")
    @classmethod
    def _as_the_method_has_them(cls, value: Any, info: ValidationInfo) -> Any:
        return value or DEFAULT_FEATURES.get(info.data.get("method", ""), "auto")

    @model_validator(mode="after")
    def _nothing_without_effect(self) -> Self:
        refuse(self._without_effect())
        return self

    def _without_effect(self) -> Iterator[tuple[KeyPath, str]]:
        for name in _OF_CO_EM:
            if self.method == "joint" and name in self.model_fields_set:
                yield (name,), "belongs to the paper's method; add `method: co-em` (--method co-em), or leave it out."
        if self.compare_co_em and (self.method == "co-em" or not self.comparison):
            yield ("compare_co_em",), "adds co-em to the comparison of a joint clustering; leave it out."
        methods = {name: view.features or self.features for name, view in self.views.items()}
        has = "goes only with `features: spectral` or `features: pca`; choose one, or leave it out."
        if self.n_components is not None and not {"spectral", "pca"} & set(methods.values()):
            yield ("n_components",), has
        for name, view in self.views.items():
            if view.n_components is not None and methods[name] not in ("spectral", "pca"):
                yield ("views", name, "n_components"), has

    @field_validator("matches")
    @classmethod
    def _two_views(cls, matches: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        refuse(_wrong_pairs(matches, info.data.get("views")))
        return matches

    @field_validator("constraints", "show")
    @classmethod
    def _of_views(cls, given: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        views = info.data.get("views")
        refuse(((name,), problem) for name in given if (problem := _no_view(name, views)))
        return given

    @property
    def k(self) -> int:
        """The number of clusters, where it is known."""
        assert self.n_clusters != "auto"
        return self.n_clusters

    def stability_runs_of(self, n_rows: int) -> int:
        """Return the number of stability runs of so many rows in all views."""
        if self.stability_runs is not None:
            return self.stability_runs
        return _RUNS if n_rows < _MANY_ROWS else _RUNS_OF_MANY

    def settings(self) -> dict[str, Any]:
        """Return what the job does, as a file would say it; without what has no effect."""
        useless = set(_OF_CO_EM) if self.method == "joint" else set()
        useless |= set() if self.show else {"show"}
        return self.model_dump(mode="json", exclude_none=True, exclude=useless)


def _wrong_pairs(pairs: Iterable[str], views: Collection[str] | None) -> Iterator[tuple[tuple[str], str]]:
    """Give what is wrong with the keys of the matches: not two views of which nothing was said before."""
    before: dict[frozenset[str], str] = {}
    for pair in pairs:
        names = pair.split(":")
        if len(names) != 2 or names[0] == names[1] or "" in names:
            yield (pair,), f"{shown(pair)} does not name two different views; write VIEW:VIEW."
        elif problem := _no_view(names[0], views) or _no_view(names[1], views):
            yield (pair,), problem
        elif (first := before.setdefault(frozenset(names), pair)) != pair:
            yield (
                (pair,),
                f"the same two views are given twice, also as {clipped(first)}; put their matches into one file.",
            )


def _no_view(name: str, views: Collection[str] | None) -> str:
    """Say that a view is not there, where it is not; what is wrong with the views themselves is said of them."""
    if views is None or name in views:
        return ""
    known = clipped(", ".join(views), 200) or "none"
    return f"there is no view {clipped(repr(name))}{nearest(name, views)} Known: {known}."


def load_job(
    path: str | os.PathLike[str] | None,
    options: Iterable[tuple[tuple[str, ...], Any, str]] = (),
    overrides: Iterable[str] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Job:
    """Put a job together from a YAML file, if there is one, and options, which replace its values.

    Parameters
    ----------
    path : str or path-like or None
        Paths in this file are relative to it.
    options : iterable of (keys, value, label)
        Where the value belongs, such as ``("views", "texts", "path")``, and what messages call the option. The path
        of a new view comes before what else is said of it.
    overrides : iterable of str
        Values that replace those of the file, such as ``"n_clusters=4"``; what follows the ``=`` is YAML.
    defaults : mapping
        Values where neither file nor options have any.

    Raises
    ------
    ConfigError
        With one line for each unknown key, wrong type and impossible value.
    """
    source = "the options" if path is None else os.fspath(path)
    options = list(options)
    check = ("mvcc cluster", "" if path is None else shlex.quote(source), "…" if options else "", "--dry-run")
    if overrides := list(overrides):  # which `mvcc validate` alone has
        check = ("mvcc validate", shlex.quote(source), "", "")
    problems = Problems(source, " ".join(filter(None, check)))
    value = {} if path is None else read_yaml(path, problems)
    for override in overrides:
        assign(value, override, problems)
    value = _expanded(value, "" if path is None else os.path.dirname(path))
    for keys, new, label in options:
        label = clipped(label, 200)
        if problem := _beside_views(keys, value):
            problems.report(keys, problem, problems.option(label))
        else:
            put(value, keys, new, label, problems)
    if isinstance(value, dict):
        value = {**defaults, **value}
    return validated(Job, value, problems)


def _beside_views(keys: tuple[str, ...], value: Any) -> str:
    """Say that an option tells something of a view that is not there, where it does."""
    views = value.get("views", {}) if isinstance(value, dict) else None
    tells = keys[0] == "views" and keys[-1] != "path"
    return _no_view(keys[1], views) if tells and isinstance(views, dict) else ""


def _expanded(value: Any, folder: str) -> Any:
    """Return the values of a file with every view as a section, and paths seen from where the command was given."""

    def seen(path: Any) -> Any:
        if not isinstance(path, str) or not path or "\0" in path:
            return path
        return os.path.join(folder, os.path.expanduser(path))

    def section(view: Any) -> Any:
        return {"path": seen(view)} if isinstance(view, str) else view | {"path": seen(view["path"])}

    if not isinstance(value, dict):
        return value
    if isinstance(views := value.get("views"), dict):
        value["views"] = {
            name: section(view) if isinstance(view, str) or (isinstance(view, dict) and "path" in view) else view
            for name, view in views.items()
        }
    if "asked" in value:
        value["asked"] = seen(value["asked"])
    for key in ("matches", "constraints"):
        if isinstance(files := value.get(key), dict):
            value[key] = {name: seen(path) for name, path in files.items()}
    return value
