"""A small example to start from: a folder that `mvcc cluster` runs on as it is.

`python -m scripts.example` draws its tables and pictures.
"""

from __future__ import annotations

import re
import tarfile
from importlib.resources import files
from pathlib import Path

from mvcc._utils.outputs import OutputFolder
from mvcc.tables._job import Job, View

_TABLES = ("catalog.csv", "photos.csv", "matches.csv", "pairs.csv", "answers.csv")
_TEXTS = ("cluster.yaml", "asked.yaml", "README.md")


def write_example(folder: Path) -> list[Path]:
    """Write tables, pictures, matches, constraints, answers, two configs, and a page about them."""
    stored = files("mvcc.tables") / "example"
    contents = {name: (stored / name).read_bytes() for name in _TABLES}
    with (
        (stored / "pictures.tar.gz").open("rb") as file,
        tarfile.open(fileobj=file, mode="r:gz") as pictures,
    ):
        for member in pictures:
            picture = pictures.extractfile(member)
            assert picture is not None  # all are files
            contents[member.name] = picture.read()
    contents |= {name: (stored / name).read_bytes() for name in _TEXTS}
    contents["cluster.yaml"] = _commented(contents["cluster.yaml"].decode()).encode()
    elsewhere = "choose another folder"
    with OutputFolder(folder, "an example", fresh=None, elsewhere=elsewhere) as target:
        target.write(contents)
    return [folder / name for name in contents]


def _commented(config: str) -> str:
    """Write the help of every setting beside it."""
    fields = {**View.model_fields, **Job.model_fields}
    lines = []
    for line in config.splitlines():
        key = re.match(r" *(?:# )?(\w+):", line)
        if key and key[1] in fields:
            line = f"{line:<35} # {str(fields[key[1]].description).rstrip('.')}"
        lines.append(line)
    return "\n".join(lines) + "\n"
