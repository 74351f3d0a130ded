"""The configuration of an experiment (§6.1–6.2, Table 1): what a file may say; all mistakes are reported at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mvcc.datasets import registry
from mvcc.experiments._problems import KeyPath, Problems, clipped, nearest, shown
from mvcc.experiments._yaml import assign, read_yaml, scalar

Base: TypeAlias = Literal["pck-means", "mpck-means"]
Transfer: TypeAlias = Literal["constraint-propagation", "direct-mapping", "cluster-membership", "single-view"]
Closure: TypeAlias = Literal["full", "view", "none"]
Scaling: TypeAlias = Literal["minmax", "none"]


def _allowed(words: str) -> WrapValidator:
    """Answer every mistake in a value by saying what is allowed."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        def fits(other: Any) -> bool:
            try:
                handler(other)
            except ValidationError:
                return False
            return True

        try:
            return handler(value)
        except ValidationError:
            hint = ""
            if isinstance(value, str) and fits(scalar(value)):
                hint = " Write it without quotes."
            elif isinstance(value, int | float) and fits(shown(value)):
                hint = " Write it in quotes."
            raise ValueError(f"{shown(value)} is not allowed. Allowed: {words}.{hint}") from None

    return WrapValidator(check)


def _one_of(names: Sequence[str]) -> BeforeValidator:
    def check(value: Any) -> Any:
        if value not in names:
            guess = nearest(value, names) if isinstance(value, str) else "."
            raise ValueError(f"{shown(value)} is not allowed{guess} Allowed: {', '.join(names)}.")
        return value

    return BeforeValidator(check)


def _list_of(words: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"{shown(value)} is not allowed. Allowed: a list of {words}.")
        return tuple(value)

    return BeforeValidator(check)


def _increasing(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for before, after in pairwise(numbers):
        if after <= before:
            raise ValueError(f"{after} after {before} is not allowed; the numbers must increase, without repeats.")
    return numbers


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(f"{', '.join(twice)} stands in the list more than once; keep one.")
    return names


def _options(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)} is not allowed. Allowed: a section with one `option: value` per line.")
    if taken := sorted({"name", "data_dir", "random_state"} & value.keys()):
        raise ValueError(f"{', '.join(taken)} cannot be set here: the run itself hands it to the loader.")
    return dict(sorted(value.items()))


def _pair(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Name = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$", max_length=64),
    _allowed("1 to 64 letters, digits, _ and -, not beginning with -"),
]
Scalar = Annotated[str | int | float | bool, _allowed("a single text, number, true or false")]
Components = Annotated[int, Field(ge=1, le=10**6), _allowed("a whole number from 1 to 10^6")]
Sigma = Annotated[float, Field(gt=0), _allowed("a number above 0")]
Threshold = Annotated[float, Field(gt=0, le=1)]
Portion = Annotated[float, Field(ge=0, le=1), _allowed("a number from 0 to 1 (0.2 for 20 %)")]
Count = Annotated[int, Field(ge=0, le=10**9), _allowed("a whole number from 0 to 10^9")]
Portions = Annotated[tuple[Portion, ...], _list_of("portions such as [0.2, 0.4, 1.0]"), AfterValidator(_increasing)]
Counts = Annotated[tuple[Count, ...], _list_of("numbers such as [10, 25, 50]"), AfterValidator(_increasing)]
Thresholds = Annotated[
    Threshold | tuple[Threshold, Threshold],
    BeforeValidator(_pair),
    _allowed("a number above 0, up to 1, or a list of two such numbers, one per view"),
]
Bases = Annotated[
    tuple[Annotated[Base, _one_of(get_args(Base))], ...],
    _list_of("clustering algorithms such as [pck-means, mpck-means]"),
    AfterValidator(_distinct),
]
Transfers = Annotated[
    tuple[Annotated[Transfer, _one_of(get_args(Transfer))], ...],
    _list_of("transfer methods such as [constraint-propagation, single-view]"),
    AfterValidator(_distinct),
]


class Section(BaseModel):
    """A part of a configuration: exactly these keys, of exactly these types, never changed.

    A new key is one line: a type from above and a default, or else an example for the message that asks for it.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Features(Section):
    """How the raw features of each view become the space that is clustered (§6.1)."""

    method: Annotated[Literal["spectral", "none"], _one_of(("spectral", "none"))] = "none"
    n_components: Components | None = Field(default=None, validate_default=True)
    sigma: Sigma | None = Field(default=None, validate_default=True)
    scaling: Annotated[Scaling, _one_of(get_args(Scaling))] | None = Field(default=None, validate_default=True)

    @field_validator("n_components", "sigma", "scaling", mode="before")
    @classmethod
    def _only_if_spectral(cls, value: Any, info: ValidationInfo) -> Any:
        method = info.data.get("method")
        if method == "none" and value is not None:
            raise ValueError("goes only with `method: spectral`; choose that, or delete this line.")
        if method == "spectral" and value is None:
            if info.field_name == "n_components":
                raise ValueError("is missing; `method: spectral` needs a line such as `n_components: 5`.")
            return 1.0 if info.field_name == "sigma" else "minmax"
        return value


class MultiView(Section):
    """The multi-view experiment: every combination of method, mapped portion and number of constraints (§6.2)."""

    bases: Bases = get_args(Base)
    transfers: Transfers = get_args(Transfer)
    threshold: Thresholds = Field(examples=["0.5"])
    closure: Annotated[Closure, _one_of(get_args(Closure))] = "full"
    mapped: Portions = Field(examples=["[0.2, 0.4, 1.0]"])
    constraints: Counts = Field(examples=["[10, 25, 50]"])

    @property
    def n_cells(self) -> int:
        """The number of combinations in every trial; Single View uses no mapping, so its portion does not matter."""
        portions = sum(1 if transfer == "single-view" else len(self.mapped) for transfer in self.transfers)
        return len(self.bases) * portions * len(self.constraints)


class Config(Section):
    """A whole experiment.

    Attributes
    ----------
    name : str
        The results go to ``results/<name>``.
    dataset : str
        The name of the data set, with `dataset_options` for its loader.
    features : Features
        How raw features become the space that is clustered.
    trials, seed : int
        How often constraints and mapping are drawn afresh, and the seed of all these draws.
    multi_view : MultiView
        The multi-view experiment.
    """

    name: Name = Field(examples=["my_experiment"])
    dataset: Annotated[str, _one_of(tuple(registry()))] = Field(examples=["protein"])
    dataset_options: Annotated[dict[str, Scalar], BeforeValidator(_options)] = {}
    features: Features = Features()
    trials: Annotated[int, Field(ge=1, le=10**6), _allowed("a whole number from 1 to 10^6")] = 100
    seed: Annotated[int, Field(ge=0, lt=2**63), _allowed("a whole number from 0 to 2^63 - 1")] = 0
    multi_view: MultiView

    def resolved(self) -> dict[str, Any]:
        """Return the configuration complete with its defaults, ready for JSON, in the order of the class."""
        return self.model_dump(mode="json", exclude_none=True)

    def identity(self) -> dict[str, Any]:
        """Return what two runs must share to belong together: everything but the number of trials."""
        return {key: value for key, value in self.resolved().items() if key != "trials"}


def load_config(path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Config:
    """Read an experiment's configuration from a YAML file.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8.
    overrides : iterable of str
        Values that replace those of the file, such as ``"multi_view.threshold=0.8"``; what follows the ``=`` is YAML.

    Returns
    -------
    Config
        The configuration, complete with its defaults.

    Raises
    ------
    ConfigError
        If the file cannot be read, or with one line for each unknown key, wrong type and impossible value in it.
    """
    problems = Problems(path)
    value = read_yaml(path, problems)
    for override in overrides:
        assign(value, override, problems)
    config = _validated(value, problems)
    if config is None or problems:
        raise problems.error()
    return config


def _validated(value: Any, problems: Problems) -> Config | None:
    try:
        return Config.model_validate(value)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            problems.report(details["loc"], _explained(details))
        return None


def _explained(details: ErrorDetails) -> str:
    path, value = details["loc"], details["input"]
    match details["type"]:
        case "value_error":
            return str(details["ctx"]["error"])
        case "missing":
            return _missing(path)
        case "extra_forbidden":
            return _unknown(path)
        case "model_type":
            return f"{shown(value)} is not allowed. Allowed: a section with the keys {', '.join(_fields(path))}."
        case _:
            return f"{shown(value)} is not allowed."


def _missing(path: KeyPath) -> str:
    key = str(path[-1])
    if example := _fields(path[:-1])[key].examples:
        return f"is missing; add a line such as `{key}: {example[0]}`."
    needed = [name for name, field in _fields(path).items() if field.is_required()]
    return f"is missing; add a section `{key}:` with at least the keys {', '.join(needed)}."


def _unknown(path: KeyPath) -> str:
    key, known = str(path[-1]), _fields(path[:-1])
    homes = [home for home in ((), *((name,) for name in Config.model_fields)) if key in _fields(home)]
    if homes:
        place = f"in the section '{homes[0][0]}'" if homes[0] else "at the top level, without indentation"
        return f"unknown key '{key}' here; it belongs {place}."
    return f"unknown key '{clipped(key)}'{nearest(key, known)} Known: {', '.join(known)}."


def _fields(path: KeyPath) -> dict[str, FieldInfo]:
    """Return the keys of the section at `path`, none if no section is there."""
    fields = Config.model_fields
    for key in path:
        annotation = fields[str(key)].annotation
        kinds = (annotation, *get_args(annotation))
        section = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)), None)
        fields = section.model_fields if section else {}
    return fields
