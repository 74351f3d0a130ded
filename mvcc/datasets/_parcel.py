"""Data files as one value that travels to a machine without them, and back to files there."""

from __future__ import annotations

import atexit
import io
import shutil
import tempfile
import threading
from os import PathLike
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from mvcc._disk import sha256_of
from mvcc.datasets import _newsgroups
from mvcc.datasets._files import fetch
from mvcc.datasets._registry import DataFolder, dataset_info

_unpacked: dict[str, Path] = {}
_lock = threading.Lock()  # a worker may have several threads


def pack_files(name: str, data_dir: str | PathLike[str] | None = None) -> bytes:
    """Find the files of a data set, as :func:`mvcc.datasets.fetch` does, and put them into one compressed archive.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_dir : str or path, optional
        A folder to search before ``$MVCC_DATA`` and the cache.

    Returns
    -------
    bytes
        For :func:`unpack_files`; empty for a data set that is generated.

    Raises
    ------
    DataError
        As :func:`mvcc.datasets.fetch`.
    """
    paths = fetch(name, data_dir)
    if not paths:
        return b""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for file in dataset_info(name).files:
            path = paths[file.name]
            if isinstance(file, DataFolder):
                for document in _newsgroups.documents(path):
                    archive.write(document, f"{file.name}/{document.name}")
            else:
                archive.write(path, file.name)
    return content.getvalue()


def unpack_files(packed: bytes) -> Path | None:
    """Write packed files into a folder of this process, once, and give the folder; it goes when the process ends.

    What is read from there is verified like every other data file.

    Parameters
    ----------
    packed : bytes
        What :func:`pack_files` returned.

    Returns
    -------
    Path or None
        A folder to be passed as ``data_dir``; None for a data set that is generated.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    if not packed:
        return None
    checksum = sha256_of(packed)
    with _lock:
        if checksum not in _unpacked:
            folder = Path(tempfile.mkdtemp(prefix="mvcc-data-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            with ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(folder)  # never leads out of the folder, whatever the names in it
            _unpacked[checksum] = folder
    return _unpacked[checksum]
