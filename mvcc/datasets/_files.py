"""Data files: finding them, checking them against the registry, downloading what is missing."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tarfile
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from mvcc._utils.reading import StrPath, content_of
from mvcc.datasets._registry import DataFile, DataFolder, dataset_info
from mvcc.exceptions import DataError

# Four documents are not UTF-8. Latin-1 gives every byte a character, and back.
ENCODING = "latin-1"
ARCHIVE = "20news-bydate.tar.gz"
_DOCUMENT = re.compile(r"20news-bydate-(?:train|test)/([a-z.-]+)/([0-9]+)")


def documents(folder: Path) -> list[Path]:
    """List the documents of a group in the order of their names as text; other files are none."""
    return sorted(folder.glob("[0-9]*"))


def digest_of(paths: Iterable[Path]) -> tuple[str, int]:
    """Return the sha256 and the size of files, one after the other."""
    digest, size = hashlib.sha256(), 0
    for path in paths:
        content = content_of(path)
        digest.update(content)
        size += len(content)
    return digest.hexdigest(), size


def unpack(archive: Path, folder: Path, largest: int) -> None:
    """Write the documents of a group; more than so many bytes are a ValueError."""
    size = 0
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            match = _DOCUMENT.fullmatch(member.name)
            if match is None or match[1] != folder.name or not member.isfile():
                continue
            size += member.size
            if size > largest:
                raise ValueError(f"{folder.name} is larger than the expected {largest} bytes")
            content = members.extractfile(member)
            assert content is not None  # it is a file
            # the number alone, so that no path can lead out of the folder
            (folder / match[2]).write_bytes(content.read())


# pooch and requests are imported inside the functions that need them: they cost about as much as
# all other imports of this package, and whoever has the files (every worker of an experiment) never
# needs them.

_LARGEST_ARCHIVE = 2**25  # bytes; the one that there is has 14 MB
_TIMEOUT = 60  # seconds without a byte


def _retrieve(url: str, sha256: str, largest: int, path: Path) -> Path:
    """Download a file with pooch, which stays within https and stops at a number of bytes."""
    import pooch

    def download(url: str, output_file: str, _: Any) -> None:
        import requests

        with requests.Session() as session:
            del session.adapters["http://"]
            with (
                session.get(url, stream=True, timeout=_TIMEOUT) as response,
                open(output_file, "wb") as file,
            ):
                response.raise_for_status()
                for chunk in response.iter_content(2**16):
                    if file.tell() + len(chunk) > largest:
                        raise ValueError(f"it is larger than the expected {largest} bytes")
                    file.write(chunk)

    where = {"fname": path.name, "path": path.parent}
    return Path(pooch.retrieve(url, known_hash=f"sha256:{sha256}", downloader=download, **where))


def _documents(file: DataFolder, folder: Path) -> Path:
    """Do for a folder of documents what pooch does for a file."""
    path = folder / file.name
    archive = _retrieve(file.url, file.archive_sha256, _LARGEST_ARCHIVE, path.parent / ARCHIVE)
    with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
        group = Path(temporary) / path.name
        group.mkdir()
        unpack(archive, group, file.size)
        digest, _ = digest_of(documents(group))
        if digest != file.sha256:
            raise ValueError(f"the sha256 of its documents is {digest}, expected is {file.sha256}.")
        return group.rename(path)


_logger = logging.getLogger("mvcc.datasets")


def cache_folder() -> Path:
    """Return the folder of downloads: ``data/`` of a checkout, else the user's cache folder."""
    root = Path(__file__).resolve().parents[2]
    if (root / "pyproject.toml").is_file():
        return root / "data"
    import pooch

    return Path(pooch.os_cache("mvcc"))


def search_folders(data_dir: StrPath | None = None) -> list[Path]:
    """Name the folders to search: data_dir, ``$MVCC_DATA``, the cache, in this order."""
    folders = []
    named = {"data_dir (--data-dir)": data_dir, "MVCC_DATA": os.environ.get("MVCC_DATA") or None}
    for origin, value in named.items():
        if value is None:
            continue
        folder = Path(os.path.expanduser(value))
        if not folder.is_dir():
            raise DataError(f"{origin} must name a folder with data files; {folder} is none.")
        folders.append(folder)
    return [*folders, cache_folder()]


def find_file(file: DataFile, data_dir: StrPath | None = None) -> Path | None:
    """Find a data file, the first of its name along the search order, and verify its checksum."""
    # a damaged file ends the search with a DataError
    for folder in search_folders(data_dir):
        path = folder / file.name
        try:
            if isinstance(file, DataFolder):
                digest, size = _digest_of_documents(path, path.stat().st_mtime_ns)
            else:
                digest, size = digest_of([path])
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise DataError(
                f"{path} cannot be read: {error.strerror}. Make it a readable file or remove it."
            ) from error
        if digest != file.sha256:
            raise DataError(
                f"{path} is not the expected file or folder: the sha256 of its content is {digest} "
                f"({size} bytes), expected is {file.sha256} ({file.size} bytes). Remove it and run "
                "`mvcc data fetch`, or replace it with the right one."
            )
        _logger.info("%s: found, its checksum is right", path)
        return path
    return None


def fetch(name: str, data_dir: StrPath | None = None) -> dict[str, Path]:
    """Find and verify all files of a data set, by name; download missing ones into the cache."""
    return {
        file.name: find_file(file, data_dir) or _download(file, data_dir)
        for file in dataset_info(name).files
    }


def file_checksums(name: str, data_dir: StrPath | None = None) -> dict[str, str]:
    """Verify the files of a data set; return the sha256 of each, or the package's version."""
    fetch(name, data_dir)
    info = dataset_info(name)
    return {file.name: file.sha256 for file in info.files} | dict(info.package)


@lru_cache
def _digest_of_documents(folder: Path, modified: int) -> tuple[str, int]:
    """Remember the thousands of documents that every trial asks for, until one comes or goes."""
    return digest_of(documents(folder))


def _download(file: DataFile, data_dir: StrPath | None) -> Path:
    """Download a file or folder; it gets its name once its checksum is right."""
    folder = cache_folder()
    _logger.info("%s is found nowhere: downloading it from %s into %s", file.name, file.url, folder)
    if not file.url.startswith("https://"):
        raise DataError(
            f"{file.name} is not downloaded from {file.url}: only https addresses are allowed."
        )
    try:
        if isinstance(file, DataFolder):
            return _documents(file, folder)
        return _retrieve(file.url, file.sha256, file.size, folder / file.name)
    # the errors of requests are OSErrors; a ValueError is pooch's only sign of a wrong checksum
    except (OSError, ValueError, EOFError, tarfile.TarError) as error:
        searched = ", ".join(map(str, search_folders(data_dir)))
        raise DataError(
            f"{file.name} is missing: it is not in {searched}, and {file.url} did not deliver it "
            f"into {folder}. Try again later, run `mvcc data fetch` on a machine with a network, or"
            " put it into a folder and pass that as --data-dir (data_dir=... in Python) or "
            f"MVCC_DATA. Reason: {type(error).__name__}: {error}"
        ) from error
