"""The command lines of scripts, whose help is their whole docstring."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(about: str | None) -> argparse.ArgumentParser:
    """Return a parser that shows a docstring as it is written."""
    return argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def no_options(about: str | None) -> None:
    """Refuse options, so that `--help` does not start what takes long or writes files."""
    parser(about).parse_args()


def folder_from(about: str | None, usual: Path) -> Path:
    """Return the folder that the command line names, or the usual one."""
    asked = parser(about)
    asked.add_argument("folder", nargs="?", type=Path, default=usual, help="(default: %(default)s)")
    return asked.parse_args().folder
