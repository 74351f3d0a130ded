"""Configs: a job is read from one, and from options; the example has one with all settings.

`python -m scripts.example` draws the tables and pictures of the example.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mvcc._utils.messages import clipped, typed
from mvcc._utils.outputs import OutputFolder
from mvcc._utils.settings import Problems, put, read_yaml, validated
from mvcc.results import CLUSTERING, refuse_aside
from mvcc.tables._job import Job, View, no_view

_TABLES = ("catalog.csv", "photos.csv", "matches.csv", "pairs.csv", "answers.csv")
_TEXTS = ("cluster.yaml", "asked.yaml", "README.md")


def load_job(
    path: str | os.PathLike[str] | None,
    options: Iterable[tuple[tuple[str, ...], Any, str]] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
    check: str = "",
) -> Job:
    """Read a job from a YAML file, whose paths are relative to it, and options, which override it.

    An option has keys, such as ``("views", "texts", "path")``, its value, and what messages call
    it. The path of a new view comes before its other settings. A `ConfigError` has a line for each
    mistake, and says that `check` finds them, by default `mvcc cluster`.
    """
    options = list(options)
    source = "the options" if path is None else os.fspath(path)
    file = "" if path is None else f" {typed(path)}"
    others = " …" if options else ""
    problems = Problems(source, check or f"mvcc cluster{file}{others} --dry-run")
    value: Any = {}
    if path is not None:
        folder = os.path.dirname(path)
        for name in (path, os.path.join(folder, CLUSTERING)):
            refuse_aside(Path(name))
        value = with_paths(
            read_yaml(path, problems), lambda entry: os.path.join(folder, os.path.expanduser(entry))
        )
    for keys, new, label in options:
        label = clipped(label, 200)
        if problem := _beside_views(keys, value):
            problems.report(keys, problem, problems.option(label))
        else:
            put(value, keys, new, label, problems)
    if isinstance(value, dict):
        value = {**defaults, **value}
    return validated(Job, value, problems)


def _beside_views(keys: tuple[str, ...], value: Any) -> str:
    """Return what is wrong with an option for a view that does not exist."""
    if keys[0] != "views" or keys[-1] == "path" or not isinstance(value, dict):
        return ""
    views = value.get("views", {})
    if not isinstance(views, dict):
        return ""
    return no_view(keys[1], views)


def with_paths(value: Any, path_of: Callable[[str], str]) -> Any:
    """Make every view of a file a section, and change all paths that can be some."""

    def seen(path: Any) -> Any:
        is_path = isinstance(path, str) and path and "\0" not in path
        return path_of(path) if is_path else path

    def section(view: Any) -> Any:
        if isinstance(view, str):
            view = {"path": view}
        if isinstance(view, dict) and "path" in view:
            return view | {"path": seen(view["path"])}
        return view

    if not isinstance(value, dict):
        return value
    for key in {"asked", "continues"} & value.keys():
        paths = value[key]
        value[key] = list(map(seen, paths)) if isinstance(paths, list) else seen(paths)
    for key, expanded in (("views", section), ("matches", seen), ("constraints", seen)):
        entries = value.get(key)
        if isinstance(entries, dict):
            value[key] = {name: expanded(entry) for name, entry in entries.items()}
    return value


def is_path(text: str) -> bool:
    """Tell whether a text can be a path in a job."""
    try:
        return bool(View(path=text))
    except ValueError:
        return False


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
