"""What `mvcc cluster` prints if k is unknown: criteria, a table of a range, how to be asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc.cli._job_options import words_of
from mvcc.cli._shared import print_json, say
from mvcc.exceptions import ConfigError

if TYPE_CHECKING:
    from mvcc.tables import Job


_BESIDE = ("k", "kept_error", "rows", "all_rows")  # not columns of the table


@contextmanager
def told_how_to_ask(
    job: Job, config: Path | None, given: dict[str, Any], as_json: bool
) -> Iterator[None]:
    """Print criteria, and the command that asks, if answers do not give the number of clusters."""
    from mvcc.tables import UnknownNumberError, number_criteria

    try:
        yield
    except UnknownNumberError as error:
        if error.inputs is not None:
            found = number_criteria(job, error.inputs)
            if as_json:
                print_json(found)
            elif found["k"]:
                _print_criteria(found)
        raise ConfigError(f"{error} To be asked:\n  {_asking(job, config, given)}") from None


def _asking(job: Job, config: Path | None, given: dict[str, Any]) -> str:
    """Return the command that asks about the tables of a job."""
    folders = job.asked or (("asked",) if config is None else ())
    out = f" --out {shlex.quote(folders[0])}" if len(folders) == 1 else ""
    return f"mvcc ask {words_of(config, given)}{out}"


def as_range(text: str | None) -> range | None:
    """Return the numbers of clusters of a range such as 2-12, None for anything else.

    Raises
    ------
    ConfigError
        For a range that does not begin with 2 or more, or does not ascend.
    """
    found = re.fullmatch(r"(\d{1,7})-(\d{1,7})", text or "")
    if not found:
        return None
    low, high = map(int, found.groups())
    if low < 2 or high <= low:
        raise ConfigError(
            "a range of numbers of clusters (-k) must ascend from 2 or more, such as 2-12, got "
            f"{text}."
        )
    return range(low, high + 1)


def print_numbers(
    tried: list[dict[str, Any]],
    out: Path,
    job: Job,
    config: Path | None,
    given: dict[str, Any],
    as_json: bool,
) -> None:
    """Print how good each number of clusters is, and the command that asks."""
    asking = _asking(job, config, given)
    table, curves = (str(out / name) for name in _files())
    if as_json:
        print_json({"tried": tried, "table": table, "curves": curves, "ask": asking})
        return
    columns = [
        name for name, value in tried[0].items() if name not in _BESIDE and value is not None
    ]
    said = {"kept": "constraints kept", "by_chance": "by chance"}
    titles = ["  k", *(said.get(name, name) for name in columns)]
    say("  ".join(titles))
    for one in tried:
        values = [f"{one[name]:.2f}" for name in columns]
        if "kept" in columns:
            values[columns.index("kept")] += f" ± {one['kept_error']:.2f}"
        say(
            "  ".join(
                f"{text:>{len(title)}}"
                for text, title in zip([str(one["k"]), *values], titles, strict=True)
            )
        )
    if tried[0]["rows"] < tried[0]["all_rows"]:
        say(f"These are of a sample: {tried[0]['rows']} of {tried[0]['all_rows']} rows.")
    say(f"Table: {table}")
    say(f"Curves: {curves}")
    say(f"No number was chosen. To be asked, which tells more:\n  {asking}")


def _files() -> tuple[str, str]:
    from mvcc.tables import CHOICE, CURVES

    return CHOICE, CURVES


def _print_criteria(found: dict[str, Any]) -> None:
    width = max(map(len, found["criteria"]))
    say("".join([f"{'k':{width}}", *(f"{k:6}" for k in found["k"]), "   best"]))
    for name, values in found["criteria"].items():
        say(
            "".join(
                [
                    f"{name:{width}}",
                    *(f"{value:6.2f}" for value in values),
                    f"   {found['best'][name] or '–':>4}",
                ]
            )
        )
    say("With four clusters or more, neither is right more than two times in five.")
