"""The documents of 20 Newsgroups: one folder per group, one file per document, named by the document's number."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path

from mvcc._utils.reading import content_of

# Four documents are not UTF-8. Latin-1 gives every byte a character, and back.
ENCODING = "latin-1"
ARCHIVE = "20news-bydate.tar.gz"
_DOCUMENT = re.compile(r"20news-bydate-(?:train|test)/([a-z.-]+)/([0-9]+)")


def documents(folder: Path) -> list[Path]:
    """List the documents of a group in the order of their names as text; other files are none."""
    return sorted(folder.glob("[0-9]*"))


def digest(folder: Path) -> tuple[str, int]:
    """Return the sha256 and the size of the documents of a group, one after the other."""
    return digest_of(documents(folder))


def digest_of(paths: Iterable[Path]) -> tuple[str, int]:
    """Return the sha256 and the size of files, one after the other."""
    digest, size = hashlib.sha256(), 0
    for path in paths:
        content = content_of(path)
        digest.update(content)
        size += len(content)
    return digest.hexdigest(), size


def unpack(archive: Path, folder: Path, largest: int) -> None:
    """Write the documents of the group that the folder is named after, those for training and those for testing.

    Of a path in the archive nothing is used but the number at its end, so that no path can lead out of the folder.

    Raises
    ------
    ValueError
        If they are larger than the given number of bytes.
    OSError, tarfile.TarError
        If they cannot be read or written.
    """
    size = 0
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            match = _DOCUMENT.fullmatch(member.name)
            if match is None or match[1] != folder.name or not member.isfile():
                continue
            size += member.size
            if size > largest:
                raise ValueError(f"the documents of {folder.name} are larger than the expected {largest} bytes")
            content = members.extractfile(member)
            assert content is not None  # it is a file
            (folder / match[2]).write_bytes(content.read())
