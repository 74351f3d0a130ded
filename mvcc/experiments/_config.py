"""The configuration of an experiment (§6.1–6.2, Table 1), with all its mistakes at once."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from mvcc._utils.messages import clipped, nearest, typed
from mvcc._utils.reading import StrPath
from mvcc._utils.settings import (
    KeyPath,
    Problems,
    Section,
    allowed,
    alone_or_several,
    assign,
    distinct,
    got,
    increasing,
    not_one_of,
    one_of,
    read_yaml,
    refuse,
    validated,
)
from mvcc.datasets import registry
from mvcc.exceptions import ConfigError
from mvcc.multiview import check_method, transfer_options
from mvcc.results import BASES, JOINT, POOLED, PROPAGATION, TRANSFERS

Closure: TypeAlias = Literal["full", "view", "none"]
Scaling: TypeAlias = Literal["minmax", "none"]
Study: TypeAlias = Literal[
    "main", "closure", "thresholds", "embedding", "shapes", "rewired", "views", "beyond"
]


def data_set(value: Any) -> Any:
    if value not in tuple(registry()):
        raise ValueError(not_one_of(value, registry()))
    return value


def loader_options(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"must be a section with one `option: value` per line, got {got(value)}.")
    if taken := sorted({"name", "data_dir", "random_state"} & value.keys()):
        raise ValueError(
            f"{', '.join(taken)} cannot be set here: the run itself hands it to the loader."
        )
    return dict(sorted(value.items()))


def transfer_method(value: Any) -> str:
    """Return the name of a method that can be used here, of mvcc or of another package."""
    if not isinstance(value, str):
        raise ValueError(f"must be a name such as {PROPAGATION}, got {got(value)}.")
    check_method(value)
    return value


def sections_of_options(value: Any) -> Any:
    if not isinstance(value, dict) or not all(
        isinstance(options, dict) and options for options in value.values()
    ):
        raise ValueError(
            "must be a section for each method, such as `constraint-propagation: "
            f"{{regularization: 1e-3}}`, got {got(value)}."
        )
    return {name: dict(sorted(options.items())) for name, options in sorted(value.items())}


Name = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$", max_length=64),
    allowed("1 to 64 letters, digits, _ and -, not beginning with -"),
]
Scalar = Annotated[str | int | float | bool, allowed("a single text, number, true or false")]
Components = Annotated[int, Field(ge=1, le=10**6), allowed("a whole number from 1 to 10^6")]
Sigma = Annotated[float, Field(gt=0), allowed("a number above 0")]
Threshold = Annotated[float, Field(gt=0, le=1)]
ViewThreshold = Annotated[Threshold, allowed("a number above 0, up to 1")]
Portion = Annotated[float, Field(ge=0, le=1), allowed("a number from 0 to 1 (0.2 for 20 %)")]
Count = Annotated[int, Field(ge=0, le=10**9), allowed("a whole number from 0 to 10^9")]
_List = Field(min_length=1, strict=False)
Portions = Annotated[tuple[Portion, ...], _List, AfterValidator(increasing)]
Counts = Annotated[tuple[Count, ...], _List, AfterValidator(increasing)]
Thresholds = Annotated[
    tuple[Annotated[Threshold | Literal["cv"], allowed("a number above 0, up to 1, or cv")], ...],
    _List,
    BeforeValidator(alone_or_several),
    AfterValidator(distinct),
]
Closures = Annotated[
    tuple[Closure, ...], _List, BeforeValidator(alone_or_several), AfterValidator(distinct)
]
# the default is left out, so that results of configs before this option keep their identity
Init = Annotated[
    Literal["auto"] | None,
    BeforeValidator(lambda value: None if value == "neighborhoods" else value),
    one_of(("neighborhoods", "auto")),
]
Bases = Annotated[tuple[Annotated[str, one_of(tuple(BASES))], ...], _List, AfterValidator(distinct)]
Transfers = Annotated[
    tuple[Annotated[str, BeforeValidator(transfer_method)], ...], _List, AfterValidator(distinct)
]
TransferOptions = Annotated[dict[str, dict[str, Scalar]], BeforeValidator(sections_of_options)]

_SPECTRAL: dict[str | None, Any] = {"sigma": 1.0, "scaling": "minmax"}  # unless they are given
MAX_CELLS = 100_000  # of a trial; more is a slip in a list, and would fill the memory


class Features(Section):
    """How the raw features of each view become the space that is clustered (§6.1)."""

    method: Literal["spectral", "auto", "none"] = "none"
    n_components: Components | None = Field(default=None, validate_default=True)
    sigma: Sigma | None = Field(default=None, validate_default=True)
    scaling: Scaling | None = Field(default=None, validate_default=True)

    @field_validator("n_components", "sigma", "scaling", mode="before")
    @classmethod
    def _only_if_spectral(cls, value: Any, info: ValidationInfo) -> Any:
        method = info.data.get("method")
        if method in ("auto", "none") and value is not None:
            raise ValueError("goes only with `method: spectral`; choose that, or delete this line.")
        if method == "spectral" and value is None:
            if info.field_name == "n_components":
                raise ValueError(
                    "is missing; `method: spectral` needs a line such as `n_components: 5`."
                )
            return _SPECTRAL[info.field_name]
        return value


class MultiView(Section):
    """The multi-view experiments: each combination of the lists is a cell of every trial (§6.2)."""

    bases: Bases = Field(default=tuple(BASES), examples=["[pck-means, mpck-means]"])
    init: Init = None
    transfers: Transfers = Field(
        default=tuple(TRANSFERS), examples=["[constraint-propagation, single-view]"]
    )
    transfer_options: TransferOptions | None = None
    threshold: Thresholds = Field(examples=["[0.5]"])
    closure: Closures = Field(default=("full",), examples=["[full, view, none]"])
    mapped: Portions = Field(examples=["[0.2, 0.4, 1.0]"])
    rewired: Portions = Field(default=(0.0,), examples=["[0.0, 0.5]"])
    constraints: Counts = Field(examples=["[10, 25, 50]"])

    @field_validator("transfer_options")
    @classmethod
    def _of_chosen_methods(
        cls, options: dict[str, dict[str, Any]] | None, info: ValidationInfo
    ) -> dict[str, dict[str, Any]] | None:
        chosen = info.data.get("transfers")
        if options is None or chosen is None:  # the list of methods has a problem of its own
            return options
        refuse(_unknown_options(options, chosen))
        return options

    @field_validator("rewired")
    @classmethod
    def _no_contradictions(
        cls, rewired: tuple[float, ...], info: ValidationInfo
    ) -> tuple[float, ...]:
        if max(rewired) > 0 and JOINT in info.data.get("transfers", ()):
            raise ValueError(
                f"{JOINT} refuses relations that contradict constraints; leave it out of the "
                "transfers."
            )
        if max(rewired) > 0 and "full" in info.data.get("closure", ()):
            raise ValueError(
                "relations between instances of different classes contradict the constraints once "
                "both are closed together; give `closure: view` or `closure: none`."
            )
        return rewired

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        lists = [(name, len(value)) for name, value in self if isinstance(value, tuple)]
        if math.prod(length for _, length in lists) > MAX_CELLS:
            product = " × ".join(f"{length} {name}" for name, length in lists if length > 1)
            raise ValueError(
                f"{product} are more than {MAX_CELLS} combinations in every trial; shorten the "
                "lists."
            )
        return self


def _unknown_options(
    options: dict[str, dict[str, Any]], chosen: tuple[str, ...]
) -> Iterator[tuple[KeyPath, str]]:
    """Give the options of methods that are not chosen, and those that a method does not know."""
    for name, values in options.items():
        if name not in chosen:
            listed = f"{nearest(name, chosen)} Listed: {', '.join(chosen)}."
            yield (name,), f"{clipped(name)} is not in the list of transfers{listed}"
            continue
        known = transfer_options(name)
        for option in values:
            if option not in known:
                listed = f"{nearest(option, known)} Known: {', '.join(known) or 'none'}."
                yield (name, option), f"{name} has no option {clipped(option)}{listed}"


class SingleView(Section):
    """The single-view experiments: each view with and without Constraint Propagation (§6.4)."""

    thresholds: dict[str, ViewThreshold] = Field(min_length=1, examples=["{letters: 0.95}"])
    bases: Bases = Field(default=tuple(BASES), examples=["[pck-means, mpck-means]"])
    constraints: Counts = Field(examples=["[10, 25, 50]"])


class Config(Section):
    """An experiment: multi-view (§6.2), single-view (§6.4), or both."""

    name: Name = Field(examples=["my_experiment"])  # the results go to results/<name>
    study: Study = "main"  # that of Figures 4 to 10; beyond is that of joint clustering
    dataset: Annotated[str, BeforeValidator(data_set)] = Field(examples=["protein"])
    dataset_options: Annotated[dict[str, Scalar], BeforeValidator(loader_options)] = Field(
        default={}
    )
    features: Features = Features()
    # how often constraints and mapping are drawn afresh, and the seed of all these draws
    trials: Annotated[int, Field(ge=1, le=10**6), allowed("a whole number from 1 to 10^6")] = 100
    seed: Annotated[int, Field(ge=0, lt=2**63), allowed("a whole number from 0 to 2^63 - 1")] = 0
    multi_view: MultiView | None = None
    single_view: SingleView | None = None

    @field_validator("single_view")
    @classmethod
    def _views_of_the_data_set(
        cls, single_view: SingleView | None, info: ValidationInfo
    ) -> SingleView | None:
        known = registry().get(info.data.get("dataset", ""))
        if single_view is not None and known is not None and known.views:
            views = [*(view.name for view in known.views), POOLED]
            refuse(
                (
                    ("thresholds", view),
                    f"{known.name} has no view {clipped(view)}{nearest(view, views)} Allowed: "
                    f"{', '.join(views)}.",
                )
                for view in single_view.thresholds
                if view not in views
            )
        return single_view

    @model_validator(mode="after")
    def _something_to_run(self) -> Self:
        if self.multi_view is None and self.single_view is None:
            raise ValueError(
                "there is nothing to run; add a section `multi_view:`, `single_view:` or both."
            )
        return self

    def resolved(self) -> dict[str, Any]:
        """Return the configuration with its defaults, ready for JSON, in the order of the class."""
        return self.model_dump(mode="json", exclude_none=True)

    def transfers(self) -> tuple[str, ...]:
        """Return the names of the transfer methods of the multi-view experiments."""
        return self.multi_view.transfers if self.multi_view is not None else ()


def load_config(path: StrPath, overrides: Iterable[str] = ()) -> Config:
    """Read an experiment's configuration from a YAML file.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8, or the name of one that mvcc comes with, such as ``four_quadrants``.
    overrides : iterable of str, default=()
        Values that replace those of the file, such as ``"multi_view.threshold=0.8"``; what follows
        the ``=`` is YAML.

    Returns
    -------
    Config
        The configuration, complete with its defaults.

    Raises
    ------
    ConfigError
        If the file cannot be read, or with one line for each unknown key, wrong type and impossible
        value in it.

    See Also
    --------
    experiments.run_experiment : Runs it.
    """
    problems = Problems(path, f"mvcc run {typed(path)} --dry-run")
    values = read_yaml(_bundled(path) or path, problems)
    for override in overrides:
        assign(values, override, problems)
    return validated(Config, values, problems)


def _bundled(path: StrPath) -> Path | None:
    """Return the config that mvcc comes with under this name, where no file has it."""
    name = os.fspath(path)
    if os.path.lexists(name) or not re.fullmatch(r"\w+", name):
        return None
    package = Path(__file__).parents[1]
    # an installed package holds them; in a checkout they stand beside it
    files = [*package.glob("configs/*.yaml")] or package.parent.glob("configs/*.yaml")
    known = {file.stem: file for file in sorted(files)}
    if name not in known:
        raise ConfigError(
            f"{name}: there is no such file, and no experiment of this name comes with mvcc"
            f"{nearest(name, known)} These do: {', '.join(known)}."
        )
    return known[name]
