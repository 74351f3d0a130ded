"""From the name of a data set to its views, labels and relations."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from os import PathLike
from pkgutil import resolve_name
from typing import Any

import numpy as np

from mvcc._utils.messages import clipped
from mvcc._utils.validation import as_generator
from mvcc.datasets._dataset import Dataset
from mvcc.datasets._files import fetch
from mvcc.datasets._registry import dataset_info
from mvcc.exceptions import DataError, InvalidInputError


def load_dataset(
    name: str,
    *,
    data_dir: str | PathLike[str] | None = None,
    random_state: int | np.random.SeedSequence | np.random.Generator | None = None,
    **options: Any,
) -> Dataset:
    """Load a data set of §6: raw views, true labels and the full list of relations.

    Instances come in the order of the files (or of the generator), which is nearly sorted by class: shuffle them
    where their order could matter. The views of Rec/Talk are document vectors, already scaled by default.

    Parameters
    ----------
    name : str
        A name in :func:`mvcc.datasets.registry`, as ``mvcc data list`` shows them.
    data_dir : str or path, optional
        A folder to look for the data files in, before ``$MVCC_DATA`` and the cache. Files found nowhere are downloaded
        into the cache.
    random_state : int, SeedSequence, Generator or None
        Decides everything that is drawn: the instances of Four Quadrants, Half-Moons and Rings, the documents of
        Rec/Talk, the pairing within their classes and those of Protein and Letters/Digits, the rows of Digits Halves,
        Wine and Breast Cancer. None draws afresh on every call.
    **options
        Options of the data set. ``mvcc data list`` shows them with their defaults; what they mean is in
        ``data/README.md``.

    Returns
    -------
    Dataset
        Views (n_v, d_v), labels (n_v,), relations {(u, v): (r, 2)} with u < v, and the names of the views.

    Raises
    ------
    UnknownDatasetError
        If no data set has this name.
    InvalidInputError
        If an option is unknown or impossible, or the random state is none.
    DataError
        If a file is missing and cannot be downloaded, has a wrong checksum, or cannot be read.

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
    except Exception as error:  # it may run code of others
        raise DataError(f"The data set {name!r} cannot be imported from {info.loader}: {error!r}.") from error
    allowed = [p.name for p in signature(load).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    if unknown := sorted(options.keys() - set(allowed)):
        takes = f"its options are: {', '.join(allowed)}" if allowed else "it has no options"
        raise InvalidInputError(f"Unknown option for data set {info.name!r}: {clipped(', '.join(unknown))}; {takes}.")
    data = load(as_generator(random_state), *fetch(info.name, data_dir).values(), **options)
    if not isinstance(data, Dataset):
        raise DataError(f"The data set {name!r} is {clipped(repr(data))}; {info.loader} must return a mvcc.Dataset.")
    return data
