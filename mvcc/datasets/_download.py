"""Downloading data files: over https alone, no more than is registered, and used only with the right checksum."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mvcc.datasets import _newsgroups
from mvcc.datasets._registry import DataFile, DataFolder
from mvcc.exceptions import DataError

# pooch and requests are imported inside the functions that need them: they cost about as much as all other imports of
# this package, and whoever has the files (every worker of an experiment) never needs them.

_LARGEST_ARCHIVE = 2**25  # bytes; the one that there is has 14 MB
_TIMEOUT = 60  # seconds without a byte


def download(file: DataFile, folder: Path) -> Path:
    """Download a file, or folder of documents, into a folder; it gets its name only after its checksum is right.

    Raises
    ------
    DataError
        If the address is not one of https, or delivers something else. Nothing is kept then.
    OSError
        If it cannot be reached, or the folder not be written.
    """
    if not file.url.startswith("https://"):
        raise DataError(f"{file.name} is not downloaded from {file.url}: only https addresses are allowed.")
    try:
        if isinstance(file, DataFolder):
            return _documents(file, folder)
        return _retrieve(file.url, file.sha256, file.size, folder / file.name)
    except (
        ValueError,
        EOFError,
        tarfile.TarError,
    ) as error:  # pooch's only sign of a wrong checksum; it names both checksums
        if isinstance(error, OSError):  # an address that is refused on the way is both
            raise
        raise DataError(
            f"{file.url} did not deliver the expected file, and nothing was kept in {folder}. Try again later, or get "
            f"{file.name} elsewhere and pass its folder as --data-dir (data_dir=... in Python). Reason: {error}"
        ) from error


def _retrieve(url: str, sha256: str, largest: int, path: Path) -> Path:
    import pooch

    where = {"fname": path.name, "path": path.parent}
    return Path(pooch.retrieve(url, known_hash=f"sha256:{sha256}", downloader=_at_most(largest), **where))


def _at_most(largest: int) -> Callable[[str, str, Any], None]:
    """Return a downloader for pooch that follows no redirection out of https and stops at a number of bytes."""

    def download(url: str, output_file: str, _: Any) -> None:
        import requests

        with requests.Session() as session:
            del session.adapters["http://"]
            with session.get(url, stream=True, timeout=_TIMEOUT) as response, open(output_file, "wb") as file:
                response.raise_for_status()
                for chunk in response.iter_content(2**16):
                    if file.tell() + len(chunk) > largest:
                        raise ValueError(f"it is larger than the expected {largest} bytes")
                    file.write(chunk)

    return download


def _documents(file: DataFolder, folder: Path) -> Path:
    """Do for a folder of documents what pooch does for a file."""
    path = folder / file.name
    archive = _retrieve(file.url, file.archive_sha256, _LARGEST_ARCHIVE, path.parent / _newsgroups.ARCHIVE)
    with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
        group = Path(temporary) / path.name
        group.mkdir()
        _newsgroups.unpack(archive, group, file.size)
        found, _ = _newsgroups.digest(group)
        if found != file.sha256:
            raise ValueError(f"the sha256 of its documents is {found}, expected is {file.sha256}.")
        return group.rename(path)
