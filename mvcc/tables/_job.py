"""What to cluster, and how: the settings of `mvcc cluster`, from a YAML file, options, or both.

A setting stands here once. From its field come the key in YAML, the option of the command line, the
comment in the config that `mvcc init` writes, and the reference in the documentation.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from mvcc._utils.messages import clipped, for_reader, nearest, shown, views_of_pair
from mvcc._utils.settings import (
    KeyPath,
    Option,
    Section,
    allowed,
    alone_or_several,
    one_of,
    refuse,
    scalar,
)
from mvcc.multiview import transfer_names
from mvcc.results import BASES

Features: TypeAlias = Literal["auto", "counts", "histograms", "scaled", "spectral", "pca", "none"]
Kind = Literal["number", "text", "category", "date", "picture"]
# the first two are dates, the last one is text
AskedKind = Kind | Literal["day first", "month first", "mail"]
DEFAULT_FEATURES: dict[str, Features] = {"joint": "auto", "co-em": "spectral"}
_MANY_ROWS, _RUNS, _RUNS_OF_MANY = 100_000, 10, 3  # stability runs
_OF_CO_EM = ("base", "transfer", "threshold", "closure")

_Path = Annotated[
    str,
    Field(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$"),
    allowed("the path of a file, in at most 4096 characters that can all be printed"),
]
_Paths = Annotated[tuple[_Path, ...], BeforeValidator(alone_or_several)]
_Column = Annotated[str, allowed("the name of a column")]  # empty, where pandas wrote an index
_Sheet = Annotated[
    str,
    BeforeValidator(lambda name: str(name) if type(name) is int else name),  # such as 2024
    Field(min_length=1),
    allowed("the name of a sheet"),
]
_Columns = Annotated[tuple[_Column, ...], BeforeValidator(alone_or_several)]
_Word = Annotated[
    str,
    BeforeValidator(lambda word: str(word) if type(word) in (int, float) else word),
    Field(min_length=1),
]
_Words = Annotated[
    tuple[_Word, ...], BeforeValidator(alone_or_several), allowed("a list of words or numbers")
]
_UsedColumns = Annotated[
    dict[str, AskedKind | Literal["ignore"]] | tuple[_Column, ...],
    BeforeValidator(alone_or_several),
    allowed(
        "a list of columns, or number, text, mail, category, date, day first, month first, picture"
        " or ignore for some columns"
    ),
]
_Switch = Annotated[bool, Field(strict=True), allowed("true or false")]
_Components = Annotated[int, Field(ge=1, le=10**6), allowed("a whole number from 1 to 10^6")]
_NumberOfClusters = Annotated[
    Annotated[int, Field(ge=1, le=10**6)] | Literal["auto"],
    allowed("a whole number from 1 to 10^6, or auto"),
]
_Threshold = Annotated[
    Annotated[float, Field(gt=0, le=1)] | Literal["cv"], allowed("a number above 0, up to 1, or cv")
]


def _listed(text: str) -> list[str]:
    """Return columns that commas separate; a name with a comma is in double quotes."""
    # csv has no line breaks outside of quotes, and no command has these two characters
    one_line = text.replace("\n", "\0").replace("\r", "\x01")
    listed = next(csv.reader([one_line], skipinitialspace=True))
    return [name.replace("\0", "\n").replace("\x01", "\r") for name in listed]


_ID_COLUMN = Option("VIEW=COLUMN", default="id, or a column like an id")
_COLUMNS = Option("VIEW=COLUMN[,COLUMN]", read=_listed)
_K = Option("NUMBER|auto|RANGE", ("-k", "--clusters"), read=scalar)
_FEATURES = Option("[VIEW=]NAME", default="auto; spectral for co-em")
_COMPONENTS = Option(
    "[VIEW=]NUMBER", ("--components",), default="k for spectral, up to 10 for pca", read=scalar
)


class View(Section):
    """A table with one row per object."""

    path: _Path = Field(
        description="CSV, TSV, Excel, JSON, Parquet, NPZ, NPY, ARFF, or a folder of Parquet files.",
        examples=["texts.csv"],
    )
    sheet: Annotated[_Sheet | None, Option("VIEW=NAME", default="the one with a table")] = Field(
        default=None, description="Excel: the name of the sheet."
    )
    header: Annotated[
        Annotated[int, Field(ge=1, le=2**20)] | None,
        allowed("a row number from 1 to 1048576"),
        Option("VIEW=ROW", default="found", read=scalar),
    ] = Field(default=None, description="Excel: the row of the sheet that names the columns.")
    id_column: Annotated[_Column | None, _ID_COLUMN] = Field(
        default=None, description="The column that names the rows; without one, rows are numbered."
    )
    labels_column: Annotated[_Column | None, Option("VIEW=COLUMN")] = Field(
        default=None, description="True labels, only compared with the clusters."
    )
    ignore: Annotated[_Columns, _COLUMNS] = Field(default=(), description="Columns to leave out.")
    columns: Annotated[_UsedColumns | None, _COLUMNS] = Field(
        default=None,
        description="The only columns to cluster by; or, in a file, what columns are: number, "
        "text, mail, category, date, day first, month first, picture, ignore.",
    )
    missing: Annotated[_Words | None, Option("VIEW=WORD[,WORD]", read=_listed)] = Field(
        default=None,
        description="Further values that mean an empty cell, such as '-99', beside - and n/a.",
    )
    show: _Columns | None = Field(default=None, description="As `show` of all, for this view.")
    features: Features | None = Field(default=None, description="For this view only.")
    n_components: _Components | None = Field(default=None, description="For this view only.")

    @property
    def kinds(self) -> dict[str, AskedKind | Literal["ignore"] | None]:
        """The columns that ``columns`` names, each with its kind, or "ignore", if it says so."""
        if isinstance(self.columns, dict):
            return {**self.columns}
        return dict.fromkeys(self.columns or ())

    @property
    def asked_for(self) -> list[str | None]:
        """The columns that settings name, but those of ids and those to show."""
        return [self.labels_column, *self.ignore, *self.kinds]


class Job(Section):
    """Everything that `mvcc cluster` needs to know."""

    views: Annotated[dict[str, View], Option("NAME=FILE", ("--view",))] = Field(
        description="Tables with one row per object; mvcc cluster: or folders of Parquet files.",
        examples=["{texts: texts.csv, images: images.npz}"],
    )
    matches: Annotated[dict[str, _Path], Option("VIEW:VIEW=FILE", ("--match",))] = Field(
        default={},
        description="Rows of two views that are the same object: a table of two columns of ids.",
        examples=["{texts:images: matches.csv}"],
    )
    constraints: Annotated[dict[str, _Path], Option("VIEW=FILE")] = Field(
        default={},
        description="Pairs of rows that belong together or apart: columns i,j,kind[,weight].",
        examples=["{texts: pairs.csv}"],
    )
    show: Annotated[dict[str, _Columns], _COLUMNS] = Field(
        default={},
        description="Columns that `mvcc ask`, `match`, `review` and the report show.",
        examples=["{texts: [title, body]}"],
    )
    asked: Annotated[_Paths, Option("FOLDER")] = Field(
        default=(),
        description="Your answers: the folder of `mvcc ask`; of several people, one of each.",
        examples=["asked"],
    )
    continues: Annotated[_Path | None, Option("FOLDER", ("--continue",))] = Field(
        default=None,
        description="An earlier result: its clusters keep their numbers, names and answers.",
        examples=["results-may"],
    )
    n_clusters: Annotated[_NumberOfClusters, _K] = Field(
        description="Number of clusters, the same in all views; auto: as many as groups named.",
        examples=["5"],
    )
    method: Annotated[Literal["joint", "co-em"], Option("NAME")] = Field(
        default="joint", description="joint: all views in one graph; co-em: the paper's method."
    )
    base: Annotated[str, one_of(tuple(BASES)), Option("NAME")] = Field(
        default="mpck-means", description="co-em: clusters each view by mpck-means or pck-means."
    )
    transfer: Annotated[str, one_of(transfer_names()), Option("NAME")] = Field(
        default="constraint-propagation", description="co-em: what views pass on to each other."
    )
    threshold: Annotated[_Threshold, Option("NUMBER|cv", read=scalar)] = Field(
        default=0.75,
        description="co-em: least weight of a propagated constraint; cv: cross-validated.",
    )
    closure: Annotated[Literal["full", "view", "none"], Option("NAME")] = Field(
        default="full", description="co-em: add what follows from constraints: full, view or none."
    )
    on_conflict: Annotated[Literal["error", "drop"], Option("NAME")] = Field(
        default="error",
        description="Contradictory constraints: error stops and shows them, drop keeps what fits.",
    )
    unknown: Annotated[Literal["error", "skip"], Option("NAME")] = Field(
        default="error",
        description="Rows in matches, constraints and answers that no table has: error stops and "
        "names them, skip leaves them out.",
    )
    features: Annotated[Features | None, _FEATURES] = Field(
        default=None,
        validate_default=True,
        description="auto (by kind of column), counts, histograms, scaled, spectral, pca, none.",
    )
    n_components: Annotated[_Components | None, _COMPONENTS] = Field(
        default=None, description="Dimensions of spectral or pca features."
    )
    stability_runs: Annotated[
        Annotated[int, Field(ge=0, le=1000)] | None,
        allowed("a whole number from 0 to 1000"),
        Option("NUMBER", default="10; 3 from 100,000 rows on", read=scalar),
    ] = Field(default=None, description="Further runs, each without a tenth of the constraints.")
    comparison: Annotated[_Switch, Option("", ("--comparison/--no-comparison",), read=bool)] = (
        Field(
            default=True,
            description="Compare with k-means, and with no constraints; co-em: with joint, too.",
        )
    )
    compare_co_em: Annotated[
        _Switch, Option("", ("--compare-co-em/--no-compare-co-em",), read=bool)
    ] = Field(
        default=False,
        description="joint: compare with co-em as well, which takes most of the time.",
    )
    sample: Annotated[
        Annotated[int, Field(ge=2, le=10**9)] | None,
        allowed("a whole number from 2 to 10^9"),
        Option("NUMBER", default="100000, or what fits into memory", read=scalar),
    ] = Field(
        default=None, description="Folders: rows of each that are clustered; all get a label."
    )
    seed: Annotated[
        int,
        Field(ge=0, lt=2**63),
        allowed("a whole number from 0 to 2^63 - 1"),
        Option("NUMBER", read=scalar),
    ] = Field(default=0, description="The same seed gives the same result.")

    @field_validator("views")
    @classmethod
    def _names(cls, views: dict[str, View]) -> dict[str, View]:
        if not views:
            raise ValueError("there is no view; give at least one, such as `texts: texts.csv`.")
        before: dict[str, str] = {}
        problems: dict[KeyPath, str] = {}
        rule = "Allowed: letters, digits, _ and -, not beginning with a digit or -."
        remedy = "files of the two would have one name, on some disks. Rename the view."
        for name in views:
            if not name.replace("-", "_").isidentifier() or name[0] == "-" or len(name) > 64:
                problems[(name,)] = f"{shown(name)} cannot be the name of a view. {rule}"
            elif (first := before.setdefault(name.casefold(), name)) != name:
                problems[(name,)] = f"is called {first} but for capitals: {remedy}"
        refuse(problems.items())
        return views

    @field_validator("features", mode="before")
    @classmethod
    def _as_the_method_has_them(cls, value: Any, info: ValidationInfo) -> Any:
        return value or DEFAULT_FEATURES.get(info.data.get("method", ""), "auto")

    @model_validator(mode="after")
    def _nothing_without_effect(self) -> Self:
        useless: dict[KeyPath, str] = {}
        co_em = for_reader("--method co-em", 'method="co-em"')
        add = f"add `method: co-em` ({co_em}), or leave it out."
        for name in _OF_CO_EM:
            if self.method == "joint" and name in self.model_fields_set:
                useless[(name,)] = f"belongs to the paper's method; {add}"
        if self.compare_co_em and (self.method == "co-em" or not self.comparison):
            problem = "adds co-em to the comparison of a joint clustering; leave it out."
            useless[("compare_co_em",)] = problem
        methods = {name: view.features or self.features for name, view in self.views.items()}
        has = "goes only with `features: spectral` or `features: pca`; choose one, or leave it out."
        if self.n_components is not None and not {"spectral", "pca"} & set(methods.values()):
            useless[("n_components",)] = has
        for name, view in self.views.items():
            if view.n_components is not None and methods[name] not in ("spectral", "pca"):
                useless["views", name, "n_components"] = has
            for key in ("sheet", "header"):
                if getattr(view, key) is not None and not view.path.lower().endswith(".xlsx"):
                    problem = "goes only with an Excel file (.xlsx); leave it out."
                    useless["views", name, key] = problem
        refuse(useless.items())
        return self

    @field_validator("matches")
    @classmethod
    def _two_views(cls, matches: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        views = info.data.get("views")
        before: dict[frozenset[str], str] = {}
        problems: dict[KeyPath, str] = {}
        for pair in matches:
            names = views_of_pair(pair)
            if len(names) != 2 or names[0] == names[1] or "" in names:
                problem = f"{shown(pair)} does not name two different views; write VIEW:VIEW."
                problems[(pair,)] = problem
            elif unknown := no_view(names[0], views) or no_view(names[1], views):
                problems[(pair,)] = unknown
            elif (first := before.setdefault(frozenset(names), pair)) != pair:
                twice = f"the same two views are given twice, also as {clipped(first)}"
                problems[(pair,)] = f"{twice}; put their matches into one file."
        refuse(problems.items())
        return matches

    @field_validator("constraints", "show")
    @classmethod
    def _of_views(cls, given: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        views = info.data.get("views")
        refuse(((name,), problem) for name in given if (problem := no_view(name, views)))
        return given

    @property
    def k(self) -> int:
        """The number of clusters, where it is known."""
        assert self.n_clusters != "auto"
        return self.n_clusters

    def shown_of(self, view: str) -> tuple[str, ...]:
        """Return the columns that people see of the rows of a view."""
        return self.views[view].show or self.show.get(view, ())

    def stability_runs_of(self, n_rows: int) -> int:
        """Return the number of stability runs of so many rows in all views."""
        if self.stability_runs is not None:
            return self.stability_runs
        return _RUNS if n_rows < _MANY_ROWS else _RUNS_OF_MANY

    def settings(self) -> dict[str, Any]:
        """Return the settings as a file has them, without those that have no effect."""
        useless = {name for name in ("show", "asked") if not getattr(self, name)}
        if self.method == "joint":
            useless.update(_OF_CO_EM)
        if self.unknown == "error":
            useless.add("unknown")
        settings = self.model_dump(mode="json", exclude_none=True, exclude=useless)
        if len(self.asked) == 1:
            settings["asked"] = self.asked[0]
        return settings


def no_view(name: str, views: Collection[str] | None) -> str:
    """Return what is wrong with the name of a view, nothing if the views are wrong themselves."""
    if views is None or name in views:
        return ""
    known = clipped(", ".join(views), 200) or "none"
    return f"there is no view {clipped(repr(name))}{nearest(name, views)} Known: {known}."
