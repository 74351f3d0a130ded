"""The documents of 20 Newsgroups: one folder per group, one file per document, named by the document's number."""

from __future__ import annotations

from pathlib import Path

# Four documents are not UTF-8. Latin-1 gives every byte a character, and back.
ENCODING = "latin-1"


def documents(folder: Path) -> list[Path]:
    """List the documents of a group in the order of their names as text; other files are none."""
    return sorted(folder.glob("[0-9]*"))


def download(folder: Path) -> None:
    """Write the documents of the group that the folder is named after, as scikit-learn delivers them.

    scikit-learn keeps all groups in its own cache, ``~/scikit_learn_data``, and downloads them but once. Its file
    names end with the number of the document, by which the parts for training and testing are joined here.

    Raises
    ------
    OSError
        If they cannot be downloaded or written.
    """
    from sklearn.datasets import fetch_20newsgroups  # whoever has the documents never needs it

    group = fetch_20newsgroups(subset="all", categories=[folder.name], shuffle=False, remove=())
    for text, name in zip(group.data, group.filenames, strict=True):
        (folder / Path(name).name).write_bytes(text.encode(ENCODING))
