"""Finding data files, checking them against the registry, downloading what is missing."""

from __future__ import annotations

import logging
import os
from functools import lru_cache
from os import PathLike
from pathlib import Path

from mvcc.datasets import _newsgroups
from mvcc.datasets._download import download
from mvcc.datasets._registry import DataFile, DataFolder, dataset_info
from mvcc.exceptions import DataError

_logger = logging.getLogger("mvcc.datasets")


def cache_folder() -> Path:
    """Where downloaded files are kept: ``data/`` of a checkout, else the user's cache folder.

    Returns
    -------
    Path
        The folder; it need not exist yet.
    """
    root = Path(__file__).resolve().parents[2]
    if (root / "pyproject.toml").is_file():
        return root / "data"
    import pooch

    return Path(pooch.os_cache("mvcc"))


def search_folders(data_dir: str | PathLike[str] | None = None) -> list[Path]:
    """Name the folders that are searched for data files, in this order: data_dir, ``$MVCC_DATA``, the cache.

    Parameters
    ----------
    data_dir : str or path, optional
        A folder of the user's own.

    Returns
    -------
    list of Path
        One to three folders; all but the cache exist.

    Raises
    ------
    DataError
        If `data_dir` or ``$MVCC_DATA`` is not a folder.
    """
    folders = []
    for origin, value in (("data_dir (--data-dir)", data_dir), ("MVCC_DATA", os.environ.get("MVCC_DATA") or None)):
        if value is None:
            continue
        folder = os.path.expanduser(value)
        if not os.path.isdir(folder):
            what = "is a file" if os.path.isfile(folder) else "does not exist"
            raise DataError(f"{origin} must name a folder with data files, but {folder!r} {what}.")
        folders.append(Path(folder))
    return [*folders, cache_folder()]


def find_file(file: DataFile, data_dir: str | PathLike[str] | None = None) -> Path | None:
    """Find a data file and verify its checksum, without downloading it.

    The documents of a folder are verified once in a process, or again when documents were added to it or removed.

    Parameters
    ----------
    file : DataFile
        The file, or folder of documents, from the registry.
    data_dir : str or path, optional
        A folder to search before ``$MVCC_DATA`` and the cache.

    Returns
    -------
    Path or None
        The first file of this name along the search order, or None if no folder has one.

    Raises
    ------
    DataError
        If the first file of this name cannot be read or has a wrong checksum (the search ends there: a damaged file
        is never passed over in silence), or a folder to search does not exist.
    """
    for folder in search_folders(data_dir):
        path = folder / file.name
        try:
            found, size = _digest(file, path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise DataError(
                f"{path} cannot be read: {error.strerror}. Make it a readable file or remove it."
            ) from error
        if found != file.sha256:
            what = ("folder", "the sha256 of its documents") if isinstance(file, DataFolder) else ("file", "its sha256")
            raise DataError(
                f"{path} is not the expected {what[0]}: {what[1]} is {found} ({size} bytes), expected is {file.sha256} "
                f"({file.size} bytes). Remove it and run `mvcc data fetch`, or replace it with the right {what[0]}."
            )
        _logger.info("%s: found, its checksum is right", path)
        return path
    return None


def fetch(name: str, data_dir: str | PathLike[str] | None = None) -> dict[str, Path]:
    """Find all files of a data set; download those that are found nowhere into the cache.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_dir : str or path, optional
        A folder to search before ``$MVCC_DATA`` and the cache.

    Returns
    -------
    dict of {str: Path}
        Verified files by name, in the order of the registry.

    Raises
    ------
    UnknownDatasetError
        If no data set has this name.
    DataError
        If a file has a wrong checksum, cannot be read, or is missing and cannot be downloaded.
    """
    return {file.name: find_file(file, data_dir) or _download(file, data_dir) for file in dataset_info(name).files}


def file_checksums(name: str, data_dir: str | PathLike[str] | None = None) -> dict[str, str]:
    """Verify the files of a data set, as :func:`fetch` does, and give their checksums.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_dir : str or path, optional
        A folder to search before ``$MVCC_DATA`` and the cache.

    Returns
    -------
    dict of {str: str}
        The sha256 of each file by file name, none for one that is generated. For a data set of another package, the
        version by the package's name.

    Raises
    ------
    DataError
        As :func:`fetch`.
    """
    fetch(name, data_dir)
    info = dataset_info(name)
    return {file.name: file.sha256 for file in info.files} | dict(info.package)


def _digest(file: DataFile, path: Path) -> tuple[str, int]:
    """Return the sha256 and the size of a file, or of the documents of a folder."""
    if isinstance(file, DataFolder):
        return _digest_of_documents(path, path.stat().st_mtime_ns)
    return _newsgroups.digest_of([path])


@lru_cache
def _digest_of_documents(folder: Path, modified: int) -> tuple[str, int]:
    """Every trial asks for the same thousands of documents: remember them as long as none comes or goes."""
    return _newsgroups.digest(folder)


def _download(file: DataFile, data_dir: str | PathLike[str] | None) -> Path:
    folder = cache_folder()
    _logger.info("%s is found nowhere: downloading it from %s into %s", file.name, file.url, folder)
    try:
        return download(file, folder)
    except OSError as error:  # the errors of requests are OSErrors as well
        searched = ", ".join(map(str, search_folders(data_dir)))
        raise DataError(
            f"{file.name} is missing: it is not in {searched}, and downloading it from {file.url} into {folder} "
            "failed. Run `mvcc data fetch` on a machine with a network, or put it into a folder and pass that as "
            f"--data-dir (data_dir=... in Python) or MVCC_DATA. Reason: {type(error).__name__}: {error}"
        ) from error
