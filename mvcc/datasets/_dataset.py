"""What a data set is, how it is loaded by its name, and what loaders share (§6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from inspect import Parameter, signature
from itertools import combinations
from pkgutil import resolve_name
from typing import Any, TypeVar

import numpy as np

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.messages import clipped, shown
from mvcc._utils.reading import StrPath
from mvcc._utils.validation import (
    RandomState,
    as_generator,
    check_count,
    check_data,
    check_labels,
)
from mvcc.constraints import check_mappings
from mvcc.datasets._files import fetch
from mvcc.datasets._registry import dataset_info
from mvcc.exceptions import DataError, InvalidInputError, MvccError


@dataclass(frozen=True, eq=False, repr=False)  # arrays have no single truth value to compare by
class Dataset:
    """Several views of the same classes, and the relations between them (§6.1).

    Parameters
    ----------
    views : list of ndarray of shape (n_v, d_v), float64
        The raw features of each view; spectral features are computed from them elsewhere.
    labels : list of ndarray of shape (n_v,), int64
        The true class of each instance, 0 to k-1. Classes that are paired between views have the
        same number.
    relations : dict of {(int, int): ndarray of shape (r, 2), int64}
        For views ``(u, v)`` with u < v the full list of related rows: column 0 in view u, column 1
        in view v. Instances that occur in no row are isolated. Experiments sample a portion of this
        list.
    names : tuple of str
        The name of each view.
    """

    views: list[Floats]
    labels: list[Ints]
    relations: dict[tuple[int, int], Ints]
    names: tuple[str, ...]

    def __repr__(self) -> str:
        k = 1 + max(int(y.max(initial=-1)) for y in self.labels)
        views = (f"{name} {X.shape}" for name, X in zip(self.names, self.views, strict=True))
        return f"<Dataset: {k} classes in views {', '.join(views)}>"


def pair_at_random(labels: Sequence[Ints], rng: np.random.Generator) -> dict[tuple[int, int], Ints]:
    """Join the instances of equal class, one of each view, to super-instances at random (§6.1)."""
    # the smallest class of those that are joined is used up; what is left stays isolated from all
    joined = []
    for label in reduce(np.intersect1d, labels):
        rows = [np.flatnonzero(y == label) for y in labels]
        smallest = min(map(len, rows))
        joined.append(np.column_stack([rng.choice(r, size=smallest, replace=False) for r in rows]))
    return relate(np.concatenate(joined))


def relate(super_instances: Ints) -> dict[tuple[int, int], Ints]:
    """List the related rows of views u < v, by the row in u; super-instances are rows."""
    return {
        (u, v): super_instances[np.argsort(super_instances[:, u])][:, [u, v]]
        for u, v in combinations(range(super_instances.shape[1]), 2)
    }


T = TypeVar("T")


def check_choice(value: Any, name: str, allowed: tuple[T, ...]) -> T:
    """Return the allowed value that was chosen; True and False are not taken for 1 and 0."""
    single = isinstance(value, str | int | float | np.generic)
    same_kind = isinstance(value, bool) is isinstance(allowed[0], bool)
    if not single or not same_kind or value not in allowed:
        raise InvalidInputError(
            f"{name} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}."
        )
    return allowed[allowed.index(value)]


def check_instances(instances_per_view: Any, factor: int, high: int) -> int:
    """Return a number of instances, a multiple of the factor, or say that it must be one."""
    n = check_count(instances_per_view, "instances_per_view")
    if n % factor or n > high:
        raise InvalidInputError(
            f"instances_per_view must be a multiple of {factor} up to {high}, got {n}."
        )
    return n


def load_dataset(
    name: str,
    *,
    data_dir: StrPath | None = None,
    random_state: RandomState = None,
    **options: Any,
) -> Dataset:
    """Load a data set of §6: raw views, true labels and the full list of relations.

    Instances come in the order of the files (or of the generator), which is nearly sorted by class:
    shuffle them where their order could matter. The views of Rec/Talk are document vectors, already
    scaled by default.

    Parameters
    ----------
    name : str
        A name in :func:`mvcc.datasets.registry`, as ``mvcc data list`` shows them.
    data_dir : str or path, default=None
        A folder to look for the data files in, before ``$MVCC_DATA`` and the cache. Files found
        nowhere are downloaded into the cache.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None
        Decides everything that is drawn: the instances of Four Quadrants, Half-Moons and Rings, the
        documents of Rec/Talk, the pairing within their classes and those of Protein and
        Letters/Digits, the rows of Digits Halves, Wine and Breast Cancer. None draws afresh on
        every call.
    **options
        Options of the data set. ``mvcc data list`` shows them with their defaults; what they mean
        is in ``data/README.md``.

    Returns
    -------
    Dataset
        Views (n_v, d_v), labels (n_v,), relations {(u, v): (r, 2)} with u < v, and the names of the
        views.

    Raises
    ------
    UnknownDatasetError
        If no data set has this name.
    InvalidInputError
        If an option is unknown or impossible, or ``random_state`` is none of these.
    DataError
        If ``data_dir`` or ``$MVCC_DATA`` is not a folder; if a file is missing and cannot be
        downloaded, has a wrong checksum, or cannot be read; if the loader of another package fails,
        or returns no usable views, labels or relations.

    See Also
    --------
    datasets.registry : The names and options of all data sets.

    Examples
    --------
    >>> from mvcc import load_dataset
    >>> data = load_dataset("four_quadrants", random_state=0)
    >>> [view.shape for view in data.views], data.relations[0, 1].shape
    ([(200, 2), (200, 2)], (200, 2))
    """
    info = dataset_info(name)
    try:
        load: Callable[..., Dataset] = resolve_name(info.loader)  # no other data set is imported
        parameters = signature(load).parameters.values()
    except Exception as error:  # it may run code of others
        raise DataError(
            f"The data set {name!r} cannot be imported from {info.loader}: {error!r}."
        ) from error
    allowed = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
    if unknown := sorted(options.keys() - set(allowed)):
        takes = f"its options are: {', '.join(allowed)}" if allowed else "it has no options"
        raise InvalidInputError(
            f"Unknown option for data set {info.name!r}: {clipped(', '.join(unknown))}; {takes}."
        )
    drawn, paths = as_generator(random_state), fetch(info.name, data_dir).values()
    try:
        data = load(drawn, *paths, **options)
    except MvccError as error:
        if info.package:  # the error may be of what the loader calls
            error.args = (f"The data set {name!r}, loaded by {info.loader}: {error}",)
        raise
    except Exception as error:  # of code of others
        raise DataError(
            f"The data set {name!r} cannot be loaded, {info.loader} fails: {error!r}."
        ) from error
    try:
        return _checked(data)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"The data set {name!r} that {info.loader} returns cannot be used: {error}"
        ) from error


def _checked(data: object) -> Dataset:
    """Return a data set as `Dataset` documents it, or say why it is none."""
    if not isinstance(data, Dataset):
        raise InvalidInputError(f"it is {shown(data)}, not a mvcc.Dataset.")
    if not len(data.names) == len(data.views) == len(data.labels):
        raise InvalidInputError(
            f"{len(data.names)} names, {len(data.views)} views and {len(data.labels)} lists of "
            "labels; each view has one of each."
        )
    if not data.names or len(set(data.names)) < len(data.names):
        raise InvalidInputError(
            f"the names of the views are {shown(data.names)}; each view needs a name of its own."
        )
    views, labels = [], []
    for view, X, y in zip(data.names, data.views, data.labels, strict=True):
        views.append(check_data(X, f"view {view}"))
        labels.append(check_labels(y, len(views[-1]), f"the labels of view {view}"))
    classes = np.unique(np.concatenate(labels)).tolist()
    if classes != list(range(len(classes))):
        raise InvalidInputError(
            f"the labels are {clipped(', '.join(map(str, classes)))}; they must be 0 to"
            f" {len(classes) - 1} for {len(classes)} classes."
        )
    relations = check_mappings(data.relations, [len(X) for X in views], data.names)
    return Dataset(views, labels, relations, data.names)
